package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file is one that a package contains: text, or what a path has.
type file struct {
	path string // in the package, with slashes
	from string // on disk; "" if it is text
	text []byte
	size int64
	mode fs.FileMode
}

func textFile(path, text string) file {
	return file{path: path, text: []byte(text), size: int64(len(text)), mode: 0o644}
}

// filesIn lists the files of a folder. There are no links among them.
func filesIn(dir string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a plain file", name)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		files = append(files, file{path: filepath.ToSlash(rel), from: name, size: info.Size(), mode: mode})
		return nil
	})
	return files, err
}

// under returns those files that are in one of the folders, or are one of the files.
func under(files []file, places ...string) (some []file) {
	for _, f := range files {
		if slices.ContainsFunc(places, func(p string) bool { return f.path == p || strings.HasPrefix(f.path, p+"/") }) {
			some = append(some, f)
		}
	}
	return some
}

// moved returns the files, with the start of their paths replaced.
func moved(files []file, from, to string) []file {
	all := slices.Clone(files)
	for i := range all {
		all[i].path = path.Join(to, strings.TrimLeft(strings.TrimPrefix(all[i].path, from), "/"))
	}
	return all
}

func (f file) copyTo(w io.Writer) error {
	if f.from == "" {
		_, err := w.Write(f.text)
		return err
	}
	r, err := os.Open(f.from)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.path, b.path) })
}

// writeTar writes a compressed archive of the files in the order of their paths, all of one
// date and nobody's.
func writeTar(w io.Writer, files []file, date time.Time) error {
	zip := gzip.NewWriter(w)
	t := tar.NewWriter(zip)
	for _, f := range sorted(files) {
		h := &tar.Header{Name: f.path, Size: f.size, Mode: int64(f.mode), ModTime: date, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if err := f.copyTo(t); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return zip.Close()
}

// writeZip does the same, with some files after the others.
func writeZip(w io.Writer, files []file, date time.Time, last ...file) error {
	z := zip.NewWriter(w)
	for _, f := range append(sorted(files), last...) {
		h := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if err := f.copyTo(to); err != nil {
			return err
		}
	}
	return z.Close()
}

// archiveName is the name of an archive, and of the folder in it.
func (r *release) archiveName(t target) string {
	return fmt.Sprintf("quarry-%s-%s-%s", r.Version, t.OS, t.Arch)
}

// archive makes the file to unpack, and to copy below /usr/local if one likes: of Windows a zip,
// which its Explorer unpacks.
func (r *release) archive(t target) error {
	folder := r.archiveName(t)
	if t.OS == "windows" {
		return r.create(folder+".zip", func(w io.Writer) error { return writeZip(w, moved(t.files, "", folder), r.date) })
	}
	return r.create(folder+".tar.gz", func(w io.Writer) error {
		return writeTar(w, moved(t.files, "", folder), r.date)
	})
}
