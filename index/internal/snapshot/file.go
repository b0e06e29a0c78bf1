package snapshot

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Errors that callers tell apart.
var (
	// ErrDamaged says that a file is no snapshot, or not all of one.
	ErrDamaged = errors.New("the snapshot is damaged")
	// ErrVersion says that a snapshot has another version.
	ErrVersion = errors.New("the snapshot has another version")
	// ErrUntrusted says that a snapshot is not signed by a key that it should be signed by.
	ErrUntrusted = errors.New("the snapshot is not trusted")
)

// Version is the version of the container. The contents of sections have versions of their
// own.
const Version = 2

const (
	magic       = "\x89QRY\r\n\x1a\n"
	headLength  = 4096
	rootAt      = 24
	sealAt      = 56
	tableAt     = 160
	entryLength = 80
	nameLength  = 16
	maxSections = 32
	align       = 8
	maxPacking  = 16 // how much longer than its bytes in the file a section may be
)

// How a section is packed.
const (
	plain  = 0
	packed = 1
)

type entry struct {
	name              string
	at, length, whole uint64
	packing           uint32
	sum               [sha256.Size]byte
}

// A Writer writes a snapshot. It is not safe for concurrent use.
type Writer struct {
	file    *os.File
	final   string
	at      uint64
	entries []entry
	key     ed25519.PrivateKey // nil: nobody signs
	id      ID
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

// Add writes a section unpacked. Commit returns the errors.
func (w *Writer) Add(name string, b []byte) { w.add(name, b, len(b), plain) }

// Stream writes a section unpacked, in parts, so that it need not be in memory as a whole.
// A part is not kept.
func (w *Writer) Stream(name string, parts iter.Seq[[]byte]) {
	w.begin(name)
	e := entry{name: name, at: w.at, packing: plain}
	h := sha256.New()
	for b := range parts {
		h.Write(b)
		e.length += uint64(len(b))
		w.write(b)
	}
	h.Sum(e.sum[:0])
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
	w.entries = append(w.entries, entry{name, w.at, uint64(len(b)), uint64(whole), packing, sha256.Sum256(b)})
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
		var first []byte
		first, w.id = head(w.entries, w.at, w.key)
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

// ID returns the ID of the file that Commit has made.
func (w *Writer) ID() ID { return w.id }

// Sign makes Commit sign the file.
func (w *Writer) Sign(key ed25519.PrivateKey) { w.key = key }

// Abort leaves nothing of the snapshot.
func (w *Writer) Abort() {
	w.file.Close()
	os.Remove(w.file.Name())
}

// syncFolder makes a new name durable. Where a folder cannot be opened for that, the
// system does not need it, nor does Windows, which opens it but refuses to.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
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

// head returns the first block of a file.
func head(entries []entry, length uint64, key ed25519.PrivateKey) ([]byte, ID) {
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
		le.PutUint32(t[40:], e.packing)
		copy(t[48:], e.sum[:])
	}
	root := rootOf(b, len(entries))
	copy(b[rootAt:], root[:])
	if key != nil {
		seal(b, root, key)
	}
	return b, root
}
