package outline

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// An ImportsQuery asks what files import, or who imports something.
type ImportsQuery struct {
	Path   string   // only files at or below this path, relative to the root; "": everywhere
	Glob   []string // as in Query
	Lang   []string // as in Query
	Module string   // only imports of this; "": all. See Imports
	Head   bool     // only the imports before a file's first definition, which are found without reading the rest
	Limit  int      // files at most; 0: 500
	Offset int      // files to pass over
}

// ImportsAnswer list files, by path, with what they import.
type ImportsAnswer struct {
	Files []FileImports `json:"files"` // never nil; with a Module, those that import it
	answer.Page
	State answer.State `json:"-"`
}

// FileImports are those of one file.
type FileImports struct {
	File    string          `json:"file"`
	Lang    string          `json:"lang"`              // "" where it is not known
	Imports []FoundImported `json:"imports"`           // by line; never nil
	Omitted int             `json:"omitted,omitempty"` // imports after them that a bound of the caller's leaves out
}

// Shorten is FileStructure.Shorten for imports.
func (f *FileImports) Shorten(share float64) bool { return answer.Omit(&f.Imports, &f.Omitted, share) }

// A FoundImported is an import, and where it leads to.
type FoundImported struct {
	answer.ImportedName
	Files []string `json:"files,omitempty"` // of the project, by path; none where the call graph does not say so
}

// Imports lists the imports of files. One is of a module when that is the last of the
// names and folders of which the import's path consists, or its last ones, or what is
// picked out of it: "auth/jwt", "jwt" and "src.auth.jwt" for ./auth/jwt of
// src/app.ts; or when it leads to a file of that path, with or without its extension.
// It returns a PatternError for a glob that cannot be used, and for a Path that is a file
// without a grammar an UnsupportedError.
func Imports(ctx context.Context, x *store.View, q ImportsQuery) (ImportsAnswer, error) {
	a := ImportsAnswer{Files: []FileImports{}}
	files, state, err := x.FilesByPath(store.Scope{Path: q.Path, Glob: q.Glob, Lang: q.Lang})
	if err != nil {
		return a, err
	}
	a.State = state
	limit := cmp.Or(q.Limit, defaultFiles)
	wanted := newImported(x, q.Module)
	for _, r := range files {
		if err := ctx.Err(); err != nil {
			return a, err
		}
		if wanted != nil {
			one, ok := importing(x, r, wanted)
			if !ok {
				continue
			}
			a.Total++
			if a.Total > q.Offset && len(a.Files) < limit {
				a.Files = append(a.Files, one)
			}
			continue
		}
		if a.Total++; a.Total <= q.Offset || len(a.Files) >= limit {
			continue
		}
		list, err := importsOf(x, r, q.Head)
		if err != nil && r.Path == strings.Trim(q.Path, "/") {
			return a, err
		}
		a.Files = append(a.Files, FileImports{File: r.Path, Lang: r.Lang, Imports: led(x, r, list)})
	}
	if end := q.Offset + len(a.Files); end < a.Total && len(a.Files) == limit {
		a.Cut(answer.CutLimit)
		a.Next = end
	}
	return a, nil
}

// importsOf reads a file again for its imports, and keeps them: they are few, and who
// asks once who imports something asks again.
func importsOf(x *store.View, r *store.Record, head bool) ([]answer.ImportedName, error) {
	if head {
		return HeadImports(x, r), nil
	}
	if kept := r.Imports.Load(); kept != nil {
		return *kept, nil
	}
	p := x.Parsers.Get()
	file := p.Parse(r.Lang, r.Text.All())
	x.Parsers.Put(p)
	if !file.Grammar && len(file.Symbols) == 0 {
		return nil, &answer.UnsupportedError{File: r.Path, Language: r.Lang, Analysis: "list of imports"}
	}
	out := make([]answer.ImportedName, len(file.Imports))
	for n, i := range file.Imports {
		out[n] = answer.ImportedName{Path: cmp.Or(i.Path, i.Name), Name: i.Name, Alias: i.Alias, Line: i.Line}
	}
	r.Imports.Store((*store.ImportList)(&out))
	return out, nil
}

// led finds the files that a file's imports lead to, by their lines.
func led(x *store.View, r *store.Record, list []answer.ImportedName) []FoundImported {
	to := map[int][]string{}
	calls.ReadGraph(x, func(w *calls.Walk) {
		id := w.G.File(r.Path)
		if id == 0 {
			return
		}
		w.G.Out(id, func(e graph.Edge) bool {
			if e.Kind == graph.Imports {
				if p := w.Node(e.To).Path; !slices.Contains(to[e.Pos.Line()], p) {
					to[e.Pos.Line()] = append(to[e.Pos.Line()], p)
				}
			}
			return true
		})
	})
	out := make([]FoundImported, len(list))
	for i, one := range list {
		out[i] = FoundImported{ImportedName: one, Files: to[one.Line]}
		slices.Sort(out[i].Files)
	}
	return out
}

// An imported is a module that is sought.
type imported struct {
	path  string          // as it is written
	parts []string        // its names
	from  map[string]bool // files that the call graph knows to import the file of this path
}

// newImported takes a module's name apart; nil for none.
func newImported(x *store.View, module string) *imported {
	parts := importParts(module)
	if len(parts) == 0 {
		return nil
	}
	m := &imported{module, parts, map[string]bool{}}
	calls.ReadGraph(x, func(w *calls.Walk) {
		if id := w.G.File(m.file()); id != 0 {
			w.G.In(id, func(e graph.Edge) bool {
				if e.Kind == graph.Imports {
					m.from[w.Node(e.From).Path] = true
				}
				return true
			})
		}
	})
	return m
}

// file is the path that the module has if it is a file.
func (m *imported) file() string { return strings.TrimPrefix(m.path, "./") }

// importParts returns the names of which a path of any language consists, without the
// extension of a file.
func importParts(path string) []string {
	path = strings.ReplaceAll(path, "\\", "/")
	if dot := strings.LastIndexByte(path, '.'); dot > strings.LastIndexByte(path, '/')+1 && strings.Contains(path, "/") {
		switch path[dot+1:] { // elsewhere a dot parts names
		case "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "py", "pyi", "go", "rs", "rb", "php", "h", "hpp", "hh", "c", "cc", "cpp", "java", "kt", "scala", "swift", "lua", "sh", "ex", "exs", "vue", "svelte", "json":
			path = path[:dot]
		}
	}
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '.' || r == ':' })
}

// is reports whether an import is of the module.
func (m *imported) is(i *FoundImported) bool {
	if i.Path == m.path {
		return true
	}
	parts := importParts(i.Path)
	if ends(parts, m.parts) || i.Name != "" && i.Name != i.Path && ends(append(parts, i.Name), m.parts) {
		return true
	}
	for _, f := range i.Files {
		if f == m.file() || slices.Equal(importParts("/"+f), m.parts) {
			return true
		}
	}
	return false
}

// ends reports whether a list ends with another.
func ends(list, with []string) bool {
	return len(list) >= len(with) && slices.Equal(list[len(list)-len(with):], with)
}

// in reports whether a text has all names of the module in it, each as a whole word.
func (m *imported) in(text []byte) bool {
	for _, part := range m.parts {
		word := []byte(part)
		for rest := text; ; {
			i := bytes.Index(rest, word)
			if i < 0 {
				return false
			}
			end := i + len(word)
			if (i == 0 || !wordByte(rest[i-1])) && (end == len(rest) || !wordByte(rest[end])) {
				break
			}
			rest = rest[end:]
		}
	}
	return true
}

// wordByte reports whether a byte is of a name, in any language.
func wordByte(b byte) bool {
	return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// importing returns a file's imports of a module, if it has some. Only files are parsed
// that have the module's names in them, or that the call graph names.
func importing(x *store.View, r *store.Record, m *imported) (FileImports, bool) {
	if r.Imports.Load() == nil && !m.from[r.Path] && !m.in(r.Text.All()) {
		return FileImports{}, false
	}
	list, err := importsOf(x, r, false)
	if err != nil || len(list) == 0 {
		return FileImports{}, false
	}
	if !m.from[r.Path] && !slices.ContainsFunc(list, func(i answer.ImportedName) bool { return m.is(&FoundImported{ImportedName: i}) }) {
		return FileImports{}, false
	}
	found := slices.DeleteFunc(led(x, r, list), func(i FoundImported) bool { return !m.is(&i) })
	return FileImports{File: r.Path, Lang: r.Lang, Imports: found}, len(found) > 0
}

// HeadImports reads the imports before a file's first definition, which are most
// often all of them, without parsing the rest.
func HeadImports(x *store.View, r *store.Record) []answer.ImportedName {
	end := r.Text.Size
	for i := range r.Symbols {
		if s := &r.Symbols[i]; s.Kind() != syntax.Namespace && s.Kind() != syntax.Module {
			end = int(s.Start)
			break
		}
	}
	p := x.Parsers.Get()
	file := p.Parse(r.Lang, r.Text.Slice(0, end))
	x.Parsers.Put(p)
	out := []answer.ImportedName{}
	for _, i := range file.Imports {
		out = append(out, answer.ImportedName{Path: cmp.Or(i.Path, i.Name), Name: i.Name, Alias: i.Alias, Line: i.Line})
	}
	return out
}
