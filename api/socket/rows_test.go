package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index"

	"github.com/quarry-search/quarry/api/command"
)

// openProject returns a server of the built index of an archive's files below root/.
func openProject(t testing.TB, ar *txtar.Archive) *api.Server {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "root/"); ok {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, f.Data, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	x, err := index.Open(dir, index.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	server, err := api.New(api.Options{Index: x, Version: "1.2.3", Diff: func(_ context.Context, _, base string) (string, error) {
		switch base {
		case "HEAD":
			return "--- a/auth/token.go\n+++ b/auth/token.go\n@@ -25 +25 @@\n-func encode(b string) string { return \"\" }\n+func encode(b string) string { return b }\n", nil
		case "same":
			return "", nil
		}
		return "", fmt.Errorf("%s is not a revision", base)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// TestRows asks a real server everything in testdata/rows.txtar: on a connection of its
// own, as hooks do, and with an id.
func TestRows(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/rows.txtar")
	if err != nil {
		t.Fatal(err)
	}
	server := openProject(t, ar)
	path, s, _ := start(t, Options{Asker: server.Socket(), Version: "1.2.3"})
	asked := map[string]bool{}
	var request, reply string
	for i, line := range strings.Split(string(ar.Files[len(ar.Files)-1].Data), "\n") {
		where := fmt.Sprintf("row %d: %s", i+1, request)
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "{"):
			request, reply = line, ""
			continue
		}
		if reply != "" { // more of what it must hold
			check(t, where, reply, line)
			continue
		}
		c := dial(t, path)
		c.say(request + "\n")
		reply = c.hear()
		if more := c.hear(); more != "" {
			t.Errorf("%s: more than one reply: %s", where, more)
		}
		check(t, where, reply, line)
		if strings.ContainsFunc(reply, func(r rune) bool { return r >= utf8.RuneSelf }) {
			t.Errorf("%s: not ASCII: %s", where, reply)
		}
		if i%5 == 0 && !strings.Contains(request, "track") && !strings.Contains(request, "session") {
			c := dial(t, path)
			c.say(strings.Replace(request, "{", `{"id":"`+request[8:9]+`",`, 1) + "\n")
			reply := c.hear()
			check(t, where, reply, line)
			if !strings.Contains(reply, `"id":"`+request[8:9]+`"`) {
				t.Errorf("%s: the id is not there: %s", where, reply)
			}
		}
		r, _ := parse([]byte(request))
		asked[r.cmd] = true
	}
	for cmd := range s.commands {
		if !asked[cmd] {
			t.Errorf("no row asks for %s", cmd)
		}
	}
}

// check compares a reply with what a row says of it.
func check(t *testing.T, where, reply, row string) {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(reply), &v); err != nil {
		t.Fatalf("%s: %v in %q", where, err, reply)
	}
	wants := wanted(row)
	if !slices.ContainsFunc(wants, func(w string) bool { return strings.HasPrefix(w, "success=") }) {
		wants = append(wants, "success=true")
	}
	_, failed := v["error"]
	if failed != (v["success"] == false) || failed && (v["status"] != "error" || v["message"] != v["error"] || v["code"] == nil) {
		t.Errorf("%s: the envelope is wrong: %s", where, reply)
	}
	for _, w := range wants {
		field, value, compared := strings.Cut(w, "=")
		got, err := at(v, field)
		if err != nil {
			t.Errorf("%s: %s: %v in %s", where, field, err, reply)
			continue
		}
		if !compared {
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(value), &want); err != nil {
			t.Fatalf("%s: %s: %v", where, w, err)
		}
		if !slices.ContainsFunc(got, func(g any) bool { return reflect.DeepEqual(g, want) }) {
			t.Errorf("%s: %s is %v, want %s", where, field, got, value)
		}
	}
}

// wanted splits a row at the spaces before each path.
func wanted(row string) []string {
	var list []string
	for _, part := range strings.Fields(row) {
		name, _, _ := strings.Cut(part, "=")
		plain := !strings.ContainsAny(name, "\"(){}:,€") || strings.HasPrefix(name, "result.targets.")
		if n := len(list); n > 0 && (!plain || unfinished(list[n-1])) {
			list[n-1] += " " + part
			continue
		}
		list = append(list, part)
	}
	return list
}

// unfinished reports whether the value of a row is not whole JSON yet.
func unfinished(w string) bool {
	_, value, ok := strings.Cut(w, "=")
	return ok && !json.Valid([]byte(value))
}

// at returns the values at a path: one, or those of all elements of its lists.
func at(v any, path string) ([]any, error) {
	if path == "" {
		return []any{v}, nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v has no fields", v)
	}
	// A name may have dots in it.
	for end := 0; end <= len(path); end++ {
		if end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		child, ok := o[path[:end]]
		if !ok {
			continue
		}
		rest, list := strings.CutPrefix(path[end:], "[]")
		rest = strings.TrimPrefix(rest, ".")
		if !list {
			return at(child, rest)
		}
		elements, ok := child.([]any)
		if !ok || len(elements) == 0 {
			return nil, fmt.Errorf("%s is no list with something in it", path[:end])
		}
		var all []any
		for _, e := range elements {
			got, err := at(e, rest)
			if err == nil {
				all = append(all, got...)
			} else if !strings.HasSuffix(path, "[]") && !strings.Contains(rest, "[]") {
				return nil, err
			}
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("no element of %s has %s", path[:end], rest)
		}
		return all, nil
	}
	return nil, fmt.Errorf("there is no %s", path)
}

// TestCommandsAreOfTheTable holds the socket to the commands of api/command: what goes over
// those, such as the search for ways out of the root, goes over all of the socket's.
func TestCommandsAreOfTheTable(t *testing.T) {
	known := command.All()
	for name := range table() {
		if _, ok := known[name]; !ok {
			t.Errorf("%s is not in the table of package command", name)
		}
	}
	if len(known) == 0 {
		t.Error("there are no commands")
	}
}
