// Package web is the page that people look at in a browser. Its sources are in TypeScript, in
// src; dist is the bundle of them, which is kept in git, so that building the program takes Go
// alone. `make web` makes it.
//
// Every address below Prefix that is not one of an asset is a view's, and gives the same small
// document: the page reads the address itself. Assets have the hash of the whole bundle in
// theirs, so a browser keeps them for good and never mixes two versions of them.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed dist/index.html dist/assets
var dist embed.FS

// Prefix begins the addresses of the page; no endpoint of the API has it.
const Prefix = "/-/"

// First is the address of the view that is shown first.
const First = Prefix + "search"

const assets = Prefix + "assets/"

// policy lets the page load and ask what the server gives, and nothing else: no script, style,
// picture or request of another origin, and nothing that stands in the document itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A Page serves the bundle. It is safe for concurrent use.
type Page struct {
	document *file
	assets   map[string]*file // by address
}

// A file is served as it is, or compressed: that is done once, at the first request for it, since
// most servers never have their page opened.
type file struct {
	kind  string // media type
	tag   string // ETag
	whole []byte
	small func() []byte
}

// New reads the bundle. An error means that the program was built wrongly.
func New() (*Page, error) {
	names := []string{}
	texts := map[string][]byte{}
	build := sha256.New()
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := dist.ReadFile(name)
		fmt.Fprintf(build, "%s %d\n%s", name, len(text), text)
		names, texts[name] = append(names, name), text
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("web: read the bundle: %w", err)
	}
	hash := hex.EncodeToString(build.Sum(nil)[:8])
	p := &Page{assets: map[string]*file{}}
	for _, name := range names {
		text := texts[name]
		if name == "dist/index.html" {
			p.document = newFile(name, bytes.ReplaceAll(text, []byte("/BUILD/"), []byte("/"+hash+"/")))
		} else {
			p.assets[assets+hash+strings.TrimPrefix(name, "dist/assets")] = newFile(name, text)
		}
	}
	if p.document == nil {
		return nil, errors.New("web: the bundle has no document")
	}
	return p, nil
}

func newFile(name string, text []byte) *file {
	sum := sha256.Sum256(text)
	return &file{kind: kindOf(name), tag: hex.EncodeToString(sum[:8]), whole: text, small: sync.OnceValue(func() []byte { return compressed(text) })}
}

func compressed(text []byte) []byte {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	_, _ = z.Write(text) // a buffer takes everything
	_ = z.Close()
	return small.Bytes()
}

// kindOf is the media type of a file; the table of the system may say otherwise of scripts.
func kindOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return mime.TypeByExtension(ext)
	}
}

// WantsHTML says whether a client asks for a document, as browsers do when an address is opened.
func WantsHTML(r *http.Request) bool {
	return slices.ContainsFunc(r.Header.Values("Accept"), func(line string) bool { return strings.Contains(strings.ToLower(line), "text/html") })
}

// Serve answers a GET or HEAD below Prefix, and reports whether there is something to answer
// with; else it has written nothing. An address of a view is there for
// clients that want a document.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request) bool {
	f, keep := p.assets[r.URL.Path], "public, max-age=31536000, immutable"
	if f == nil {
		if strings.HasPrefix(r.URL.Path, assets) || !WantsHTML(r) {
			return false
		}
		f, keep = p.document, "no-cache"
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", keep)
	h.Add("Vary", "Accept, Accept-Encoding")
	f.serve(w, r)
	return true
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h, text, tag := w.Header(), f.whole, f.tag
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if small := f.small(); len(small) < len(f.whole) {
			h.Set("Content-Encoding", "gzip")
			text, tag = small, tag+"-gzip"
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Content-Type", f.kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
