package fitting

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/quarry-search/quarry/cmd/quarry-lab/fit"
	"github.com/quarry-search/quarry/index/measure"
)

// A scoreSummary says how far scores can be believed.
type scoreSummary struct {
	top, first         measure.Reliability
	foreign, confident int
	categories         map[string][2]int // of the foreign questions: all, and those with a confident top score
}

func summarizeScores(answers []scoredAnswer, score func(scoredAnswer, scoredResult) float64) scoreSummary {
	s := scoreSummary{categories: map[string][2]int{}}
	var top, first []measure.Judged
	for _, a := range answers {
		var judged []measure.Judged
		least := 1.0 // as searches do: a result has no higher score than those above it
		for _, r := range a.results {
			least = min(least, score(a, r))
			judged = append(judged, measure.Judged{Score: least, Right: r.right})
		}
		if !a.foreign {
			first = append(first, judged...)
			top = append(top, judged[:min(1, len(judged))]...)
			continue
		}
		s.foreign++
		count := s.categories[a.category]
		count[0]++
		if len(judged) > 0 && judged[0].Score > confident {
			s.confident++
			count[1]++
		}
		s.categories[a.category] = count
	}
	s.top, s.first = measure.Calibrate(top), measure.Calibrate(first)
	return s
}

func printScores(w io.Writer, present, crossed scoreSummary, names []string, weights []float64) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tpresent\tcross-validated\t")
	fmt.Fprintf(table, "calibration error of the top result\t%.3f\t%.3f\t\n", present.top.Error, crossed.top.Error)
	fmt.Fprintf(table, "of the first ten\t%.3f\t%.3f\t\n", present.first.Error, crossed.first.Error)
	share := func(count [2]int) string {
		return fmt.Sprintf("%d of %d", count[1], count[0])
	}
	fmt.Fprintf(table, "others' questions above %.1f\t%s\t%s\t\n", confident,
		share([2]int{present.foreign, present.confident}), share([2]int{crossed.foreign, crossed.confident}))
	for _, name := range slices.Sorted(maps.Keys(crossed.categories)) {
		fmt.Fprintf(table, "%s\t%s\t%s\t\n", name, share(present.categories[name]), share(crossed.categories[name]))
	}
	fmt.Fprintln(table, "\t\t\t")
	fmt.Fprintln(table, "cross-validated\ttop results\tmean score\tright\tfirst ten\tmean score\tright\t")
	for i, t := range crossed.top.Bins {
		f := crossed.first.Bins[i]
		fmt.Fprintf(table, "%.1f to %.1f\t%d\t%.3f\t%.3f\t%d\t%.3f\t%.3f\t\n", t.From, t.To, t.Count, t.Score, t.Right, f.Count, f.Score, f.Right)
	}
	fmt.Fprintln(table, "\t\t\t")
	fmt.Fprintln(table, "signal\tweight\t")
	for i, name := range names {
		fmt.Fprintf(table, "%s\t%s\t\n", name, fit.FormatWeight(weights[i]))
	}
	return table.Flush()
}
