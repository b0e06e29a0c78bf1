package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// models are the files of embedded models that are expanded when they are loaded. That of
// package model is not among them: it is read where it lies in the program, and is hardly
// smaller when compressed.
var models = []string{"embed/contextual/model.onnx", "embed/rerank/model.onnx"}

const tablesFile = "index/internal/syntax/glr/tables.bin"

// An overlay is made of the files of a repository that are replaced.
type overlay struct {
	cc        []string
	out, root string
}

// write writes the files, and overlay.json for the go command.
func (o *overlay) write(grammars []string) error {
	var err error
	if o.root, err = filepath.Abs(o.root); err == nil {
		o.out, err = filepath.Abs(o.out)
	}
	if err = errors.Join(err, os.MkdirAll(o.out, 0o755)); err != nil {
		return err
	}
	var all []byte
	for _, dir := range grammars {
		one, err := o.grammar(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		all = append(all, one...)
	}
	replace := map[string]string{}
	put := func(name string, content []byte) error {
		path := filepath.Join(o.out, filepath.FromSlash(name))
		replace[filepath.Join(o.root, filepath.FromSlash(name))] = path
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644))
	}
	if err := put(tablesFile, all); err != nil {
		return err
	}
	for _, name := range models {
		whole, err := os.ReadFile(filepath.Join(o.root, name))
		if err != nil {
			return err
		}
		if err := put(name, compress(whole)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, "overlay.json"), text, 0o644)
}

// grammar returns the tables of the parser in a folder, as package glr reads them: its key,
// the size of each table, the size of what follows, and the tables, compressed. They are
// kept for the next time.
func (o *overlay) grammar(dir string) ([]byte, error) {
	name := filepath.Join(dir, "parser.c")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	_, key := cut(text)
	if key == 0 {
		return nil, errors.New("parser.c has no tables")
	}
	kept := filepath.Join(o.out, fmt.Sprintf("%016x.tables", key))
	if entry, err := os.ReadFile(kept); err == nil {
		return entry, nil
	}
	object := filepath.Join(o.out, "parser.o")
	defer os.Remove(object)
	cmd := exec.Command(o.cc[0], append(o.cc[1:], "-O0", "-w", "-c", "-o", object, name)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	found, err := symbols(object)
	if err != nil {
		return nil, err
	}
	entry := binary.LittleEndian.AppendUint64(nil, key)
	var whole []byte
	for i, name := range tables {
		one := found[name]
		if len(one) == 0 && i == 0 {
			return nil, fmt.Errorf("the parser has no %s", name)
		}
		for len(one)%8 != 0 { // each begins where any may
			one = append(one, 0)
		}
		entry = binary.LittleEndian.AppendUint32(entry, uint32(len(one)))
		whole = append(whole, one...)
	}
	packed := compress(whole)
	entry = append(binary.LittleEndian.AppendUint32(entry, uint32(len(packed))), packed...)
	return entry, os.WriteFile(kept, entry, 0o644)
}

// symbols returns the content of the tables in an object file.
func symbols(object string) (map[string][]byte, error) {
	f, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, name := range tables {
		for _, s := range all {
			if s.Name != name || int(s.Section) >= len(f.Sections) {
				continue
			}
			content := make([]byte, s.Size)
			if _, err := f.Sections[s.Section].ReadAt(content, int64(s.Value)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			found[name] = bytes.Clone(content)
		}
	}
	return found, nil
}

// compress gives the same bytes for the same content.
func compress(content []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstd.MaxWindowSize>>4))
	if err != nil {
		panic(err) // the options are right
	}
	defer w.Close()
	return w.EncodeAll(content, nil)
}
