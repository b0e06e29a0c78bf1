package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
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
	wd, local := workingFolder(found.Root)
	for i, r := range found.Results {
		file := r.File
		if local {
			if rel, err := filepath.Rel(wd, filepath.Join(found.Root, filepath.FromSlash(r.File))); err == nil {
				file = rel
			}
		}
		if o.scores {
			fmt.Fprintf(w, "%.3f ", r.Score)
		}
		fmt.Fprintf(w, "%s:%d", visible(file), r.Line)
		if r.EndLine > r.Line {
			fmt.Fprintf(w, "-%d", r.EndLine)
		}
		if o.compact {
			fmt.Fprintf(w, " %s\n", visible(r.Signature))
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
		if i < len(found.Results)-1 {
			fmt.Fprintln(w)
		}
	}
	return w.Flush()
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
