package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const pages = `
-- README.md --
# A program

See [the pages](docs/README.md), [a part](docs/one.md#more-of-it-1) and [a script](scripts/do.sh).

![a picture](docs/shot.png)
-- docs/README.md --
# Pages

[One](one.md#one-and-only) of [them](../README.md), [elsewhere](https://example.com/x.md#y).
-- docs/one.md --
# One and ` + "`only`" + `

## More of it

<script>alert(1)</script>

Words to find, [up](#one-and-only).

## More of it

    and & code
-- docs/shot.png --
picture
-- scripts/do.sh --
true
`

func made(t *testing.T, text string) (string, error) {
	t.Helper()
	root, out := t.TempDir(), t.TempDir()
	for _, f := range txtar.Parse([]byte(text)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return out, (&site{root: root, out: out, Version: "1.2.3"}).write()
}

func TestSite(t *testing.T) {
	out, err := made(t, pages)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"index.html": {`<title>A program · Quarry</title>`, `href="docs/index.html"`, `href="docs/one.html#more-of-it-1"`,
			`href="https://github.com/quarry-search/quarry/blob/main/scripts/do.sh"`, `src="docs/shot.png"`, `href="site.css"`, "1.2.3"},
		"docs/index.html": {`href="../docs/one.html#one-and-only"`, `href="../index.html"`, `href="https://example.com/x.md#y"`, `src="../find.js"`},
		"docs/one.html":   {`id="one-and-only"`, `id="more-of-it"`, `id="more-of-it-1"`, `href="#one-and-only"`, `aria-current="page"`},
		"docs/shot.png":   {"picture"},
		"search.js":       {"const sections = [", `"href":"docs/one.html#more-of-it"`, "Words to find"},
		"find.js":         {"sections"},
		"site.css":        {"main"},
	} {
		text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %s:\n%s", name, part, text)
			}
		}
		if strings.Contains(string(text), "<script>") {
			t.Errorf("%s has the script of a page", name)
		}
	}
}

// TestLostLinks: a page, a file or a heading that is not there is told.
func TestLostLinks(t *testing.T) {
	for _, change := range []struct{ old, new, want string }{
		{"one.md#one-and-only", "one.md#another", "docs/README.md: docs/one.md has no heading #another"},
		{"[up](#one-and-only)", "[up](#up)", "docs/one.md: docs/one.md has no heading #up"},
		{"](../README.md)", "](two.md)", "docs/two.md, which is not there"},
		{"docs/shot.png)", "docs/short.png)", "docs/short.png, which is not there"},
	} {
		if _, err := made(t, strings.Replace(pages, change.old, change.new, 1)); err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s: %v", change.new, err)
		}
	}
}
