package fitting

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
)

func newFunctionsCommand() *cobra.Command {
	var clones, repositories, out string
	var most int
	cmd := &cobra.Command{
		Use:   "functions --clones DIR --out FILE",
		Short: "Write the functions that a reranker learns from",
		Long: `Functions writes a JSON object a line for functions of the repositories of the
list: where each is, its name, its doc comment, the question that its first sentence
makes, and its code without comments. Of each repository those that have a question
come first, by lot. Repositories of the benchmark are refused.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			text, err := open(repositories, pinned)
			if err != nil {
				return err
			}
			list, err := train.ReadRepositories(text)
			if err != nil {
				return err
			}
			excluded, err := train.ReadExcluded(strings.NewReader(benchmark))
			if err != nil {
				return err
			}
			file, err := os.Create(out)
			if err != nil {
				return fmt.Errorf("cannot write the functions: %w", err)
			}
			w := bufio.NewWriter(file)
			n, err := train.Functions(cmd.Context(), clones, list, excluded, most, w)
			if err := errors.Join(err, w.Flush(), file.Close()); err != nil {
				return err
			}
			cmd.PrintErrf("quarry-lab: %d functions of %d repositories\n", n, len(list))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&clones, "clones", "", "the `folder` that holds the clones")
	f.StringVar(&repositories, "repositories", "", "the list of repositories (default: the list in the program)")
	f.StringVar(&out, "out", "", "the `file` for the functions")
	f.IntVar(&most, "most", 2000, "functions of a repository")
	require(cmd, "clones", "out")
	return cmd
}
