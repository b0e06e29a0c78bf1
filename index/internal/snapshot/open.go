package snapshot

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A File is an open snapshot. Section may be called from several goroutines.
type File struct {
	source  io.ReaderAt
	closer  io.Closer
	entries []entry
	length  uint64
	id      ID
	signer  ed25519.PublicKey
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

// Read is Open for bytes from any source.
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
	if count > maxSections {
		return nil, fmt.Errorf("%w: %d sections", ErrDamaged, count)
	}
	f := &File{source: source, length: le.Uint64(b[16:]), id: rootOf(b, int(count))}
	if !bytes.Equal(f.id[:], b[rootAt:sealAt]) || !zero(b[tableAt+int(count)*entryLength:]) {
		return nil, fmt.Errorf("%w: its head is not what was written", ErrDamaged)
	}
	if f.length != uint64(length) {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrDamaged, length, f.length)
	}
	var err error
	if f.signer, err = unseal(b, f.id); err != nil {
		return nil, err
	}
	return f, f.table(b, int(count))
}

// table reads the table of the sections: they follow each other, and nothing else is in
// the file.
func (f *File) table(b []byte, count int) error {
	le := binary.LittleEndian
	end := uint64(headLength)
	for i := range count {
		t := b[tableAt+i*entryLength:]
		e := entry{
			name: strings.TrimRight(string(t[:nameLength]), "\x00"), at: le.Uint64(t[16:]), length: le.Uint64(t[24:]),
			whole: le.Uint64(t[32:]), packing: le.Uint32(t[40:]),
		}
		copy(e.sum[:], t[48:])
		if e.at%align != 0 || e.at < end || e.at-end >= align || e.at > f.length || e.length > f.length-e.at {
			return fmt.Errorf("%w: section %q lies outside", ErrDamaged, e.name)
		}
		switch {
		case e.packing == plain && e.whole == e.length:
		case e.packing == packed && e.whole <= maxPacking*e.length:
		default:
			return fmt.Errorf("%w: section %q has %d bytes, unpacked %d", ErrDamaged, e.name, e.length, e.whole)
		}
		if f.Has(e.name) {
			return fmt.Errorf("%w: section %q comes twice", ErrDamaged, e.name)
		}
		end = e.at + e.length
		f.entries = append(f.entries, e)
	}
	if end != f.length {
		return fmt.Errorf("%w: %d bytes belong to no section", ErrDamaged, f.length-end)
	}
	return nil
}

func zero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

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

// ID is the hash of all that the file holds: see ID.
func (f *File) ID() ID { return f.id }

// Signer returns the key whose signature the file has, nil where it has none. Anybody can
// sign: Trust checks who did.
func (f *File) Signer() ed25519.PublicKey { return f.signer }

// Trust gives ErrUntrusted unless one of some keys has signed the file.
func (f *File) Trust(keys []ed25519.PublicKey) error {
	if f.signer == nil {
		return fmt.Errorf("%w: it is not signed", ErrUntrusted)
	}
	for _, k := range keys {
		if k.Equal(f.signer) {
			return nil
		}
	}
	return fmt.Errorf("%w: it is signed by %s, which is no key that may sign it", ErrUntrusted, Fingerprint(f.signer))
}

// Verify reads the whole file and compares it with its hashes.
func (f *File) Verify() error {
	buffer := make([]byte, 1<<20)
	for i := range f.entries {
		e := &f.entries[i]
		h := sha256.New()
		if _, err := io.CopyBuffer(h, io.NewSectionReader(f.source, int64(e.at), int64(e.length)), buffer); err != nil {
			return fmt.Errorf("snapshot: section %s: %w: %w", e.name, ErrDamaged, err)
		}
		if !bytes.Equal(h.Sum(nil), e.sum[:]) {
			return fmt.Errorf("snapshot: section %s: %w: its hash differs", e.name, ErrDamaged)
		}
	}
	return nil
}

// Part reads some of the bytes of a section that is not packed. They are not compared with
// anything: the caller should have their hash from another section.
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

// Section reads a section, compares it with its hash and unpacks it. The bytes are the
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
		if sha256.Sum256(b) != e.sum {
			return nil, fmt.Errorf("snapshot: section %s: %w: its hash differs", name, ErrDamaged)
		}
		if e.packing == plain {
			return b, nil
		}
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(e.whole, 8<<20)), zstd.WithDecodeAllCapLimit(true))
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
