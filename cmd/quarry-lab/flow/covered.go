package flow

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/cover"
)

func newCoveredCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "covered GRAPHS PROFILE...",
		Short: "Compare with the blocks of Go's coverage, and with those that tests ran",
		Long: `Covered compares the graphs of Go functions with profiles of "go test -coverprofile": all of our steps in a block
that ran are reached, and in every block one statement leads to the next one, whatever happens, but for the
heads of what chooses. A file of a profile is the source whose path ends like it.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return compareCoverage(cmd.OutOrStdout(), args[0], args[1:])
		},
	}
}

func compareCoverage(w io.Writer, graphs string, names []string) error {
	files, err := readGraphs(graphs)
	if err != nil {
		return err
	}
	var ran, reached, blocks, whole, none int
	for _, name := range names {
		profiles, err := cover.ParseProfiles(name)
		if err != nil {
			return err
		}
		for _, p := range profiles {
			file := sourceOf(files, p.FileName)
			if file == "" {
				fmt.Fprintf(w, "no source: %s\n", p.FileName)
				continue
			}
			c, err := newCovering(file, files[file])
			if err != nil {
				return err
			}
			for _, b := range p.Blocks {
				start, end := c.offset(b.StartLine, b.StartCol), c.offset(b.EndLine, b.EndCol)
				g := c.around(start)
				if g == nil {
					fmt.Fprintf(w, "no graph: %s:%d\n", file, b.StartLine)
					continue
				}
				steps := c.within(g, start, end)
				if len(steps) == 0 {
					none++
					continue
				}
				if b.Count > 0 {
					ran++
					live := live(g)
					if i := slices.IndexFunc(steps, func(i int) bool { return !live[i] }); i < 0 {
						reached++
					} else {
						fmt.Fprintf(w, "not reached: %s:%d\n", file, c.line(g.Steps[steps[i]].Start))
					}
				}
				blocks++
				if at := c.parts(g, steps); at < 0 {
					whole++
				} else {
					fmt.Fprintf(w, "not one block: %s:%d\n", file, c.line(g.Steps[at].Start))
				}
			}
		}
	}
	fmt.Fprintf(w, "%d of %d blocks that ran are reached; %d of %d blocks are whole; %d are of no step\n", reached, ran, whole, blocks, none)
	return nil
}

// sourceOf is the file whose path ends most like that of a file of a profile, "" where several do, or none.
func sourceOf(files map[string][]*graph, name string) string {
	for rest, more := name, true; more; _, rest, more = strings.Cut(rest, "/") {
		var fit []string
		for file := range files {
			if strings.HasSuffix(file, "/"+rest) {
				fit = append(fit, file)
			}
		}
		if len(fit) > 0 {
			if len(fit) > 1 {
				return ""
			}
			return fit[0]
		}
	}
	return ""
}

// A covering is a source whose blocks are compared.
type covering struct {
	set    *token.FileSet
	file   *token.File
	graphs []*graph
	heads  [][2]int // of statements that choose
}

func newCovering(name string, graphs []*graph) (*covering, error) {
	c := &covering{set: token.NewFileSet(), graphs: graphs}
	f, err := parser.ParseFile(c.set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	c.file = c.set.File(f.Pos())
	head := func(n ast.Node, body *ast.BlockStmt) {
		c.heads = append(c.heads, [2]int{c.file.Offset(n.Pos()), c.file.Offset(body.Lbrace)})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			head(n, n.Body)
		case *ast.ForStmt:
			head(n, n.Body)
		case *ast.RangeStmt:
			head(n, n.Body)
		case *ast.SwitchStmt:
			head(n, n.Body)
		case *ast.TypeSwitchStmt:
			head(n, n.Body)
		case *ast.SelectStmt:
			head(n, n.Body)
		case *ast.CaseClause:
			c.heads = append(c.heads, [2]int{c.file.Offset(n.Case), c.file.Offset(n.Colon)})
		case *ast.CommClause:
			c.heads = append(c.heads, [2]int{c.file.Offset(n.Case), c.file.Offset(n.Colon)})
		}
		return true
	})
	return c, nil
}

func (c *covering) offset(line, column int) int {
	return c.file.Offset(c.file.LineStart(line)) + column - 1
}

func (c *covering) line(at int) int { return c.file.Line(c.file.Pos(at)) }

// around is the graph of the innermost function that an offset is in.
func (c *covering) around(at int) (best *graph) {
	for _, g := range c.graphs {
		if !g.Module && g.Start <= at && at < g.End && (best == nil || g.End-g.Start < best.End-best.Start) {
			best = g
		}
	}
	return best
}

// within returns the steps of a graph that begin in a part of the text, in its order, without what runs when the
// function is left.
func (c *covering) within(g *graph, start, end int) (list []int) {
	for i, s := range g.Steps {
		if i > 2 && s.Start < s.End && start <= s.Start && s.Start < end && s.Kind != "deferred" && s.Kind != "label" && c.around(s.Start) == g {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(g.Steps[i].Start, g.Steps[j].Start) })
	return list
}

// parts returns the first of some steps that does not always lead to the next one, -1 for none.
func (c *covering) parts(g *graph, steps []int) int {
	for k, i := range steps[:len(steps)-1] {
		s := g.Steps[i]
		if c.head(s.Start) >= 0 {
			continue
		}
		to := map[int]bool{}
		for at := i; ; {
			clear(to)
			for _, e := range g.Steps[at].Next {
				if e.Kind != "raise" {
					to[e.To] = true
				}
			}
			if len(to) != 1 || to[steps[k+1]] {
				break
			}
			for n := range to {
				at = n
			}
			if g.Steps[at].Kind != "label" {
				break
			}
		}
		if len(to) != 1 {
			return i
		}
		if head := c.head(g.Steps[steps[k+1]].Start); !to[steps[k+1]] {
			for n := range to { // of for ; ; i++ the body comes first
				if head < 0 || g.Steps[n].Start < head {
					return i
				}
			}
		}
	}
	return -1
}

// head is where the head begins that an offset is in, -1 for none.
func (c *covering) head(at int) int {
	for _, h := range c.heads {
		if h[0] <= at && at < h[1] {
			return h[0]
		}
	}
	return -1
}

// live are the steps that something leads to.
func live(g *graph) map[int]bool {
	seen := map[int]bool{0: true}
	for todo := []int{0}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		for _, e := range g.Steps[at].Next {
			if !seen[e.To] {
				seen[e.To], todo = true, append(todo, e.To)
			}
		}
	}
	return seen
}
