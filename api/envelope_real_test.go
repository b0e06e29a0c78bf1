package api

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api/wire"
)

// Nothing outside of the root and no secret comes through the envelope, however it is
// named and whichever command asks, raw or not.
func TestEnvelopeStaysInside(t *testing.T) {
	x := exchangeIndex(t, txtar.Parse([]byte(`
-- root/src/a.go --
package a
-- root/.env --
KEY=canary
-- root/.aws/config --
canary
-- root/.gitignore --
build/
-- root/build/out.txt --
canary
`)))
	root := x.Root()
	evil := root + "-evil"
	if err := os.Mkdir(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(evil, "canary.go"), []byte("package canary\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"out": evil, "canary.go": filepath.Join(evil, "canary.go"), "env": ".env"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, path := range []string{
		"../" + filepath.Base(evil), evil, evil + "/canary.go", "out", "out/canary.go", "canary.go", "src/../../" + filepath.Base(evil), "/etc/passwd", "a\x00b",
		".env", "env", ".aws/config", "build/out.txt", ".git/config",
	} {
		for _, command := range []string{"grep?pattern=.&", "cat?", "find?"} {
			secret := path[0] == '.' && path[1] != '.' || path == "env" || strings.HasPrefix(path, "build")
			if secret && command != "cat?" {
				continue // what is searched and listed below it is none of it
			}
			for _, form := range []string{"format=json", "format=te", "raw=true"} {
				r := c.get(h, fmt.Sprintf("/%s%s&path=%s", command, form, url.QueryEscape(path)))
				want := 400
				if secret {
					want = 403
				}
				if path == ".git/config" { // there is no such file
					want = 404
				}
				if r.status != want || strings.Contains(strings.ReplaceAll(string(r.body), path, ""), "canary") {
					t.Errorf("/%s%s of %q: %d %s", command, form, path, r.status, r.body)
				}
			}
		}
	}
	r := c.get(h, "/find?format=te")
	if strings.Contains(string(r.body), "canary\n") || strings.Contains(string(r.body), ".env") || strings.Contains(string(r.body), ".aws") ||
		!strings.Contains(string(r.body), "# TE: 2 with names of keys or credentials are not listed\n") {
		t.Errorf("%s", r.body)
	}
}

// The paths of a list and the files that an expression names go through the same gate.
func TestEnvelopeListsStayInside(t *testing.T) {
	x := exchangeIndex(t, txtar.Parse([]byte("-- root/src/a.go --\npackage a\n")))
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, path := range []string{"../x", x.Root() + "-evil", "/etc/passwd", "a\x00b"} {
		for _, query := range []string{"grep?pattern=.&paths=src&paths=%s", "find?paths=src&paths=%s", "find?expression=-newer&expression=%s"} {
			if r := c.get(h, "/"+fmt.Sprintf(query, url.QueryEscape(path))); r.status != 400 {
				t.Errorf("%s %q: %d %s", query, path, r.status, r.body)
			}
		}
	}
	for query, want := range map[string]string{
		"grep?pattern=.&paths=src&paths=none":                    "does not exist",
		"grep?pattern=.&paths=src&path=src":                      "path and paths cannot both be given",
		"grep?pattern=.&word=true&only_matching=true":            "only_matching with word",
		"grep?pattern=%5C(a%5C)%5C1&syntax=basic":                "back references",
		"grep?pattern=a&syntax=pcre":                             "syntax",
		"grep?pattern=a&before=-1":                               "before",
		"find?paths=src&written=a&written=b":                     "written has 2 elements, and paths has 1",
		"find?expression=-delete":                                "-delete is not supported",
		"find?expression=(&expression=-name&expression=x":        "a bracket is not closed",
		"find?expression=-type&expression=l":                     "only files",
		"grep?pattern=a&exclude=x&exclude_dir=%5Ba&paths=src%20": "does not exist",
	} {
		if r := c.get(h, "/"+query); r.status/100 != 4 || !strings.Contains(string(r.body), want) {
			t.Errorf("%s: %d %s, want %q", query, r.status, r.body, want)
		}
	}
}

// What grep prints in a form of its own is in rows, and what does not fit in chunks of a
// handle: together they are all of it.
func TestRows(t *testing.T) {
	var text strings.Builder
	for i := range 700 {
		fmt.Fprintf(&text, "line %d of many, which says word %d\n", i, i%7)
	}
	x := exchangeIndex(t, txtar.Parse([]byte("-- root/a.txt --\n"+text.String()+"-- root/b.txt --\nword\n\n-- root/c.png --\n\x00\n")))
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, query := range []string{
		"pattern=word+[0-3]&syntax=basic&after=1", "pattern=word&invert=true", "pattern=%5Cbword&syntax=extended&only_matching=true&no_filename=true",
		"pattern=word&max_count=400", "pattern=o&no_line_number=true",
	} {
		raw := string(c.get(h, "/grep?raw=true&"+query).body)
		want := strings.Split(strings.TrimSuffix(raw, "\n"), "\n")
		var body wire.GrepResponse
		c.get(h, "/grep?"+query).decode(t, &body)
		got := body.Rows
		if len(body.Matches) != 0 || body.Rows == nil {
			t.Errorf("%s: %d matches", query, len(body.Matches))
		}
		if truncated := len(got) < len(want); truncated != body.Meta.Truncated || truncated != (body.Meta.Handle != "") {
			t.Errorf("%s: %d of %d rows, %+v", query, len(got), len(want), body.Meta)
		}
		for chunk, chunks := 1, 1; body.Meta.Handle != "" && chunk <= chunks; chunk++ {
			var part wire.HandleResponse
			c.get(h, fmt.Sprintf("/handles/%s?chunk=%d", body.Meta.Handle, chunk)).decode(t, &part)
			chunks = part.Chunks
			got = append(got, part.Rows...)
			if r := c.get(h, fmt.Sprintf("/handles/%s?chunk=%d&format=te", body.Meta.Handle, chunk)); len(r.body) > 16_000 {
				t.Errorf("%s: chunk %d has %d bytes", query, chunk, len(r.body))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: what is shown and the chunks are not the result:\n%s", query, diff)
		}
	}
	for query, want := range map[string]string{
		"pattern=word&count=true": `{"v":1,"cmd":"grep","matches":701,"files":2}
# TE_END_META

a.txt:700
b.txt:1

# TE: 1 binary files are not searched
`,
		"pattern=many&count=true": `{"v":1,"cmd":"grep","matches":700,"files":1}
# TE_END_META

a.txt:700

# TE: 0 in 1 other files
# TE: 1 binary files are not searched
`,
		"pattern=many&files=without": `{"v":1,"cmd":"grep","matches":1,"files":1}
# TE_END_META

b.txt

# TE: 1 binary files are not searched
`,
		"pattern=nothing": `{"v":1,"cmd":"grep","matches":0}
# TE_END_META

# TE: 1 binary files are not searched
`,
		"pattern=nothing&paths=a.txt&paths=c.png": `{"v":1,"cmd":"grep","matches":0}
# TE_END_META

# TE: 1 binary files are not searched
`,
	} {
		if diff := cmp.Diff("# TE_BEGIN_META\n"+want, string(c.get(h, "/grep?format=te&"+query).body)); diff != "" {
			t.Errorf("%s:\n%s", query, diff)
		}
	}
	r := c.get(h, "/grep?raw=true&pattern=nothing")
	if r.trailer.Get("X-Not-Searched") != "1 binary files are not searched" || r.trailer.Get("X-Matches") != "0" {
		t.Errorf("%v", r.trailer)
	}
}
