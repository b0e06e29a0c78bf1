package train

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A file of pairs is one zstd stream with a checksum. Inside stand cacheMagic,
// then for each pair a byte with its kind and five strings: language, query,
// path, names and text, each a varint with its length and its bytes. A byte 255
// ends the file. A file that does not end so is damaged; it is an error and not
// read in part.
const (
	cacheMagic = "quarry pairs 1\n"
	cacheEnd   = 255
	maxString  = 1 << 20
)

// writePairs writes a file whole or not at all.
func writePairs(name string, pairs []Pair) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".pairs-*")
	if err != nil {
		return fmt.Errorf("write pairs: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write pairs: %w", err), f.Close(), os.Remove(f.Name()))
		}
	}()
	z, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(z, 1<<16)
	w.WriteString(cacheMagic) // bufio keeps the first error for Flush
	for _, p := range pairs {
		w.WriteByte(byte(p.Kind))
		for _, s := range []string{p.Language, p.Query, p.Path, p.Names, p.Text} {
			w.Write(binary.AppendUvarint(nil, uint64(len(s))))
			w.WriteString(s)
		}
	}
	w.WriteByte(cacheEnd)
	if err := w.Flush(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// cached is the name of a file of pairs, see source.file: its repository comes first.
var cached = regexp.MustCompile(`^(.+)-[0-9a-f]{12}-[a-z]+(?:-[0-9a-f]+)?\.v[0-9]+\.pairs$`)

// ReadCache calls each with every pair of a cache and the repository, "owner/name", that it is
// from, file by file in the order of their names. The pair is used again for the next call.
func ReadCache(dir string, each func(repository string, p *Pair)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read pairs: %w", err)
	}
	found := false
	for _, e := range entries {
		of := cached.FindStringSubmatch(e.Name())
		if of == nil {
			continue
		}
		found = true
		repository := strings.Replace(of[1], "+", "/", 1)
		if err := readPairs(filepath.Join(dir, e.Name()), func(p *Pair) { each(repository, p) }); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("read pairs: %s holds none", dir)
	}
	return nil
}

// readPairs calls each with every pair of a file, in order. The pair is used
// again for the next call; its strings are not.
func readPairs(name string, each func(*Pair)) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read pairs: %w", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("read pairs: %w", err)
	}
	defer z.Close()
	if err := decodePairs(bufio.NewReaderSize(z, 1<<16), each); err != nil {
		return fmt.Errorf("read pairs: %s is damaged (%w): remove it, and it is made again", name, err)
	}
	return nil
}

func decodePairs(r *bufio.Reader, each func(*Pair)) error {
	magic := make([]byte, len(cacheMagic))
	if _, err := io.ReadFull(r, magic); err != nil {
		return err
	}
	if string(magic) != cacheMagic {
		return fmt.Errorf("it begins with %q", magic)
	}
	var p Pair
	var buf []byte
	for {
		kind, err := r.ReadByte()
		if err != nil {
			return err
		}
		if kind == cacheEnd {
			return nil
		}
		if kind >= byte(kinds) {
			return fmt.Errorf("kind %d", kind)
		}
		p.Kind = Kind(kind)
		for _, s := range []*string{&p.Language, &p.Query, &p.Path, &p.Names, &p.Text} {
			n, err := binary.ReadUvarint(r)
			if err != nil {
				return err
			}
			if n > maxString {
				return fmt.Errorf("a string of %d bytes", n)
			}
			if uint64(cap(buf)) < n {
				buf = make([]byte, n)
			}
			if _, err := io.ReadFull(r, buf[:n]); err != nil {
				return err
			}
			*s = string(buf[:n])
		}
		each(&p)
	}
}
