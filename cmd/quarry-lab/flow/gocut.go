package flow

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A variant is a function that is built and run: one that was drawn, or what is left of it.
type variant struct {
	pack  *goPackage
	id    string // of what was drawn
	key   string
	text  string // a file with it alone
	build string // what is built of it
	recv  string // the type of its receiver
	words []string

	set  *token.FileSet
	file *ast.File
	fn   *ast.FuncDecl
	info *types.Info
}

func (v *variant) parse() (err error) {
	v.set = token.NewFileSet()
	if v.file, err = parser.ParseFile(v.set, v.key+".go", v.text, parser.SkipObjectResolution); err != nil {
		return err
	}
	v.fn = v.file.Decls[len(v.file.Decls)-1].(*ast.FuncDecl)
	if v.fn.Recv != nil {
		v.recv = types.ExprString(v.fn.Recv.List[0].Type)
	}
	return nil
}

func (v *variant) line(p token.Pos) int { return v.set.Position(p).Line }

// without returns the variant that has only some lines, with the heads of the statements that they
// stand in.
func (v *variant) without(key string, lines map[int]bool) *variant {
	c := newCutter(v, lines)
	c.block(v.fn.Body.List) // to know what is used
	c.ready = true
	return &variant{pack: v.pack, id: v.id, key: key, recv: v.recv, build: c.function(key)}
}

// covered returns the whole function with a note at the start of each block.
func (v *variant) covered() string {
	c := newCutter(v, nil)
	c.all = true
	c.block(v.fn.Body.List)
	c.ready = true
	return c.function(v.key)
}

// closed returns lines with the heads of the statements that they stand in, but for the function's.
func (v *variant) closed(lines map[int]bool) map[int]bool {
	out := maps.Clone(lines)
	ast.Inspect(v.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause:
			for line := range lines {
				if v.line(n.Pos()) <= line && line <= v.line(n.End()) {
					out[v.line(n.Pos())] = true
				}
			}
		}
		return true
	})
	delete(out, v.line(v.fn.Pos()))
	return out
}

// A cutter leaves lines of a function out.
type cutter struct {
	v      *variant
	lines  map[int]bool
	all    bool
	used   map[types.Object]bool // by what is kept
	labels map[string]bool
	needs  map[string]string // imports: path and name
	ready  bool              // used and labels are known
}

func newCutter(v *variant, lines map[int]bool) *cutter {
	c := &cutter{v: v, lines: lines, used: map[types.Object]bool{}, labels: map[string]bool{}, needs: map[string]string{}}
	for _, i := range v.file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		c.needs[path] = i.Name.Name
	}
	return c
}

var panics = regexp.MustCompile(`\bpanic\(`)

// function is the text of a file with what is left of the function.
func (c *cutter) function(key string) string {
	fn := *c.v.fn
	fn.Name = ast.NewIdent("quarrySliced" + key)
	typ := *fn.Type
	if typ.Results != nil {
		results := *typ.Results
		results.List = nil
		for i, f := range typ.Results.List {
			g := *f
			if len(g.Names) == 0 {
				g.Names = []*ast.Ident{ast.NewIdent(fmt.Sprintf("quarryResult%d", i))}
			}
			results.List = append(results.List, &g)
		}
		typ.Results = &results
	}
	fn.Type = &typ
	list := c.block(fn.Body.List)
	if typ.Results != nil {
		list = append(list, &ast.ReturnStmt{})
	}
	fn.Body = &ast.BlockStmt{List: append([]ast.Stmt{c.note(c.v.fn.Pos())}, list...)}
	var b bytes.Buffer
	if err := format.Node(&b, c.v.set, &fn); err != nil {
		return err.Error() // which does not parse
	}
	body := panics.ReplaceAllString(b.String(), "quarryPanic(")
	head := fmt.Sprintf("package %s\n", c.v.file.Name.Name)
	for path, name := range c.needs {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(body) {
			head += fmt.Sprintf("import %s %q\n", name, path)
		}
	}
	return head + body + "\n"
}

// note is a call that counts, so that a loop without an end has one.
func (c *cutter) note(at token.Pos) ast.Stmt {
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent("quarryAt"), Args: []ast.Expr{ast.NewIdent(fmt.Sprint(c.v.line(at)))}}}
}

func (c *cutter) kept(n ast.Node) bool {
	if c.all {
		return true
	}
	for line := c.v.line(n.Pos()); line <= c.v.line(n.End()); line++ {
		if c.lines[line] {
			return true
		}
	}
	return false
}

// uses notes what a kept node uses.
func (c *cutter) uses(nodes ...ast.Node) {
	if c.ready {
		return
	}
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if o := c.v.info.Uses[n]; o != nil {
					c.used[o] = true
				}
			case *ast.BranchStmt:
				if n.Label != nil {
					c.labels[n.Label.Name] = true
				}
			}
			return true
		})
	}
}

// defined returns the variables that a statement declares.
func (c *cutter) defined(s ast.Stmt) (list []*ast.Ident) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			for _, e := range s.Lhs {
				if id, ok := e.(*ast.Ident); ok && id.Name != "_" && c.v.info.Defs[id] != nil {
					list = append(list, id)
				}
			}
		}
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && s.Decl.(*ast.GenDecl).Tok == token.VAR {
				for _, id := range v.Names {
					if id.Name != "_" {
						list = append(list, id)
					}
				}
			}
		}
	}
	return list
}

// blank uses variables, so that they may be there for nothing.
func blank(list []*ast.Ident) (out []ast.Stmt) {
	for _, id := range list {
		out = append(out, &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{ast.NewIdent(id.Name)}})
	}
	return out
}

// block returns what is left of statements.
func (c *cutter) block(in []ast.Stmt) (out []ast.Stmt) {
	for _, s := range in {
		if d, ok := s.(*ast.DeclStmt); ok && d.Decl.(*ast.GenDecl).Tok != token.VAR {
			c.uses(s)
			out = append(out, s)
			continue
		}
		if !c.kept(s) {
			for _, id := range c.defined(s) {
				if o := c.v.info.Defs[id]; c.ready && o != nil && c.used[o] {
					typ := types.TypeString(o.Type(), c.qualifier)
					if t, err := parser.ParseExpr(typ); err == nil {
						out = append(out, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(id.Name)}, Type: unplaced(t)}}}})
						out = append(out, blank([]*ast.Ident{id})...)
					}
				}
			}
			continue
		}
		out = append(out, c.statement(s))
		out = append(out, blank(c.defined(s))...)
	}
	return out
}

// unplaced takes the places out of a type, which are of another file.
func unplaced(e ast.Expr) ast.Expr {
	var b bytes.Buffer
	if format.Node(&b, token.NewFileSet(), e) == nil {
		return ast.NewIdent(b.String())
	}
	return e
}

// qualifier is how a package is named.
func (c *cutter) qualifier(p *types.Package) string {
	if p.Path() == c.v.pack.name {
		return ""
	}
	if c.needs[p.Path()] == "" {
		c.needs[p.Path()] = p.Name()
	}
	return c.needs[p.Path()]
}

// statement returns what is left of a statement that is kept.
func (c *cutter) statement(s ast.Stmt) ast.Stmt {
	body := func(b *ast.BlockStmt, loop bool, extra ...ast.Stmt) *ast.BlockStmt {
		list := append(slices.Clone(extra), c.block(b.List)...)
		if loop || c.all {
			list = append([]ast.Stmt{c.note(b.Pos())}, list...)
		}
		return &ast.BlockStmt{List: list}
	}
	optional := func(nodes ...ast.Stmt) {
		for _, n := range nodes {
			if n != nil {
				c.uses(n)
			}
		}
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		return body(s, false)
	case *ast.LabeledStmt:
		inner := c.statement(s.Stmt)
		if c.labels[s.Label.Name] {
			return &ast.LabeledStmt{Label: s.Label, Stmt: inner}
		}
		return inner
	case *ast.IfStmt:
		optional(s.Init)
		c.uses(s.Cond)
		n := *s
		n.Body = body(s.Body, false, blank(c.defined(s.Init))...)
		n.Else = nil
		if s.Else != nil && c.kept(s.Else) {
			n.Else = c.statement(s.Else)
		}
		return &n
	case *ast.ForStmt:
		optional(s.Init, s.Post)
		if s.Cond != nil {
			c.uses(s.Cond)
		}
		n := *s
		n.Body = body(s.Body, true, blank(c.defined(s.Init))...)
		return &n
	case *ast.RangeStmt:
		c.uses(s.X)
		var ids []*ast.Ident
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if id, ok := e.(*ast.Ident); ok && id.Name != "_" && s.Tok == token.DEFINE {
				ids = append(ids, id)
			} else if e != nil {
				c.uses(e)
			}
		}
		n := *s
		n.Body = body(s.Body, true, blank(ids)...)
		return &n
	case *ast.SwitchStmt:
		optional(s.Init)
		if s.Tag != nil {
			c.uses(s.Tag)
		}
		n := *s
		n.Body = &ast.BlockStmt{List: c.clauses(s.Body.List)}
		return &n
	case *ast.TypeSwitchStmt:
		optional(s.Init)
		c.uses(s.Assign)
		n := *s
		n.Body = &ast.BlockStmt{List: c.clauses(s.Body.List)}
		if a, ok := s.Assign.(*ast.AssignStmt); ok && c.ready && !slices.ContainsFunc(s.Body.List, func(clause ast.Stmt) bool { return c.used[c.v.info.Implicits[clause]] }) {
			n.Assign = &ast.ExprStmt{X: a.Rhs[0]}
		}
		return &n
	default:
		c.uses(s)
		return s
	}
}

func (c *cutter) clauses(in []ast.Stmt) (out []ast.Stmt) {
	for _, s := range in {
		n := *s.(*ast.CaseClause)
		for _, e := range n.List {
			c.uses(e)
		}
		n.Body = c.block(n.Body)
		if c.all {
			n.Body = append([]ast.Stmt{c.note(n.Pos())}, n.Body...)
		}
		out = append(out, &n)
	}
	return out
}
