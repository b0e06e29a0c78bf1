package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"go/token"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A place is a position of a file below the root: 0-based, the column in UTF-16 units.
type place struct {
	path         string
	line, column int
}

// A comparison asks two servers about one folder.
type comparison struct {
	root  string
	files map[string]bool // that are compared, by path
	texts map[string][]string
	ours  *server
	other *server
	list  bool
	out   io.Writer
}

// word is what may be a name. Lines that are not ASCII are passed over, so that a byte is a column.
var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// byProgram is the line in which a file of Go says that a program wrote it.
var byProgram = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// readFiles takes the files of an extension: none of folders that begin with a dot, of testdata, and of other
// modules of Go in the folder; none of Go that are not built on this system, which gopls does not search; and those
// that a program wrote, which Quarry does not index, if they are asked for.
func (c *comparison) readFiles(extension string, generated bool) error {
	return filepath.WalkDir(c.root, func(path string, d os.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != c.root:
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || err == nil {
				return filepath.SkipDir
			}
		case d.Type().IsRegular() && filepath.Ext(name) == extension:
			if built, err := build.Default.MatchFile(filepath.Dir(path), name); extension == ".go" && (err != nil || !built) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || byProgram.Match(text) && !generated {
				return err
			}
			rel, err := filepath.Rel(c.root, path)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			c.files[rel], c.texts[rel] = true, strings.Split(string(text), "\n")
		}
		return nil
	})
}

// names are all places that may be names.
func (c *comparison) names() (all []place) {
	for _, path := range slices.Sorted(maps.Keys(c.files)) {
		for i, line := range c.texts[path] {
			if strings.HasPrefix(strings.TrimLeft(line, " \t"), "//") || strings.ContainsFunc(line, func(r rune) bool { return r >= 0x80 }) {
				continue
			}
			for _, m := range word.FindAllStringIndex(line, -1) {
				if name := line[m[0]:m[1]]; name != "_" && !token.IsKeyword(name) { // gopls leads from return to the results, and from _ to itself
					all = append(all, place{path, i, m[0]})
				}
			}
		}
	}
	return all
}

// functions are those that the other server has in its outlines.
func (c *comparison) functions() (all []place, err error) {
	type symbol struct {
		Kind           int
		SelectionRange struct{ Start struct{ Line, Character int } }
		Children       []json.RawMessage
	}
	for _, path := range slices.Sorted(maps.Keys(c.files)) {
		text, err := c.other.call("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": c.uri(path)}})
		if err != nil {
			return nil, err
		}
		var top []json.RawMessage
		_ = json.Unmarshal(text, &top)
		for len(top) > 0 {
			var s symbol
			_ = json.Unmarshal(top[0], &s)
			top = append(top[1:], s.Children...)
			if method, function := 6, 12; s.Kind == method || s.Kind == function {
				all = append(all, place{path, s.SelectionRange.Start.Line, s.SelectionRange.Start.Character})
			}
		}
	}
	return all, nil
}

func (c *comparison) uri(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(c.root) + "/" + path}).String()
}

// at is the parameter that says a place.
func (c *comparison) at(p place) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": c.uri(p.path)}, "position": map[string]any{"line": p.line, "character": p.column}}
}

// places reads the places of an answer that are in the files compared.
func (c *comparison) places(text json.RawMessage) map[place]bool {
	type location struct {
		URI   string
		Range struct{ Start struct{ Line, Character int } }
	}
	var all []location
	if json.Unmarshal(text, &all) != nil {
		all = make([]location, 1)
		_ = json.Unmarshal(text, &all[0])
	}
	found := map[place]bool{}
	for _, l := range all {
		if path := c.path(l.URI); path != "" {
			found[place{path, l.Range.Start.Line, l.Range.Start.Character}] = true
		}
	}
	return found
}

// path is that of a file which is compared, or "".
func (c *comparison) path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	path, ok := strings.CutPrefix(u.Path, filepath.ToSlash(c.root)+"/")
	if !ok || !c.files[path] {
		return ""
	}
	return path
}

// A tally counts what both servers have, and what one alone has.
type tally struct{ both, ours, other int }

// count adds what two answers about a place have. Differences are listed.
func (t *tally) count(c *comparison, what string, of place, ours, other map[place]bool) {
	only := func(who string, a, b map[place]bool) (n int) {
		for _, p := range slices.SortedFunc(maps.Keys(a), compare) {
			if b[p] {
				continue
			}
			if n++; c.list && n <= 3 {
				fmt.Fprintf(c.out, "%s of %s: only %s has %s\n", what, of, who, p)
			}
		}
		return n
	}
	more, less := only(c.ours.name, ours, other), only(c.other.name, other, ours)
	t.both, t.ours, t.other = t.both+len(ours)-more, t.ours+more, t.other+less
}

func (t tally) String() string {
	share := func(n int) float64 { return float64(t.both) / float64(max(t.both+n, 1)) }
	return fmt.Sprintf("both %d, only ours %d, only the other's %d: precision %.3f, recall %.3f", t.both, t.ours, t.other, share(t.ours), share(t.other))
}

func (p place) String() string { return fmt.Sprintf("%s:%d:%d", p.path, p.line+1, p.column+1) }

func compare(a, b place) int { return strings.Compare(a.String(), b.String()) }

// run compares definitions, those of types, references, hovers and calls of so many places, drawn by lot.
func (c *comparison) run(ctx context.Context, draw int, seed uint64) error {
	lot := rand.New(rand.NewPCG(seed, 0))
	names := c.names()
	lot.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var definitions, typed, references tally
	var hovers []time.Duration
	for _, p := range names {
		if len(hovers) == draw || ctx.Err() != nil {
			break
		}
		text, err := c.other.call("textDocument/definition", c.at(p))
		if err != nil {
			return err
		}
		defined := c.places(text)
		if !c.symbols(defined) {
			continue
		}
		if text, err = c.ours.call("textDocument/definition", c.at(p)); err != nil {
			return err
		}
		definitions.count(c, "definition", p, c.places(text), defined)
		ours, other, err := c.ask("textDocument/typeDefinition", c.at(p))
		if err != nil {
			return err
		}
		typed.count(c, "type", p, c.places(ours), c.places(other))
		whole := c.at(p)
		whole["context"] = map[string]any{"includeDeclaration": true}
		if ours, other, err = c.ask("textDocument/references", whole); err != nil {
			return err
		}
		references.count(c, "references", p, c.places(ours), c.places(other))
		began := time.Now()
		if _, err := c.ours.call("textDocument/hover", c.at(p)); err != nil {
			return err
		}
		hovers = append(hovers, time.Since(began))
	}
	functions, err := c.functions()
	if err != nil {
		return err
	}
	lot.Shuffle(len(functions), func(i, j int) { functions[i], functions[j] = functions[j], functions[i] })
	functions = functions[:min(draw, len(functions))]
	methods := []string{"incomingCalls", "outgoingCalls"}
	ways := make([]tally, len(methods))
	for _, p := range functions {
		for i, method := range methods {
			ours, err := c.calls(c.ours, method, p)
			if err != nil {
				return err
			}
			other, err := c.calls(c.other, method, p)
			if err != nil {
				return err
			}
			ways[i].count(c, method, p, ours, other)
		}
	}
	slices.Sort(hovers)
	fmt.Fprintf(c.out, "%d names, %d functions\n", len(hovers), len(functions))
	for i, what := range []string{"definition", "type definition", "references", "incoming calls", "outgoing calls"} {
		fmt.Fprintf(c.out, "%-16s %s\n", what, []tally{definitions, typed, references, ways[0], ways[1]}[i])
	}
	if len(hovers) > 0 {
		fmt.Fprintf(c.out, "hover            p50 %v, p95 %v\n", hovers[len(hovers)/2].Round(time.Microsecond*100), hovers[len(hovers)*95/100].Round(time.Microsecond*100))
	}
	return ctx.Err()
}

// symbols reports whether a definition is of a symbol: that of a package is its clause.
func (c *comparison) symbols(defined map[place]bool) bool {
	for p := range defined {
		if lines := c.texts[p.path]; p.line >= len(lines) || strings.HasPrefix(lines[p.line], "package ") {
			return false
		}
	}
	return len(defined) > 0
}

func (c *comparison) ask(method string, params any) (ours, other json.RawMessage, err error) {
	if ours, err = c.ours.call(method, params); err == nil {
		other, err = c.other.call(method, params)
	}
	return ours, other, err
}

// calls returns the functions that call one, or that it calls: the lines of their names.
func (c *comparison) calls(s *server, method string, of place) (map[place]bool, error) {
	text, err := s.call("textDocument/prepareCallHierarchy", c.at(of))
	if err != nil {
		return nil, err
	}
	var items []json.RawMessage
	found := map[place]bool{}
	if json.Unmarshal(text, &items) != nil || len(items) == 0 {
		return found, nil
	}
	if text, err = s.call("callHierarchy/"+method, map[string]any{"item": items[0]}); err != nil {
		return nil, err
	}
	type end struct {
		URI            string
		SelectionRange struct{ Start struct{ Line int } }
	}
	var all []struct{ From, To *end }
	_ = json.Unmarshal(text, &all)
	for _, e := range all {
		for _, at := range []*end{e.From, e.To} {
			if at != nil && c.path(at.URI) != "" {
				found[place{path: c.path(at.URI), line: at.SelectionRange.Start.Line}] = true
			}
		}
	}
	return found, nil
}
