package onnx

import (
	"debug/elf"
	"debug/macho"
	"fmt"
	"os"
	"path/filepath"
)

// checkWhole reports whether all that the dynamic linker will map of a library is in its
// file. The linker does not look: of a file that was cut off it maps pages that are not
// there, and the process ends by a signal when it comes to them. A plain name, which the
// linker finds by itself, and a file of another format are not looked at.
func checkWhole(library string) error {
	if !filepath.IsAbs(library) {
		return nil
	}
	f, err := os.Open(library)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := uint64(info.Size())
	magic := make([]byte, 4)
	if _, err := f.ReadAt(magic, 0); err != nil {
		return fmt.Errorf("%s is cut off: it has %d bytes", library, size)
	}
	short := func(off, n uint64) error {
		if off > size || n > size-off {
			return fmt.Errorf("%s is cut off: it has %d bytes, and needs %d", library, size, off+n)
		}
		return nil
	}
	switch {
	case string(magic) == elf.ELFMAG:
		lib, err := elf.NewFile(f)
		if err != nil {
			return fmt.Errorf("%s is cut off or damaged: %w", library, err)
		}
		for _, p := range lib.Progs {
			if err := short(p.Off, p.Filesz); err != nil {
				return err
			}
		}
	case magic[0] == 0xcf && magic[1] == 0xfa && magic[2] == 0xed && magic[3] == 0xfe: // Mach-O of 64 bits
		lib, err := macho.NewFile(f)
		if err != nil {
			return fmt.Errorf("%s is cut off or damaged: %w", library, err)
		}
		for _, l := range lib.Loads {
			if s, ok := l.(*macho.Segment); ok {
				if err := short(s.Offset, s.Filesz); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
