package flow

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/cfg"
)

func newGoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "go GRAPHS",
		Short: "Compare with golang.org/x/tools/go/cfg and go/types",
		Long: `Go compares the graphs of Go functions with those of golang.org/x/tools/go/cfg: which
statements are reached, and which may come after which. Jumps, labels and what a "select"
receives are no statements there; the operands of a condition are one. A way along which a
panic leaves the function is left out.

Definitions and uses are those of the variables of a function, by go/types and the same
graphs, without those that a function inside has, too. Our definitions that may not
happen are left out.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return compareGo(cmd.OutOrStdout(), args[0]) },
	}
}

// A tally counts what two sides have.
type tally struct{ both, ours, theirs int }

func (t *tally) String() string {
	return fmt.Sprintf("precision %.4f recall %.4f of %d and %d", float64(t.both)/float64(max(1, t.ours)), float64(t.both)/float64(max(1, t.theirs)), t.ours, t.theirs)
}

// count compares two sets and reports what only one of them has.
func count[K comparable](t *tally, ours, theirs map[K]bool, report func(who string, k K)) {
	for k := range ours {
		if t.ours++; theirs[k] {
			t.both++
		} else {
			report("only ours", k)
		}
	}
	for k := range theirs {
		if t.theirs++; !ours[k] {
			report("only theirs", k)
		}
	}
}

// A pair is two places: one statement and the next, a definition and a use. Exit is -1.
type pair [2]int

const (
	exit  = -1
	entry = -2
)

type goFunction struct {
	set  *token.FileSet
	file *token.File
	node ast.Node // *ast.FuncDecl or *ast.FuncLit
	typ  *ast.FuncType
	recv *ast.FieldList
	body *ast.BlockStmt
	info *types.Info
	comm map[ast.Node]bool // what a "select" waits for
	keys []keyed           // of the statements: places that are compared
}

type keyed struct{ start, end, key int }

func compareGo(w io.Writer, name string) error {
	files, err := readGraphs(name)
	if err != nil {
		return err
	}
	var reach, next, uses tally
	functions, missing := 0, 0
	byDir := map[string][]string{}
	for name := range files {
		byDir[filepath.Dir(name)] = append(byDir[filepath.Dir(name)], name)
	}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		set := token.NewFileSet()
		var list []*ast.File
		for _, name := range slices.Sorted(slices.Values(byDir[dir])) {
			if ok, err := build.Default.MatchFile(dir, filepath.Base(name)); !ok || err != nil {
				continue // of another system: its variables are not resolved
			}
			f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			if err != nil {
				fmt.Fprintf(w, "left out: %v\n", err)
				continue
			}
			list = append(list, f)
		}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}}
		conf := types.Config{Error: func(error) {}, FakeImportC: true, Importer: importer.ForCompiler(set, "source", nil)}
		conf.Check(dir, set, list, info) //nolint:errcheck // the variables of functions are known in spite of errors
		for _, f := range list {
			file := set.File(f.Pos())
			graphs := files[file.Name()]
			ast.Inspect(f, func(n ast.Node) bool {
				fn := &goFunction{set: set, file: file, node: n, info: info}
				switch n := n.(type) {
				case *ast.FuncDecl:
					fn.typ, fn.recv, fn.body = n.Type, n.Recv, n.Body
				case *ast.FuncLit:
					fn.typ, fn.body = n.Type, n.Body
				}
				if fn.body == nil {
					return true
				}
				i := slices.IndexFunc(graphs, func(g *graph) bool { return g.Start == fn.at(n.Pos()) && g.End == fn.at(n.End()) })
				if i < 0 {
					missing++
					fmt.Fprintf(w, "no graph: %s\n", set.Position(n.Pos()))
					return true
				}
				functions++
				g := graphs[i]
				c := cfg.New(fn.body, mayReturn)
				fn.index()
				where := func(at int) string {
					if at < 0 {
						return [...]string{"exit", "entry"}[-at-1]
					}
					return fmt.Sprint(file.Line(file.Pos(at)))
				}
				show := func(what string) func(string, pair) {
					return func(who string, p pair) {
						fmt.Fprintf(w, "%s\t%s\t%s\t%s -> %s\n", what, who, file.Name(), where(p[0]), where(p[1]))
					}
				}
				ourNodes, ourNext := merge(fn.ours(g))
				theirNodes, theirNext := merge(fn.theirs(c))
				count(&reach, ourNodes, theirNodes, func(who string, k int) { show("reached")(who, pair{k, k}) })
				count(&next, ourNext, theirNext, show("next"))
				reference, own := fn.chains(c)
				count(&uses, fn.ourChains(g, own), reference, show("use"))
				return true
			})
		}
	}
	fmt.Fprintf(w, "%d functions, %d without a graph\nreached %v\nnext %v\nuses %v\n", functions, missing, &reach, &next, &uses)
	return nil
}

func mayReturn(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return !ok || id.Name != "panic"
}

func (f *goFunction) at(p token.Pos) int { return f.file.Offset(p) }

// index gives each statement that is compared its key: where it begins.
func (f *goFunction) index() {
	f.comm = map[ast.Node]bool{}
	add := func(n ast.Node, key ast.Node) {
		f.keys = append(f.keys, keyed{f.at(n.Pos()), f.at(n.End()), f.at(key.Pos())})
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CommClause:
			if n.Comm != nil {
				f.comm[n.Comm] = true
			}
		case *ast.SendStmt, *ast.IncDecStmt, *ast.GoStmt, *ast.AssignStmt, *ast.DeferStmt, *ast.ExprStmt, *ast.ReturnStmt:
			if !f.comm[n] {
				add(n, n)
			}
		case *ast.DeclStmt:
			if d := n.Decl.(*ast.GenDecl); d.Tok == token.VAR {
				for _, spec := range d.Specs {
					add(spec, spec)
				}
			}
		case *ast.IfStmt:
			add(n.Cond, n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				add(n.Cond, n.Cond)
			}
		case *ast.RangeStmt:
			f.keys = append(f.keys, keyed{f.at(n.For), f.at(n.Body.Lbrace), f.at(n.For)})
		case *ast.SwitchStmt:
			if n.Tag != nil {
				add(n.Tag, n.Tag)
			}
			for _, c := range n.Body.List {
				for _, v := range c.(*ast.CaseClause).List {
					f.keys = append(f.keys, keyed{f.at(v.Pos()), f.at(v.End()), f.at(c.Pos())})
				}
			}
		}
		return true
	})
}

// key returns the key of what ends before an offset, none where it is not compared.
func (f *goFunction) key(end int) (key int, ok bool) {
	width := 1 << 30
	for _, k := range f.keys {
		if k.start < end && end <= k.end && k.end-k.start < width {
			key, ok, width = k.key, true, k.end-k.start
		}
	}
	return key, ok
}

// A flow is a graph of which some nodes have keys.
type flow struct {
	key  map[int]int
	next map[int][]int
}

// merge returns the keys that are reached from node 0, and which one may come after which.
func merge(f flow) (nodes map[int]bool, next map[pair]bool) {
	nodes, next = map[int]bool{}, map[pair]bool{}
	seen := map[int]bool{}
	var from func(n int)
	from = func(n int) {
		if seen[n] {
			return
		}
		seen[n] = true
		key := f.key[n]
		nodes[key] = true
		passed := map[int]bool{}
		var visit func(n int)
		visit = func(n int) {
			for _, to := range f.next[n] {
				if k, ok := f.key[to]; ok {
					if k != key {
						next[pair{key, k}] = true
					}
					from(to)
				} else if !passed[to] {
					passed[to] = true
					visit(to)
				}
			}
		}
		visit(n)
	}
	from(0)
	return nodes, next
}

func (f *goFunction) ours(g *graph) flow {
	out := flow{map[int]int{0: entry, 1: exit}, map[int][]int{}}
	for i := range g.Steps {
		s := &g.Steps[i]
		if i > 2 && s.Kind != "jump" && s.Kind != "label" {
			if key, ok := f.key(s.End); ok && s.Start < s.End {
				out.key[i] = key
			}
		}
		for _, e := range s.Next {
			if e.To != 2 && e.Kind != "raise" {
				out.next[i] = append(out.next[i], e.To)
			}
		}
	}
	return out
}

func (f *goFunction) theirs(c *cfg.CFG) flow {
	out := flow{map[int]int{0: entry, 1: exit}, map[int][]int{}}
	const first = 2
	id := first
	begin := make([]int, len(c.Blocks))
	for _, b := range c.Blocks {
		begin[b.Index] = id
		id += len(b.Nodes) + 1
	}
	out.next[0] = []int{begin[0]}
	for _, b := range c.Blocks {
		at := begin[b.Index]
		if r, ok := b.Stmt.(*ast.RangeStmt); ok && b.Kind == cfg.KindRangeLoop {
			out.key[at] = f.at(r.For)
		}
		for _, n := range b.Nodes {
			at++
			out.next[at-1] = append(out.next[at-1], at)
			ret, returns := n.(*ast.ReturnStmt)
			if returns {
				out.next[at] = append(out.next[at], 1)
			}
			if returns && f.at(ret.Pos()) == f.at(f.body.End())-1 || f.comm[n] {
				continue
			}
			if key, ok := f.key(f.at(n.End())); ok {
				out.key[at] = key
			}
		}
		for _, s := range b.Succs {
			out.next[at] = append(out.next[at], begin[s.Index])
		}
	}
	return out
}
