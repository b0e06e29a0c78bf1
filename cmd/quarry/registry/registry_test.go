package registry

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRegistry(t *testing.T) {
	root := t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"status":"ok","root":"` + root + `"}`))
	}))
	defer server.Close()
	r := Registry{Dir: filepath.Join(t.TempDir(), "deep", "servers")}
	release, held, err := r.Lock(root)
	if err != nil || !held {
		t.Fatalf("lock: %v, %v", held, err)
	}
	if _, held, err := r.Lock(root); held || err != nil {
		t.Errorf("a second lock: %v, %v", held, err)
	}
	reg := Registration{PID: 1, URL: server.URL, Root: root, Started: time.Now().UTC()}
	remove, err := r.Add(reg)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(r.File(root) + ".json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	ctx := t.Context()
	for _, dir := range []string{root, filepath.Join(root, "a", "b")} {
		if got, ok := r.Containing(ctx, dir); !ok || got.URL != server.URL {
			t.Errorf("%s: %+v, %v", dir, got, ok)
		}
	}
	if _, ok := r.Find(ctx, filepath.Join(root, "a")); ok {
		t.Error("a folder below the root has a server of its own")
	}
	// The answer of a server of another root is not believed, nor a broken file.
	other := t.TempDir()
	if _, err := r.Add(Registration{PID: 2, URL: server.URL, Root: other}); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Find(ctx, other); ok {
		t.Error("a server of another root is believed")
	}
	if got, ok := r.only(ctx); !ok || got.Root != root {
		t.Errorf("the only server: %+v, %v", got, ok)
	}
	if err := os.WriteFile(r.File(other)+".json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Find(ctx, other); ok {
		t.Error("a broken file is believed")
	}
	// What another process has written since stays.
	newer := reg
	newer.PID = 3
	removeNewer, err := r.Add(newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, ok := r.Find(ctx, root); !ok {
		t.Error("an older server removed the file of a newer one")
	}
	if err := removeNewer(); err != nil {
		t.Error(err)
	}
	if _, ok := r.Find(ctx, root); ok {
		t.Error("the file is still there")
	}
	release()
	if release, held, err := r.Lock(root); !held || err != nil {
		t.Errorf("the lock after its release: %v, %v", held, err)
	} else {
		release()
	}
}

func TestClientErrors(t *testing.T) {
	answer := ""
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(answer))
	}))
	defer server.Close()
	c := Remote{URL: server.URL + "/"}
	for _, test := range []struct {
		status       int
		answer, want string
	}{
		{200, "hello", "/health is not from a Quarry server"},
		{200, `{"status":"up"}`, " is not a Quarry server"},
		{404, "not found", "/health answered 404 Not Found"},
		{429, `{"error":"rate_limited","message":"too many searches"}`, "too many searches"},
	} {
		status, answer = test.status, test.answer
		if _, err := c.Health(t.Context()); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%d %s: %v, want %q", test.status, test.answer, err, test.want)
		}
	}
	status = http.StatusServiceUnavailable
	if ok, err := c.Ready(t.Context()); ok || err != nil {
		t.Errorf("ready: %v, %v", ok, err)
	}
}

func TestReachable(t *testing.T) {
	for address, want := range map[string]string{
		"0.0.0.0:3456": "127.0.0.1:3456", "[::]:3456": "127.0.0.1:3456", "127.0.0.1:3456": "127.0.0.1:3456",
		"192.168.1.2:1": "192.168.1.2:1", "[fe80::1]:1": "[fe80::1]:1", "quarry:3456": "quarry:3456", "nonsense": "nonsense",
	} {
		if got := Reachable(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// FuzzRegistration has anything stand in what a server says of itself: it is none, or is
// written in a form that is read as the same.
func FuzzRegistration(f *testing.F) {
	f.Add([]byte(`{"pid":1,"url":"http://127.0.0.1:3456","root":"/a","version":"1","started":"2026-01-02T03:04:05Z","sockets":["/s"]}`))
	f.Add([]byte(`{"pid":-1,"url":"::","root":"\u0000"}`))
	f.Add([]byte(`{"pid":1e400,"url":"x","root":"y"}`))
	f.Add([]byte(`{"url":"x","root":"y","started":"9999-12-31T23:59:60Z"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := Registry{Dir: t.TempDir()}
		path := filepath.Join(r.Dir, "x.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		reg, ok := r.Read(path)
		if !ok {
			return
		}
		remove, err := r.Add(reg)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, ok := r.Read(r.File(reg.Root) + ".json")
		if !ok || again.Root != reg.Root || again.URL != reg.URL || again.PID != reg.PID || !again.Started.Equal(reg.Started) {
			t.Errorf("%s: %+v, then %+v", text, reg, again)
		}
		if err := remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(r.File(reg.Root) + ".json"); err == nil {
			t.Errorf("%s: the file is left", text)
		}
	})
}
