package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAdmit compares what is said of files before they are there with what Lookup says of
// them once they are.
func TestAdmit(t *testing.T) {
	noSettings(t)
	for _, byGit := range []bool{false, true} {
		root := t.TempDir()
		write(t, root, map[string]string{
			".gitignore": "*.log\nbuild/\n", "keep/.gitignore": "!a.log\n", ".quarryignore": "private\n",
			"main.go": "package main\n", "there.log": "x", "folder/in.go": "package in\n", "link": "-> folder", "out": "-> /",
		})
		if byGit {
			runGit(t, root, "init", "-q")
		}
		tree := open(t, root)
		if _, _, err := tree.Walk(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := map[string]Reason{}
		want := map[string]Reason{
			"main.go": "", "new.go": "", "new/folder/new.go": "", "keep/a.log": "", "folder/in.go": "",
			"a.log": ByRules, "there.log": ByRules, "build/a.go": ByRules, "build/deep/a.go": ByRules, "keep/b.log": ByRules, "private/a.go": ByRules,
			"node_modules/a.js": ByRules, ".git/config": ByRules, "sub/.git/hooks/a.go": ByRules,
			".env": Secret, "deep/id_rsa": Secret, "a.png": Binary, "go.sum": Generated, "a.min.js": Minified,
			".gitignore": Rules, "new/.quarryignore": Rules,
			"folder": Special, "../a.go": Special, "main.go/a.go": NotFolder, "main.go/b/a.go": NotFolder, "link/a.go": Symlink,
		}
		for name := range want {
			skip, err := tree.Admit(t.Context(), name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got[name] = ""
			if skip != nil {
				got[name] = skip.Reason
				if skip.Path != name || skip.Detail == "" {
					t.Errorf("%s: %+v", name, skip)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("git %v: %s", byGit, diff)
		}
		for name, reason := range want {
			if reason != "" && reason != ByRules || strings.Contains(name, ".git/") {
				continue
			}
			write(t, root, map[string]string{name: "package p\n"})
			files, _, gone, err := tree.Lookup(t.Context(), []string{name})
			if err != nil || (reason == "") != (len(files) == 1) || (reason == "") != (len(gone) == 0) {
				t.Errorf("git %v: %s is %q before it is there, then %v, gone %v, %v", byGit, name, reason, files, gone, err)
			}
		}
	}
}

// TestOverlayIsRead has Read and Stat see texts in place of files.
func TestOverlayIsRead(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a.go": "package a\n", "b.go": "package b\n", ".env": "A=1"})
	tree, err := Open(root, Options{MaxFileBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	text := []byte("package other\n")
	tree.Overlay(map[string]Text{
		"a.go": {Content: text, ModTime: 5}, "b.go": {}, "c.go": {Content: []byte{}, ModTime: 6}, ".env": {Content: []byte("B=2")},
		"large.go": {Content: []byte(strings.Repeat("a", 101))}, "nul.go": {Content: []byte("a\x00")},
	})
	read := func(name string) string {
		got, skip, err := tree.Read(File{Path: name})
		if err != nil {
			t.Fatal(err)
		}
		if skip != nil {
			return string(skip.Reason)
		}
		if len(got) > 0 {
			got[0] = 'X' // it is the caller's
		}
		return string(got)
	}
	for name, want := range map[string]string{
		"a.go": "Xackage other\n", "b.go": "vanished", "c.go": "", ".env": "secret", "large.go": "oversized", "nul.go": "binary", "d.go": "vanished",
	} {
		if got := read(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if string(text) != "package other\n" {
		t.Error("the text of the overlay was written to")
	}
	tree.Stat([]string{"a.go", "b.go", "c.go"}, func(i int, f File, there bool) {
		want := []File{{"a.go", 14, 5}, {"b.go", 0, 0}, {"c.go", 0, 6}}[i]
		if f != want || there != (i != 1) {
			t.Errorf("%+v, %v, want %+v", f, there, want)
		}
	})
	tree.Overlay(nil)
	if got := read("a.go"); got != "Xackage a\n" {
		t.Errorf("without an overlay: %q", got)
	}
}
