package command

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/quarry-search/quarry/index"
)

// previewLines is how much of a result is shown without --content.
const previewLines = 5

// printJSON writes one indented object.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // source code is full of < and &
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// print writes results for people.
func (o *searchOptions) print(out io.Writer, found foundResults) error {
	w := bufio.NewWriter(out)
	shown := shownFrom(found.Root)
	for i, r := range found.Results {
		file := shown(r.File)
		if o.scores {
			fmt.Fprintf(w, "%.3f ", r.Score)
		}
		if o.mode == string(index.Regex) && !o.asked.Explain {
			fmt.Fprintf(w, "%s:%d:%s\n", visible(file), r.Line, visible(r.Content))
			continue
		}
		fmt.Fprintf(w, "%s:%d", visible(file), r.Line)
		if r.EndLine > r.Line {
			fmt.Fprintf(w, "-%d", r.EndLine)
		}
		if o.compact {
			fmt.Fprintf(w, " %s\n", visible(r.Signature))
			explain(w, r.Explain)
			continue
		}
		for _, word := range []string{r.Kind, r.Symbol} {
			if word != "" {
				fmt.Fprintf(w, " %s", visible(word))
			}
		}
		if r.Role == index.RoleTest || r.Role == index.RoleConfig {
			fmt.Fprintf(w, " (%s)", r.Role)
		}
		fmt.Fprintln(w)
		lines := strings.Split(strings.TrimRight(r.Content, "\n"), "\n")
		more := 0
		if !o.content && len(lines) > previewLines {
			more = len(lines) - previewLines
			lines = lines[:previewLines]
		}
		for _, line := range lines {
			fmt.Fprintf(w, "    %s\n", visible(strings.TrimSuffix(line, "\r")))
		}
		if more > 0 {
			fmt.Fprintf(w, "    ... %d more lines\n", more)
		}
		explain(w, r.Explain)
		if i < len(found.Results)-1 {
			fmt.Fprintln(w)
		}
	}
	return w.Flush()
}

// shownFrom returns how people are shown a file: relative to the working folder
// where that is inside the root, else to the root.
func shownFrom(root string) func(file string) string {
	wd, local := workingFolder(root)
	return func(file string) string {
		if local {
			if rel, err := filepath.Rel(wd, filepath.Join(root, filepath.FromSlash(file))); err == nil {
				return rel
			}
		}
		return file
	}
}

// explain writes what a ranking was made of, what added most first.
func explain(w io.Writer, signals []index.Signal) {
	signals = slices.Clone(signals)
	slices.SortStableFunc(signals, func(a, b index.Signal) int { return cmp.Compare(math.Abs(b.Added), math.Abs(a.Added)) })
	for _, s := range signals {
		fmt.Fprintf(w, "    %+8.4f  %-16s %.4g of %.4g\n", s.Added, visible(s.Name), s.Value, s.Weight)
	}
}

// leftOut says what an answer lacks, "" where that is nothing or, as in every
// ranking, only what comes after the results that were asked for.
func (f *foundResults) leftOut(complete bool) string {
	cuts := f.Cuts
	if !complete {
		cuts = slices.DeleteFunc(slices.Clone(cuts), func(c index.Cut) bool { return c == index.CutLimit })
	}
	if len(cuts) == 0 {
		return ""
	}
	many := ""
	if slices.Contains(f.Cuts, index.CutMatches) || slices.Contains(f.Cuts, index.CutTime) {
		many = "more than "
	}
	return fmt.Sprintf("%d of %s%d are shown, cut by: %s", len(f.Results), many, f.Matches, cutBy(cuts))
}

// visible replaces what could act on a terminal: a file's name and text are not
// to be trusted with escape sequences.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
