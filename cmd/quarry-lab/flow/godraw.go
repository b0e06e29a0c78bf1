package flow

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A goPackage is one that functions are drawn of.
type goPackage struct {
	dir      string
	name     string // in the standard library that it is built next to
	set      *token.FileSet
	importer types.Importer
	files    []*ast.File
	info     *types.Info
	literals []string // of its tests
}

// A sources is where packages are read, and those that others import are kept.
type sources struct {
	set      *token.FileSet
	importer types.Importer
}

func newSources() *sources {
	set := token.NewFileSet()
	return &sources{set, importer.ForCompiler(set, "source", nil)}
}

func (from *sources) load(dir string) (*goPackage, error) {
	b, err := build.Default.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	if len(b.CgoFiles)+len(b.SFiles)+len(b.EmbedPatterns) > 0 {
		return nil, errors.New("it is not of Go alone")
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, path := range b.Imports {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") || strings.HasPrefix(path, "go/internal") {
			return nil, fmt.Errorf("it imports %s", path)
		}
	}
	p := &goPackage{dir: dir, name: "quarryslices/" + strings.NewReplacer("/", "_", "@", "_", "!", "_").Replace(strings.Trim(dir, "/")), set: from.set, importer: from.importer}
	for _, name := range b.GoFiles {
		f, err := parser.ParseFile(p.set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(f.Decls, func(d ast.Decl) bool { fn, ok := d.(*ast.FuncDecl); return ok && fn.Body == nil }) {
			return nil, errors.New("it has functions without bodies")
		}
		p.files = append(p.files, f)
	}
	if p.info, err = p.check(nil, nil); err != nil {
		return nil, err
	}
	for _, name := range append(b.TestGoFiles, b.XTestGoFiles...) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err == nil {
			p.literals = append(p.literals, literals(f)...)
		}
	}
	return p, nil
}

// check type-checks the package with further files.
func (p *goPackage) check(more []*ast.File, fails func(error)) (*types.Info, error) {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}}
	conf := types.Config{Importer: p.importer, Error: fails}
	_, err := conf.Check(p.name, p.set, append(slices.Clone(p.files), more...), info)
	return info, err
}

// literals returns the texts and numbers that are written somewhere.
func literals(n ast.Node) (list []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			switch l.Kind {
			case token.STRING, token.CHAR:
				if s, err := strconv.Unquote(l.Value); err == nil && len(s) < 60 {
					list = append(list, s)
				}
			case token.INT:
				if len(l.Value) < 4 {
					list = append(list, l.Value)
				}
			}
		}
		return true
	})
	return list
}

// A candidate is a function that may be drawn.
type candidate struct {
	pack *goPackage
	file *ast.File
	fn   *ast.FuncDecl
}

// system finds what functions do that are not drawn.
var system = regexp.MustCompile(`\b(os|exec|syscall|unsafe|runtime|rand|atomic|sync|signal|net)\.|\btime\.(Now|Sleep|After|Since|Until|New)|\b(recover|print|println)\(|\bgo func|\blog\.`)

// candidates returns the functions of a package that may be drawn.
func (p *goPackage) candidates() (list []candidate) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Type.TypeParams != nil || fn.Name.Name == "init" || fn.Name.Name == "main" || fn.Recv == nil && fn.Type.Params.NumFields() == 0 {
				continue
			}
			if fn.Recv != nil {
				t := fn.Recv.List[0].Type
				if s, ok := t.(*ast.StarExpr); ok {
					t = s.X
				}
				if _, ok := t.(*ast.Ident); !ok {
					continue
				}
			}
			n, odd := 0, false
			ast.Inspect(fn.Body, func(n2 ast.Node) bool {
				switch s := n2.(type) {
				case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
					odd = true
				case *ast.UnaryExpr:
					odd = odd || s.Op == token.ARROW
				case *ast.BranchStmt:
					odd = odd || s.Tok == token.GOTO
				case *ast.BlockStmt, *ast.CaseClause:
				case ast.Stmt:
					n++
				}
				return true
			})
			var b bytes.Buffer
			if odd || n < enough || format.Node(&b, p.set, fn) != nil || system.Match(b.Bytes()) {
				continue
			}
			list = append(list, candidate{p, f, fn})
		}
	}
	return list
}

// words are texts to make arguments of: those of the function and some of the tests.
func (c *candidate) words(r *rand.Rand) []string {
	list := literals(c.fn)
	list = list[:min(len(list), 40)]
	for range min(len(c.pack.literals), 60) {
		list = append(list, c.pack.literals[r.IntN(len(c.pack.literals))])
	}
	return list
}

// noted returns a file with the function alone, and in it a call that notes a variable.
func (c *candidate) noted(r *rand.Rand, id string) (text string, ok bool) {
	type spot struct {
		list *[]ast.Stmt
		at   int
		name string
	}
	var spots []spot
	heads := func(s ast.Stmt) (list []ast.Node) {
		add := func(n ast.Node, there bool) {
			if there {
				list = append(list, n)
			}
		}
		switch s := s.(type) {
		case *ast.BlockStmt, *ast.LabeledStmt:
		case *ast.IfStmt:
			add(s.Cond, s.Init == nil)
		case *ast.ForStmt:
			add(s.Cond, s.Cond != nil && s.Init == nil)
		case *ast.RangeStmt:
			add(s.X, true)
		case *ast.SwitchStmt:
			add(s.Tag, s.Tag != nil && s.Init == nil)
		case *ast.TypeSwitchStmt:
			add(s.Assign, s.Init == nil)
		default:
			add(s, true)
		}
		return list
	}
	visit := func(list *[]ast.Stmt) {
		for i, s := range *list {
			for _, h := range heads(s) {
				ast.Inspect(h, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.FuncLit:
						return false
					case *ast.Ident:
						v, ok := c.pack.info.Uses[n].(*types.Var)
						if !ok || v.IsField() || v.Pos() < c.fn.Pos() || v.Pos() >= s.Pos() {
							return true
						}
						switch v.Type().Underlying().(type) {
						case *types.Signature, *types.Chan:
						default:
							spots = append(spots, spot{list, i, n.Name})
						}
					}
					return true
				})
			}
		}
	}
	ast.Inspect(c.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			if len(n.List) == 0 {
				return true
			}
			if _, clause := n.List[0].(*ast.CaseClause); !clause {
				visit(&n.List)
			}
		case *ast.CaseClause:
			visit(&n.Body)
		}
		return true
	})
	if len(spots) == 0 {
		return "", false
	}
	s := spots[r.IntN(len(spots))]
	was := *s.list
	*s.list = slices.Insert(slices.Clone(was), s.at, ast.Stmt(&ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent("quarrySee"), Args: []ast.Expr{ast.NewIdent(s.name)}}}))
	defer func() { *s.list = was }()
	fn := *c.fn
	fn.Doc, fn.Name = nil, ast.NewIdent("quarrySliced"+id)
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", c.file.Name.Name)
	var body bytes.Buffer
	if format.Node(&body, c.pack.set, &fn) != nil {
		return "", false
	}
	for _, i := range c.file.Imports {
		name := c.importName(i)
		if name == "_" || name == "." {
			continue
		}
		if regexp.MustCompile(`\b` + name + `\.`).Match(body.Bytes()) {
			fmt.Fprintf(&b, "import %s %s\n", name, i.Path.Value)
		}
	}
	b.WriteString("\n")
	b.Write(body.Bytes())
	b.WriteString("\n")
	out, err := format.Source(b.Bytes())
	return string(out), err == nil && !strings.Contains(string(out), "; quarrySee")
}

func (c *candidate) importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	if o, ok := c.pack.info.Implicits[i].(*types.PkgName); ok {
		return o.Name()
	}
	return "_"
}
