package architecture

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A statement is an import of a file, as it is written.
type statement struct {
	module, name string
	flags        ir.ImportFlag
	pos          ir.Pos
}

// A head is what a file says of itself and of what it imports.
type head struct {
	pkg     string
	imports []statement
}

// readImports reads what the imports of all files lead to.
func (r *reader) readImports(ctx context.Context, x *store.View, w *calls.Walk, all map[string]*store.Record) error {
	heads := make([]head, len(r.records))
	var group errgroup.Group
	group.SetLimit(max(x.Opt.Workers, 1))
	const some = 64
	for from := 0; from < len(heads); from += some {
		group.Go(func() error {
			for i := from; i < min(from+some, len(heads)); i++ {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				heads[i] = headOf(x, r.records[i])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.setApart(heads)
	names := namesOf(r, heads)
	claims := modules.Claims(all)
	folders := map[string]bool{}
	for i := range r.files {
		if f := &r.files[i]; f.lang == "go" && !f.apart {
			folders[f.dir] = true
		}
	}
	has := func(p string) bool { return all[p] != nil }
	for i := range heads {
		from, f := int32(i), &r.files[i]
		switch f.lang {
		case "go":
			for _, s := range heads[i].imports {
				if dir, ok := goFolder(claims, folders, f.dir, s.module); ok && (dir != f.dir || f.apart) {
					r.add(linkKey{from, r.folderAt(dir), imports, f.test}, s.pos.Line())
				}
			}
		case "javascript":
			for _, s := range heads[i].imports {
				if to, ok := r.number[mainOf(all, f.dir, s.module, has)]; ok {
					r.add(linkKey{from, to, kindOf(&s), f.test}, s.pos.Line())
				}
			}
		case "jvm", "csharp", "php", "scala":
			for _, s := range heads[i].imports {
				for _, to := range names.lead(f.lang, &s) {
					if int(to) >= len(r.files) && r.folders[int(to)-len(r.files)] == f.dir {
						continue
					}
					r.add(linkKey{from, to, imports, f.test}, s.pos.Line())
				}
			}
		}
		r.edges(w, from, heads[i].imports, has)
	}
	return nil
}

// kindOf is the kind of dependency that an import is.
func kindOf(s *statement) kind {
	if s.flags&ir.TypeOnly != 0 {
		return typeImports
	}
	return imports
}

// mainOf returns the file that a relative import of a folder means by the main of its package.json, as
// Node.js has it; "" where it is none of a folder with one. Other imports the call graph resolves.
func mainOf(all map[string]*store.Record, from, module string, has func(string) bool) string {
	if !strings.HasPrefix(module, ".") {
		return ""
	}
	dir := path.Join(from, module)
	record := all[path.Join(dir, "package.json")]
	if record == nil || has(dir) || strings.HasPrefix(dir, "..") {
		return ""
	}
	var pkg struct {
		Main string `json:"main"`
	}
	if err := json.Unmarshal(record.Text.All(), &pkg); err != nil || pkg.Main == "" {
		return ""
	}
	return graph.ScriptAt(path.Join(dir, "package.json"), "./"+pkg.Main, has)
}

// headOf reads the form that a file was lowered to.
func headOf(x *store.View, record *store.Record) (h head) {
	f := x.LowerOf(record)
	if f == nil {
		return h
	}
	h.pkg = f.String(f.Package)
	for i := 1; i < len(f.Imports); i++ {
		one := &f.Imports[i]
		h.imports = append(h.imports, statement{f.String(one.Module), f.String(one.Name), one.Flags, one.Pos})
	}
	return h
}

// setApart finds the programs of Go that lie in the folder of a package and are no part of it, as
// those that generate its code: they are of a package main, and as many files of the folder or more are
// of another one.
func (r *reader) setApart(heads []head) {
	balance := map[string]int{}
	for i := range heads {
		if f := &r.files[i]; f.lang == "go" && !f.test {
			if heads[i].pkg == "main" {
				balance[f.dir]--
			} else {
				balance[f.dir]++
			}
		}
	}
	other := map[string]bool{}
	for i := range heads {
		if f := &r.files[i]; f.lang == "go" && !f.test && heads[i].pkg != "main" {
			other[f.dir] = true
		}
	}
	for i := range heads {
		if f := &r.files[i]; f.lang == "go" && !f.test && heads[i].pkg == "main" && other[f.dir] && balance[f.dir] >= 0 {
			f.apart = true
		}
	}
}

// goFolder returns the folder of the package that an import path means for a folder: of a module of
// the index, or vendored above.
func goFolder(claims graph.Claims, folders map[string]bool, from, name string) (string, bool) {
	for dir := from; ; dir = source.Dir(dir) {
		if at := path.Join(dir, "vendor", name); folders[at] {
			return at, true
		}
		if dir == "" {
			break
		}
	}
	for _, dir := range claims.GoFolders(name) {
		if folders[dir] {
			return dir, true
		}
	}
	return "", false
}

// names are the packages and namespaces of the languages whose imports name what is in them.
type names struct {
	spaces map[string]*space // by family and name
}

// A space is a package or a namespace.
type space struct {
	tops map[string][]int32 // the files of a name
	dirs []int32            // the folders of its files
}

func namesOf(r *reader, heads []head) names {
	n := names{map[string]*space{}}
	for i := range heads {
		f := &r.files[i]
		switch f.lang {
		case "jvm", "csharp", "php", "scala":
		default:
			continue
		}
		for k := range r.records[i].Symbols {
			s := &r.records[i].Symbols[k]
			parent := strings.ReplaceAll(s.Parent, "\\", ".")
			if parent == "" || parent == heads[i].pkg || strings.HasSuffix("."+heads[i].pkg, "."+parent) {
				n.enter(r, f.lang, heads[i].pkg, strings.Trim(s.Name, "`"), int32(i))
			}
		}
	}
	return n
}

// enter notes that a file has a name of a package.
func (n *names) enter(r *reader, lang, pkg, name string, file int32) {
	key := lang + "\x00" + pkg
	s := n.spaces[key]
	if s == nil {
		s = &space{tops: map[string][]int32{}}
		n.spaces[key] = s
	}
	if list := s.tops[name]; len(list) == 0 || list[len(list)-1] != file {
		s.tops[name] = append(list, file)
	}
	if r.files[file].test {
		return
	}
	dir := r.folderAt(r.files[file].dir)
	for _, d := range s.dirs {
		if d == dir {
			return
		}
	}
	s.dirs = append(s.dirs, dir)
}

// lead returns what an import leads to: the file of what it names or, of all that is in a package,
// its folder if that is one.
func (n *names) lead(lang string, s *statement) []int32 {
	whole := strings.ReplaceAll(s.module, "\\", ".")
	if s.name == "*" || s.name == "" {
		if at := n.spaces[lang+"\x00"+whole]; at != nil {
			if len(at.dirs) == 1 {
				return at.dirs
			}
			return nil
		}
	} else if whole == "" {
		whole = s.name
	} else {
		whole += "." + s.name
	}
	for pkg := whole; pkg != ""; {
		dot := strings.LastIndexByte(pkg, '.')
		rest := whole[dot+1:]
		pkg = pkg[:max(dot, 0)]
		top, _, _ := strings.Cut(rest, ".")
		if at := n.spaces[lang+"\x00"+pkg]; at != nil && len(at.tops[top]) > 0 {
			return at.tops[top]
		}
	}
	return nil
}

// edges reads the imports of a file that the call graph leads to files. An edge says the first of
// the imports that lead to its file; which of them do is found by their texts.
func (r *reader) edges(w *calls.Walk, from int32, list []statement, has func(string) bool) {
	f := &r.files[from]
	id := w.G.File(f.path)
	if id == 0 {
		return
	}
	w.G.Out(id, func(e graph.Edge) bool {
		if e.Kind != graph.Imports {
			return true
		}
		to, ok := r.number[w.Node(e.To).Path]
		if !ok {
			return true
		}
		as := to // what is depended on
		if declared, ok := r.number[declarationOf(r.files[to].path)]; ok && (f.language == "typescript" || f.language == "tsx") {
			as = declared
		}
		k, line, found := typeImports, 0, false
		for i := range list {
			s := &list[i]
			if s.flags&ir.Mod != 0 && f.lang == "rust" || !means(f, s, r.files[to].path, list, e.Pos, has) {
				continue
			}
			runs := s.flags&ir.TypeOnly == 0
			if !found || runs && k == typeImports {
				line = s.pos.Line()
			}
			if found = true; runs {
				k = imports
			}
		}
		if found {
			r.add(linkKey{from, as, k, f.test}, line)
		}
		return true
	})
}

// declarationOf is the file that declares for TypeScript what a file of JavaScript next to it has, and
// which an import from TypeScript means.
func declarationOf(p string) string {
	switch ext := path.Ext(p); ext {
	case ".js", ".jsx":
		return strings.TrimSuffix(p, ext) + ".d.ts"
	case ".mjs", ".cjs":
		return strings.TrimSuffix(p, ext) + ".d." + ext[1:2] + "ts"
	}
	return ""
}

// means reports whether an import leads to a file, given that the first that does is at a position.
func means(f *file, s *statement, to string, list []statement, first ir.Pos, has func(string) bool) bool {
	switch f.lang {
	case "python":
		return pythonMeans(f, s, to, has)
	case "rust":
		if s.pos == first {
			return true
		}
		// A module is declared before it is used.
		stem := strings.TrimSuffix(path.Base(strings.TrimSuffix(to, "/mod.rs")), ".rs")
		module := s.module[strings.LastIndexByte(s.module, ':')+1:]
		return module == stem || s.name == stem
	}
	if s.pos == first {
		return true
	}
	for i := range list {
		if list[i].pos == first && list[i].module == s.module {
			return true
		}
	}
	return false
}

// pythonMeans reports whether an import names a file: loading a module runs the packages above it,
// too, which no one has named.
func pythonMeans(f *file, s *statement, to string, has func(string) bool) bool {
	module := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(to, ".pyi"), ".py"), "/__init__")
	base := strings.TrimLeft(s.module, ".")
	dots := len(s.module) - len(base)
	base = strings.ReplaceAll(base, ".", "/")
	if dots > 0 {
		dir := f.dir
		for range dots - 1 {
			dir = source.Dir(dir)
		}
		base = path.Join(dir, base)
	}
	is := func(p string) bool {
		return module == p || dots == 0 && strings.HasSuffix(module, "/"+p)
	}
	if s.name == "" || s.name == "*" {
		return is(base)
	}
	if is(path.Join(base, s.name)) {
		return true
	}
	below := module + "/" + s.name
	return is(base) && !has(below+".py") && !has(below+"/__init__.py")
}
