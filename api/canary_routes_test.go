package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quarry-search/quarry/api/mcp"
	"github.com/quarry-search/quarry/web"
)

// canaryRequests are, for each route, fields with which it does its work, so that a trap in
// one more field is reached. A route that is not here fails TestCanary.
func canaryRequests() map[string]map[string]any {
	return map[string]map[string]any{
		"/": {}, "/search": {"query": "alpha"}, "/related": {"file": "a.go", "line": 6}, "/structure": {}, "/skeleton": {"path": "a.go"},
		"/extract": {"symbol": "Alpha"}, "/imports": {}, "/arch": {}, "/calls": {}, "/impact": {"target": "Alpha"}, "/dead": {"confidence": "possible"}, "/definition": {"path": "a.go", "line": 6, "column": 1}, "/references": {"target": "Alpha"}, "/context": {"target": "Alpha"},
		"/cfg": {"target": "Alpha"}, "/dfg": {"target": "Alpha"}, "/diagnostics": {}, "/slice": {"target": "a.go:6"}, "/flows": {"source": "func:*", "sink": "word:return"}, "/graph": {"target": "Alpha", "snippets": true}, "/map": {},
		"/trace": {"symbol": "Alpha"}, "/startup": {}, "/summarize": {"path": "a.go"}, "/grep": {"pattern": "canary|return|ghp_"}, "/cat": {"path": "keys.go"}, "/find": {},
		"/handles": {}, "/handles/{id}": {}, "/health": {}, "/ready": {}, "/status": {"skipped": 100}, "/events": {}, "/version": {}, "/openapi.yaml": {}, "/metrics": {},
		"/coach/report": {}, "/projects": {}, "/projects/{name}": {}, "/invalidate": {}, "/reindex": {}, "/verify": {},
		"/rpc": {"method": "cat", "params": map[string]any{"path": "a.go"}}, "/relay": {"line": "->relay:code cat a.go"}, "/mcp": {},
		"/tools": {}, "/tools/{name}": {},
	}
}

// untried are fields that hold text and take no trap here, with the reason.
func untried() map[string]string {
	return map[string]string{
		"overlay": "TestCanary tries its paths by themselves", "handoff": "texts of the client", "recall": "texts of the client",
		"params": "TestCanaryCommands", "payload": "TestCanaryCommands", "v": "a number or a text, not looked at", "id": "not looked at", "request_id": "not looked at",
		"type": "a word", "from": "not looked at",
	}
}

// A canaryField is a field of a route that holds text.
type canaryField struct {
	name string
	list bool
	path bool // in the path of the URL
}

// documented returns the fields of an operation that hold text, and the names of those of
// which it cannot tell.
func documented(op *openapi3.Operation) (fields []canaryField, unknown []string) {
	add := func(name string, in string, s *openapi3.SchemaRef) {
		text, list := holdsText(s)
		switch {
		case in == "header" || untried()[name] != "" && in != "path":
		case s == nil || s.Value == nil:
			unknown = append(unknown, name)
		case text:
			fields = append(fields, canaryField{name, list && in == "body", in == "path"})
		}
	}
	for _, p := range op.Parameters {
		add(p.Value.Name, p.Value.In, p.Value.Schema)
	}
	if op.RequestBody != nil {
		if m := op.RequestBody.Value.Content["application/json"]; m != nil {
			for name, s := range m.Schema.Value.Properties {
				add(name, "body", s)
			}
		}
	}
	return fields, unknown
}

// holdsText reports whether a value may be a string of the client's choice, or a list of
// such.
func holdsText(s *openapi3.SchemaRef) (text, list bool) {
	if s == nil || s.Value == nil {
		return false, false
	}
	v := s.Value
	switch {
	case v.Type.Includes("string") && len(v.Enum) == 0 && !strings.HasPrefix(v.Pattern, "^-?"):
		text = true
	case v.Type.Includes("array"):
		text, _ = holdsText(v.Items)
		list = text
	case v.Type == nil && len(v.AllOf)+len(v.OneOf)+len(v.AnyOf) == 0 && len(v.Enum) == 0:
		text = true // of any type
	}
	for _, part := range slices.Concat(v.AllOf, v.OneOf, v.AnyOf) {
		t, l := holdsText(part)
		text, list = text || t, list || l
	}
	return text, list
}

// routes returns what a router has, as "METHOD /path", and what of it the test does not
// know how to try, with the reason.
func (c *canary) routes(router chi.Routes) (all, missing []string, err error) {
	doc, err := load()
	if err != nil {
		return nil, nil, err
	}
	err = chi.Walk(router, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if strings.HasPrefix(path, web.Prefix) { // it gives what the program was built with, by a map
			return nil
		}
		all = append(all, method+" "+path)
		item := doc.Paths.Value(path)
		if item == nil || item.GetOperation(method) == nil {
			missing = append(missing, method+" "+path+" is not described")
			return nil
		}
		if _, ok := canaryRequests()[path]; !ok {
			missing = append(missing, method+" "+path+" has no line in canaryRequests")
		}
		_, unknown := documented(item.GetOperation(method))
		for _, name := range unknown {
			missing = append(missing, method+" "+path+": the field "+name+" has no schema")
		}
		return nil
	})
	slices.Sort(all)
	return all, missing, err
}

// try sends all traps in all fields of a route.
func (c *canary) try(h http.Handler, route string) {
	doc, err := load()
	if err != nil {
		panic(err) // the test has loaded it before
	}
	method, path, _ := strings.Cut(route, " ")
	base := canaryRequests()[path]
	fields, _ := documented(doc.Paths.Value(path).GetOperation(method))
	c.send(h, route, base, nil)
	for _, f := range fields {
		for i, trap := range c.traps() {
			if i >= fewTraps && !takesPath(f.name) {
				break
			}
			c.send(h, route, base, &f, trap)
			if i < fewTraps || f.name == "path" {
				c.send(h, route, nil, &f, trap) // where one field excludes another
				for _, form := range []map[string]any{{"raw": true}, {"format": "te"}, {"format": "text"}, {"mode": "regex"}} {
					with := maps.Clone(base)
					maps.Copy(with, form)
					c.send(h, route, with, &f, trap)
				}
			}
		}
	}
}

// takesPath says whether the whole list of traps is worth its time for a field.
func takesPath(name string) bool {
	return !slices.Contains([]string{"agent_id", "session_id", "format", "lang", "kind", "role", "without", "level", "tokenizer", "engine", "content", "service", "method", "chunk", "task"}, name)
}

// send sends one request. A trap for a diff is the name of a file in one.
func (c *canary) send(h http.Handler, route string, base map[string]any, f *canaryField, trap ...string) {
	method, path, _ := strings.Cut(route, " ")
	fields := maps.Clone(base)
	if fields == nil {
		fields = map[string]any{}
	}
	what := route
	if f != nil {
		value := trap[0]
		if f.name == "diff" {
			value = diffOf(value)
		}
		fields[f.name] = value
		if f.list {
			fields[f.name] = []string{value}
		}
		what = fmt.Sprintf("%s %s=%.80q", route, f.name, trap[0])
		if f.path {
			delete(fields, f.name)
			path = strings.ReplaceAll(path, "{"+f.name+"}", url.PathEscape(value))
		}
	}
	path = strings.NewReplacer("{id}", "res_000000000000", "{name}", "nobody").Replace(path)
	body, query := "", ""
	if method == http.MethodPost {
		b, _ := json.Marshal(fields) // of strings
		body = string(b)
	} else {
		v := url.Values{}
		for name, one := range fields {
			if list, ok := one.([]string); ok {
				v[name] = list
			} else {
				v.Set(name, fmt.Sprint(one))
			}
		}
		query = "?" + v.Encode()
	}
	r := request(method, "/", body)
	u, err := url.Parse("http://localhost:3456" + path + query)
	if err != nil { // no client could send it
		return
	}
	r.URL = u
	if path == "/events" {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Millisecond)
		defer cancel()
		r = r.WithContext(ctx)
	}
	c.ask(h, what, r)
}

func diffOf(path string) string {
	return "--- a/" + path + "\n+++ b/" + path + "\n@@ -1,3 +1,3 @@\n-a\n+b\n c\n d\n"
}

// TestCanary walks over all routes and sends traps in all their fields: no answer holds a
// word from outside the root, of a secret or of git, and none is a fault.
func TestCanary(t *testing.T) {
	c := newCanary(t)
	s := c.open(t)
	all, missing, err := c.routes(s.router)
	if err != nil || len(all) < 40 {
		t.Fatal(all, err)
	}
	for _, m := range missing {
		t.Errorf("%s: say how the canary is to try it", m)
	}
	for path := range canaryRequests() {
		if !slices.ContainsFunc(all, func(r string) bool { return strings.HasSuffix(r, " "+path) }) {
			t.Errorf("there is no route %s any more", path)
		}
	}
	for _, route := range all {
		c.try(s.Handler(), route)
	}
	c.overlays(s.Handler(), all)
	c.tools(s.Handler())
	c.report(t)
}

// tools tries traps in all arguments of the tools that hold text.
func (c *canary) tools(h http.Handler) {
	for _, tool := range mcp.Functions() {
		in := tool.Function.Parameters.(*jsonschema.Schema)
		base := map[string]any{}
		for _, name := range in.Required {
			base[name] = map[string]any{"query": "alpha", "target": "a.go:6", "path": "keys.go"}[name]
		}
		c.send(h, "POST /tools/"+tool.Function.Name, base, nil)
		for name, p := range in.Properties {
			if p.Type != "string" || len(p.Enum) > 0 {
				continue
			}
			for i, trap := range c.traps() {
				if i < fewTraps || takesPath(name) {
					c.send(h, "POST /tools/"+tool.Function.Name, base, &canaryField{name: name}, trap)
				}
			}
		}
	}
}

// overlays tries traps as the paths of overlays, on every route that takes one.
func (c *canary) overlays(h http.Handler, all []string) {
	doc, _ := load()
	tried := 0
	for _, route := range all {
		method, path, _ := strings.Cut(route, " ")
		op := doc.Paths.Value(path).GetOperation(method)
		if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"].Schema.Value.Properties["overlay"] == nil {
			continue
		}
		tried++
		for _, trap := range c.traps() {
			for _, content := range []any{"package a\n\nfunc Alpha() {}\n", nil} {
				fields := maps.Clone(canaryRequests()[path])
				fields["overlay"] = []any{map[string]any{"path": trap, "content": content}}
				c.send(h, route, fields, nil)
			}
		}
	}
	if tried < 8 {
		c.found = append(c.found, fmt.Sprintf("only %d routes take an overlay", tried))
	}
}

// TestCanarySwapped has a file and a folder change places with links that lead out, all the
// time, while they are asked for and indexed.
func TestCanarySwapped(t *testing.T) {
	c := newCanary(t)
	s := c.open(t)
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- c.swap(stop) }()
	began := time.Now()
	for round := 0; round < 10 || time.Since(began) < 3*time.Second; round++ {
		for _, path := range []string{"swap.go", "swapped/a.go", "swapped", c.root + "/swapped/a.go"} {
			for _, req := range []struct {
				route  string
				fields map[string]any
			}{
				{"GET /cat", map[string]any{"path": path}}, {"GET /cat", map[string]any{"path": path, "raw": true}},
				{"POST /grep", map[string]any{"pattern": "canary|func", "path": path}}, {"POST /grep", map[string]any{"pattern": "func", "path": path, "raw": true}},
				{"POST /search", map[string]any{"query": "alpha secret", "path": path}}, {"POST /find", map[string]any{"path": path}},
				{"POST /skeleton", map[string]any{"path": path}}, {"POST /extract", map[string]any{"file": path}}, {"POST /summarize", map[string]any{"path": path}},
				{"POST /search", map[string]any{"query": "alpha", "overlay": []any{map[string]any{"path": path, "content": "package a\n"}}}},
				{"POST /invalidate", map[string]any{"path": path, "wait": round%4 == 0}},
			} {
				c.send(s.Handler(), req.route, req.fields, nil)
			}
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	c.report(t)
	if c.tries < 100 {
		t.Errorf("only %d tries", c.tries)
	}
}

// swap puts links in the place of swap.go and of swapped, and takes them away, until stop
// is closed.
func (c *canary) swap(stop <-chan struct{}) error {
	at := func(name string) string { return filepath.Join(c.root, name) }
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		default:
		}
		// What a name stands for changes in one step; a folder cannot be replaced so.
		if err := os.Symlink("../root-sibling/secret.go", at("new")); err != nil {
			return err
		}
		if err := os.Rename(at("new"), at("swap.go")); err != nil {
			return err
		}
		if err := os.Rename(at("swapped"), at("kept")); err != nil {
			return err
		}
		if err := os.Symlink("../root-sibling", at("swapped")); err != nil {
			return err
		}
		time.Sleep(time.Duration(i%5) * 100 * time.Microsecond)
		if err := os.WriteFile(at("new"), fmt.Appendf(nil, "package a\n\nfunc Swap%d() {}\n", i), fs.FileMode(0o644)); err != nil {
			return err
		}
		if err := os.Rename(at("new"), at("swap.go")); err != nil {
			return err
		}
		if err := os.Remove(at("swapped")); err != nil {
			return err
		}
		if err := os.Rename(at("kept"), at("swapped")); err != nil {
			return err
		}
	}
}
