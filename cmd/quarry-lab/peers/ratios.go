package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A ratio is a line of the table: a metric of a benchmark, over another one.
type ratio struct {
	name             string
	benchmark        string // without "Benchmark" and the number of processors
	over, under      string // the metrics that are divided
	overIs, underAre string // what they are of
}

// ratios are what `make bench` is for, in the order of the table.
var ratios = []ratio{
	{"cold build", "ColdBuild", "build-s", "parse-s", "build", "parse only"},
	{"cold build, processor time", "ColdBuild", "build-cpu-s", "parse-cpu-s", "build", "parse only"},
	{"semantic query", "Query/semantic", "query-µs", "bare-µs", "query", "products of all codes"},
	{"lexical query", "Query/lexical", "query-µs", "bare-µs", "query", "postings read once"},
	{"hybrid query", "Query/hybrid", "query-µs", "bare-µs", "query", "both"},
	{"symbol query", "Query/symbol", "query-µs", "bare-µs", "query", "each name compared once"},
	{"regex query", "Query/regex", "query-µs", "bare-µs", "query", "all texts looked through"},
	{"HTTP, median", "HTTP", "http-p50-µs", "call-p50-µs", "HTTP", "call in process"},
	{"HTTP, 95 %", "HTTP", "http-p95-µs", "call-p95-µs", "HTTP", "call in process"},
	{"edit until visible", "Edit", "edit-p50-ms", "debounce-ms", "edit", "debounce"},
}

// printRatios prints the table of the ratios in the output of Go's benchmarks. A
// benchmark that is not in it is named, and no error.
func printRatios(ctx context.Context, w io.Writer, text string) error {
	figures := parseBenchmarks(text)
	if len(figures) == 0 {
		return errors.New("there is no benchmark in the file")
	}
	fmt.Fprintln(w, machineLine(ctx))
	return writeRatios(w, figures)
}

func writeRatios(w io.Writer, figures map[string]map[string][]float64) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "what\tratio\tof\tto\tdifference")
	for _, r := range ratios {
		m := figures[r.benchmark]
		over, under := median(m[r.over]), median(m[r.under])
		if under == 0 {
			fmt.Fprintf(t, "%s\tnot measured\t\t\t\n", r.name)
			continue
		}
		_, unit, _ := cutLast(r.over, "-")
		fmt.Fprintf(t, "%s\t%.2f\t%s %.4g %s\t%s %.4g %s\t%.4g %s\n",
			r.name, over/under, r.overIs, over, unit, r.underAre, under, unit, over-under, unit)
	}
	return t.Flush()
}

// parseBenchmarks returns the figures of each benchmark, by its name without the number
// of processors and by the unit, one for each time that it was run.
func parseBenchmarks(text string) map[string]map[string][]float64 {
	all := map[string]map[string][]float64{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(f[1]); err != nil {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if before, after, ok := cutLast(name, "-"); ok {
			if _, err := strconv.Atoi(after); err == nil {
				name = before
			}
		}
		if all[name] == nil {
			all[name] = map[string][]float64{}
		}
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				all[name][f[i+1]] = append(all[name][f[i+1]], v)
			}
		}
	}
	return all
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// median returns the middle of the values, of an even number the greater one; 0 of none.
func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
