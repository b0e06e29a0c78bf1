package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// TestBadFiles serves a root full of files that cannot be indexed: each is
// listed with its reason, and the rest is found.
func TestBadFiles(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	write(t, at("good.go"), "package p\n\nfunc lantern() {}\n")
	write(t, at("latin1.go"), "package p // caf\xe9\n")
	write(t, at("utf16.txt"), "\xff\xfea\x00b\x00")
	write(t, at("line.txt"), strings.Repeat("x", 1<<20))
	write(t, at("large.txt"), strings.Repeat("some words\n", 200_000))
	write(t, at("logo.png"), "\x89PNG\x00")
	write(t, at(".env"), "KEY=lantern\n")
	write(t, at("broken.go"), "package p\n\nfunc ((( lantern {{{\n")
	write(t, at("deep.py"), strings.Repeat("(", 10_000)+"\n")
	write(t, at("dir/inner.go"), "package dir\n\nfunc torch() {}\n")
	for link, target := range map[string]string{
		"loop": ".", "dir/up": "..", "dir/self": "self", "dangling": "nowhere", "out": "/etc", "alias.go": "good.go",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	// alias.go is not listed: what it leads to is indexed under its own name.
	want := map[string]string{
		"latin1.go": "not_utf8", "utf16.txt": "not_utf8", "line.txt": "long_line", "large.txt": "oversized", "logo.png": "binary", ".env": "secret",
		"loop": "symlink", "dir/up": "symlink", "dir/self": "symlink", "dangling": "symlink", "out": "symlink",
	}
	indexed := 4 // good.go, broken.go, deep.py, dir/inner.go
	if os.Getuid() != 0 {
		write(t, at("closed.go"), "package p\n")
		if err := os.Chmod(at("closed.go"), 0); err != nil {
			t.Fatal(err)
		}
		want["closed.go"] = "unreadable"
	}

	s := startServer(t, root)
	var st struct {
		Coverage index.Coverage `json:"coverage"`
	}
	if err := s.Ask(t.Context(), registry.StatusTimeout, "/status?skipped=1000", nil, &st); err != nil {
		t.Fatal(err)
	}
	got, reasons := map[string]string{}, map[string]int{}
	for _, f := range st.Coverage.Files {
		got[f.Path] = f.Reason
		reasons[f.Reason]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(reasons, st.Coverage.Reasons); diff != "" {
		t.Errorf("reasons (-listed +counted):\n%s", diff)
	}
	if st.Coverage.Indexed != indexed || st.Coverage.Skipped != len(want) || st.Coverage.Truncated {
		t.Errorf("%d indexed, %d skipped", st.Coverage.Indexed, st.Coverage.Skipped)
	}
	if file, err := s.where(t.Context(), "torch"); file != "dir/inner.go" {
		t.Errorf("torch is in %q, %v", file, err)
	}
}

// TestVanishingFiles takes files away after they were listed and before they are
// read. The pipeline is short and waits for the one who asks for its progress, so
// the last of many files are not read at its first report.
func TestVanishingFiles(t *testing.T) {
	root := t.TempDir()
	const files = 500
	name := func(i int) string { return fmt.Sprintf("file%03d.go", i) }
	for i := range files {
		write(t, filepath.Join(root, name(i)), fmt.Sprintf("package p\n\nfunc f%d() {}\n", i))
	}
	s := config.Default()
	s.Index.Workers = 1
	x, _, stop, err := engine.Open(s, root, false, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	gone := false
	report, err := x.Build(context.Background(), func(p index.Progress) {
		if gone || p.Phase != "files" || p.FilesTotal == 0 {
			return
		}
		gone = true
		for i := files - 3; i < files; i++ {
			if err := os.Remove(filepath.Join(root, name(i))); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || !gone {
		t.Fatalf("%v, files taken away: %v", err, gone)
	}
	st := x.Status(10)
	if st.Files != files-3 || report.Added != files-3 || st.State.State != answer.Ready {
		t.Errorf("%+v; %+v", st.State, report)
	}
	for _, f := range st.Coverage.Files {
		if f.Reason != "vanished" {
			t.Errorf("%+v", f)
		}
	}
	if st.Coverage.Skipped != 3 {
		t.Errorf("left out: %v", st.Coverage.Reasons)
	}
}
