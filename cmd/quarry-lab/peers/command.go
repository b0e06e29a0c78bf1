// Package peers puts figures side by side: Quarry's own against what the machine allows, and
// Quarry against the programs that do some of the same.
package peers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// options are the flags of peers.
type options struct {
	quarry, suite, corpus, out string
	repos, bin                 []string
	runs                       int
}

// Commands returns the commands ratios and peers.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRatiosCommand(), newPeersCommand()}
}

func newRatiosCommand() *cobra.Command {
	return &cobra.Command{
		Use: "ratios FILE", Short: "Print the ratios in the output of Go's benchmarks",
		Long: `Ratios reads the output of Go's benchmarks and prints a table of the ratios in it, after
the machine, the Go version and the commit. make bench ends with it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("cannot read the benchmarks: %w", err)
			}
			return printRatios(cmd.Context(), cmd.OutOrStdout(), string(text))
		},
	}
}

func newPeersCommand() *cobra.Command {
	var o options
	var repos, bin string
	cmd := &cobra.Command{
		Use: "peers --repos DIR,DIR", Short: "Run Quarry and its peers on the same folders",
		Long: `Peers runs each peer that it finds, on copies of the same folders, one after the other,
and writes tables in Markdown, into a file between two markers or to the standard output. A
peer that is not found, or that fails, is in the tables with the reason. Times are of whole
processes, from start to end, unless a table says that a server was kept running; peak
memory is that of the largest process. The peers are looked for in the folders of --bin,
then on the PATH.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			switch {
			case repos == "":
				return errors.New("--repos is needed: the folders to index")
			case (o.suite == "") != (o.corpus == ""):
				return errors.New("--suite and --corpus come together")
			case o.runs < 1:
				return errors.New("-n must be at least 1")
			}
			if o.repos, err = folders(repos); err != nil {
				return err
			}
			if o.bin, err = folders(bin); err != nil {
				return err
			}
			return comparePeers(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.quarry, "quarry", "quarry", "the program quarry")
	fs.StringVar(&repos, "repos", "", "the folders to index, with commas")
	fs.StringVar(&bin, "bin", "", "folders with peers, before those of the PATH, with commas")
	fs.IntVarP(&o.runs, "number", "n", 10, "how often each query is run; the median counts")
	fs.StringVar(&o.suite, "suite", "", "questions, as quarry eval takes them")
	fs.StringVar(&o.corpus, "corpus", "", "the folder with the repositories of the questions")
	fs.StringVar(&o.out, "out", "", "the page whose tables are rewritten; otherwise they are printed")
	return cmd
}

// folders splits a list at its commas and makes the paths absolute.
func folders(list string) (all []string, err error) {
	for dir := range strings.SplitSeq(list, ",") {
		if dir == "" {
			continue
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		all = append(all, dir)
	}
	return all, nil
}
