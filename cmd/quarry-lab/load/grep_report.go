package load

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// sum computes the medians over the patterns that were measured.
func (r *grepReport) sum() {
	var envelope, raw []float64
	for _, row := range r.Rows {
		if row.Error == "" {
			envelope, raw = append(envelope, row.Envelope), append(raw, row.Raw)
		}
	}
	r.Envelope, r.Raw = median(envelope), median(raw)
}

// median returns the middle of some numbers, or the mean of the two in the middle; 0 of
// none.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	of = slices.Sorted(slices.Values(of))
	return math.Round(500*(of[(len(of)-1)/2]+of[len(of)/2])) / 1000
}

// String returns the report as a table.
func (r grepReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %d files, %.1f MB indexed; medians of %d runs by turns, in ms\n", r.Ripgrep, r.Files, float64(r.SourceBytes)/1e6, r.Repeats)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "lines\tmissing\textra\trg\tenvelope\traw\tenvelope/rg\traw/rg\trg kB\tenvelope kB\t  pattern")
	for _, row := range r.Rows {
		if row.Error != "" {
			fmt.Fprintf(w, "\t\t\t\t\t\t\t\t\t\t  %s: %s\n", row.Pattern, row.Error)
			continue
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.1f\t%.1f\t  %s\n", row.Lines, row.Missing, row.Extra,
			row.Times.Ripgrep.P50, row.Times.Envelope.P50, row.Times.Raw.P50, row.Envelope, row.Raw,
			float64(row.Bytes.Ripgrep)/1e3, float64(row.Bytes.Envelope)/1e3, row.Pattern)
	}
	w.Flush()
	fmt.Fprintf(&b, "median over the patterns: envelope %.2f, raw %.2f of ripgrep's time\n", r.Envelope, r.Raw)
	fmt.Fprintf(&b, "the same lines with %d of %d patterns\n", r.Equal, len(r.Rows))
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "only %s: %d lines of %d files: %s, such as %s\n", d.Only, d.Lines, d.Files, d.Reason, strings.Join(d.Examples, ", "))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}
