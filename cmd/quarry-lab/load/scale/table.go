package scale

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
)

// scaleRows are the rows of the table: what is in them, and the columns of the CSV file
// that a cell is made of, each after what its format says.
var scaleRows = []struct {
	name    string
	format  string // a %s for each column
	columns []string
	per     float64 // what they are divided by
}{
	{"indexed files", "%s", []string{"indexed"}, 1},
	{"source, MB", "%s", []string{"source_bytes"}, 1e6},
	{"identifiers; symbols; chunks, thousands", "%s; %s; %s", []string{"identifiers", "symbols", "chunks"}, 1e3},
	{"until all is found: s (of CPU)", "%s (%s)", []string{"found_seconds", "found_cpu_seconds"}, 1},
	{"until the call graph is solved, too: s (of CPU)", "%s (%s)", []string{"ready_seconds", "ready_cpu_seconds"}, 1},
	{"memory: at most, after, after a restart, MB", "%s, %s, %s", []string{"peak_rss_bytes", "rss_bytes", "restart_rss_bytes"}, 1e6},
	{"snapshot, MB", "%s", []string{"snapshot_bytes"}, 1e6},
	{"restart, until the first answer, s", "%s", []string{"restart_seconds"}, 1},
	{"search: CPU on average; median, 95 %, ms", "%s; %s, %s", []string{"hybrid_cpu_ms", "hybrid_p50_ms", "hybrid_p95_ms"}, 1},
	{"search below one folder, as above", "%s; %s, %s", []string{"folder_cpu_ms", "folder_p50_ms", "folder_p95_ms"}, 1},
	{"search by symbol", "%s; %s, %s", []string{"symbol_cpu_ms", "symbol_p50_ms", "symbol_p95_ms"}, 1},
	{"search by regex, a rare word", "%s; %s, %s", []string{"regex_cpu_ms", "regex_p50_ms", "regex_p95_ms"}, 1},
	{"`/grep`", "%s; %s, %s", []string{"grep_cpu_ms", "grep_p50_ms", "grep_p95_ms"}, 1},
	{"`/impact`", "%s; %s, %s", []string{"impact_cpu_ms", "impact_p50_ms", "impact_p95_ms"}, 1},
	{"an edit is found: median, 95 %, ms", "%s, %s", []string{"edit_p50_ms", "edit_p95_ms"}, 1},
	{"load of the machine meanwhile", "%s", []string{"load_average"}, 1},
}

// scaleTable returns the figures as a table of Markdown with a column for each size.
// Figures have a decimal below 10, and those that are counts have none.
func scaleTable(rows []scaleReport) string {
	var b strings.Builder
	line := func(name string, cell func(scaleReport) string) {
		b.WriteString("|" + name + "|")
		for _, r := range rows {
			fmt.Fprintf(&b, " %s |", cell(r))
		}
		b.WriteByte('\n')
	}
	line(" ", func(r scaleReport) string { return withCommas(float64(r.Files), 0) })
	b.WriteString("|" + strings.Repeat("---|", len(rows)+1) + "\n")
	for _, row := range scaleRows {
		line(" "+row.name+" ", func(r scaleReport) string {
			var values []any
			for _, column := range row.columns {
				v, decimals := r.value(column)/row.per, 0
				if measured := strings.HasSuffix(column, "seconds") || strings.HasSuffix(column, "ms") || column == "load_average"; measured && v < 10 {
					decimals = 1
				}
				values = append(values, withCommas(v, decimals))
			}
			return fmt.Sprintf(row.format, values...)
		})
	}
	return b.String()
}

// withCommas writes a number with a comma before each three digits. It is rounded here, as
// half of a digit may be lost to what humanize adds to it.
func withCommas(v float64, decimals int) string {
	scale := math.Pow10(decimals)
	return humanize.FormatFloat("#,###."+strings.Repeat("#", decimals), math.Round(v*scale)/scale)
}
