package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api/lsp"
	"github.com/quarry-search/quarry/api/wire"
)

// An asker answers by a function.
type asker func(ctx context.Context, endpoint string, fields map[string]any) (any, error)

func (a asker) Ask(ctx context.Context, endpoint string, fields map[string]any) (any, string, error) {
	answer, err := a(ctx, endpoint, fields)
	return answer, "", err
}

// ready answers like a server whose index has nothing.
func ready(context.Context, string, map[string]any) (any, error) {
	return &wire.Status{Index: wire.StatusIndex{State: wire.StateReady}}, nil
}

func errorOf(m message) int {
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

// TestBadInput sends what is no message, or comes at the wrong time: the answer is an error of the
// protocol, and the server goes on.
func TestBadInput(t *testing.T) {
	e := edit(t, nil, lsp.Options{Open: opening(asker(ready))})
	refused := func(what string, code int) {
		t.Helper()
		for {
			m, err := e.read()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if m.Method == "" {
				if errorOf(m) != code || m.ID != nil {
					t.Errorf("%s: %+v, want %d", what, m, code)
				}
				return
			}
		}
	}
	framed := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for _, tc := range []struct {
		text string
		code int
	}{
		{framed("nonsense"), -32700},
		{framed(""), -32700},
		{framed("{"), -32700},
		{framed("[]"), -32600},
		{framed(`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`), -32600},
		{framed(`{"jsonrpc":"2.0"}`), -32600},
		{framed(`"text"`), -32600},
		{framed(`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`), -32600},
		{"Content-Length: 3\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"shutdown"}` + "\r\n", -32700},
		{"Content-Type: none\r\n\r\n", -32700},
		{"Content-Length: -1\r\n\r\n", -32700},
		{"Content-Length: 9999999999999999999999\r\n\r\n", -32700},
		{strings.Repeat("x", 100_000) + "\r\nContent-Length: 1\r\n\r\n{", -32700},
	} {
		e.raw(tc.text)
		refused(fmt.Sprintf("%.60q", tc.text), tc.code)
	}
	for _, tc := range []struct {
		method string
		params any
		code   int
	}{
		{"textDocument/hover", map[string]any{}, -32002},
		{"shutdown", nil, -32002},
		{"initialize", []int{1}, -32602},
		{"initialize", map[string]any{"processId": nil, "rootUri": "file:///there/is/no/such/folder", "capabilities": map[string]any{}}, -32602},
	} {
		if m := e.call(tc.method, tc.params); errorOf(m) != tc.code {
			t.Errorf("%s before initialize: %+v, want %d", tc.method, m, tc.code)
		}
	}
	e.notify("textDocument/didOpen", map[string]any{}) // too early, and passed over
	if m := e.open(t.TempDir(), map[string]any{}); m.Error != nil {
		t.Fatal(m.Error)
	}
	place := map[string]any{"line": 0, "character": 0}
	for _, tc := range []struct {
		method string
		params any
		code   int
	}{
		{"initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}}, -32600},
		{"textDocument/nothing", map[string]any{}, -32601},
		{"textDocument/hover", nil, -32602},
		{"textDocument/hover", "text", -32602},
		{"textDocument/hover", map[string]any{"textDocument": 7}, -32602},
		{"textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "untitled:Untitled-1"}, "position": place}, -32602},
		{"textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "http://localhost/a"}, "position": place}, -32602},
		{"callHierarchy/incomingCalls", map[string]any{"item": map[string]any{"name": "a"}}, -32602},
		{"workspace/executeCommand", map[string]any{"command": "rm"}, -32602},
		{"workspace/executeCommand", map[string]any{"command": "quarry.search", "arguments": []any{nil}}, -32602},
	} {
		if m := e.call(tc.method, tc.params); errorOf(m) != tc.code {
			t.Errorf("%s %v: %+v, want %d", tc.method, tc.params, m, tc.code)
		}
	}
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///none.go", "version": 1}, "contentChanges": []any{}})
	e.notify("textDocument/didOpen", []int{1})
	e.notify("$/cancelRequest", map[string]any{"id": 4711})
	e.notify("$/unknown", nil)
	if m := e.call("shutdown", nil); m.Error != nil {
		t.Error(m.Error)
	}
	if m := e.call("textDocument/hover", map[string]any{}); errorOf(m) != -32600 {
		t.Errorf("after shutdown: %+v", m)
	}
	e.notify("exit", nil)
	if err := e.wait(); err != nil {
		t.Error(err)
	}
}

// TestExit ends a server in other ways than it should be.
func TestExit(t *testing.T) {
	e := edit(t, nil, lsp.Options{Open: opening(asker(ready))})
	e.open(t.TempDir(), map[string]any{})
	e.notify("exit", nil)
	if err := e.wait(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Errorf("exit without shutdown: %v", err)
	}
	e = edit(t, nil, lsp.Options{Open: opening(asker(ready))})
	e.open(t.TempDir(), map[string]any{})
	e.in.Close()
	if err := e.wait(); err != nil {
		t.Errorf("the end of the input: %v", err)
	}
}

// TestCancel ends the work of a request, and of one that is pending when the client goes.
func TestCancel(t *testing.T) {
	begun, ended := make(chan struct{}, 2), make(chan struct{}, 2)
	a := func(ctx context.Context, endpoint string, _ map[string]any) (any, error) {
		if endpoint == "/status" {
			return ready(ctx, "", nil)
		}
		begun <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, ctx.Err()
	}
	e := edit(t, nil, lsp.Options{Open: opening(asker(a))})
	dir := t.TempDir()
	e.open(dir, map[string]any{})
	hover := func(id int) {
		e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": map[string]any{
			"textDocument": map[string]any{"uri": "file://" + dir + "/a.go"}, "position": map[string]any{"line": 0, "character": 0},
		}})
	}
	hover(100)
	<-begun
	e.notify("$/cancelRequest", map[string]any{"id": 100})
	if m := e.answer(100); errorOf(m) != -32800 {
		t.Errorf("%+v, want the error of what is cancelled", m)
	}
	<-ended
	hover(101)
	<-begun
	e.notify("exit", nil)
	if err := e.wait(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Error(err)
	}
	<-ended
}

// TestBuilding asks during the first build: nothing is an error then, which says how far it is, and
// the editor is told how it goes on.
func TestBuilding(t *testing.T) {
	var built atomic.Bool
	index := wire.Index{State: wire.StateIndexing, Progress: 0.43}
	a := func(ctx context.Context, endpoint string, _ map[string]any) (any, error) {
		switch {
		case endpoint == "/status" && built.Load():
			return ready(ctx, "", nil)
		case endpoint == "/status":
			return &wire.Status{Index: wire.StatusIndex{State: wire.StateIndexing, Progress: 0.43}}, nil
		case endpoint == "/definition":
			return nil, wire.Problemf(wire.CodeNotFound, "a.go is not in the index")
		}
		return &wire.SearchResponse{Index: index}, nil
	}
	e := edit(t, readModel(t), lsp.Options{Open: opening(asker(a)), Patience: time.Nanosecond, Poll: time.Millisecond})
	dir := t.TempDir()
	e.open(dir, map[string]any{"window": map[string]any{"workDoneProgress": true}})
	place := map[string]any{"textDocument": map[string]any{"uri": "file://" + dir + "/a.go"}, "position": map[string]any{"line": 0, "character": 0}}
	for method, params := range map[string]any{"textDocument/hover": place, "workspace/symbol": map[string]any{"query": "a"}} {
		m := e.call(method, params)
		if errorOf(m) != -32803 || !strings.Contains(m.Error.Message, "still being built (43 %)") {
			t.Errorf("%s: %+v", method, m.Error)
		}
	}
	kinds := map[string]bool{}
	take := func(m message) {
		var p struct {
			Value struct{ Kind string }
		}
		if json.Unmarshal(m.Params, &p) == nil && m.Method == "$/progress" {
			kinds[p.Value.Kind] = true
			built.Store(built.Load() || p.Value.Kind == "report")
		}
	}
	for _, m := range e.notes {
		take(m)
	}
	for !kinds["end"] {
		m, err := e.read()
		switch {
		case err != nil:
			t.Fatal(err)
		case m.ID != nil:
			e.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
		default:
			take(m)
		}
	}
	if !kinds["begin"] || !kinds["report"] {
		t.Errorf("progress: %v", kinds)
	}
	if err := e.close(); err != nil {
		t.Error(err)
	}
}

// TestFolders has a workspace of two folders: that only one is served is logged.
func TestFolders(t *testing.T) {
	e := edit(t, readModel(t), lsp.Options{Open: opening(asker(ready))})
	dir := t.TempDir()
	e.call("initialize", map[string]any{"processId": nil, "capabilities": map[string]any{}, "rootUri": nil, "workspaceFolders": []any{
		map[string]any{"uri": "file://" + dir, "name": "one"}, map[string]any{"uri": "file://" + t.TempDir(), "name": "two"},
	}})
	if !slices.ContainsFunc(e.notes, func(m message) bool {
		return m.Method == "window/logMessage" && strings.Contains(string(m.Params), "of the 2 folders of the workspace, "+dir+" alone is served")
	}) {
		t.Errorf("it is not logged: %v", e.notes)
	}
	e.notify("initialized", map[string]any{})
	if err := e.close(); err != nil {
		t.Error(err)
	}
}

// TestPublished has the diagnostics of an open file published once it rests, with its version, and
// taken back when it is closed.
func TestPublished(t *testing.T) {
	ar := &txtar.Archive{Files: []txtar.File{{Name: "root/a.go", Data: []byte("package a\n")}}}
	dir := write(t, ar)
	e := edit(t, readModel(t), lsp.Options{Open: opening(serve(t, dir)), Rest: time.Millisecond})
	e.open(dir, map[string]any{})
	uri := "file://" + filepath.Join(dir, "a.go")
	published := func() (version float64, n int) {
		t.Helper()
		for {
			m, err := e.read()
			if err != nil {
				t.Fatal(err)
			}
			if m.Method != "textDocument/publishDiagnostics" {
				continue
			}
			var p struct {
				Version     float64
				Diagnostics []any
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			return p.Version, len(p.Diagnostics)
		}
	}
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": "package a\n"}})
	if v, n := published(); v != 1 || n != 0 {
		t.Errorf("version %v has %d", v, n)
	}
	e.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": 2},
		"contentChanges": []any{map[string]any{"text": "package a\n\nfunc f() int {\n\treturn 1\n\tprintln()\n}\n"}},
	})
	if v, n := published(); v != 2 || n != 1 {
		t.Errorf("version %v has %d", v, n)
	}
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	if _, n := published(); n != 0 {
		t.Errorf("%d after it was closed", n)
	}
	if err := e.close(); err != nil {
		t.Error(err)
	}
}

// TestSaved has the index read a file that was saved: afterwards its text need not go with questions.
func TestSaved(t *testing.T) {
	dir := write(t, &txtar.Archive{Files: []txtar.File{{Name: "root/a.go", Data: []byte("package a\n\nfunc f() {}\n")}}})
	real := serve(t, dir)
	var overlays, invalidated atomic.Int32
	a := func(ctx context.Context, endpoint string, fields map[string]any) (any, error) {
		if fields["overlay"] != nil {
			overlays.Add(1)
		}
		answer, _, err := real.Ask(ctx, endpoint, fields)
		if endpoint == "/invalidate" {
			invalidated.Add(1)
		}
		return answer, err
	}
	e := edit(t, readModel(t), lsp.Options{Open: opening(asker(a)), Rest: time.Hour})
	e.open(dir, map[string]any{})
	uri := "file://" + filepath.Join(dir, "a.go")
	text := "package a\n\nfunc g() {}\n"
	document := map[string]any{"uri": uri}
	symbols := func() string {
		return string(e.call("textDocument/documentSymbol", map[string]any{"textDocument": document}).Result)
	}
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": "package a\n\nfunc f() {}\n"}})
	if got := symbols(); !strings.Contains(got, `"f"`) || overlays.Load() != 0 {
		t.Errorf("%s, with %d overlays", got, overlays.Load())
	}
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2}, "contentChanges": []any{map[string]any{"text": text}}})
	if got := symbols(); !strings.Contains(got, `"g"`) || overlays.Load() != 1 {
		t.Errorf("%s, with %d overlays", got, overlays.Load())
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	e.notify("textDocument/didSave", map[string]any{"textDocument": document})
	for before := int32(-1); before != overlays.Load(); { // until a question goes without one
		before = overlays.Load()
		if got := symbols(); !strings.Contains(got, `"g"`) {
			t.Fatal(got)
		}
	}
	if invalidated.Load() != 1 {
		t.Errorf("%d invalidations", invalidated.Load())
	}
	if err := e.close(); err != nil {
		t.Error(err)
	}
}
