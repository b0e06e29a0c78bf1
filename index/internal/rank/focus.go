package rank

import "strings"

// A Place is a symbol of a chunk that a result may show.
type Place struct {
	Name, Parent string
	Kind         string
	Lines        int    // it spans
	Text         string // its doc comment and code, in lower case
}

// Focus returns the position of the symbol that a reader should see first in a
// chunk that holds several: the one whose name, then whose text, repeats most
// of the question; among equals a function or a type before a constant, then
// the longest, then the first. It returns -1 for none.
func Focus(q Query, places []Place) int {
	best, bestMark := -1, -1.0
	for i, p := range places {
		mark := 0.0
		for _, k := range q.Keywords {
			switch {
			case bears(p.Name, k):
				mark += 3
			case bears(p.Parent, k):
				mark += 1.5
			case strings.Contains(p.Text, k):
				mark++
			}
		}
		switch p.Kind {
		case "field":
			// A field alone says little: its type is shown, unless there is
			// nothing else.
			mark = mark/1000 - 0.5
		case "constant", "variable", "key", "macro":
			mark /= 2
		default:
			mark += 0.5
		}
		mark += min(float64(p.Lines), 100) / 1000
		if mark > bestMark {
			best, bestMark = i, mark
		}
	}
	return best
}
