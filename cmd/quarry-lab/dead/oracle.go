package dead

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A truth is what an analysis with types knows of a module.
type truth struct {
	dir       string
	module    string             // its path
	functions map[place]function // of the module
	dead      map[place]bool     // as deadcode reports them
	used      map[place]bool     // of them: see elsewhere
	ways      map[place]string   // of those that calls lead to: the last caller on a way, and how
	files     map[string]*ast.File
	set       *token.FileSet
	loads     *packages.Config
}

type function struct {
	name      string
	generated bool
	start     int // offsets, with the comment
	end       int
}

// analyse loads the module in a folder and finds what is reached.
func analyse(ctx context.Context, dir string, tests bool) (*truth, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("dead: find the module: %w", err)
	}
	t := &truth{dir: dir, functions: map[place]function{}, dead: map[place]bool{}, used: map[place]bool{}, ways: map[place]string{}, files: map[string]*ast.File{}}
	t.loads = &packages.Config{Context: ctx, Dir: dir, Tests: tests, Mode: packages.LoadAllSyntax | packages.NeedModule}
	initial, err := packages.Load(t.loads, "./...")
	if err != nil {
		return nil, fmt.Errorf("dead: load %s: %w", dir, err)
	}
	for _, p := range initial {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("dead: load %s: %w", dir, e)
		}
	}
	prog, pkgs := ssautil.AllPackages(initial, ssa.InstantiateGenerics)
	t.set = prog.Fset
	markers := map[place]bool{}
	packages.Visit(initial, nil, func(p *packages.Package) {
		if p.Module == nil || !p.Module.Main {
			return
		}
		t.module = p.Module.Path
		for _, f := range p.Syntax {
			t.enter(p, f, markers)
		}
	})
	prog.Build()
	var roots []*ssa.Function
	for _, m := range ssautil.MainPackages(pkgs) {
		roots = append(roots, m.Func("init"), m.Func("main"))
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("dead: %s has no programs", dir)
	}
	found := rta.Analyze(roots, true)
	reached := map[place]bool{}
	for fn := range found.Reachable {
		if at, ok := t.place(fn.Pos()); ok {
			reached[at] = true
		}
	}
	for at, f := range t.functions {
		if !reached[at] && !f.generated && !markers[at] {
			t.dead[at] = true
		}
	}
	t.follow(found.CallGraph, roots)
	return t, t.elsewhere(prog, roots)
}

// enter notes the functions of a file.
func (t *truth) enter(p *packages.Package, f *ast.File, markers map[place]bool) {
	at, ok := t.place(f.Package)
	if !ok {
		return
	}
	t.files[at.file] = f
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		at, _ := t.place(d.Name.Pos())
		start := d.Pos()
		if d.Doc != nil {
			start = d.Doc.Pos()
		}
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) > 0 {
			name = types.ExprString(d.Recv.List[0].Type) + "." + name
		}
		t.functions[at] = function{name, ast.IsGenerated(f), t.set.Position(start).Offset, t.set.Position(d.End()).Offset}
		if marks(p, d) {
			markers[at] = true
		}
	}
}

// marks reports whether a method only marks its type: it does nothing, is not exported, and an
// interface of its package demands it. deadcode leaves them out.
func marks(p *packages.Package, d *ast.FuncDecl) bool {
	fn, ok := p.TypesInfo.Defs[d.Name].(*types.Func)
	if !ok || d.Recv == nil || d.Body == nil || len(d.Body.List) > 0 || fn.Exported() {
		return false
	}
	sig := fn.Signature()
	if sig.Params().Len() > 0 || sig.Results().Len() > 0 {
		return false
	}
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		named, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		face, ok := named.Type().Underlying().(*types.Interface)
		if !ok || !types.Implements(sig.Recv().Type(), face) {
			continue
		}
		for m := range face.Methods() {
			if m.Name() == fn.Name() {
				return true
			}
		}
	}
	return false
}

// follow goes along calls from the roots.
func (t *truth) follow(g *callgraph.Graph, roots []*ssa.Function) {
	seen := map[*callgraph.Node]bool{}
	var queue []*callgraph.Node
	for _, root := range roots {
		if n := g.Nodes[root]; n != nil {
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, e := range n.Out {
			if seen[e.Callee] {
				continue
			}
			seen[e.Callee] = true
			queue = append(queue, e.Callee)
			if at, ok := t.place(e.Callee.Func.Pos()); ok && t.ways[at] == "" {
				how := "calls"
				if e.Site != nil && e.Site.Common().StaticCallee() == nil {
					how = "may call"
				}
				t.ways[at] = n.Func.String() + ", which " + how + " it"
			}
		}
	}
}

// place returns where a position is in the module.
func (t *truth) place(pos token.Pos) (place, bool) {
	if !pos.IsValid() {
		return place{}, false
	}
	at := t.set.Position(pos)
	file, err := filepath.Rel(t.dir, at.Filename)
	if err != nil || strings.HasPrefix(file, "..") {
		return place{}, false
	}
	return place{filepath.ToSlash(file), at.Line}, true
}

// read reads what deadcode -json printed.
func (t *truth) read(name string) (map[place]bool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("dead: read the report: %w", err)
	}
	var list []struct {
		Funcs []struct {
			Position struct {
				File string
				Line int
			}
			Generated bool
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("dead: read %s: %w", name, err)
	}
	all := map[place]bool{}
	for _, p := range list {
		for _, f := range p.Funcs {
			file := f.Position.File
			if filepath.IsAbs(file) {
				if file, err = filepath.Rel(t.dir, file); err != nil {
					return nil, fmt.Errorf("dead: read %s: %w", name, err)
				}
			}
			if !f.Generated {
				all[place{filepath.ToSlash(file), f.Position.Line}] = true
			}
		}
	}
	return all, nil
}

func comparePlaces(a, b place) int {
	return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
}

func keys(of map[place]bool) iter.Seq[place] {
	return func(yield func(place) bool) {
		for k := range of {
			if !yield(k) {
				return
			}
		}
	}
}

// needed deletes functions, all at once, and says of those of a list that the compiler misses what it
// says. What it reports then is put back until nothing is missed.
func (t *truth) needed(ctx context.Context, list, all []finding) map[place]string {
	needed := map[place]string{}
	for range 10 {
		left := slices.DeleteFunc(slices.Clone(all), func(f finding) bool {
			_, ok := t.functions[f.at]
			return !ok || needed[f.at] != ""
		})
		if len(left) == 0 || len(list) == 0 {
			return needed
		}
		cfg := &packages.Config{Context: ctx, Dir: t.dir, Tests: true, Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo, Overlay: t.without(left)}
		pkgs, err := packages.Load(cfg, "./...")
		if err != nil {
			return needed
		}
		more := false
		for _, p := range pkgs {
			for _, e := range p.Errors {
				for _, f := range left {
					if fn := bare(t.functions[f.at].name); needed[f.at] == "" && !harmless(e.Msg) && names(e.Msg, fn) {
						needed[f.at], more = e.Pos+": "+e.Msg, true
					}
				}
			}
		}
		if !more {
			return needed
		}
	}
	return needed
}

// bare is the name of a method without its type.
func bare(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// harmless reports whether an error is only about what is left over.
func harmless(text string) bool { return strings.Contains(text, "imported and not used") }

func names(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}), name)
}

// without returns the texts of files without functions, of which only the line ends are left.
func (t *truth) without(list []finding) map[string][]byte {
	texts := map[string][]byte{}
	for _, f := range list {
		name := filepath.Join(t.dir, filepath.FromSlash(f.at.file))
		text := texts[name]
		if text == nil {
			var err error
			if text, err = os.ReadFile(name); err != nil {
				continue
			}
		}
		fn := t.functions[f.at]
		for i := fn.start; i < fn.end; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
		texts[name] = text
	}
	return texts
}
