package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/web"
)

// A fuzzer sends requests of any form to a server of a real index.
type fuzzer struct {
	handler http.Handler
	routes  []string            // METHOD PATH of all, sorted
	fields  map[string][]string // of a route, by their documented names, sorted
}

func newFuzzer(f *testing.F) *fuzzer {
	ar, err := txtar.ParseFile("testdata/exchange/calls.txtar")
	if err != nil {
		f.Fatal(err)
	}
	x := exchangeIndex(f, ar)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx, nil) }()
	f.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			f.Error(err)
		}
	})
	s := newServer(f, x, Options{Limits: Limits{Response: 16 << 10}})
	z := &fuzzer{handler: s.Handler(), fields: map[string][]string{}}
	doc := newChecker(f).doc
	err = chi.Walk(s.router, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if strings.HasPrefix(path, web.Prefix) { // the page's own addresses
			return nil
		}
		route := method + " " + path
		z.routes = append(z.routes, route)
		z.fields[route] = documentedFields(doc.Paths.Value(path).GetOperation(method))
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	slices.Sort(z.routes)
	return z
}

// documentedFields returns the names of an operation's parameters and of its body's fields.
func documentedFields(op *openapi3.Operation) []string {
	names := map[string]bool{}
	for _, p := range op.Parameters {
		if p.Value.In == "query" {
			names[p.Value.Name] = true
		}
	}
	var add func(s *openapi3.SchemaRef)
	add = func(s *openapi3.SchemaRef) {
		if s == nil || s.Value == nil {
			return
		}
		for name := range s.Value.Properties {
			names[name] = true
		}
		for _, of := range [][]*openapi3.SchemaRef{s.Value.AllOf, s.Value.AnyOf, s.Value.OneOf} {
			for _, s := range of {
				add(s)
			}
		}
	}
	if op.RequestBody != nil {
		add(op.RequestBody.Value.Content["application/json"].Schema)
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// hostile are values that some field or other may not take well. The last is that of
// the fuzzer, as a string.
func hostile(text string) []any {
	return []any{
		nil, true, false, 0, 1, 5, -1, 1e9, -1e300, 0.5, json.Number("1e400"), json.Number("18446744073709551616"), "", " ", "0", "-1", "NaN", "true", "auto", "json",
		".", "..", "/", "cart", "cart/cart.go", "price/price.go", "main.go", "cart/", "../x", "cart\x00", "Add", "Cart.Add", "Total", "lookup", "cart.Checkout",
		"*.go", "**", "[", "{a,b", "!", "(", "a|b", `\pL+`, "(?i)cart", "a{1000}{1000}", "callers", "callees", "go", "function", "regex", "symbol", "L1", "L2", "text", "ultra",
		[]any{}, []any{""}, []any{"cart", "Add"}, []any{1, nil, "cart"}, []any{[]any{}}, map[string]any{}, map[string]any{"cart": 1}, map[string]any{"path": "main.go", "content": "package main\n\nfunc Add() {}\n"},
		[]any{map[string]any{"path": "main.go", "content": "package main\n\nfunc Add() { Total() }\n"}}, []any{map[string]any{"path": "new.py", "content": "def f(:\n\tg("}},
		"--- a/main.go\n+++ b/main.go\n@@ -1,3 +1,3 @@\n package main\n-a\n+b\n", strings.Repeat("a", 9000), strings.Repeat("Total ", 500), "\ufeff\u202e\U0001F600", text, []any{text}, map[string]any{"content": text, "path": text},
	}
}

// object makes fields: each two bytes of shape are a documented name and a value.
func (z *fuzzer) object(route string, shape []byte, text string) map[string]any {
	names, values := z.fields[route], hostile(strings.ToValidUTF8(text, "\uFFFD"))
	all := map[string]any{}
	for ; len(shape) > 1 && len(names) > 0 && len(all) < 20; shape = shape[2:] {
		all[names[int(shape[0])%len(names)]] = values[int(shape[1])%len(values)]
	}
	return all
}

// request makes the request of a route. Without a shape, text is the body, or the query
// string.
func (z *fuzzer) request(t *testing.T, route string, shape []byte, text string) *http.Request {
	method, path, _ := strings.Cut(route, " ")
	body := text
	if len(shape) > 0 {
		b, err := json.Marshal(z.object(route, shape, text))
		if err != nil {
			t.Fatal(err)
		}
		body = string(b)
	}
	if before, _, ok := strings.Cut(path, "{"); ok {
		path = before + url.PathEscape(text)
		if _, err := url.ParseRequestURI(path); err != nil || path == before {
			t.Skip()
		}
	}
	if method == http.MethodPost {
		if path == "/mcp" {
			return toMCP(path, body)
		}
		return request(method, path, body)
	}
	query := url.Values{}
	for name, v := range z.object(route, shape, text) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				query.Add(name, plain(e))
			}
		default:
			query.Add(name, plain(v))
		}
	}
	r := request(method, path, "")
	if r.URL.RawQuery = query.Encode(); len(shape) == 0 && !strings.Contains(route, "{") {
		r.URL.RawQuery = text
	}
	return r
}

// plain is a value as a query string has it.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// seeds adds the requests of the exchanges in testdata.
func (z *fuzzer) seeds(f *testing.F) {
	names, err := filepath.Glob("testdata/exchange/*.txtar")
	if err != nil || len(names) == 0 {
		f.Fatalf("no exchanges: %v", err)
	}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if strings.HasSuffix(file.Name, ".want") || strings.HasPrefix(file.Name, "root/") {
				continue
			}
			head, body, _ := strings.Cut(string(file.Data), "\n\n")
			line, _, _ := strings.Cut(head, "\n")
			method, target, _ := strings.Cut(line, " ")
			path, query, _ := strings.Cut(target, "?")
			if n, ok := slices.BinarySearch(z.routes, method+" "+path); ok && method == http.MethodPost {
				f.Add(uint8(n), []byte(nil), strings.TrimSpace(body))
			} else if ok {
				f.Add(uint8(n), []byte(nil), query)
			}
		}
	}
	for n, route := range z.routes {
		f.Add(uint8(n), []byte(nil), "{}")
		f.Add(uint8(n), []byte("0123456789"), "Add")
		if strings.HasSuffix(route, "/relay") {
			f.Add(uint8(n), []byte(nil), "->relay:code calls Add\n->relay:tldr search cart \"a b\" --limit 3 k=v")
		}
		if strings.HasSuffix(route, "/mcp") {
			for _, m := range []string{"initialize", "tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"} {
				f.Add(uint8(n), []byte(nil), message(m, "{}"))
			}
			f.Add(uint8(n), []byte(nil), message("tools/call", `{"name":"search","arguments":{"query":"Add"}}`))
			f.Add(uint8(n), []byte(nil), message("resources/read", `{"uri":"quarry://status"}`))
			f.Add(uint8(n), []byte(nil), "["+message("ping", "null")+"]")
		}
		if strings.HasSuffix(route, "/rpc") {
			for _, name := range command.Names(func(command.Command) bool { return true }) {
				f.Add(uint8(n), []byte(nil), `{"method":"`+name+`","params":{"query":"Add","path":"cart","files":["main.go"]}}`)
			}
		}
	}
}

// FuzzEndpoints sends anything to every endpoint: what comes back is documented, is no
// fault of the server, and comes before the context's deadline, which would be one. A new endpoint is among them by being there.
func FuzzEndpoints(f *testing.F) {
	z := newFuzzer(f)
	z.seeds(f)
	f.Fuzz(func(t *testing.T, n uint8, shape []byte, text string) {
		if len(text) > 16<<10 {
			return
		}
		route := z.routes[int(n)%len(z.routes)]
		req := z.request(t, route, shape, text)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if route == "GET /events" { // it would last until the client goes
			cancel()
		}
		r := exchangeAny(t, z.handler, req.WithContext(ctx))
		if r.status >= 500 {
			t.Errorf("%s %q %q: %d %s", route, req.URL.RawQuery, text, r.status, r.body)
		}
	})
}

// exchangeAny checks an exchange. What the server took of a query string is not held to the
// document, which does not say of each parameter that without a value it is absent; nor
// are numbers beyond float64: JSON has them, and an id may be one, but the validator
// knows none.
func exchangeAny(t *testing.T, h http.Handler, req *http.Request) reply {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	c := newChecker(t)
	var v any
	wrong := (*json.UnmarshalTypeError)(nil)
	c.lenient = req.Method == http.MethodGet || errors.As(json.Unmarshal(body, &v), &wrong)
	return c.do(h, req)
}

// TestFuzzerKnowsFields: what the fuzzer chooses fields from is what is documented.
func TestFuzzerKnowsFields(t *testing.T) {
	doc := newChecker(t).doc
	for _, path := range []string{"/search", "/grep", "/find", "/impact", "/rpc", "/verify"} {
		names := documentedFields(doc.Paths.Value(path).Post)
		if !slices.Contains(names, "project") && path != "/rpc" || len(names) < 3 {
			t.Errorf("%s has the fields %v", path, names)
		}
	}
}
