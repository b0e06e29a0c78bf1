package frame

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// TooDeep goes one level down where values lead to values: a type that holds itself, an
// alias of itself. It reports whether that is too deep; if not, Up comes back.
func (fr *Frame) TooDeep() bool {
	fr.Family.Steps++
	if fr.Family.Depth > program.MaxNesting || fr.Family.TooManySteps() {
		return true
	}
	fr.Family.Depth++
	return false
}

// Up goes back one level.
func (fr *Frame) Up() { fr.Family.Depth-- }

// Inside does something for the type that a value is made of, unless that is being
// done already: types that are made of each other lead back.
func (fr *Frame) Inside(v pointsto.Value, do func()) {
	if slices.Contains(fr.inner, v) {
		return
	}
	fr.inner = append(fr.inner, v)
	do()
	fr.inner = fr.inner[:len(fr.inner)-1]
}
