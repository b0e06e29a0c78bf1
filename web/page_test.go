package web

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// get asks a page; "" for a header that is not sent.
func get(t *testing.T, method, target, accept, encoding, tag string) (*http.Response, bool) {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, target, nil)
	for name, value := range map[string]string{"Accept": accept, "Accept-Encoding": encoding, "If-None-Match": tag} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	served := p.Serve(w, r)
	return w.Result(), served
}

// TestServe opens a view, then all that its document names, by their tags, compressed and not.
func TestServe(t *testing.T) {
	r, _ := get(t, "GET", "/-/search", "text/html", "", "")
	document, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/html; charset=utf-8" || r.Header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("%v %d %v", err, r.StatusCode, r.Header)
	}
	for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"} {
		if r.Header.Get(name) == "" {
			t.Errorf("%s is missing", name)
		}
	}
	csp := r.Header.Get("Content-Security-Policy")
	if strings.Contains(csp, "unsafe") || !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", csp)
	}
	if inline := regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style| style=| on[a-z]+=`).Find(document); inline != nil {
		t.Errorf("the policy forbids %q, which is in the document", inline)
	}
	targets := []string{"/-/search"}
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllSubmatch(document, -1) {
		targets = append(targets, string(m[1]))
	}
	if len(targets) < 5 {
		t.Fatalf("the document names %v", targets)
	}
	for _, target := range targets {
		plain, _ := get(t, "GET", target, "text/html", "", "")
		whole, err := io.ReadAll(plain.Body)
		if err != nil || plain.StatusCode != 200 || len(whole) == 0 || plain.Header.Get("Content-Type") == "" {
			t.Fatalf("%s: %v %d %v", target, err, plain.StatusCode, plain.Header)
		}
		if keep := plain.Header.Get("Cache-Control"); strings.HasPrefix(target, assets) != strings.Contains(keep, "immutable") {
			t.Errorf("%s is kept: %q", target, keep)
		}
		small, _ := get(t, "GET", target, "text/html", "gzip, br", "")
		z, err := gzip.NewReader(small.Body)
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		if text, err := io.ReadAll(z); err != nil || string(text) != string(whole) || small.Header.Get("ETag") == plain.Header.Get("ETag") {
			t.Errorf("%s is another one compressed: %v", target, err)
		}
		for _, encoding := range []string{"", "gzip"} {
			one, _ := get(t, "GET", target, "text/html", encoding, "")
			again, _ := get(t, "GET", target, "text/html", encoding, one.Header.Get("ETag"))
			if text, _ := io.ReadAll(again.Body); again.StatusCode != 304 || len(text) != 0 {
				t.Errorf("%s: %d for its own tag", target, again.StatusCode)
			}
			head, _ := get(t, "HEAD", target, "text/html", encoding, "")
			if text, _ := io.ReadAll(head.Body); head.StatusCode != 200 || len(text) != 0 || head.Header.Get("ETag") != one.Header.Get("ETag") {
				t.Errorf("%s: HEAD gives %d and %q", target, head.StatusCode, text)
			}
		}
	}
	for _, tc := range [][2]string{{"/-/search", "application/json"}, {"/-/search", ""}, {"/-/assets/none/app.js", "text/html"}, {"/-/assets/", "text/html"}} {
		if r, served := get(t, "GET", tc[0], tc[1], "", ""); served {
			t.Errorf("%v: %d", tc, r.StatusCode)
		}
	}
}

// TestBundle says when the bundle is older than what it is made of; `make check-web` makes it
// again and compares every byte.
func TestBundle(t *testing.T) {
	list, err := os.ReadFile("dist/sources.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = true
		text, err := os.ReadFile(filepath.FromSlash(name))
		if h := sha256.Sum256(text); err != nil || hex.EncodeToString(h[:]) != sum {
			t.Errorf("%s has changed since the bundle was made (%v): make web", name, err)
		}
	}
	err = fs.WalkDir(os.DirFS("."), "src", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !listed[name] {
			t.Errorf("%s is newer than the bundle: make web", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTextIsText holds the sources to what keeps texts of code from becoming markup or script.
func TestTextIsText(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|\beval\(|new Function|javascript:|\bstyle=["'{]`)
	files := 0
	err := fs.WalkDir(os.DirFS("."), "src", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(filepath.FromSlash(name))
		if found := forbidden.Find(text); found != nil {
			t.Errorf("%s has %q", name, found)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Fatalf("%v, %d files", err, files)
	}
	for _, bad := range []string{"dangerouslySetInnerHTML={}", `<p style="x">`, "a.innerHTML = b"} {
		if !forbidden.MatchString(bad) {
			t.Errorf("%q is let through", bad)
		}
	}
}
