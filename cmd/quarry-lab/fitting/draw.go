package fitting

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
)

type drawOptions struct {
	clones, list, out, seed string
	count                   int
}

func newDrawCommand() *cobra.Command {
	var o drawOptions
	cmd := &cobra.Command{
		Use:   "draw --repositories FILE --clones DIR --out DIR",
		Short: "Draw functions by lot, for questions to be written about",
		Long: `Draw writes a file for each repository of the list with functions of it that were
drawn by lot, each with its lines, its code and the names of the functions next to it.
Questions are written by reading them, before anything is asked of the program: so a
suite holds what is there, and not what is found. Tests, examples and what is shorter
than five lines or longer than 120 are not drawn, and of a file three at most.`,
		Example: `  quarry-lab train draw --repositories list.txt --clones ~/clones --count 40 --out drawn`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.list, "repositories", "", "the list, a line \"owner/name REVISION\" each")
	f.StringVar(&o.clones, "clones", "", "the `folder` that holds the clones")
	f.StringVar(&o.out, "out", "", "the `folder` for the files")
	f.StringVar(&o.seed, "seed", "1", "of the lot")
	f.IntVar(&o.count, "count", 40, "functions of a repository")
	require(cmd, "repositories", "clones", "out")
	return cmd
}

func (o *drawOptions) run(cmd *cobra.Command) error {
	file, err := os.Open(o.list)
	if err != nil {
		return fmt.Errorf("cannot read the list: %w", err)
	}
	defer file.Close()
	list, err := train.ReadRepositories(file)
	if err != nil {
		return fmt.Errorf("%s: %w", o.list, err)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return fmt.Errorf("cannot make the folder: %w", err)
	}
	for _, r := range list {
		drawn, err := train.Draw(cmd.Context(), o.clones, r, o.count, o.seed)
		if err != nil {
			return err
		}
		name := filepath.Join(o.out, strings.ReplaceAll(r.Name, "/", "+")+".txt")
		if err := os.WriteFile(name, describe(r, drawn), 0o644); err != nil {
			return fmt.Errorf("cannot write what was drawn: %w", err)
		}
		cmd.PrintErrf("quarry-lab: %s: %d functions\n", r.Name, len(drawn))
	}
	return nil
}

// maxBeside bounds the names next to a function that are told.
const maxBeside = 40

// describe is what a writer of questions reads.
func describe(r train.Repository, drawn []train.Function) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n", r.Name, r.Revision)
	for i, f := range drawn {
		fmt.Fprintf(&b, "\n## %d %s:%d-%d %s\n%s\n", i+1, f.Path, f.Start, f.End, f.Name, strings.TrimRight(f.Text, "\n"))
		if n := len(f.Beside); n > 0 {
			fmt.Fprintf(&b, "next to it: %s\n", strings.Join(f.Beside[:min(n, maxBeside)], " "))
		}
	}
	return []byte(b.String())
}
