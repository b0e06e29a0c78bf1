package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// errIrregular is the error of what is no plain file: a pipe would keep its reader for ever.
var errIrregular = errors.New("it is not a plain file")

// open opens a plain file of a folder, of at most most bytes.
func open(root *os.Root, name string, most int64) (*os.File, fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errIrregular
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, bare(err)
	}
	return plain(f, most)
}

// plain makes sure that an open file is a plain one and not too large, or closes it.
func plain(f *os.File, most int64) (*os.File, fs.FileInfo, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		err = bare(err)
	case !info.Mode().IsRegular():
		err = errIrregular
	case info.Size() > most:
		err = fmt.Errorf("it has more than %d bytes", most)
	default:
		return f, info, nil
	}
	return nil, nil, errors.Join(err, f.Close())
}

// read returns the bytes of a plain file.
func read(root *os.Root, name string, most int64) ([]byte, error) {
	f, _, err := open(root, name, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return slurp(f, most)
}

// readIfThere is read, and nothing for a file that is not there.
func readIfThere(root *os.Root, name string, most int64) ([]byte, error) {
	text, err := read(root, name, most)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return text, err
}

func slurp(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most { // it grows
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return text, bare(err)
}
