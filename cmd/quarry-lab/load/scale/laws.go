package scale

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"
)

// lawColumns are the columns of the CSV file of which laws says how they grow.
var lawColumns = []string{
	"found_cpu_seconds", "ready_cpu_seconds", "restart_seconds", "peak_rss_bytes", "rss_bytes", "snapshot_bytes", "source_bytes", "hybrid_cpu_ms", "folder_cpu_ms", "symbol_cpu_ms", "regex_cpu_ms", "grep_cpu_ms", "impact_cpu_ms", "hybrid_p50_ms", "folder_p50_ms", "symbol_p50_ms", "regex_p50_ms", "grep_p50_ms", "impact_p50_ms", "edit_p50_ms",
	"symbols", "chunks", "identifiers",
}

func newLawsCommand() *cobra.Command {
	var csv string
	cmd := &cobra.Command{
		Use: "laws", Short: "Say how the figures of scale grow with the number of files", Args: cobra.NoArgs,
		Long: `Laws prints the CSV file that scale has written as a table in Markdown, and for each
column the power law that fits it best.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return printLaws(csv, cmd.OutOrStdout()) },
	}
	cmd.Flags().StringVar(&csv, "csv", "scale.csv", "the file with the figures of scale")
	return cmd
}

// printLaws prints the figures of a CSV file as a table, and the laws of growth.
func printLaws(csv string, out io.Writer) error {
	rows, err := readScale(csv)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, scaleTable(rows))
	for _, column := range lawColumns {
		if factor, exponent, ok := law(rows, column); ok {
			fmt.Fprintf(out, "%-18s ~ %.3g * files^%.2f; %.3g for a million\n", column, factor, exponent, factor*math.Pow(1e6, exponent))
		}
	}
	return nil
}

// law fits y = factor * files^exponent to a column: a line of least squares through the
// logarithms. It needs two sizes.
func law(rows []scaleReport, column string) (factor, exponent float64, ok bool) {
	var n, sx, sy, sxx, sxy float64
	for _, r := range rows {
		y := r.value(column)
		if y <= 0 || r.Indexed <= 0 {
			continue
		}
		x, y := math.Log(float64(r.Indexed)), math.Log(y)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	spread := n*sxx - sx*sx
	if n < 2 || spread < 1e-9 {
		return 0, 0, false
	}
	exponent = (n*sxy - sx*sy) / spread
	return math.Exp((sy - exponent*sx) / n), exponent, true
}
