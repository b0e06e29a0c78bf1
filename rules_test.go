package quarry_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A source is a parsed file of this tree.
type source struct {
	path string
	test bool // a _test.go file
	*ast.File
}

// A tree is all Go of this project, parsed, by folder.
type tree struct {
	fset    *token.FileSet
	folders map[string][]source
}

// sources parses the project's Go, once for all tests.
var sources = sync.OnceValues(func() (*tree, error) {
	s := &tree{token.NewFileSet(), map[string][]source{}}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		f, err := parser.ParseFile(s.fset, file, nil, 0)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		s.folders[dir] = append(s.folders[dir], source{filepath.ToSlash(file), strings.HasSuffix(file, "_test.go"), f})
		return nil
	})
	return s, err
})

// parsed returns the project's Go.
func parsed(t *testing.T) *tree {
	t.Helper()
	s, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// imports are the names under which a file has packages.
func imports(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		name = path.Base(name)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = true
	}
	return names
}

// isCall says whether e calls pkg.name.
func isCall(e ast.Expr, pkg, name string) bool {
	c, ok := e.(*ast.CallExpr)
	return ok && isSelector(c.Fun, pkg, name)
}

// isSelector says whether e is pkg.name.
func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg && s.Sel.Name == name
}

// TestNoInit: what runs before main runs for everybody that imports a package, and cannot
// report an error.
func TestNoInit(t *testing.T) {
	for _, files := range parsed(t).folders {
		for _, f := range files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s has an init function: make a value where it is needed, or sync.OnceValue", f.path)
				}
			}
		}
	}
}

// TestNoContextInAStruct: a context is that of a call, and is passed by argument.
func TestNoContextInAStruct(t *testing.T) {
	for _, files := range parsed(t).folders {
		for _, f := range files {
			if f.test {
				continue
			}
			ast.Inspect(f.File, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						if isSelector(field.Type, "context", "Context") {
							t.Errorf("%s: a context in a struct: pass it by argument", parsed(t).fset.Position(field.Pos()))
						}
					}
				}
				return true
			})
		}
	}
}

// changing are the variables of packages that change, with the reason. The list only
// shrinks.
var changing = map[string]string{
	"embed/onnx environment":         "the library that is loaded is that of the process",
	"index/internal/sandbox threads": "of a process that tries what a sandbox refuses, and ends",
}

// TestNoGlobalsThatChange: what a package has for all that import it is assigned where it
// is declared, and nowhere else, tests included.
func TestNoGlobalsThatChange(t *testing.T) {
	used := map[string]bool{}
	for dir, files := range parsed(t).folders {
		globals := map[string]bool{}
		for _, f := range files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
					for _, spec := range d.Specs {
						for _, name := range spec.(*ast.ValueSpec).Names {
							globals[name.Name] = name.Name != "_"
						}
					}
				}
			}
		}
		for _, f := range files {
			assigned := func(e ast.Expr) {
				if id := root(e); id != nil && globals[id.Name] && (id.Obj == nil || id.Obj == f.Scope.Lookup(id.Name)) && !imports(f.File)[id.Name] {
					name := dir + " " + id.Name
					if used[name] = true; changing[name] != "" {
						return
					}
					t.Errorf("%s: %s is a variable of the package, and is changed", parsed(t).fset.Position(id.Pos()), id.Name)
				}
			}
			ast.Inspect(f.File, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					if n.Tok != token.DEFINE {
						for _, e := range n.Lhs {
							assigned(e)
						}
					}
				case *ast.IncDecStmt:
					assigned(n.X)
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (id.Name == "delete" || id.Name == "clear") {
						assigned(n.Args[0])
					}
				}
				return true
			})
		}
	}
	for name := range changing {
		if !used[name] {
			t.Errorf("%s does not change, or is gone: take it off the list", name)
		}
	}
}

// slow are the tests that still ask the machine's clock for an upper bound. The list
// only shrinks.
var slow = map[string]string{
	"index TestSlowGraph":              "a second request does not wait for a graph that is late",
	"index/internal/graph FuzzSources": "a fuzz target, whose inputs are small",
}

// root returns the variable in which what e stands for lies; nil where a call or the like
// makes it.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// TestNoWallClock: no test fails since a machine is slow. An upper bound on a duration is
// asked of a fake clock (synctest), or not at all: of an order, a count, a growth. A lower
// bound, which shows that something waits, holds on any machine.
func TestNoWallClock(t *testing.T) {
	s := parsed(t)
	found := map[string]bool{}
	for _, files := range s.folders {
		for _, f := range files {
			if !f.test {
				continue
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !fakeClock(d) {
					for _, at := range wallClock(d) {
						if name := path.Dir(f.path) + " " + d.Name.Name; slow[name] != "" {
							found[name] = true
							continue
						}
						t.Errorf("%s: fails where the machine is slow", s.fset.Position(at))
					}
				}
			}
		}
	}
	for name := range slow {
		if !found[name] {
			t.Errorf("%s asks for no upper bound: take it off the list", name)
		}
	}
}

// fakeClock says whether a test runs under synctest, where time is made up.
func fakeClock(d *ast.FuncDecl) (fake bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		fake = fake || ok && isSelector(e, "synctest", "Test")
		return !fake
	})
	return fake
}

// wallClock returns the conditions of a function that are true when more time has passed
// than something, and at which a test then fails.
func wallClock(d *ast.FuncDecl) (found []token.Pos) {
	durations := map[string]bool{} // variables
	passed := func(e ast.Expr) bool {
		if c, ok := e.(*ast.CallExpr); ok {
			s, ok := c.Fun.(*ast.SelectorExpr)
			return isCall(e, "time", "Since") || ok && s.Sel.Name == "Sub" && len(c.Args) == 1
		}
		id := root(e)
		return id != nil && durations[id.Name]
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, e := range a.Rhs {
			if c, ok := e.(*ast.CallExpr); ok && isAppend(c) {
				e = c.Args[len(c.Args)-1]
			}
			if id, ok := a.Lhs[i].(*ast.Ident); ok && passed(e) {
				durations[id.Name] = true
			}
		}
		return true
	})
	ast.Inspect(d.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.IfStmt)
		if !ok || !failsAtOnce(s.Body) {
			return true
		}
		ast.Inspect(s.Cond, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok {
				switch b.Op {
				case token.GTR, token.GEQ, token.NEQ:
					ok = passed(b.X)
				case token.LSS, token.LEQ:
					ok = passed(b.Y)
				default:
					ok = false
				}
				if ok && !passed(b.X) != !passed(b.Y) {
					found = append(found, b.Pos())
				}
			}
			return true
		})
		return true
	})
	return found
}

// isAppend says whether c appends to a list.
func isAppend(c *ast.CallExpr) bool {
	id, ok := c.Fun.(*ast.Ident)
	return ok && id.Name == "append" && len(c.Args) > 1
}

// failing are the methods by which a test fails.
var failing = map[string]bool{"Error": true, "Errorf": true, "Fatal": true, "Fatalf": true, "Fail": true, "FailNow": true}

// failsAtOnce says whether one of the statements of a block, not of a block in it, lets a
// test fail.
func failsAtOnce(b *ast.BlockStmt) bool {
	for _, s := range b.List {
		if e, ok := s.(*ast.ExprStmt); ok {
			if c, ok := e.X.(*ast.CallExpr); ok {
				if s, ok := c.Fun.(*ast.SelectorExpr); ok && failing[s.Sel.Name] {
					return true
				}
			}
		}
	}
	return false
}

// TestTestsAssert: a test can fail. A function of the same package that it calls may see
// to that, and so may one of another package that is given the test.
func TestTestsAssert(t *testing.T) {
	for _, files := range parsed(t).folders {
		bodies := map[string][]source{} // the functions and methods of a package by name
		decls := map[string][]*ast.FuncDecl{}
		for _, f := range files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
					bodies[d.Name.Name] = append(bodies[d.Name.Name], f)
					decls[d.Name.Name] = append(decls[d.Name.Name], d)
				}
			}
		}
		seen := map[string]bool{}
		var asserts func(name string) bool
		asserts = func(name string) (found bool) {
			if seen[name] {
				return false
			}
			seen[name] = true
			for i, d := range decls[name] {
				packages := imports(bodies[name][i].File)
				tests := map[string]bool{} // parameters that are a test
				ast.Inspect(d, func(n ast.Node) bool {
					if p, ok := n.(*ast.Field); ok && isTest(p.Type) {
						for _, name := range p.Names {
							tests[name.Name] = true
						}
					}
					return true
				})
				ast.Inspect(d.Body, func(n ast.Node) bool {
					c, ok := n.(*ast.CallExpr)
					if !ok || found {
						return !found
					}
					switch f := c.Fun.(type) {
					case *ast.Ident:
						found = asserts(f.Name)
						if found || decls[f.Name] != nil {
							return !found
						}
					case *ast.IndexExpr:
						if id, ok := f.X.(*ast.Ident); ok {
							found = asserts(id.Name)
						}
					case *ast.SelectorExpr:
						x, ok := f.X.(*ast.Ident)
						if ok && packages[x.Name] && x.Obj == nil {
							for _, a := range c.Args {
								id, ok := a.(*ast.Ident)
								found = found || ok && tests[id.Name]
							}
							return !found
						}
						found = failing[f.Sel.Name] && len(c.Args) > 0 || f.Sel.Name == "FailNow" || asserts(f.Sel.Name)
					}
					return !found
				})
			}
			return found
		}
		for name := range decls {
			for i, d := range decls[name] {
				if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Fuzz") || !bodies[name][i].test || d.Recv != nil || d.Type.Params.NumFields() != 1 || !isTest(d.Type.Params.List[0].Type) {
					continue
				}
				clear(seen)
				if !asserts(name) {
					t.Errorf("%s: %s asserts nothing", parsed(t).fset.Position(d.Pos()), name)
				}
			}
		}
	}
}

// isTest says whether a parameter of this type is a test, a benchmark or a fuzz target.
func isTest(e ast.Expr) bool {
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	return isSelector(e, "testing", "T") || isSelector(e, "testing", "TB") || isSelector(e, "testing", "F")
}
