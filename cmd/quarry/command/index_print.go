package command

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// print writes the report for people.
func (r indexReport) print(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "root       %s\n", terminal.Visible(r.Root))
	fmt.Fprintf(w, "indexed    %d files, %d chunks, %d symbols, %d references\n", r.Files, r.Chunks, r.Symbols, r.References)
	if len(r.Languages) > 0 {
		fmt.Fprintf(w, "languages  %s\n", terminal.Counts(r.Languages))
	}
	fmt.Fprintf(w, "left out   %d files", r.Skipped)
	if len(r.Reasons) > 0 {
		fmt.Fprintf(w, " (%s)", terminal.Counts(r.Reasons))
	}
	fmt.Fprintf(w, "\nsyntax     %d files without a grammar, %d with errors\n", r.NoGrammar, r.ParseErrors)
	if len(r.Unparsed) > 0 {
		fmt.Fprintf(w, "as text    %s\n", terminal.Counts(r.Unparsed))
	}
	if r.Model != nil {
		fmt.Fprintf(w, "model      %s by %s: %s\n", r.Model.Name, r.Model.Backend, terminal.Visible(r.Model.Reason))
	} else {
		fmt.Fprintf(w, "model      none: %s\n", terminal.Visible(r.NoModel))
	}
	if s := r.SCIP; s != nil {
		fmt.Fprintf(w, "scip       %d of %d documents taken, with %d names", s.Taken, s.Documents, s.Names)
		if len(s.Left) > 0 {
			fmt.Fprintf(w, "; left out: %s", terminal.Counts(s.Left))
		}
		fmt.Fprintln(w)
	} else if r.SCIPFiles > 0 {
		fmt.Fprintf(w, "scip       of %d files\n", r.SCIPFiles)
	}
	fmt.Fprintf(w, "time       %.2f s for %.2f MB, %.2f MB/s\n", r.Seconds, float64(r.SourceBytes)/1e6, r.MBPerSecond)
	if s := r.Snapshot; s != nil {
		fmt.Fprintf(w, "snapshot   %s: %.2f MB; %d files taken over, %d parsed, %d chunks embedded\n",
			terminal.Visible(s.Path), float64(s.Bytes)/1e6, s.TakenOver, s.Parsed, s.Embedded)
		if s.SignedBy != "" {
			fmt.Fprintf(w, "signed     by %s\n", s.SignedBy)
		}
	}
	r.Put.print(w)
	for _, s := range r.Skips {
		printSkip(w, s)
	}
	for _, s := range r.Texts {
		printSkip(w, s)
	}
	return w.Flush()
}

func printSkip(w io.Writer, s answer.SkippedFile) {
	fmt.Fprintf(w, "%-11s %s", s.Reason, terminal.Visible(s.Path))
	if s.Detail != "" {
		fmt.Fprintf(w, " (%s)", terminal.Visible(s.Detail))
	}
	fmt.Fprintln(w)
}

// list prints what a build would read, without reading it.
func (o *indexOptions) list(cmd *cobra.Command, s config.Settings, root string) error {
	return engine.Use(s, root, false, func(x *index.Index) error {
		files, skips, err := x.Candidates(cmd.Context())
		if err != nil {
			return err
		}
		if !o.verbose {
			skips = nil
		}
		if o.json {
			return terminal.PrintJSON(cmd.OutOrStdout(), struct {
				Root  string               `json:"root"`
				Files []index.Candidate    `json:"files"`
				Skips []answer.SkippedFile `json:"skipped_files,omitempty"`
			}{x.Root(), files, skips})
		}
		w := bufio.NewWriter(cmd.OutOrStdout())
		for _, f := range files {
			fmt.Fprintf(w, "%9d %s\n", f.Size, terminal.Visible(f.Path))
		}
		for _, s := range skips {
			printSkip(w, s)
		}
		return w.Flush()
	})
}
