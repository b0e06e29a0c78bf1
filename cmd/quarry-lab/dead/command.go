// Package dead measures what Quarry says of dead code: it compares the functions of a program in Go
// that Quarry finds with those that golang.org/x/tools/cmd/deadcode finds, which knows the types.
//
// That program follows calls by rapid type analysis (Bacon and Sweeney, 1996), and takes every
// exported method of a type for used that becomes an interface anywhere, for reflection could
// call it. So what Quarry alone finds has two more witnesses: whether a way of calls leads there at
// all, and whether the program compiles without it.
package dead

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
)

// options are the flags of the command.
type options struct {
	reported string
	tests    bool
	listed   bool
}

// Command returns the command dead.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "dead MODULE...",
		Short: "Measure dead code in Go against what the program deadcode finds",
		Long: `Dead compares the dead functions and methods of modules of Go, each in a folder,
with those that golang.org/x/tools/cmd/deadcode finds, by its library. Exports count for
nothing, and all programs and tests of the module are run. What generated files define is
left out, and what this platform does not build. What deadcode finds and files use which the
build leaves out, or examples that are not run, is told apart: that is no dead code.

What Quarry alone finds is taken out, all at once, and what the compiler misses then is "needed".
Of the rest, it is "reflected" if no call leads there, and deadcode keeps it because reflection
could call it; else it is "reached". Nothing of the modules is run.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.reported != "" && len(args) > 1 {
				return errors.New("dead: a report is of one module")
			}
			var sum figures
			for _, dir := range args {
				f, err := measure(cmd.Context(), cmd.OutOrStdout(), dir, &o)
				if err != nil {
					return err
				}
				sum.add(f)
			}
			if len(args) > 1 {
				sum.print(cmd.OutOrStdout(), "all")
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.reported, "reported", "", "what deadcode -json printed in the module; else it is found by its library")
	fs.BoolVar(&o.tests, "tests", true, "tests are users")
	fs.BoolVar(&o.listed, "list", false, "list the differences, and what the compiler says of them")
	return cmd
}

// A place is a file, by slashes and relative to the module, and a line.
type place struct {
	file string
	line int
}

// figures are what is counted of a module.
type figures struct {
	theirs    int    // functions that deadcode finds
	found     [3]int // of them by Quarry, by confidence: certain, likely, possible
	used      int    // functions that deadcode finds and that are used: see elsewhere
	idle      [3]int // those that are not, and that Quarry finds
	ours      [3]int // by confidence
	needed    [3]int // of ours that deadcode has not: the compiler needs them
	reflected [3]int // of the rest: only reflection leads there
	reached   [3]int // of the rest: calls lead there
}

func (f *figures) add(g figures) {
	f.theirs += g.theirs
	f.used += g.used
	for i := range f.ours {
		f.idle[i] += g.idle[i]
		f.found[i] += g.found[i]
		f.ours[i] += g.ours[i]
		f.reflected[i] += g.reflected[i]
		f.reached[i] += g.reached[i]
		f.needed[i] += g.needed[i]
	}
}

// print writes a line for each level of confidence, with what is surer.
func (f *figures) print(w io.Writer, name string) {
	fmt.Fprintf(w, "%s: deadcode finds %d, of which other builds or examples use %d\n", name, f.theirs, f.used)
	var found, idle, ours, reflected, reached, needed int
	for i, level := range dead.Confidences() {
		found, idle, ours, reflected = found+f.found[i], idle+f.idle[i], ours+f.ours[i], reflected+f.reflected[i]
		reached, needed = reached+f.reached[i], needed+f.needed[i]
		fmt.Fprintf(w, "  %-9s recall %.3f (%d), %.3f (%d) of the others  precision %.3f of %d, or %.3f with %d reflected; %d reached, %d needed\n",
			level, ratio(found, f.theirs), found, ratio(idle, f.theirs-f.used), idle, ratio(found, ours), ours, ratio(found+reflected, ours), reflected, reached, needed)
	}
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// measure compares the two about a module.
func measure(ctx context.Context, w io.Writer, dir string, o *options) (f figures, err error) {
	t, err := analyse(ctx, dir, o.tests)
	if err != nil {
		return f, err
	}
	if o.reported != "" {
		if t.dead, err = t.read(o.reported); err != nil {
			return f, err
		}
	}
	ours, err := findings(ctx, dir, o.tests)
	if err != nil {
		return f, err
	}
	f.theirs = len(t.dead)
	for at := range t.used {
		if t.dead[at] {
			f.used++
		}
	}
	var only []finding
	has := map[place]finding{}
	for _, one := range ours {
		if name, ok := t.functions[one.at]; !ok || name.generated {
			continue // of another build
		}
		has[one.at] = one
		f.ours[one.level]++
		if t.dead[one.at] {
			f.found[one.level]++
			if !t.used[one.at] {
				f.idle[one.level]++
			}
		} else {
			only = append(only, one)
		}
	}
	needed := t.needed(ctx, only, ours)
	for _, one := range only {
		switch {
		case needed[one.at] != "":
			f.needed[one.level]++
		case t.ways[one.at] == "":
			f.reflected[one.level]++
		default:
			f.reached[one.level]++
		}
	}
	f.print(w, dir)
	if !o.listed {
		return f, nil
	}
	for _, at := range slices.SortedFunc(keys(t.dead), comparePlaces) {
		switch one, ok := has[at]; {
		case !ok:
			fmt.Fprintf(w, "  missed %s:%d %s%s\n", at.file, at.line, t.functions[at].name, map[bool]string{true: ", which another build or an example uses"}[t.used[at]])
		case one.level == len(dead.Confidences())-1:
			fmt.Fprintf(w, "  possible %s:%d %s: %s\n", at.file, at.line, one.name, one.why)
		}
	}
	for _, one := range only {
		by := "reflected"
		if way := t.ways[one.at]; way != "" {
			by = "reached by " + way
		}
		fmt.Fprintf(w, "  only ours, %s: %s:%d %s, %s", dead.Confidences()[one.level], one.at.file, one.at.line, one.name, by)
		if why := needed[one.at]; why != "" {
			fmt.Fprintf(w, "; needed: %s", why)
		}
		fmt.Fprintln(w)
	}
	return f, nil
}

// A finding is a function that Quarry takes for dead.
type finding struct {
	at    place
	end   int
	level int // among the confidences
	name  string
	why   string
}

// findings asks an index of a folder for its dead functions and methods.
func findings(ctx context.Context, dir string, tests bool) (list []finding, err error) {
	x, err := index.Open(dir, index.Options{})
	if err != nil {
		return nil, fmt.Errorf("dead: open %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if _, err := x.Build(ctx, nil); err != nil {
		return nil, fmt.Errorf("dead: index %s: %w", dir, err)
	}
	all := dead.Query{Lang: []string{"go"}, Confidence: dead.Possible, Exports: dead.IgnoreExports, Limit: 1 << 30}
	if !tests {
		all.Scope = calls.Scope{Tests: "without"}
	}
	a, err := x.Dead(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("dead: ask about %s: %w", dir, err)
	}
	for i := range a.Dead {
		one := &a.Dead[i]
		if one.Kind == "function" || one.Kind == "method" {
			list = append(list, finding{place{one.File, one.Line}, one.EndLine, slices.Index(dead.Confidences(), one.Confidence), one.Symbol, one.Why})
		}
	}
	return list, nil
}
