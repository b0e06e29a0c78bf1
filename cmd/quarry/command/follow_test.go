package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/answer"
)

// TestChangesAreFollowed makes the changes that people and editors make, one
// after the other, and asks a server where the words in them are.
func TestChangesAreFollowed(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "root")
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	put := func(name, word string) error {
		write(t, at(name), "package p\n\nfunc f() string { return \""+word+"\" }\n")
		return nil
	}
	put("first.go", "alpaca")
	put("folder/deep/inner.go", "beaver")
	put("linked/old.go", "caribou")
	put("build/out.go", "wombat")
	put("build/.gitignore", "nothing")
	put(".gitignore", "none")
	write(t, at(".gitignore"), "build/\n")
	put("../outside/far.go", "zebra")
	put("../arriving/new.go", "yak")
	s := startServer(t, root)

	for _, step := range []struct {
		name   string
		change func() error
		want   map[string]string // word: file
	}{
		{"at the start", func() error { return nil }, map[string]string{"alpaca": "first.go", "beaver": "folder/deep/inner.go", "wombat": ""}},
		{"create", func() error { return put("second.go", "dingo") }, map[string]string{"dingo": "second.go"}},
		{"create in a new folder", func() error { return put("x/y/z/third.go", "ermine") }, map[string]string{"ermine": "x/y/z/third.go"}},
		{"edit", func() error { return put("second.go", "ferret") }, map[string]string{"ferret": "second.go", "dingo": ""}},
		{"atomic save", func() error {
			if err := put(".second.go.swp", "gopher"); err != nil {
				return err
			}
			return os.Rename(at(".second.go.swp"), at("second.go"))
		}, map[string]string{"gopher": "second.go", "ferret": ""}},
		{"save with a backup", func() error {
			if err := os.Rename(at("second.go"), at("second.go~")); err != nil {
				return err
			}
			if err := put("second.go", "hamster"); err != nil {
				return err
			}
			return os.Remove(at("second.go~"))
		}, map[string]string{"hamster": "second.go", "gopher": ""}},
		{"rename", func() error { return os.Rename(at("second.go"), at("other.go")) }, map[string]string{"hamster": "other.go"}},
		{"delete", func() error { return os.Remove(at("other.go")) }, map[string]string{"hamster": ""}},
		{"move a folder", func() error { return os.Rename(at("folder"), at("x/moved")) }, map[string]string{"beaver": "x/moved/deep/inner.go"}},
		{"edit in the moved folder", func() error { return put("x/moved/deep/inner.go", "ibex") }, map[string]string{"ibex": "x/moved/deep/inner.go", "beaver": ""}},
		{"move a folder in", func() error { return os.Rename(filepath.Join(top, "arriving"), at("arrived")) }, map[string]string{"yak": "arrived/new.go"}},
		{"move a folder out", func() error { return os.Rename(at("x"), filepath.Join(top, "left")) }, map[string]string{"ibex": "", "ermine": ""}},
		{"delete a folder", func() error { return os.RemoveAll(at("arrived")) }, map[string]string{"yak": ""}},
		{"a link out of the root, and an edit", func() error {
			if err := os.Symlink(filepath.Join(top, "outside"), at("link")); err != nil {
				return err
			}
			return put("first.go", "jaguar")
		}, map[string]string{"jaguar": "first.go", "alpaca": "", "zebra": ""}},
		{"a folder becomes a link out of the root", func() error {
			if err := os.RemoveAll(at("linked")); err != nil {
				return err
			}
			if err := os.Symlink(filepath.Join(top, "outside"), at("linked")); err != nil {
				return err
			}
			return put("first.go", "koala")
		}, map[string]string{"koala": "first.go", "caribou": "", "zebra": ""}},
		{"an ignore file lets a folder in", func() error { write(t, at(".gitignore"), "*.log\n"); return nil }, map[string]string{"wombat": "build/out.go"}},
		{"edit in the folder let in", func() error { return put("build/out.go", "lemming") }, map[string]string{"lemming": "build/out.go", "wombat": ""}},
		{"an ignore file shuts a folder out", func() error { write(t, at(".quarryignore"), "build/\n"); return nil }, map[string]string{"lemming": ""}},
	} {
		if err := step.change(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		eventually(t, func() error {
			for word, want := range step.want {
				if got, err := s.where(t.Context(), word); err != nil || got != want {
					return fmt.Errorf("%s: %s is in %q, %v; want %q\n%s", step.name, word, got, err, want, s.log)
				}
			}
			return nil
		})
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if strings.Contains(s.log.String(), "level=ERROR") {
		t.Errorf("the server had errors:\n%s", s.log)
	}
}

// TestCheckout has git change a thousand files at once under a running server.
// Afterwards every new word is found where it is, and no old one anywhere.
func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	const (
		changed = 800 // files on both branches, with different words
		either  = 100 // files on one branch only, for each of the two
	)
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	file := func(i int) string { return fmt.Sprintf("dir%02d/sub%d/file%04d.go", i%20, i%3, i) }
	word := func(fruit string, i int) string { // of letters only: digits would be words of their own
		return fruit + string([]rune{rune('a' + i/676), rune('a' + i/26%26), rune('a' + i%26)})
	}
	put := func(fruit string, i int) {
		write(t, filepath.Join(root, filepath.FromSlash(file(i))), fmt.Sprintf("package p\n\nfunc f%d() string { return %q }\n", i, word(fruit, i)))
	}
	git("init", "-q", "-b", "old")
	for i := range changed + either {
		put("plum", i)
	}
	git("add", "-A")
	git("commit", "-q", "-m", "old")
	git("checkout", "-q", "-b", "new")
	for i := range changed {
		put("kiwi", i)
	}
	for i := range either {
		if err := os.Remove(filepath.Join(root, filepath.FromSlash(file(changed+i)))); err != nil {
			t.Fatal(err)
		}
		put("kiwi", changed+either+i)
	}
	git("add", "-A")
	git("commit", "-q", "-m", "new")
	git("checkout", "-q", "old")
	want := map[string]string{} // word: file
	for i := range changed {
		want[word("kiwi", i)] = file(i)
		want[word("plum", i)] = ""
	}
	for i := range either {
		want[word("plum", changed+i)] = ""
		want[word("kiwi", changed+either+i)] = file(changed + either + i)
	}

	s := startServer(t, root)
	if got, err := s.where(t.Context(), word("plum", 7)); err != nil || got != file(7) {
		t.Fatalf("before: %q, %v", got, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	git("checkout", "-q", "new")
	began := time.Now()
	most := 0 // changes that were said to be pending
	for {
		st, err := s.state(ctx)
		if err != nil {
			t.Fatalf("the checkout did not come in: %v, at most %d changes pending\n%s", err, most, s.log)
		}
		if st.Pending > 0 && st.State != answer.Stale {
			t.Errorf("%d changes are pending, and the state is %s", st.Pending, st.State)
		}
		if most = max(most, st.Pending); most > 0 && st.Pending == 0 {
			if got, err := s.where(ctx, word("kiwi", changed+2*either-1)); err == nil && got != "" {
				break
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	for len(want) > 0 {
		for w, f := range want {
			got, err := s.where(ctx, w)
			if err != nil {
				t.Fatalf("%d words of %d are not right yet, %s among them: %v", len(want), 2*(changed+either), w, err)
			}
			if got == f {
				delete(want, w)
			}
		}
	}
	t.Logf("%d files changed at once are right after %v; at most %d were pending", changed+2*either, time.Since(began), most)
	if st, err := s.state(t.Context()); err != nil || st.Files != changed+either || st.Freshness != answer.Fresh {
		t.Errorf("afterwards: %+v, %v", st, err)
	}
}
