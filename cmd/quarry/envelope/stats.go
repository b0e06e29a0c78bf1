package envelope

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

// printStats sums up the telemetry, with the file that was put aside.
func printStats(cmd *cobra.Command) error {
	s, err := config.Load(cmd)
	if err != nil {
		return err
	}
	path := s.Telemetry()
	var all []io.Reader
	for _, name := range []string{path + te.Rotated, path} {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("telemetry: %w", err)
		}
		defer f.Close()
		all = append(all, f)
	}
	stats, bad, err := te.Sum(io.MultiReader(all...))
	if err != nil {
		return err
	}
	if bad > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %d lines of the telemetry are no events\n", bad)
	}
	if len(stats) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: there are no events in %s\n", path)
		return invocation.Silent(cmd, invocation.NothingFound)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "cmd\tmode\tn\ttruncated\tbytes in\tbytes out\tsaved\tp50 ms\tp95 ms\t")
	for _, t := range stats {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.0f%%\t%d\t%d\t%d\t%d\t%d\t\n", t.Cmd, t.Mode, t.N, 100*t.Truncated, t.BytesIn, t.BytesOut, t.Saved, t.Median, t.P95)
	}
	return w.Flush()
}
