package callgraph

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/packages"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/impact"
)

// usesOptions are the flags of `quarry-lab callgraph uses`.
type usesOptions struct {
	module string
	draw   int
	seed   uint64
}

func newUsesCommand() *cobra.Command {
	o := usesOptions{}
	cmd := &cobra.Command{
		Use:   "uses --module DIR",
		Short: "Compare the impact of constants, variables and fields with go/types",
		Long: `Uses draws constants and variables of packages, and fields, of a Go module, asks
for the impact of each, and compares the functions, variables and constants that it
names first with those whose code names the symbol, as go/types has it. An answer
that says it is complete and lacks one is wrong.`,
		Example: "  quarry-lab callgraph uses --module ~/src/chi --draw 300",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.module, "module", ".", "`folder` of the module; what it needs must be at hand for go build")
	f.IntVar(&o.draw, "draw", 300, "`number` of symbols")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that they are drawn by")
	return cmd
}

// A named is a symbol of a module, with the lines of the declarations that name it.
type named struct {
	at   place
	name string
	kind string
	by   map[place]bool
}

func (o *usesOptions) run(cmd *cobra.Command) error {
	all, err := usesIn(cmd.Context(), o.module)
	if err != nil {
		return err
	}
	x, err := quarryIndex(cmd.Context(), o.module)
	if err != nil {
		return err
	}
	defer x.Close()
	kinds := map[string]*answers{}
	for _, n := range drawn(all, o.draw, o.seed) {
		a := kinds[n.kind]
		if a == nil {
			a = &answers{}
			kinds[n.kind] = a
		}
		if err := n.ask(cmd.Context(), x, a); err != nil {
			return err
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		a := kinds[kind]
		asked := a.Drawn - a.Refused
		cmd.Printf("%s: %d drawn, %d are no symbol, %d answers complete (%.3f), %d wrong; users wanted %d, given %d, precision %.4f, recall %.4f\n", kind, a.Drawn, a.Refused,
			a.Complete, share(a.Complete, asked), a.Wrong, a.Wanted, a.Given, share(a.Common, a.Given), share(a.Met, a.Wanted))
		for _, text := range a.Lacking {
			cmd.Printf("  %s\n", text)
		}
	}
	return nil
}

// ask compares one impact.
func (n *named) ask(ctx context.Context, x *index.Index, a *answers) error {
	a.Drawn++
	said, err := x.Impact(ctx, impact.Query{Target: place{n.at.path, n.at.line, 0}.String(), Limit: everything})
	switch no, err := refused(said.Definition, n.name, err); {
	case err != nil:
		return fmt.Errorf("callgraph: ask for the impact of %s: %w", n.at, err)
	case no:
		a.Refused++
		return nil
	}
	given, guessed := map[place]bool{}, map[place]bool{}
	for _, c := range said.Callers {
		if c.Depth == 1 {
			given[place{c.File, c.Line, 0}] = true
		}
	}
	for _, c := range said.Ambiguous {
		guessed[place{c.File, c.Line, 0}] = true
	}
	for p := range given {
		a.Given++
		if n.by[p] {
			a.Common++
		} else {
			a.Lacking = append(a.Lacking, fmt.Sprintf("too much: %s names %s (%s)", p, n.name, n.at))
		}
	}
	lacks := false
	for p := range n.by {
		a.Wanted++
		switch {
		case given[p]:
			a.Met++
		case !guessed[p]:
			lacks = true
			a.Lacking = append(a.Lacking, fmt.Sprintf("lacking, complete %t: %s names %s (%s)", said.Complete, p, n.name, n.at))
		}
	}
	if said.Complete {
		a.Complete++
		if lacks {
			a.Wrong++
		}
	}
	return nil
}

// usesIn returns the constants, the variables and the fields of a module, by their places.
func usesIn(ctx context.Context, dir string) ([]*named, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("callgraph: find the module: %w", err)
	}
	pkgs, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Tests: true, Mode: packages.LoadAllSyntax | packages.NeedModule}, "./...")
	if err != nil {
		return nil, fmt.Errorf("callgraph: load %s: %w", dir, err)
	}
	found := map[place]*named{}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if p.Module == nil || !p.Module.Main {
			return
		}
		o := &oracle{dir: dir, fset: p.Fset}
		symbol := func(object types.Object) *named {
			at, ok := o.place(object.Pos())
			kind := ""
			switch x := object.(type) {
			case *types.Const:
				kind = "constants"
			case *types.Var:
				kind = "variables"
				if x.Origin().IsField() && !x.Embedded() {
					kind = "fields"
				}
			}
			if !ok || kind == "" || object.Name() == "_" || kind != "fields" && object.Parent() != object.Pkg().Scope() {
				return nil
			}
			if found[at] == nil {
				found[at] = &named{at, object.Name(), kind, map[place]bool{}}
			}
			return found[at]
		}
		for _, object := range p.TypesInfo.Defs {
			if object != nil {
				symbol(object)
			}
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				for at, node := range o.declarations(d) {
					ast.Inspect(node, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							if object := p.TypesInfo.Uses[id]; object != nil {
								if n := symbol(object); n != nil && n.at.line != at.line {
									n.by[at] = true
								}
							}
						}
						return true
					})
				}
			}
		}
	})
	return slices.SortedFunc(maps.Values(found), func(a, b *named) int { return cmp.Or(a.at.compare(b.at), strings.Compare(a.name, b.name)) }), nil
}

// declarations returns what a declaration declares, by the lines of the names.
func (o *oracle) declarations(d ast.Decl) map[place]ast.Node {
	all := map[place]ast.Node{}
	add := func(name *ast.Ident, node ast.Node) {
		if at, ok := o.place(name.Pos()); ok {
			at.column = 0
			all[at] = node
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		add(d.Name, d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				add(s.Names[0], s)
			case *ast.TypeSpec:
				add(s.Name, s)
			}
		}
	}
	return all
}
