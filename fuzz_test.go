package quarry_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFuzzTargetsHaveSeeds: every fuzz target has seeds, added by its function (or one
// that this hands its *testing.F) or in a file of testdata/fuzz; and those files belong
// to a target.
func TestFuzzTargetsHaveSeeds(t *testing.T) {
	targets, seeded := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && (slices.Contains([]string{"node_modules", "bin", "lib", "bench"}, name) || name != "." && strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case d.IsDir() && filepath.Base(filepath.Dir(path)) == "fuzz" && strings.Contains(path, "testdata"):
			files, err := os.ReadDir(path)
			if len(files) == 0 || err != nil {
				t.Errorf("%s is empty (%v)", path, err)
			}
			seeded[filepath.Join(filepath.Dir(path), "..", "..", name)] = true
		case strings.HasSuffix(name, "_test.go"):
			for target, seeds := range fuzzTargets(t, path) {
				targets[filepath.Join(filepath.Dir(path), target)] = true
				if seeds {
					seeded[filepath.Join(filepath.Dir(path), target)] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(targets) < 40 {
		t.Errorf("there are %d targets: has something been lost?", len(targets))
	}
	for target := range targets {
		if !seeded[target] {
			t.Errorf("%s has no seeds", target)
		}
	}
	for target := range seeded {
		if !targets[target] {
			t.Errorf("there are seeds of %s, which is no target", target)
		}
	}
}

// fuzzTargets returns the fuzz targets of a file, and whether each adds seeds.
func fuzzTargets(t *testing.T, path string) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Fuzz") || f.Body == nil || len(f.Type.Params.List) != 1 || len(f.Type.Params.List[0].Names) != 1 {
			continue
		}
		found[f.Name.Name] = adds(f)
	}
	return found
}

// adds reports whether a target calls Add of its argument, or a method named seeds with it.
func adds(f *ast.FuncDecl) bool {
	arg := f.Type.Params.List[0].Names[0].Name
	isArg := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && id.Name == arg
	}
	yes := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				yes = yes || sel.Sel.Name == "Add" && isArg(sel.X) || sel.Sel.Name == "seeds" && slices.ContainsFunc(call.Args, isArg)
			}
		}
		return true
	})
	return yes
}
