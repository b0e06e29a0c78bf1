package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDescriptorsRunOut takes all descriptors from a server, by its limit, while files are
// saved, made and removed. It says that it does not have the changes, keeps what it has, and
// refuses to read files as one that may be asked again. When there are descriptors again, it
// has all changes, and nobody had to touch a file for it.
func TestDescriptorsRunOut(t *testing.T) {
	root := t.TempDir()
	save := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	save(".gitignore", "*.made.go\n")
	save("main.go", "package main\n\nfunc oldword() {}\n")
	save("sub/gone.go", "package sub\n\nfunc goneword() {}\n")
	save("sub/kept.go", "package sub\n\nfunc keptword() {}\n")
	s := serveProcess(t, root)
	transport := &http.Transport{MaxConnsPerHost: 1} // which is open before
	defer transport.CloseIdleConnections()
	get := func(path string, into any) *http.Response {
		t.Helper()
		r, err := (&http.Client{Transport: transport}).Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, text)
		}
		return r
	}
	type status struct {
		Index    struct{ State, Freshness string }
		Coverage struct {
			Indexed, Pending int
			Reasons          map[string]int
		}
	}
	look := func() (st status) {
		get("/status", &st)
		return st
	}
	found := func(word string) (files string) {
		var a struct{ Results []struct{ File string } }
		get("/search?mode=symbol&q="+word, &a)
		for _, r := range a.Results {
			files += r.File + " "
		}
		return strings.TrimSpace(files)
	}
	eventually(t, func() error {
		if st := look(); st.Index.Freshness != "FRESH" || st.Coverage.Indexed != 4 {
			return fmt.Errorf("%+v", st)
		}
		return nil
	})
	var had unix.Rlimit
	if err := unix.Prlimit(s.pid, unix.RLIMIT_NOFILE, nil, &had); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(s.pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: had.Max}, nil); err != nil {
		t.Fatal(err)
	}
	save("main.go", "package main\n\nfunc newword() {}\n")
	save("new/deep/file.go", "package deep\n\nfunc deepword() {}\n")
	save("sub/some.made.go", "package sub\n\nfunc madeword() {}\n")
	if err := os.Remove(filepath.Join(root, "sub", "gone.go")); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if st := look(); st.Index.Freshness == "FRESH" || st.Index.State == "error" || st.Coverage.Pending == 0 {
			return fmt.Errorf("%+v", st)
		}
		return nil
	})
	for word, file := range map[string]string{"oldword": "main.go", "keptword": "sub/kept.go"} {
		if got := found(word); got != file {
			t.Errorf("without descriptors %s is in %q, want %q", word, got, file)
		}
	}
	var problem struct{ Error string }
	if r := get("/cat?format=json&path=sub/kept.go", &problem); r.StatusCode != http.StatusServiceUnavailable || problem.Error != "unavailable" || r.Header.Get("Retry-After") == "" {
		t.Errorf("cat: %s, %+v", r.Status, problem)
	}
	if err := unix.Prlimit(s.pid, unix.RLIMIT_NOFILE, &had, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		st := look()
		if st.Index.Freshness != "FRESH" || st.Coverage.Pending != 0 || len(st.Coverage.Reasons) > 0 || found("deepword") == "" {
			return fmt.Errorf("%+v", st)
		}
		return nil
	})
	for word, file := range map[string]string{
		"oldword": "", "newword": "main.go", "deepword": "new/deep/file.go", "goneword": "", "madeword": "", "keptword": "sub/kept.go",
	} {
		if got := found(word); got != file {
			t.Errorf("afterwards %s is in %q, want %q", word, got, file)
		}
	}
}
