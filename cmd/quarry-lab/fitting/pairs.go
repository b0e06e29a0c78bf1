package fitting

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
)

// A pairLine is a line of what the command pairs writes.
type pairLine struct {
	Repository string `json:"repository"` // "owner/name"
	Kind       string `json:"kind"`
	Query      string `json:"query"`
	Path       string `json:"path"`
	Names      string `json:"names,omitempty"`
	Text       string `json:"text"`
}

func newPairsCommand() *cobra.Command {
	var cache, out string
	var kinds []string
	cmd := &cobra.Command{
		Use:   "pairs --cache DIR --out FILE",
		Short: "Write the pairs that an encoder learns from",
		Long: `Pairs writes a JSON object a line for each question and the code that answers it,
of those that "quarry-lab train model --cache DIR" has made: of the kinds doc, remark
and commit unless --kinds says otherwise.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			wanted, err := parseKinds(kinds)
			if err != nil {
				return err
			}
			file, err := os.Create(out)
			if err != nil {
				return fmt.Errorf("cannot write the pairs: %w", err)
			}
			w := bufio.NewWriter(file) // keeps its first error for Flush
			defer func() { err = errors.Join(err, w.Flush(), file.Close()) }()
			lines := json.NewEncoder(w)
			lines.SetEscapeHTML(false)
			n := 0
			err = train.ReadCache(cache, func(repository string, p *train.Pair) {
				if slices.Contains(wanted, p.Kind) {
					lines.Encode(pairLine{repository, p.Kind.String(), p.Query, p.Path, p.Names, p.Text})
					n++
				}
			})
			cmd.PrintErrf("quarry-lab: %d pairs\n", n)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&cache, "cache", "", "the `folder` with the pairs")
	f.StringVar(&out, "out", "", "the `file` for the pairs")
	f.StringSliceVar(&kinds, "kinds", []string{"doc", "remark", "commit"}, "kinds of pairs")
	require(cmd, "cache", "out")
	return cmd
}
