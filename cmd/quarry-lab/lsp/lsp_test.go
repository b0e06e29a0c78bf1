package lsp

import (
	"bufio"
	"bytes"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake answers requests by method, as a server that knows fixed places.
func fake(t *testing.T, name string, answers map[string]any) *server {
	t.Helper()
	requests, in := io.Pipe()
	out, replies := io.Pipe()
	ended := make(chan error, 1)
	s := &server{name: name, in: in, out: textproto.NewReader(bufio.NewReader(out)), ended: func() error { return <-ended }}
	go func() {
		defer replies.Close()
		peer := &server{in: replies, out: textproto.NewReader(bufio.NewReader(requests))}
		for {
			m, err := peer.read()
			if err != nil || m.Method == "exit" {
				ended <- requests.Close()
				return
			}
			if m.ID == nil {
				continue
			}
			// A server may ask, too, before it answers.
			_ = peer.send(map[string]any{"jsonrpc": "2.0", "id": 99, "method": "workspace/configuration", "params": map[string]any{"items": []any{1, 2}}})
			if m, err := peer.read(); err != nil || string(m.Result) != "[null,null]" {
				t.Errorf("%s: settings: %s, %v", name, m.Result, err)
			}
			_ = peer.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": answers[m.Method]})
		}
	}()
	return s
}

// TestCompare has two servers that agree on a definition, on one of three references, and on no call.
func TestCompare(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"a.go": "x\n", "b.go": "// x\n", "m/go.mod": "", "m/c.go": "x\n", "testdata/d.go": "x\n", "e_plan9.go": "x\n"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(file string, line int) map[string]any {
		position := map[string]any{"line": line, "character": 0}
		return map[string]any{"uri": "file://" + root + "/" + file, "range": map[string]any{"start": position}, "selectionRange": map[string]any{"start": position}, "kind": 12}
	}
	var out bytes.Buffer
	c := &comparison{root: root, files: map[string]bool{}, texts: map[string][]string{}, list: true, out: &out}
	if err := c.readFiles(".go"); err != nil {
		t.Fatal(err)
	}
	c.ours = fake(t, "ours", map[string]any{
		"textDocument/definition":           at("a.go", 0),
		"textDocument/typeDefinition":       []any{at("b.go", 0)},
		"textDocument/references":           []any{at("a.go", 0), at("b.go", 5), at("m/c.go", 0)},
		"textDocument/prepareCallHierarchy": []any{at("a.go", 0)},
		"callHierarchy/incomingCalls":       []any{map[string]any{"from": at("b.go", 1)}},
	})
	c.other = fake(t, "other", map[string]any{
		"textDocument/definition":           []any{at("a.go", 0)},
		"textDocument/typeDefinition":       []any{at("b.go", 0)},
		"textDocument/references":           []any{at("a.go", 0), at("b.go", 7)},
		"textDocument/documentSymbol":       []any{at("a.go", 0)},
		"textDocument/prepareCallHierarchy": []any{at("a.go", 0)},
		"callHierarchy/incomingCalls":       []any{map[string]any{"from": at("b.go", 2)}},
	})
	for _, s := range []*server{c.ours, c.other} {
		if err := s.open(t.Context(), root); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.run(t.Context(), 10, 1); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*server{c.ours, c.other} {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	got, _, _ := strings.Cut(out.String(), "hover")
	want := `references of a.go:1:1: only ours has b.go:6:1
references of a.go:1:1: only other has b.go:8:1
incomingCalls of a.go:1:1: only ours has b.go:2:1
incomingCalls of a.go:1:1: only other has b.go:3:1
incomingCalls of b.go:1:1: only ours has b.go:2:1
incomingCalls of b.go:1:1: only other has b.go:3:1
1 names, 2 functions
definition       both 1, only ours 0, only the other's 0: precision 1.000, recall 1.000
type definition  both 1, only ours 0, only the other's 0: precision 1.000, recall 1.000
references       both 1, only ours 1, only the other's 1: precision 0.500, recall 0.500
incoming calls   both 0, only ours 2, only the other's 2: precision 0.000, recall 0.000
outgoing calls   both 0, only ours 0, only the other's 0: precision 0.000, recall 0.000
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
