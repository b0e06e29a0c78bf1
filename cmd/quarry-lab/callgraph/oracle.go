package callgraph

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// goOptions are the flags of `quarry-lab callgraph go`.
type goOptions struct {
	module string
	measurement
}

func newGoCommand() *cobra.Command {
	o := goOptions{}
	cmd := &cobra.Command{
		Use:   "go --module DIR",
		Short: "Compare with golang.org/x/tools/go/callgraph",
		Long: `Go compares the calls of a Go module with the call graph that is made from its
SSA form: static for direct calls, and by variable type analysis (vta) for calls
through interfaces and of function values. Tests are part of both.

Only calls in the module of functions in the module count, in files of this build:
a call's line and column, and the line of what it calls. Every edge of Quarry
counts, resolved or one of several. Calls that vta has no callee for are left out:
nothing in the module makes a value that arrives there, which does not say that
nobody does.`,
		Example: `  quarry-lab callgraph go --module ~/src/chi
  quarry-lab callgraph go --module . --verbose`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cmd.Flags().StringVar(&o.module, "module", ".", "`folder` of the module; what it needs must be at hand for go build")
	o.flags(cmd)
	return cmd
}

func (o *goOptions) run(cmd *cobra.Command) error {
	want, err := goTruth(cmd.Context(), o.module)
	if err != nil {
		return err
	}
	return o.measure(cmd, o.module, want)
}

// goTruth finds the calls of the Go module in dir, with its tests: direct ones by
// their types, those through interfaces and of function values by variable type
// analysis, which follows what flows into them over the whole program.
func goTruth(ctx context.Context, dir string) (truth, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return truth{}, fmt.Errorf("callgraph: find the module: %w", err)
	}
	cfg := &packages.Config{Context: ctx, Dir: dir, Tests: true, Mode: packages.LoadAllSyntax | packages.NeedModule}
	pkgs, err := packages.Load(cfg, "./...")
	if err != nil {
		return truth{}, fmt.Errorf("callgraph: load %s: %w", dir, err)
	}
	prog, _ := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	o := &oracle{dir: dir, fset: prog.Fset, files: map[string]bool{}, functions: map[place]string{}, calls: map[token.Pos]call{}}
	if err := o.sites(pkgs); err != nil {
		return truth{}, err
	}
	prog.Build()
	functions := ssautil.AllFunctions(prog)
	// The first pass resolves calls of function values by their signatures only,
	// which lets types flow where they never go; the second one starts from its result.
	first := vta.CallGraph(functions, cha.CallGraph(prog))
	return o.edges(vta.CallGraph(functions, first)), nil
}

// An oracle collects what is known of the calls of one module.
type oracle struct {
	dir   string
	fset  *token.FileSet
	files map[string]bool // that belong to this build
	// functions are those of the module that are declared with a body, by their names' places.
	functions map[place]string
	calls     map[token.Pos]call // by the opening parenthesis, as the SSA form has it
}

// A call is a call in the source.
type call struct {
	name token.Pos // of what is called
	kind kind
}

// sites enters the calls in the source of the module.
func (o *oracle) sites(pkgs []*packages.Package) error {
	inside := 0
	var failed error
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if p.Module == nil || !p.Module.Main {
			return
		}
		for _, e := range p.Errors {
			failed = errors.Join(failed, fmt.Errorf("callgraph: load %s: %w", p.PkgPath, e))
		}
		inside++
		for _, f := range p.Syntax {
			at, ok := o.place(f.Package)
			if !ok {
				continue
			}
			o.files[at.path] = true
			ast.Inspect(f, func(n ast.Node) bool {
				if d, ok := n.(*ast.FuncDecl); ok && d.Body != nil && d.Name.Name != "_" {
					if at, ok := o.place(d.Name.Pos()); ok {
						at.column = 0
						o.functions[at] = d.Name.Name
					}
				}
				if c, ok := n.(*ast.CallExpr); ok {
					if k := kindOf(p.TypesInfo, c.Fun); k != "" {
						o.calls[c.Lparen] = call{nameOf(c), k}
					}
				}
				return true
			})
		}
	})
	if inside == 0 && failed == nil {
		failed = fmt.Errorf("callgraph: no packages of a module in %s", o.dir)
	}
	return failed
}

// nameOf returns the place of a call's name, or where its arguments begin if
// what it calls has none.
func nameOf(c *ast.CallExpr) token.Pos {
	for x := c.Fun; ; {
		switch y := x.(type) {
		case *ast.Ident:
			return y.Pos()
		case *ast.SelectorExpr:
			return y.Sel.Pos()
		case *ast.ParenExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.FuncLit:
			return y.Pos()
		default:
			return c.Lparen
		}
	}
}

// kindOf says how a called expression finds what it calls; "" of conversions and
// builtins.
func kindOf(info *types.Info, fun ast.Expr) kind {
	fun = ast.Unparen(fun)
	if tv := info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return ""
	}
	switch x := fun.(type) {
	case *ast.IndexExpr:
		if _, ok := info.Types[x.X].Type.(*types.Signature); ok {
			return kindOf(info, x.X)
		}
	case *ast.IndexListExpr:
		return kindOf(info, x.X)
	case *ast.Ident:
		if _, ok := info.Uses[x].(*types.Func); ok {
			return direct
		}
	case *ast.SelectorExpr:
		f, ok := info.Uses[x.Sel].(*types.Func)
		if !ok {
			break
		}
		if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			return through
		}
		if s := info.Selections[x]; s != nil {
			if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok {
				return through
			}
		}
		return direct
	}
	return value
}

// edges takes the edges of the calls of the module from the call graph.
func (o *oracle) edges(g *callgraph.Graph) truth {
	t := truth{sites: map[place]kind{}, edges: map[edge]bool{}, files: o.files, functions: o.functions, literal: map[edge]bool{}}
	named := map[edge]bool{}     // to a declared function, and perhaps to a literal in it, too
	live := map[token.Pos]bool{} // calls that are not in dead code
	for fn, node := range g.Nodes {
		if fn == nil {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(ssa.CallInstruction); ok {
					live[c.Common().Pos()] = true
				}
			}
		}
		for _, out := range node.Out {
			if out.Site == nil {
				continue
			}
			c, ok := o.calls[out.Site.Common().Pos()]
			if !ok {
				continue
			}
			site, _ := o.place(c.name)
			t.sites[site] = c.kind
			for _, to := range o.behind(out.Callee, map[*callgraph.Node]bool{}) {
				callee, ok := o.place(to.Pos())
				if !ok || c.kind == value && to == declared(fn) {
					continue
				}
				callee.column = 0
				e := edge{site, callee}
				t.edges[e] = true
				if out.Callee.Func.Parent() == nil {
					delete(t.literal, e)
					named[e] = true
				} else if !named[e] {
					t.literal[e] = true
				}
			}
		}
	}
	for pos, c := range o.calls {
		if site, _ := o.place(c.name); live[pos] && t.sites[site] == "" {
			t.unreached++
		}
	}
	return t
}

// declared returns the declared function that a function literal is written in.
func declared(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// behind returns the declared functions that a callee stands for: itself, the
// method that a wrapper promotes, or, where that is one of an embedded interface,
// what the wrapper calls through it. A literal stands for the function around it.
func (o *oracle) behind(n *callgraph.Node, visited map[*callgraph.Node]bool) []*ssa.Function {
	if visited[n] {
		return nil
	}
	visited[n] = true
	fn := declared(n.Func)
	f, ok := fn.Object().(*types.Func)
	if !ok {
		return nil // of a package's initializer
	}
	if recv := f.Signature().Recv(); recv == nil || !types.IsInterface(recv.Type()) {
		if to := fn.Prog.FuncValue(f.Origin()); to != nil {
			return []*ssa.Function{to}
		}
		return nil
	}
	var all []*ssa.Function
	for _, out := range n.Out {
		all = append(all, o.behind(out.Callee, visited)...)
	}
	return all
}

// place returns where a position is in the module; not ok of what is outside of
// it, or in files that are made while building.
func (o *oracle) place(pos token.Pos) (place, bool) {
	if !pos.IsValid() {
		return place{}, false
	}
	p := o.fset.Position(pos)
	rel, err := filepath.Rel(o.dir, p.Filename)
	if err != nil || !filepath.IsLocal(rel) || !strings.HasSuffix(rel, ".go") {
		return place{}, false
	}
	return place{filepath.ToSlash(rel), p.Line, p.Column}, true
}
