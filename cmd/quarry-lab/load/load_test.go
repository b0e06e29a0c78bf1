package load

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// disk answers searches by reading the files of a folder: an index that is
// always current.
func disk(t *testing.T, root string) (url string, asked func() []string) {
	var mu sync.Mutex
	var queries []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"status": "ok", "root": root})
	})
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Query string }
		if json.NewDecoder(r.Body).Decode(&q) != nil || q.Query == "" {
			http.Error(w, "no query", http.StatusBadRequest)
			return
		}
		mu.Lock()
		queries = append(queries, q.Query)
		mu.Unlock()
		results := []map[string]string{}
		fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			if text, err := os.ReadFile(filepath.Join(root, path)); err == nil && bytes.Contains(text, []byte(q.Query)) {
				results = append(results, map[string]string{"file": path})
			}
			return nil
		})
		json.NewEncoder(w).Encode(map[string]any{"results": results})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(queries)
	}
}

func project(t *testing.T) string {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"pool.go":         "package pool\n\n// Acquire waits for a free connection.\nfunc Acquire(timeout int) {}\n",
		"sub/release.py":  "# Give the connection back to the pool.\ndef release_connection(connection): pass\n",
		".git/ignored.go": "package neverSampled\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLoad(t *testing.T) {
	root := project(t)
	url, asked := disk(t, root)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"load", "--url", url, "--from-root", root, "-n", "20", "-c", "3", "--json"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	var r loadReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Times.Count != 20 || r.Queries != 20 || r.Errors != 0 || r.Bytes == 0 || r.QPS <= 0 || r.Times.P50 <= 0 || r.Times.P50 > r.Times.Max {
		t.Errorf("%+v", r)
	}
	queries := asked()
	slices.Sort(queries)
	if unique := slices.Compact(slices.Clone(queries)); len(unique) != 20 {
		t.Errorf("%d different queries of %d", len(unique), len(queries))
	}
	for _, want := range []string{"release_connection", "Acquire waits for a free connection.", "Give the connection back to the pool."} {
		if !slices.Contains(queries, want) {
			t.Errorf("%q was not asked", want)
		}
	}
	if all := strings.Join(queries, " "); strings.Contains(all, "neverSampled") {
		t.Error("a hidden folder was sampled")
	}

	out.Reset()
	if err := run(t.Context(), []string{"load", "--url", url, "--endpoint", "health", "-n", "7", "-c", "2"}, &out, &out); err != nil || !strings.Contains(out.String(), "/health  7 requests") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestFailedRequests(t *testing.T) {
	url, _ := disk(t, project(t))
	file := filepath.Join(t.TempDir(), "queries")
	if err := os.WriteFile(file, []byte("one\n\n two \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"load", "--url", url, "--queries", file, "-n", "5"}, &out, &out); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "5 requests, 2 different") {
		t.Error(out.String())
	}
	err := run(t.Context(), []string{"load", "--url", url + "/none", "--queries", file, "-n", "5"}, &out, &out)
	if err == nil || !strings.Contains(err.Error(), "5 requests failed, the first: /search 404 Not Found") {
		t.Error(err)
	}
}

func TestEdits(t *testing.T) {
	root := project(t)
	url, _ := disk(t, root)
	var out bytes.Buffer
	dir := filepath.Join(root, "sub")
	if err := run(t.Context(), []string{"edits", "--url", url, "--dir", dir, "-n", "3", "--json"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	var r editReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if r.Times[step].Count != 3 {
			t.Errorf("%s: %+v", step, r.Times[step])
		}
	}
	if r.Missed != 0 || r.Times["all"].Count != 12 {
		t.Errorf("%+v", r)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("files were left behind: %v", left)
	}
	err := run(t.Context(), []string{"edits", "--url", url, "--dir", t.TempDir()}, &out, &out)
	if err == nil || !strings.Contains(err.Error(), "is not inside the served root") {
		t.Error(err)
	}
}

// TestServing reads the line with which a server says where it listens, and refuses a
// program that says none.
func TestServing(t *testing.T) {
	m := rig.Serving.FindStringSubmatch("quarry: serving /home/me/a (b) at http://127.0.0.1:3456 (stale)")
	if len(m) != 2 || m[1] != "http://127.0.0.1:3456" {
		t.Errorf("%q", m)
	}
	err := run(t.Context(), []string{"restart", "--program", "false", "--dir", t.TempDir()}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "does not serve") {
		t.Errorf("a program that ends at once: %v", err)
	}
	if err := run(t.Context(), []string{"restart"}, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
		t.Error("restart without --dir: no error")
	}
}

func TestChange(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "b.go", "c.py", "d.txt"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := change(root, 2); n != 2 || err != nil {
		t.Error(n, err)
	}
	var got []string
	for _, name := range []string{"a.go", "b.go", "c.py", "d.txt"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	if want := []string{"x\n", "x\n", "x", "x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDiskUse counts a file with two names once.
func TestDiskUse(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"a": 10, "sub/b": 100} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "sub", "a")); err != nil {
		t.Skip(err)
	}
	if got, err := diskUse(dir); got != 110 || err != nil {
		t.Errorf("%d bytes, %v; want 110", got, err)
	}
}
