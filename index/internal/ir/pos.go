package ir

// A Pos is a place in the text: a 1-based line and a 1-based column in bytes, as
// line<<12 | column. Columns beyond 4,095 are 4,095; lines end at 1,048,575.
type Pos uint32

// At makes a Pos.
func At(line, column int) Pos { return Pos(min(line, 1<<20-1)<<12 | min(column, 1<<12-1)) }

// Line returns the 1-based line.
func (p Pos) Line() int { return int(p >> 12) }

// Column returns the 1-based column in bytes.
func (p Pos) Column() int { return int(p & (1<<12 - 1)) }

// Names of calls of which nobody knows what they lead to.
const (
	Evaluation = "__eval__"     // runs a text as a program
	Lookup     = "__constant__" // finds a class by a computed name
)
