package callgraph

import (
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// Form is what a file was lowered to for the call graph, encoded by package ir and
// packed; empty where there is nothing. A record keeps it, in memory and in a snapshot,
// so that no file is parsed again for the graph: of the Go distribution's 65 MB it
// takes 12, and to unpack it a twentieth of the time of parsing.
type Form []byte

// Forms pack and unpack what is lowered. They are safe for concurrent use.
type Forms struct {
	pack    *zstd.Encoder
	unpack  *zstd.Decoder
	buffers *sync.Pool // of *formBuffers
}

// formBuffers are what a form is encoded and packed in, before it is copied.
type formBuffers struct {
	encoder snapshot.Encoder
	packed  []byte
}

// maxLowered bounds what a damaged form may unpack to, in bytes: files are not larger
// than a few megabytes, and lowered they are smaller.
const maxLowered = 64 << 20

// What a form that comes from outside may unpack to, for each byte of the text and beyond
// that. Of the Go distribution it is 3 bytes at most.
const (
	maxLoweredShare = 32
	maxLoweredHead  = 64 << 10
)

// unstated is less than what a form unpacks to that says how long it is: Zstandard leaves
// that out where a frame is short.
const unstated = 256

// length returns the most that a form unpacks to, in bytes, by what it says; -1 where that
// is no form, or more than forms may have. Unpacking ends there.
func (l Form) length() int {
	if len(l) == 0 {
		return 0
	}
	var h zstd.Header
	if err := h.Decode(l); err != nil || h.FrameContentSize > maxLowered {
		return -1
	}
	if !h.HasFCS {
		return unstated
	}
	return int(h.FrameContentSize)
}

// Fits checks that a form can be that of a text of so many bytes.
func (l Form) Fits(text int) error {
	if n := l.length(); n < 0 || n > maxLoweredShare*text+maxLoweredHead {
		return fmt.Errorf("%w: a file of %d bytes is lowered to %d", snapshot.ErrDamaged, text, n)
	}
	return nil
}

func NewForms(workers int) (Forms, error) {
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return Forms{}, fmt.Errorf("index: %w", err)
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(workers), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxLowered), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return Forms{}, fmt.Errorf("index: %w", err)
	}
	return Forms{pack, unpack, &sync.Pool{New: func() any { return new(formBuffers) }}}, nil
}

// Close ends them; nobody may use them any more.
func (f Forms) Close() {
	_ = f.pack.Close() // nothing is being written
	f.unpack.Close()
}

// Pack packs a file before the graph has it, which lets go of parts of it.
func (f Forms) Pack(file *ir.File) Form {
	if file == nil {
		return nil
	}
	b := f.buffers.Get().(*formBuffers)
	defer f.buffers.Put(b)
	b.encoder.Reset()
	file.Save(&b.encoder)
	b.packed = f.pack.EncodeAll(b.encoder.Bytes(), b.packed[:0])
	return append(make(Form, 0, len(b.packed)), b.packed...)
}

// Unpack returns what save was given. spare is as in ir.Restore.
func (f Forms) Unpack(form Form, spare *ir.Spare) (*ir.File, error) {
	if len(form) == 0 {
		return nil, nil
	}
	length := form.length()
	if length < 0 {
		return nil, fmt.Errorf("%w: it is not packed as forms are", snapshot.ErrDamaged)
	}
	b, err := f.unpack.DecodeAll(form, slices.Grow(spare.Bytes(), length)[:0:length])
	if err != nil {
		return nil, err
	}
	d := snapshot.NewDecoder(b)
	file := ir.Restore(d, spare)
	spare.Keep(b)
	return file, d.End()
}
