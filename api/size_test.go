package api

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/rogpeppe/go-internal/txtar"
)

// One file may have more symbols, imports or lines than a response has room for: what
// comes last is left out, and the response says how much.
func TestOneLargeFile(t *testing.T) {
	const functions, imports = 1000, 100
	var text strings.Builder
	text.WriteString("package large\n\nimport (\n")
	for i := range imports {
		fmt.Fprintf(&text, "\t_ \"example.com/somewhere/p%d\"\n", i)
	}
	text.WriteString(")\n")
	for i := range functions {
		fmt.Fprintf(&text, "\nfunc f%d(first, second int) int {\n\treturn first + second\n}\n", i)
	}
	x := exchangeIndex(t, &txtar.Archive{Files: []txtar.File{
		{Name: "root/large.go", Data: []byte(text.String())},
		{Name: "root/large.py", Data: bytes.Repeat([]byte("import somewhere.else\n"), functions)},
		{Name: "root/next.go", Data: []byte("package large\n")},
		{Name: "root/rules.css", Data: bytes.Repeat([]byte("a\n{ b: c }\n"), 2000)},
	}})
	const limit = 16 << 10
	c, h := newChecker(t), newServer(t, x, Options{Limits: Limits{Response: limit}}).Handler()
	ask := func(path, body string, v any) {
		t.Helper()
		r := c.post(h, path, body)
		r.decode(t, v)
		if r.status != 200 || len(r.body) > limit || len(r.body) < limit/2 {
			t.Errorf("%s %s: %d, %d bytes for %d", path, body, r.status, len(r.body), limit)
		}
	}
	cut := func(m wire.Meta) bool {
		return m.Truncated && len(m.TruncatedBy) > 0 && m.TruncatedBy[len(m.TruncatedBy)-1] == "size"
	}

	var structure wire.StructureResponse
	ask("/structure", `{"glob":["*.go"]}`, &structure)
	f := structure.Files[0]
	if n := len(f.Symbols); len(structure.Files) != 1 || n+f.Omitted != functions || f.Symbols[n-1].Name != fmt.Sprintf("f%d", n-1) || !cut(structure.Meta) || structure.NextOffset != 1 {
		t.Errorf("%d files, %d symbols and %d omitted, next %d, %+v", len(structure.Files), len(f.Symbols), f.Omitted, structure.NextOffset, structure.Meta)
	}
	var outline wire.ExtractedFile
	ask("/extract", `{"file":"large.go"}`, &outline)
	if len(outline.Symbols)+outline.Omitted != functions || len(outline.Imports)+outline.ImportsOmitted != imports || !cut(outline.Meta) {
		t.Errorf("%d symbols and %d omitted, %d imports and %d, %+v", len(outline.Symbols), outline.Omitted, len(outline.Imports), outline.ImportsOmitted, outline.Meta)
	}
	var imported wire.ImportsResponse
	ask("/imports", `{"path":"large.py"}`, &imported)
	if f := imported.Files[0]; len(f.Imports)+f.Omitted != functions || !cut(imported.Meta) {
		t.Errorf("%d imports and %d omitted, %+v", len(f.Imports), f.Omitted, imported.Meta)
	}
	for path, last := range map[string]string{"large.go": "(first, second int) int { ... }\n", "rules.css": ""} {
		var bones wire.SkeletonResponse
		ask("/skeleton", `{"path":"`+path+`"}`, &bones)
		f := bones.Files[0]
		if lines := strings.Count(f.Skeleton, "\n"); f.EndLine < lines || f.EndLine > lines*5 || !strings.HasSuffix(f.Skeleton, last) || !strings.HasSuffix(bones.Text, f.Skeleton) || !cut(bones.Meta) || !bones.Truncated {
			t.Errorf("%s: %d lines to line %d, %q, %+v", path, lines, f.EndLine, f.Skeleton[len(f.Skeleton)-60:], bones.Meta)
		}
	}
	for path, want := range map[string]string{
		"/structure?path=large.go&format=text": `(?m)^  and \d{3} more symbols$`,
		"/extract?file=large.go&format=text":   `(?m)^  and \d{2} more$`,
		"/imports?path=large.py&format=text":   `(?m)^  and \d{3} more$`,
	} {
		if r := c.get(h, path); !regexp.MustCompile(want).Match(r.body) {
			t.Errorf("%s does not say %q: ...%s", path, want, r.body[max(0, len(r.body)-200):])
		}
	}
}
