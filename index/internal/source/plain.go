package source

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// MaxPlainBytes bounds what ReadPlain reads of a file.
const MaxPlainBytes = 64 << 20

// ReadPlain is Read for people who name a file: it reads generated, minified and long
// texts, too, of at most MaxPlainBytes. Secrets, links and what is not a text in UTF-8
// it refuses as Read does. The size is that of the file, also of one that is refused
// for what it holds; -1: not known.
func (t *Tree) ReadPlain(name string) (text []byte, size int64, skip *Skip, err error) {
	if !validPath(name) {
		return nil, -1, nil, fmt.Errorf("read %q: %w", name, ErrOutside)
	}
	if IsSecret(name) {
		return nil, -1, &Skip{name, Secret, secretDetail}, nil
	}
	c := t.cursor(nil)
	defer c.close()
	info, err := c.lstat(name)
	if err != nil {
		_, skip, err := readError(name, err)
		return nil, -1, skip, err
	}
	size = info.Size()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		_, skip, err := readError(name, errLinked)
		return nil, -1, skip, err
	case info.IsDir():
		return nil, -1, &Skip{name, Special, "a folder"}, nil
	case !info.Mode().IsRegular():
		return nil, -1, &Skip{name, Special, "not a regular file"}, nil
	case binaryName(name):
		return nil, size, &Skip{name, Binary, "a type of file that is not text"}, nil
	case size > MaxPlainBytes:
		return nil, size, &Skip{name, Oversized, fmt.Sprintf("%d bytes, more than %d", size, MaxPlainBytes)}, nil
	}
	_, base := split(name)
	file, err := c.top().dir.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		_, skip, err := readError(name, err)
		return nil, size, skip, err
	}
	defer file.Close()
	// As in readRegular: somebody may have put something else in its place.
	if opened, err := file.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, size, &Skip{name, Vanished, "replaced while it was opened"}, nil
	}
	text, err = io.ReadAll(io.LimitReader(file, MaxPlainBytes+1))
	if err != nil {
		_, skip, err := readError(name, err)
		return nil, size, skip, err
	}
	if len(text) > MaxPlainBytes {
		return nil, size, &Skip{name, Oversized, fmt.Sprintf("more than %d bytes", MaxPlainBytes)}, nil
	}
	if form := t.byContent(name, text); form != nil && (form.Reason == Binary || form.Reason == NotUTF8) {
		return nil, size, form, nil
	}
	return text, size, nil, nil
}
