package program

import (
	"cmp"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// Settings are what all families of a graph have in common.
type Settings struct {
	Reload    func(path string, spare *ir.Spare) *ir.File
	Keep      int // how many expressions of all families to keep at hand
	Halted    atomic.Bool
	Begin     func() (between func()) // see Between; nil: nothing
	Bound     int64                   // in a test: in place of MostWhole
	Memos     int                     // in a test: in place of SolveNodes
	StepBound int                     // in a test: in place of MaxSteps
}

// MaxSteps bounds what one evaluation of a unit follows: a quarter of a second. No code
// that a compiler takes comes near it; declarations that go round in circles do.
const MaxSteps = 2_000_000

// TooManySteps reports whether an evaluation has followed more than it may.
func (g *Family) TooManySteps() bool { return g.Steps > cmp.Or(g.StepBound, MaxSteps) }

// Room is how many expressions to have at hand of files that wait, and while a Resolve
// runs.
func (s *Settings) Room() int { return s.Keep * (SolveNodes / KeepNodes) }

// Largest is how many bytes the families that are kept whole may take together, and so the
// most that one may take.
func (s *Settings) Largest() int64 { return cmp.Or(s.Bound, mostWhole) }

// SolveNodes is how many expressions the graph has at hand, unless told otherwise, while
// a Resolve runs: 300 MB of them, which all of a tree of 15,000 files are. Of a larger one
// the rest is loaded each time that it is needed; where that is more than half, a quarter
// of this has to do, for having a part saves little then: a pass over 100,000 files goes
// through 50 million.
const SolveNodes = 8 << 20

// mostWhole is how many bytes those families may take together that are kept with all that
// their updates need, unless told otherwise.
const mostWhole = 256 << 20

// Slimmed is how much there is of a file that waits without its expressions.
type Slimmed struct{ Exprs, Args int }

// KeepNodes is, unless told otherwise, how many expressions the graph keeps between
// updates, of all files together: 9 MB of them. What a project has beyond that is lowered
// again when an update needs it.
const KeepNodes = 1 << 18
