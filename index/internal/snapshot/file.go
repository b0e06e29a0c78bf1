package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// Errors that callers tell apart.
var (
	// ErrDamaged says that a file is no snapshot, or not all of one.
	ErrDamaged = errors.New("the snapshot is damaged")
	// ErrVersion says that a snapshot has another version.
	ErrVersion = errors.New("the snapshot has another version")
)

// Version is the version of the container. What the sections hold has one of its own.
const Version = 1

const (
	magic       = "\x89QRY\r\n\x1a\n"
	headLength  = 4096
	tableAt     = 32
	entryLength = 48
	nameLength  = 16
	maxSections = 64
	align       = 8
	maxPacking  = 16 // how much longer than the file a section may be
)

// How a section is packed.
const (
	plain  = 0
	packed = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type entry struct {
	name              string
	at, length, whole uint64
	crc               uint32
	packing           uint32
}

// A Writer writes a snapshot. It is not safe for concurrent use.
type Writer struct {
	file    *os.File
	final   string
	at      uint64
	entries []entry
	id      uint64
	err     error
}

// temporary marks the files that Create makes: names that end in it and a number
// belong to nobody once their writer is gone.
const temporary = ".tmp-"

// Create begins a snapshot that will have the name path. Its folder must exist. The
// file is readable by its owner alone.
func Create(path string) (*Writer, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+temporary+"*")
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	w := &Writer{file: f, final: path}
	w.write(make([]byte, headLength))
	return w, nil
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.file.Write(b)
	w.at += uint64(n)
	if err != nil {
		w.err = fmt.Errorf("snapshot: %w", err)
	}
}

// Add writes a section as it is. Errors come with Commit.
func (w *Writer) Add(name string, b []byte) { w.add(name, b, len(b), plain) }

// Stream writes a section as it is, of parts that follow each other: it need not be in
// memory as a whole. A part is not kept.
func (w *Writer) Stream(name string, parts iter.Seq[[]byte]) {
	w.begin(name)
	e := entry{name: name, at: w.at, packing: plain}
	for b := range parts {
		e.crc = crc32.Update(e.crc, castagnoli, b)
		e.length += uint64(len(b))
		w.write(b)
	}
	e.whole = e.length
	w.entries = append(w.entries, e)
}

// Pack writes a section packed.
func (w *Writer) Pack(name string, b []byte) {
	// One thread, so that the same bytes give the same bytes.
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false))
	if err != nil {
		w.fail(fmt.Errorf("snapshot: %w", err))
		return
	}
	small := z.EncodeAll(b, nil)
	if len(b) > maxPacking*len(small) { // what Open would not believe
		w.add(name, b, len(b), plain)
		return
	}
	w.add(name, small, len(b), packed)
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) add(name string, b []byte, whole int, packing uint32) {
	w.begin(name)
	w.entries = append(w.entries, entry{name, w.at, uint64(len(b)), uint64(whole), crc32.Checksum(b, castagnoli), packing})
	w.write(b)
}

// begin checks the name of a section and goes to where it may begin.
func (w *Writer) begin(name string) {
	switch {
	case len(name) == 0 || len(name) > nameLength || strings.ContainsRune(name, 0):
		w.fail(fmt.Errorf("snapshot: section %q needs a name of 1 to %d bytes", name, nameLength))
	case len(w.entries) == maxSections:
		w.fail(fmt.Errorf("snapshot: more than %d sections", maxSections))
	}
	for _, e := range w.entries {
		if e.name == name {
			w.fail(fmt.Errorf("snapshot: section %q comes twice", name))
		}
	}
	if over := w.at % align; over != 0 {
		w.write(make([]byte, align-over))
	}
}

// Commit makes the snapshot durable and gives it its name, in place of one that has
// it. After an error nothing is left of it.
func (w *Writer) Commit() error {
	if w.err == nil {
		first := head(w.entries, w.at)
		w.id = xxhash.Sum64(first)
		_, err := w.file.WriteAt(first, 0)
		w.err = errors.Join(err, w.file.Sync())
	}
	if err := w.file.Close(); err != nil {
		w.fail(err)
	}
	if w.err == nil {
		w.err = os.Rename(w.file.Name(), w.final)
	}
	if w.err != nil {
		os.Remove(w.file.Name())
		return fmt.Errorf("snapshot: %w", w.err)
	}
	return syncFolder(filepath.Dir(w.final))
}

// ID returns what File.ID does of the file that Commit has made.
func (w *Writer) ID() uint64 { return w.id }

// Abort leaves nothing of the snapshot.
func (w *Writer) Abort() {
	w.file.Close()
	os.Remove(w.file.Name())
}

// syncFolder makes a new name durable. Where a folder cannot be opened for that, the
// system does not need it.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, os.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}

func head(entries []entry, length uint64) []byte {
	b := make([]byte, headLength)
	copy(b, magic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], Version)
	le.PutUint32(b[12:], uint32(len(entries)))
	le.PutUint64(b[16:], length)
	for i, e := range entries {
		t := b[tableAt+i*entryLength:]
		copy(t, e.name)
		le.PutUint64(t[16:], e.at)
		le.PutUint64(t[24:], e.length)
		le.PutUint64(t[32:], e.whole)
		le.PutUint32(t[40:], e.crc)
		le.PutUint32(t[44:], e.packing)
	}
	le.PutUint32(b[24:], headSum(b, len(entries)))
	return b
}

func headSum(b []byte, entries int) uint32 {
	sum := crc32.Checksum(b[:24], castagnoli)
	return crc32.Update(sum, castagnoli, b[tableAt:tableAt+entries*entryLength])
}

// A File is an open snapshot. Section may be called from several goroutines.
type File struct {
	source  io.ReaderAt
	closer  io.Closer
	entries []entry
	length  uint64
	id      uint64
}

// Open opens a snapshot and checks its head. A file that does not exist gives
// fs.ErrNotExist.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("snapshot: %w", err), f.Close())
	}
	s, err := Read(f, info.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("snapshot: %s: %w", path, err), f.Close())
	}
	s.closer = f
	return s, nil
}

// Read is Open of bytes that lie anywhere.
func Read(source io.ReaderAt, length int64) (*File, error) {
	b := make([]byte, headLength)
	if length < headLength {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrDamaged, length)
	}
	if _, err := source.ReadAt(b, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	le := binary.LittleEndian
	if string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it does not begin as one", ErrDamaged)
	}
	if v := le.Uint32(b[8:]); v != Version {
		return nil, fmt.Errorf("%w: %d, this program reads %d", ErrVersion, v, Version)
	}
	count := le.Uint32(b[12:])
	if count > maxSections || headSum(b, int(count)) != le.Uint32(b[24:]) {
		return nil, fmt.Errorf("%w: its head is not what was written", ErrDamaged)
	}
	f := &File{source: source, length: le.Uint64(b[16:]), id: xxhash.Sum64(b)}
	if f.length != uint64(length) {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrDamaged, length, f.length)
	}
	for i := range int(count) {
		t := b[tableAt+i*entryLength:]
		e := entry{
			name: strings.TrimRight(string(t[:nameLength]), "\x00"), at: le.Uint64(t[16:]), length: le.Uint64(t[24:]),
			whole: le.Uint64(t[32:]), crc: le.Uint32(t[40:]), packing: le.Uint32(t[44:]),
		}
		if e.at > f.length || e.length > f.length-e.at || e.whole > maxPacking*f.length || e.packing > packed || e.packing == plain && e.whole != e.length {
			return nil, fmt.Errorf("%w: section %q lies outside", ErrDamaged, e.name)
		}
		f.entries = append(f.entries, e)
	}
	return f, nil
}

// Has reports whether there is a section.
func (f *File) Has(name string) bool {
	for i := range f.entries {
		if f.entries[i].name == name {
			return true
		}
	}
	return false
}

// Length returns the length of the file in bytes.
func (f *File) Length() int64 { return int64(f.length) }

// ID tells snapshots of different bytes apart: it is a hash of the head, which has the
// checksums of all sections.
func (f *File) ID() uint64 { return f.id }

// Part reads some of the bytes of a section that is not packed. Their checksum is not
// compared: they should have one of their own.
func (f *File) Part(name string, at, length uint64) ([]byte, error) {
	for i := range f.entries {
		e := &f.entries[i]
		if e.name != name {
			continue
		}
		if e.packing != plain || at > e.length || length > e.length-at {
			break
		}
		b := make([]byte, length)
		if _, err := f.source.ReadAt(b, int64(e.at+at)); err != nil && (err != io.EOF || length > 0) {
			return nil, fmt.Errorf("snapshot: section %s: %w: %w", name, ErrDamaged, err)
		}
		return b, nil
	}
	return nil, fmt.Errorf("snapshot: section %s: %w: it has no such part", name, ErrDamaged)
}

// Section reads a section, unpacks it and compares its checksum. The bytes are the
// caller's.
func (f *File) Section(name string) ([]byte, error) {
	for i := range f.entries {
		e := &f.entries[i]
		if e.name != name {
			continue
		}
		b := make([]byte, e.length)
		if _, err := f.source.ReadAt(b, int64(e.at)); err != nil && (err != io.EOF || e.length > 0) {
			return nil, fmt.Errorf("snapshot: section %s: %w: %w", name, ErrDamaged, err)
		}
		if crc32.Checksum(b, castagnoli) != e.crc {
			return nil, fmt.Errorf("snapshot: section %s: %w: its checksum differs", name, ErrDamaged)
		}
		if e.packing == plain {
			return b, nil
		}
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(e.whole, 8<<20)))
		if err != nil {
			return nil, fmt.Errorf("snapshot: section %s: %w", name, err)
		}
		defer z.Close()
		out, err := z.DecodeAll(b, make([]byte, 0, e.whole))
		if err != nil || uint64(len(out)) != e.whole {
			return nil, fmt.Errorf("snapshot: section %s: %w: it does not unpack", name, ErrDamaged)
		}
		return out, nil
	}
	return nil, fmt.Errorf("snapshot: section %s: %w: it is not there", name, ErrDamaged)
}

// Close closes the file.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
