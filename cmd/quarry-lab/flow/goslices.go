package flow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func newFunctionsCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "functions real DIR PACKAGE... | check GRAPHS",
		Short: "Prove slices of real functions of Go by running them",
		Long: `Functions is slices for functions of Go. "real" draws functions of packages, given as folders whose files import
nothing but the standard library, puts a call that notes a variable into each, and looks for arguments
with which it is come to; "check" takes out what is not in the slice of that call, builds and runs both,
and compares what was noted. Functions that start others, receive, recover, or have to do with the system are not
drawn. A function inside stays whole. Arguments are made by lot, from what the tests of the package have as
literals. Copies of the packages are built next to the standard library, by an overlay: nothing is
written there.`,
		Args: cobra.NoArgs,
	}
	var number int
	var seed uint64
	real := &cobra.Command{
		Use:   "real DIR PACKAGE...",
		Short: "Draw functions",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return drawFunctions(cmd.OutOrStdout(), args[0], args[1:], number, seed)
		},
	}
	real.Flags().IntVar(&number, "number", 50, "functions to draw")
	real.Flags().Uint64Var(&seed, "seed", 1, "of the lot")
	var small, more, verbose bool
	check := &cobra.Command{
		Use:   "check GRAPHS",
		Short: "Run what was drawn, and its slices",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return checkFunctions(cmd.OutOrStdout(), args[0], small, more, verbose)
		},
	}
	check.Flags().BoolVar(&small, "small", false, "make each slice smaller as long as that stays the same")
	check.Flags().BoolVar(&more, "more", false, "with inputs for branches that the first ones do not take")
	check.Flags().BoolVar(&verbose, "verbose", false, "print what differs, and what could be much smaller")
	root.AddCommand(real, check)
	return root
}

// A drawn function, as its file next to the source has it.
type drawn struct {
	Dir    string // of its package
	ID     string
	Words  []string // to make arguments of
	Inputs []int    // numbers of the inputs that come to the note and go on to the end
	More   []int    // those that take other branches
}

// enough are the statements that a function must have.
const enough = 6

// drawFunctions writes functions with their notes to a folder.
func drawFunctions(w io.Writer, dir string, folders []string, number int, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 0))
	var all []candidate
	from := newSources()
	for _, folder := range folders {
		p, err := from.load(folder)
		if err != nil {
			fmt.Fprintf(w, "left out: %s: %v\n", folder, err)
			continue
		}
		all = append(all, p.candidates()...)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	const tries = 3 // places of a note
	var variants []*variant
	texts := map[string]*variant{}
	for n, c := range all[:min(len(all), number*4)] {
		for k := range tries {
			id := fmt.Sprintf("%d", n*tries+k)
			text, ok := c.noted(r, id)
			if !ok {
				continue
			}
			v := &variant{pack: c.pack, id: id, key: id, text: text, words: c.words(r)}
			if v.parse() != nil {
				continue
			}
			variants = append(variants, v)
			texts[id] = v
		}
	}
	b, err := newBuilder()
	if err != nil {
		return err
	}
	defer b.close()
	variants = b.resolve(variants)
	if err := b.program(variants); err != nil {
		return err
	}
	results, err := b.run(variants, func(v *variant) task { return task{Key: v.key, ID: v.id, Words: v.words, Fuzz: 800} })
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	var list strings.Builder
	taken, count := map[int]bool{}, 0
	for _, v := range variants {
		res, n := results[v.key], must(strconv.Atoi(v.id))
		if count == number || taken[n/tries] || res == nil || len(res.Inputs) < 2 {
			continue
		}
		taken[n/tries] = true
		count++
		name := filepath.Join(dir, "real-"+v.id+".go")
		d := must(json.Marshal(drawn{Dir: v.pack.dir, ID: v.id, Words: v.words, Inputs: res.Inputs, More: res.More}))
		if err := os.WriteFile(name, []byte(v.text), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(name+".json", d, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&list, "go\t%s\n", name)
	}
	fmt.Fprintf(w, "%d functions of %d\n", count, len(all))
	return os.WriteFile(filepath.Join(dir, "list"), []byte(list.String()), 0o644)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A trial is a drawn function that is checked.
type trial struct {
	drawn
	whole *variant
	want  *result
	slice map[int]bool // lines
	least map[int]bool
}

func checkFunctions(w io.Writer, graphs string, small, more, verbose bool) error {
	files, err := readGraphs(graphs)
	if err != nil {
		return err
	}
	packs, from := map[string]*goPackage{}, newSources()
	var trials []*trial
	for name := range files {
		t := &trial{}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if about, err := os.ReadFile(name + ".json"); err != nil {
			return err
		} else if err := json.Unmarshal(about, &t.drawn); err != nil {
			return err
		}
		if packs[t.Dir] == nil {
			if packs[t.Dir], err = from.load(t.Dir); err != nil {
				return err
			}
		}
		if more {
			t.Inputs = append(t.Inputs, t.More...)
		}
		t.whole = &variant{pack: packs[t.Dir], id: t.ID, key: t.ID, text: string(text)}
		if err := t.whole.parse(); err != nil {
			return err
		}
		if t.slice = sliceOf(files[name], text, "quarrySee("); t.slice == nil {
			fmt.Fprintf(w, "no criterion: %s\n", name)
			continue
		}
		trials = append(trials, t)
	}
	slices.SortFunc(trials, func(a, b *trial) int { return cmp.Compare(a.ID, b.ID) })
	b, err := newBuilder()
	if err != nil {
		return err
	}
	defer b.close()
	var variants []*variant
	for _, t := range trials {
		variants = append(variants, t.whole)
	}
	if len(b.resolve(variants)) < len(trials) {
		return fmt.Errorf("a function is not as it was drawn")
	}
	variants = nil
	for _, t := range trials {
		again := *t.whole
		again.key = t.ID + "again"
		again.build = again.covered()
		variants = append(variants, t.whole, &again, t.whole.without(t.ID+"cut", t.slice))
	}
	results, err := b.results(variants, trials)
	if err != nil {
		return err
	}
	total, good := 0, 0
	var left []*trial
	for _, t := range trials {
		t.want = results[t.ID]
		if t.want == nil || !t.want.equal(results[t.ID+"again"]) {
			continue // by chance, or by time
		}
		total++
		if !t.want.holds(results[t.ID+"cut"]) {
			if verbose {
				fmt.Fprintf(w, "DIFFERS %s %s\n%s\n%v\n%v\n", t.ID, t.Dir, show(t.whole.text, t.slice, t.slice), t.want, results[t.ID+"cut"])
			}
			continue
		}
		good++
		left = append(left, t)
	}
	fmt.Fprintf(w, "real go: %d of %d hold: %.4f", good, total, float64(good)/float64(max(1, total)))
	if small {
		if err := b.smallest(left); err != nil {
			return err
		}
		var ratios, sizes []float64
		mean := 0.0
		for _, t := range left {
			size, least := len(t.whole.closed(t.slice)), len(t.whole.closed(t.least))
			ratio := float64(size) / float64(max(1, least))
			sizes, ratios, mean = append(sizes, float64(size)), append(ratios, ratio), mean+ratio/float64(len(left))
			if verbose && ratio > 1.5 {
				fmt.Fprintf(w, "\nLARGE %s %s %d %d\n%s", t.ID, t.Dir, size, least, show(t.whole.text, t.slice, t.least))
			}
		}
		fmt.Fprintf(w, "; size median %v, against the smallest median %.3f, mean %.3f", median(sizes), median(ratios), mean)
	}
	fmt.Fprintln(w)
	return nil
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sort.Float64s(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// show marks the lines of a slice by +, those of the smallest one by *.
func show(text string, slice, least map[int]bool) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		mark := " "
		if least[n] {
			mark = "*"
		} else if slice[n] {
			mark = "+"
		}
		fmt.Fprintf(&b, "%s %s", mark, line)
	}
	return b.String()
}

// sliceOf returns the lines of the backward slice of the statement that begins with a text, nil
// for none.
func sliceOf(graphs []*graph, text []byte, criterion string) map[int]bool {
	line := func(at int) int { return strings.Count(string(text[:at]), "\n") + 1 }
	for _, g := range graphs {
		if g.Module {
			continue
		}
		near := map[int][]int{}
		for _, d := range g.Deps {
			near[d[0]] = append(near[d[0]], d[1])
		}
		var todo []int
		seen := map[int]bool{}
		for i, s := range g.Steps {
			if i > 2 && strings.HasPrefix(string(text[s.Start:s.End]), criterion) {
				todo, seen[i] = append(todo, i), true
			}
		}
		if len(todo) == 0 {
			continue
		}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, to := range near[at] {
				if !seen[to] {
					seen[to], todo = true, append(todo, to)
				}
			}
		}
		lines := map[int]bool{}
		for i := range seen {
			if i > 2 {
				lines[line(g.Steps[i].Start)] = true
			}
		}
		return lines
	}
	return nil
}
