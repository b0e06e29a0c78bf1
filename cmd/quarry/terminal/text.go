// Package terminal writes what people read: texts without what could act on a terminal,
// JSON, and how far a build is.
package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/index"
)

// AddJSONFlag declares the flag that has a command print JSON.
func AddJSONFlag(fs *pflag.FlagSet, set *bool) {
	fs.BoolVar(set, "json", false, "print a JSON object")
}

// PrintJSON writes one indented object.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // source code is full of < and &
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Visible replaces what could act on a terminal: a file's name and text are not
// to be trusted with escape sequences.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Counts renders "go 12, python 3", the largest first.
func Counts(m map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return strings.Join(parts, ", ")
}

// PrintText writes source text, line by line.
func PrintText(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, Visible(strings.TrimRight(line, "\r\n")))
	}
}

// NothingIndexed says why an index is empty.
func NothingIndexed(s index.Status) string {
	if s.Coverage.Skipped == 0 {
		return fmt.Sprintf("nothing in %s is indexed yet: it is empty, or everything in it is ignored", s.Root)
	}
	return fmt.Sprintf("nothing in %s is indexed: %d files were left out (%s)", s.Root, s.Coverage.Skipped, Counts(s.Coverage.Reasons))
}
