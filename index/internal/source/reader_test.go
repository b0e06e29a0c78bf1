package source

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A Reader that has folders open reads what Tree.Read does, which goes down from the root.
func TestReaderReadsAsTree(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{
		"a.go": "package a\n", "one/b.go": "package b\n", "one/two/c.go": "package c\n", "one/two/x.png": "x",
		"one/two/nul.txt": "a\x00", "one/d.go": "package d\n", "one/.env": "A=1\n", "two/three/four/e.go": "package e\n",
	})
	write(t, elsewhere, map[string]string{"secret.go": "package secret\n"})
	for link, target := range map[string]string{"one/out": elsewhere, "one/two/up": "..", "one/two/link.go": "../b.go"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	tree := open(t, root)
	r := tree.Reader()
	defer r.Close()
	for range 2 {
		for _, name := range []string{
			"one/two/c.go", "one/two/x.png", "one/two/nul.txt", "one/two/link.go", "one/two/up/b.go", "one/two/gone.go", "one/two",
			"one/b.go", "one/out/secret.go", "one/.env", "one/d.go", "a.go", "two/three/four/e.go", "two/none/e.go", "a.go/b.go", "../a.go", "",
		} {
			text, skip, err := r.Read(File{Path: name})
			wantText, wantSkip, wantErr := tree.Read(File{Path: name})
			if !bytes.Equal(text, wantText) || (text == nil) != (wantText == nil) {
				t.Errorf("%s holds %q, want %q", name, text, wantText)
			}
			if d := cmp.Diff(wantSkip, skip); d != "" {
				t.Errorf("%s is skipped otherwise (-tree +reader):\n%s", name, d)
			}
			if (err == nil) != (wantErr == nil) || errors.Is(err, ErrOutside) != errors.Is(wantErr, ErrOutside) {
				t.Errorf("%s: the error is %v, want %v", name, err, wantErr)
			}
		}
	}
}

// A folder that was made again is found by its name, although the old one is open.
func TestReaderFindsNewFolder(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"one/two/a.go": "package a\n"})
	tree := open(t, root)
	r := tree.Reader()
	defer r.Close()
	if _, skip, err := r.Read(File{Path: "one/two/a.go"}); skip != nil || err != nil {
		t.Fatal(skip, err)
	}
	if err := os.RemoveAll(filepath.Join(root, "one")); err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string]string{"one/two/b.go": "package b\n"})
	if text, skip, err := r.Read(File{Path: "one/two/b.go"}); string(text) != "package b\n" {
		t.Errorf("it holds %q, want that of the new folder (%v, %v)", text, skip, err)
	}
}

// A folder that is open is not trusted for long: when it has become a link, what is in it
// is refused.
func TestReaderForgetsFolders(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"one/a.go": "package a\n", "one/b.go": "package b\n"})
	tree := open(t, root)
	r := tree.Reader()
	defer r.Close()
	if _, skip, err := r.Read(File{Path: "one/a.go"}); skip != nil || err != nil {
		t.Fatal(skip, err)
	}
	moved := filepath.Join(elsewhere, "one")
	if err := os.Rename(filepath.Join(root, "one"), moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, filepath.Join(root, "one")); err != nil {
		t.Fatal(err)
	}
	r.since = time.Now().Add(-openFor)
	text, skip, err := r.Read(File{Path: "one/b.go"})
	if text != nil || skip == nil || skip.Reason != Symlink || err != nil {
		t.Errorf("got %q, %v, %v; want it refused as behind a link", text, skip, err)
	}
}
