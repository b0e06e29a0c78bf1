package onnx

// #include <stdlib.h>
import "C"

import (
	"errors"
	"unsafe"

	"github.com/klauspost/compress/zstd"
)

// expanded returns a model's content, which a program that was made small (cmd/quarry-pack)
// has compressed. free is to be called when a session is made of it, which has a copy: the
// collector would keep the memory for longer.
func expanded(data []byte) (model []byte, free func(), err error) {
	var head zstd.Header
	if head.Decode(data) != nil || !head.HasFCS { // no model begins like that
		return data, func() {}, nil
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	room := C.malloc(C.size_t(head.FrameContentSize + 1))
	if room == nil {
		return nil, nil, errors.New("no memory for the model")
	}
	model, err = r.DecodeAll(data, unsafe.Slice((*byte)(room), head.FrameContentSize)[:0])
	if err != nil {
		C.free(room)
		return nil, nil, err
	}
	return model, func() { C.free(room) }, nil
}
