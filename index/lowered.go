package index

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// lowered is what a file was lowered to for the call graph, encoded by package ir and
// packed; empty where there is nothing. A record keeps it, in memory and in a snapshot,
// so that no file is parsed again for the graph: of the Go distribution's 65 MB it
// takes 12, and to unpack it a twentieth of the time of parsing.
type lowered []byte

// forms pack and unpack what is lowered. They are safe for concurrent use.
type forms struct {
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

func newForms(workers int) (forms, error) {
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return forms{}, fmt.Errorf("index: %w", err)
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(workers), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxLowered))
	if err != nil {
		return forms{}, fmt.Errorf("index: %w", err)
	}
	return forms{pack, unpack, &sync.Pool{New: func() any { return new(formBuffers) }}}, nil
}

// close ends them; nobody may use them any more.
func (f forms) close() {
	_ = f.pack.Close() // nothing is being written
	f.unpack.Close()
}

// save packs a file before the graph has it, which lets go of parts of it.
func (f forms) save(file *ir.File) lowered {
	if file == nil {
		return nil
	}
	b := f.buffers.Get().(*formBuffers)
	defer f.buffers.Put(b)
	b.encoder.Reset()
	file.Save(&b.encoder)
	b.packed = f.pack.EncodeAll(b.encoder.Bytes(), b.packed[:0])
	return append(make(lowered, 0, len(b.packed)), b.packed...)
}

// restore returns what save was given. spare is as in ir.Restore.
func (f forms) restore(form lowered, spare *ir.Spare) (*ir.File, error) {
	if len(form) == 0 {
		return nil, nil
	}
	b, err := f.unpack.DecodeAll(form, spare.Bytes())
	if err != nil {
		return nil, err
	}
	d := snapshot.NewDecoder(b)
	file := ir.Restore(d, spare)
	spare.Keep(b)
	return file, d.End()
}

// lower returns what a record was lowered to. Where that cannot be read its text is
// parsed again.
func (x *Index) lower(r *record) *ir.File {
	f, err := x.forms.restore(r.lowered, nil)
	if err == nil {
		return f
	}
	x.log.Warn("a file is parsed again for the call graph", "path", r.path, "err", err)
	x.state.lowered.Add(1)
	p := x.parsers.get()
	defer x.parsers.put(p)
	parsed, tree := p.ParseTree(r.lang, r.text.all())
	return lower.File(&parsed, tree)
}
