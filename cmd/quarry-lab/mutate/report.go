package mutate

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// results are what became of all mutants of a repository.
type results struct {
	Functions int      `json:"functions"` // that the tests run
	Passed    []test   `json:"passed"`    // each time, without a change
	Mutants   []result `json:"mutants"`
}

// A row is what the mutants of one kind came to.
type row struct {
	name                     string
	mutants, failing, missed int
	complete, wrong          int // with failures: answers that say complete, and those of them that miss something
	files, namedFiles        int // that failed
	tests, namedTests        int
	filesComplete            [2]int // of answers that say complete: named, failed
	testsComplete            [2]int
	shareFiles, shareTests   []float64
	unbuilt, silent, expired int
}

func (w *row) add(r *result) {
	w.mutants++
	w.shareFiles, w.shareTests = append(w.shareFiles, r.ShareFiles), append(w.shareTests, r.ShareTests)
	switch {
	case r.Outcome.Expired:
		w.expired++
	case r.Outcome.Unbuilt:
		w.unbuilt++
		if r.silent() {
			w.silent++
		}
	case r.fails():
		w.failing++
		files, tests := len(r.FailedFiles)-len(r.MissedFiles), len(r.Failed)-len(r.Missed)
		w.files, w.namedFiles = w.files+len(r.FailedFiles), w.namedFiles+files
		w.tests, w.namedTests = w.tests+len(r.Failed), w.namedTests+tests
		if r.misses() {
			w.missed++
		}
		if !r.Answer.Complete {
			return
		}
		w.complete++
		w.filesComplete[0], w.filesComplete[1] = w.filesComplete[0]+files, w.filesComplete[1]+len(r.FailedFiles)
		w.testsComplete[0], w.testsComplete[1] = w.testsComplete[0]+tests, w.testsComplete[1]+len(r.Failed)
		if r.misses() {
			w.wrong++
		}
	}
}

// rows sums the mutants up, by kind and then all.
func (rs *results) rows() []*row {
	var list []*row
	all := &row{name: "all"}
	for _, k := range kinds {
		w := &row{name: string(k)}
		for i := range rs.Mutants {
			if r := &rs.Mutants[i]; r.Kind == k {
				w.add(r)
				all.add(r)
			}
		}
		list = append(list, w)
	}
	return append(list, all)
}

// ratio prints a part of all and what it is made of; a dash for a part of nothing.
func ratio(some, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f (%d/%d)", float64(some)/float64(all), some, all)
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// write prints a table by kind, then what does not compile and is not answered, then every miss:
// those of answers that say complete first.
func (rs *results) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tmutants\tfail\tmissed\tcomplete\twrong\trecall files\trecall tests\tcomplete: files\tcomplete: tests\tshare files\tshare tests\tunbuilt\tsilent\texpired")
	for _, r := range rs.rows() {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%d\t%d\t%d\n", r.name, r.mutants, r.failing, r.missed, r.complete, r.wrong,
			ratio(r.namedFiles, r.files), ratio(r.namedTests, r.tests),
			ratio(r.filesComplete[0], r.filesComplete[1]), ratio(r.testsComplete[0], r.testsComplete[1]),
			median(r.shareFiles), median(r.shareTests), r.unbuilt, r.silent, r.expired)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, complete := range []bool{true, false} {
		for i := range rs.Mutants {
			r := &rs.Mutants[i]
			if r.Answer.Complete != complete || !r.misses() && !r.silent() {
				continue
			}
			if _, err := io.WriteString(out, r.miss()); err != nil {
				return err
			}
		}
	}
	return nil
}

// most is how many missed tests are printed for one mutant.
const most = 12

// miss is the text about a mutant that something is missed of.
func (r *result) miss() string {
	state := "COMPLETE"
	if !r.Answer.Complete {
		state = "open"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s %s %s:%d %s\n", state, r.Kind, r.File, r.Line, r.Function)
	if r.silent() {
		fmt.Fprintf(&b, "  does not compile, and the answer has exit code %d and no dependents\n", r.Answer.Exit)
	}
	for _, reason := range r.Answer.Incomplete {
		fmt.Fprintf(&b, "  because %s\n", reason)
	}
	for _, f := range r.MissedFiles {
		fmt.Fprintf(&b, "  file %s\n", f)
	}
	for i, t := range r.Missed {
		if i == most {
			fmt.Fprintf(&b, "  and %d more\n", len(r.Missed)-most)
			break
		}
		fmt.Fprintf(&b, "  test %s\n", t)
	}
	return b.String()
}
