package question

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// previewLines is how much of a result is shown without --content.
const previewLines = 5

// print writes results for people: with previews of the lines that match.
func (o *searchOptions) print(out io.Writer, found foundResults) error {
	screen := terminal.OnScreen(out)
	matches := o.matcher(found.Query)
	w := bufio.NewWriter(out)
	shown := invocation.ShownFrom(found.Root)
	for i, r := range found.Results {
		file := terminal.Visible(shown(r.File))
		if o.scores {
			fmt.Fprintf(w, "%.3f ", r.Score)
		}
		if o.mode == string(search.Regex) && o.asked.Explain == "" {
			fmt.Fprintf(w, "%s:%s\n", screen.Place(file, strconv.Itoa(r.Line)), screen.Highlight(matches.line(r.Content)))
			continue
		}
		lines := strconv.Itoa(r.Line)
		if r.EndLine > r.Line {
			lines += "-" + strconv.Itoa(r.EndLine)
		}
		fmt.Fprint(w, screen.Place(file, lines))
		if o.compact {
			fmt.Fprintf(w, " %s\n", screen.Highlight(matches.line(r.Signature)))
			explain(w, &r)
			continue
		}
		if r.Kind != "" {
			fmt.Fprintf(w, " %s", terminal.Visible(r.Kind))
		}
		if r.Symbol != "" {
			fmt.Fprintf(w, " %s", screen.Paint(terminal.NameStyle, terminal.Visible(r.Symbol)))
		}
		if r.Role == answer.RoleTest || r.Role == answer.RoleConfig {
			fmt.Fprintf(w, " %s", screen.Paint(terminal.FaintStyle, "("+r.Role+")"))
		}
		fmt.Fprintln(w)
		o.preview(w, screen, matches, &r)
		explain(w, &r)
		if i < len(found.Results)-1 {
			fmt.Fprintln(w)
		}
	}
	return w.Flush()
}

// explain writes what a ranking was made of, what added most first, or what the result has of
// the question.
func explain(w io.Writer, r *search.Result) {
	if why := r.Why; why != nil {
		fmt.Fprintf(w, "    why: %s\n", terminal.Visible((*wire.Why)(why).Text()))
	}
	signals := slices.Clone(r.Explain)
	slices.SortStableFunc(signals, func(a, b search.Signal) int { return cmp.Compare(math.Abs(b.Added), math.Abs(a.Added)) })
	for _, s := range signals {
		fmt.Fprintf(w, "    %+8.4f  %-16s %.4g of %.4g\n", s.Added, terminal.Visible(s.Name), s.Value, s.Weight)
	}
}

// leftOut says what an answer lacks, "" where that is nothing or, as in every
// ranking, only what comes after the results that were asked for. Where something else
// is left out, too, the limit is named with it: one must raise both.
func (f *foundResults) leftOut(complete bool) string {
	cuts := f.Cuts
	if len(cuts) == 0 || !complete && len(cuts) == 1 && cuts[0] == answer.CutLimit {
		return ""
	}
	many := ""
	if slices.Contains(f.Cuts, answer.CutMatches) || slices.Contains(f.Cuts, answer.CutTime) {
		many = "more than "
	}
	return fmt.Sprintf("%d of %s%d are shown, cut by: %s", len(f.Results), many, f.Matches, cutBy(cuts))
}
