// Package summary makes short texts of long ones: of texts, handoffs and recalls. It knows
// no index, no model and no clock: the caller supplies the vectors of sentences, and the
// same input gives the same text.
package summary

// A Level is how much a summary says.
type Level string

// The levels, and what they are meant to cost in tokens. A level that is named is always
// used; with Auto the size of the input decides, see Choose.
const (
	Auto Level = "auto"
	L0   Level = "L0" // the paths only; 50
	L1   Level = "L1" // one line for each; 200
	L2   Level = "L2" // its key logic; 500
	L3   Level = "L3" // all of it
)

// Levels returns all levels but Auto, the shortest first.
func Levels() []Level { return []Level{L0, L1, L2, L3} }

// Budget returns how many tokens a summary may have by default: 100, 300, 600 and 1,500,
// the caps of the system that the levels come from.
func (l Level) Budget() int {
	switch l {
	case L0:
		return 100
	case L2:
		return 600
	case L3:
		return 1500
	}
	return 300
}

// Choose returns the level that Auto means for a text of that many tokens: below 500 it is
// left unchanged (L3), below 2,000 L1, and L2 from there on. A bound belongs to what is
// above it, so that an estimate that is off errs on the side of summarising.
func Choose(tokens int) Level {
	switch {
	case tokens < 500:
		return L3
	case tokens < 2000:
		return L1
	}
	return L2
}
