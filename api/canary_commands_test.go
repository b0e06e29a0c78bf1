package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/socket"
)

// parameters are the names under which commands take anything: those of the fields that
// hold text, on all routes, and the aliases of the table.
func (c *canary) parameters(t *testing.T) []string {
	t.Helper()
	doc, err := load()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			fields, _ := documented(op)
			for _, f := range fields {
				names[f.name] = true
			}
		}
	}
	for name, one := range command.All() {
		for _, words := range []string{"first", "second"} {
			v := reflect.ValueOf(one).FieldByName(words)
			if !v.IsValid() || !v.FieldByName("aliases").IsValid() {
				t.Fatalf("%s: the table has no %s with aliases any more", name, words)
			}
			for i := range v.FieldByName("aliases").Len() {
				names[v.FieldByName("aliases").Index(i).String()] = true
			}
		}
	}
	for _, never := range []string{"id", "format", "agent_id", "session_id", "timeout_ms", "service", "method", "engine", "tokenizer", "level", "role", "lang", "kind", "without", "line", "lines", "text", "chunk"} {
		delete(names, never)
	}
	list := slices.Sorted(maps.Keys(names))
	if len(list) < 20 {
		t.Fatal(list)
	}
	return list
}

// few are the traps for one of many parameters; all for those that are a path.
func (c *canary) few(parameter string) []string {
	if parameter == "path" || parameter == "file" {
		return c.traps()
	}
	return c.traps()[:fewTraps]
}

// TestCanaryCommands tries all commands of the table over the Unix socket, as lines of
// agents and as requests to services.
func TestCanaryCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	c := newCanary(t)
	s := c.open(t)
	parameters := c.parameters(t)
	line := c.dial(t, s)
	for _, name := range command.Names(func(command.Command) bool { return true }) {
		var lines []string
		first := c.traps()[0]
		base := map[string]any{"query": "Alpha", "target": "Alpha", "func": "Alpha"}
		for _, p := range parameters {
			for _, trap := range c.few(p) {
				value := trap
				if p == "diff" {
					value = diffOf(trap)
				}
				what := fmt.Sprintf("%s %s=%.80q", name, p, trap)
				alone := map[string]any{"cmd": name, p: value}
				with := maps.Clone(base)
				maps.Copy(with, alone)
				for i, req := range []map[string]any{alone, with} {
					if i > 0 && trap != first && p != "path" { // what else it is about decides nothing
						continue
					}
					req["id"] = "1"
					c.judge("socket "+what, line(req))
					params := maps.Clone(req)
					delete(params, "cmd")
					delete(params, "id")
					c.post(s.Handler(), "/rpc", what, map[string]any{"method": name, "params": params})
				}
				lines = append(lines, fmt.Sprintf("->relay:code %s --%s %s", name, p, strconv.Quote(value)),
					fmt.Sprintf("->relay:tldr %s %[2]s %[2]s %[2]s", name, strconv.Quote(value)))
			}
		}
		for some := range slices.Chunk(lines, maxServiceLines) {
			c.post(s.Handler(), "/relay", name, map[string]any{"lines": some})
		}
	}
	c.report(t)
}

// judge is clean for an answer that has no status.
func (c *canary) judge(what string, body []byte) {
	c.clean(what, body)
	if strings.Contains(string(body), `"internal"`) || strings.Contains(string(body), "internal error") || len(body) == 0 {
		c.found = append(c.found, fmt.Sprintf("%s: %.300q", what, body))
	}
}

func (c *canary) post(h http.Handler, path, what string, fields map[string]any) {
	body, _ := json.Marshal(fields) // of strings
	w := c.ask(h, path+" "+what, request(http.MethodPost, path, string(body)))
	c.judge(path+" "+what, w.Body.Bytes())
}

// dial serves a socket and returns a client of it, which sends one request and returns the
// reply.
func (c *canary) dial(t *testing.T, s *Server) func(req map[string]any) []byte {
	t.Helper()
	k, err := socket.New(socket.Options{Asker: s.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "canary") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	one, err := socket.Listen(t.TempDir(), filepath.Join(dir, "s"), "", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- k.Serve(ctx, one) }()
	conn, err := net.Dial("unix", one.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	replies := bufio.NewReaderSize(conn, 1<<20)
	return func(req map[string]any) []byte {
		b, _ := json.Marshal(req) // of strings
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := conn.Write(append(b, '\n')); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		reply, err := replies.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		return reply
	}
}

// TestCanaryTools tries all tools and resources that the server lists.
func TestCanaryTools(t *testing.T) {
	c := newCanary(t)
	s := c.open(t)
	call := func(what, method string, params any) []byte {
		p, _ := json.Marshal(params) // of strings
		w := c.ask(s.Handler(), what, toMCP("/mcp", message(method, string(p))))
		c.judge(what, w.Body.Bytes())
		_, data, _ := strings.Cut(w.Body.String(), "data: ")
		return []byte(data)
	}
	var listed struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct {
					Properties map[string]struct {
						Type string
						Enum []any
					}
					Required []string
				}
			}
			ResourceTemplates []struct{ URITemplate string }
			Resources         []struct{ URI string }
		}
	}
	list := func(method string) {
		if err := json.Unmarshal(call(method, method, struct{}{}), &listed); err != nil {
			t.Fatal(method, err)
		}
	}
	list("tools/list")
	tools := listed.Result.Tools
	list("resources/templates/list")
	list("resources/list")
	if len(tools) < 10 || len(listed.Result.ResourceTemplates) < 4 || len(listed.Result.Resources) < 1 {
		t.Fatalf("%+v", listed)
	}
	// What a tool must be given, where it is not the trap.
	with := map[string]any{"query": "alpha", "target": "Alpha", "symbol": "Alpha", "path": "a.go", "file": "a.go", "line": 6, "name": "Alpha"}
	for _, tool := range tools {
		base := map[string]any{}
		for _, name := range tool.InputSchema.Required {
			if base[name] = with[name]; base[name] == nil {
				t.Errorf("the tool %s needs %s: say what the canary is to give it", tool.Name, name)
			}
		}
		call(tool.Name, "tools/call", map[string]any{"name": tool.Name, "arguments": base})
		for name, f := range tool.InputSchema.Properties {
			switch f.Type {
			case "integer", "number", "boolean":
				continue
			case "string", "array":
			default:
				t.Errorf("the tool %s has a field %s of type %q: say how the canary is to try it", tool.Name, name, f.Type)
			}
			for _, trap := range c.traps() {
				args := maps.Clone(base)
				args[name] = trap
				switch {
				case name == "diff":
					args[name] = diffOf(trap)
				case f.Type == "array":
					args[name] = []string{trap}
				}
				call(fmt.Sprintf("%s %s=%.80q", tool.Name, name, trap), "tools/call", map[string]any{"name": tool.Name, "arguments": args})
			}
		}
	}
	for _, r := range listed.Result.Resources {
		call(r.URI, "resources/read", map[string]any{"uri": r.URI})
	}
	for _, r := range listed.Result.ResourceTemplates {
		prefix, _, ok := strings.Cut(r.URITemplate, "{")
		if !ok {
			t.Errorf("the resource %s names nothing", r.URITemplate)
		}
		for _, trap := range c.traps() {
			for _, form := range []string{trap, strings.ReplaceAll(trap, "/", "%2F"), strings.NewReplacer("/", "%2f", ".", "%2e", "\x00", "%00").Replace(trap)} {
				call(fmt.Sprintf("%s%.80q", prefix, form), "resources/read", map[string]any{"uri": prefix + form})
			}
		}
	}
	c.report(t)
}

// TestCanaryFinds proves that the canary is heard: handlers that look at files by
// themselves, as one might write them, are found out, and so is a route that nobody tries.
func TestCanaryFinds(t *testing.T) {
	for name, read := range map[string]func(root, path string) string{
		"joins": func(root, path string) string { return filepath.Join(root, path) },
		"compares prefixes": func(root, path string) string {
			if !filepath.IsAbs(path) {
				path = filepath.Join(root, path)
			}
			if path = filepath.Clean(path); strings.HasPrefix(path, root) {
				return path
			}
			return ""
		},
		"follows links":  func(root, path string) string { return filepath.Join(root, filepath.Clean("/"+path)) },
		"takes absolute": func(_, path string) string { return path },
		"by name only": func(root, path string) string {
			if !filepath.IsLocal(path) || strings.Contains(path, "link") || strings.Contains(path, ".txt") {
				return ""
			}
			return filepath.Join(root, path)
		},
	} {
		c := newCanary(t)
		router := chi.NewRouter()
		router.Get("/cat", func(w http.ResponseWriter, r *http.Request) {
			text, err := os.ReadFile(read(c.root, r.FormValue("path")))
			if err != nil {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			_, _ = w.Write(text)
		})
		c.try(router, "GET /cat")
		if len(c.found) == 0 {
			t.Errorf("a handler that %s is not found out in %d tries", name, c.tries)
		}
	}

	c := newCanary(t)
	router := chi.NewRouter()
	router.Get("/leak", func(http.ResponseWriter, *http.Request) {})
	router.Put("/cat", func(http.ResponseWriter, *http.Request) {})
	_, missing, err := c.routes(router)
	if err != nil || len(missing) < 2 || !strings.Contains(strings.Join(missing, "\n"), "GET /leak") || !strings.Contains(strings.Join(missing, "\n"), "PUT /cat") {
		t.Error(missing, err)
	}
	c.ask(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }), "a fault", request("GET", "/cat", ""))
	if len(c.found) != 1 {
		t.Errorf("a fault is not found: %q", c.found)
	}
}
