package quarry_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a package may be at most, in production Go: files that are neither tests nor
// generated.
const (
	mostFiles = 20   // in a package
	mostLines = 4000 // in a package
	mostLong  = 400  // lines in a file
)

// large are the packages above that, with what they have at most until they are split. A
// package that grows beyond its line fails, and so does a line that is no longer needed:
// lower the figures when a package shrinks, and remove its line when it keeps the rule.
var large = map[string]struct {
	files, lines int
	why          string
}{}

// long are the files above mostLong, with their lines.
var long = map[string]int{}

// scripts are the sources of the page, which keep mostLong, too.
var scripts = []string{"web/src", "web/test"}

// TestScriptSize holds the files of the page to the length of all others.
func TestScriptSize(t *testing.T) {
	found := 0
	for _, dir := range scripts {
		err := filepath.WalkDir(filepath.FromSlash(dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			found++
			if lines := bytes.Count(text, []byte("\n")); lines > mostLong {
				t.Errorf("%s has %d lines, and %d are allowed: split it", path, lines, mostLong)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 {
		t.Errorf("only %d files are found", found)
	}
}

// production returns the lines of each production file below the root, by its path.
func production(t *testing.T) map[string]int {
	t.Helper()
	sizes := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head, _, _ := bytes.Cut(text, []byte("\npackage "))
		if bytes.HasPrefix(head, []byte("// Code generated ")) || bytes.Contains(head, []byte("\n// Code generated ")) {
			return nil
		}
		sizes[filepath.ToSlash(path)] = bytes.Count(text, []byte("\n"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sizes) < 100 {
		t.Fatalf("only %d files are found", len(sizes))
	}
	return sizes
}

// TestSize holds packages and files to their size.
func TestSize(t *testing.T) {
	type size struct{ files, lines int }
	packages := map[string]size{}
	sizes := production(t)
	for path, lines := range sizes {
		dir := filepath.ToSlash(filepath.Dir(path))
		p := packages[dir]
		packages[dir] = size{p.files + 1, p.lines + lines}
		switch most, listed := long[path]; {
		case listed && lines <= mostLong:
			t.Errorf("%s has %d lines: take it off the list", path, lines)
		case listed && lines > most:
			t.Errorf("%s has %d lines, and had %d: split it", path, lines, most)
		case !listed && lines > mostLong:
			t.Errorf("%s has %d lines, and %d are allowed: split it", path, lines, mostLong)
		}
	}
	for path := range long {
		if sizes[path] == 0 {
			t.Errorf("%s is on the list of long files, and is not there", path)
		}
	}
	for dir, p := range packages {
		over := p.files > mostFiles || p.lines > mostLines
		switch most, listed := large[dir]; {
		case listed && !over:
			t.Errorf("%s has %d files and %d lines: take it off the list", dir, p.files, p.lines)
		case listed && (p.files > most.files || p.lines > most.lines):
			t.Errorf("%s has %d files and %d lines, and had %d and %d at most: it is to be split, not to grow", dir, p.files, p.lines, most.files, most.lines)
		case !listed && over:
			t.Errorf("%s has %d files and %d lines, and %d and %d are allowed: split it", dir, p.files, p.lines, mostFiles, mostLines)
		}
	}
	for dir := range large {
		if packages[dir].files == 0 {
			t.Errorf("%s is on the list of large packages, and is not there", dir)
		}
	}
}
