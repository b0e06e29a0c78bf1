package fitting

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// newCardCommand returns the command that puts figures of searches on a card.
func newCardCommand() *cobra.Command {
	var card, figures string
	cmd := &cobra.Command{
		Use:   "card --card FILE --figures FILE",
		Short: "Put the figures of an evaluation on a model's card",
		Long: `Card writes what "quarry-lab eval ablate --json" measured with a model into the
model's card, as its section "In search": NDCG@10 of vectors alone, of words and
symbols alone, and of all signals, by category. A section that is there already
is replaced.`,
		Example: `  quarry-lab eval ablate --suite dev.json --corpus ~/corpus --json > figures.json
  quarry-lab train card --card embed/model/MODEL.md --figures figures.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return addFigures(card, figures) },
	}
	cmd.Flags().StringVar(&card, "card", "", "the card, a `file` that \"quarry-lab train model\" wrote")
	cmd.Flags().StringVar(&figures, "figures", "", "the `file` with what \"quarry-lab eval ablate --json\" printed")
	require(cmd, "card", "figures")
	return cmd
}

// evaluated is what a card tells of an evaluation.
type evaluated struct {
	All struct {
		Queries int `json:"queries"`
	} `json:"all"`
	Repositories map[string]struct{} `json:"repositories"`
	Ablation     []struct {
		Name       string             `json:"name"`
		All        float64            `json:"ndcg@10"`
		Categories map[string]float64 `json:"categories"`
	} `json:"ablation"`
}

// The headings between which the section stands.
const (
	inSearch     = "## In search\n"
	repositories = "## Repositories\n"
)

func addFigures(card, figures string) error {
	text, err := os.ReadFile(card)
	if err != nil {
		return fmt.Errorf("reading the card: %w", err)
	}
	data, err := os.ReadFile(figures)
	if err != nil {
		return fmt.Errorf("reading the figures: %w", err)
	}
	var e evaluated
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("%s is not what \"quarry-lab eval ablate --json\" prints: %w", figures, err)
	}
	before, after, found := strings.Cut(string(text), repositories)
	if !found {
		return fmt.Errorf("%s has no section %q", card, strings.TrimSpace(repositories))
	}
	before, _, _ = strings.Cut(before, inSearch)
	var b strings.Builder
	b.WriteString(before)
	if err := e.write(&b); err != nil {
		return err
	}
	b.WriteString(repositories + after)
	if err := os.WriteFile(card, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("writing the card: %w", err)
	}
	return nil
}

// write prints the section.
func (e *evaluated) write(w io.Writer) error {
	rows := map[string]string{"mode semantic": "vectors alone", "mode lexical": "words and symbols", "all signals": "everything"}
	var lines []string
	for _, name := range []string{"mode semantic", "mode lexical", "all signals"} {
		for _, v := range e.Ablation {
			if v.Name == name {
				lines = append(lines, fmt.Sprintf("| %s | %.3f | %.3f | %.3f | %.3f |\n", rows[name], v.All,
					v.Categories["architecture"], v.Categories["semantic"], v.Categories["symbol"]))
			}
		}
	}
	if len(lines) != len(rows) {
		return fmt.Errorf("the figures lack the modes: they must come from \"quarry-lab eval ablate --json\"")
	}
	_, err := fmt.Fprintf(w, "%s\nNDCG@10 by `quarry-lab eval ablate`: %d questions about %d repositories that are excluded from training.\n\n"+
		"| ranked by | all | architecture | semantic | symbol |\n|---|---|---|---|---|\n%s\n", inSearch, e.All.Queries, len(e.Repositories), strings.Join(lines, ""))
	return err
}
