package dead

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A use is a name in a package, of a method with a dot before it.
type use struct{ pkg, name string }

// elsewhere finds what deadcode reports and what is still used: by files of Go that this build leaves out, as those for
// another system or with other tags, or of folders that no pattern matches; and the examples that are compiled to
// be read and not to run, with what only they use.
func (t *truth) elsewhere(prog *ssa.Program, roots []*ssa.Function) error {
	uses, err := t.otherUses()
	if err != nil {
		return err
	}
	var more []*ssa.Function
	for fn := range ssautil.AllFunctions(prog) {
		at, ok := t.place(fn.Pos())
		if !ok || !t.dead[at] || fn.Pkg == nil {
			continue
		}
		f, name := t.functions[at], bare(t.functions[at].name)
		if f.name != name {
			name = "." + name
		}
		test := strings.HasSuffix(at.file, "_test.go")
		if uses[use{fn.Pkg.Pkg.Path(), name}] || test && strings.HasPrefix(name, "Example") {
			more = append(more, fn)
		}
	}
	if len(more) == 0 {
		return nil
	}
	for fn := range rta.Analyze(append(more, roots...), false).Reachable {
		if at, ok := t.place(fn.Pos()); ok && t.dead[at] {
			t.used[at] = true
		}
	}
	return nil
}

// otherUses finds the names that files of Go have which this build leaves out, in the packages that they can be of.
func (t *truth) otherUses() (map[use]bool, error) {
	uses := map[use]bool{}
	err := filepath.WalkDir(t.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(t.dir, name)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); d.IsDir() && (d.Name() == ".git" || d.Name() == "vendor") {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(rel) != ".go" || t.files[rel] != nil {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if f == nil {
			return err
		}
		own := path.Join(t.module, path.Dir(rel))
		of := []string{own}
		for _, i := range f.Imports {
			if at, err := strconv.Unquote(i.Path.Value); err == nil {
				of = append(of, at)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				for _, pkg := range of {
					uses[use{pkg, "." + n.Sel.Name}] = true
					uses[use{pkg, n.Sel.Name}] = true
				}
			case *ast.Ident:
				uses[use{own, n.Name}] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("dead: read what the build leaves out: %w", err)
	}
	return uses, nil
}
