package index

import (
	"fmt"
	"slices"
)

// A Signal is one piece of evidence for a result and what it added to the
// result's ranking score. The scores of one answer are comparable with each
// other only; Result.Score is the one to compare across answers.
type Signal struct {
	Name   string  `json:"name"`   // one of Signals()
	Value  float64 `json:"value"`  // what was measured, most of them 0..1
	Weight float64 `json:"weight"` // what a value of 1 is worth
	Added  float64 `json:"added"`  // Value times Weight
}

// Signals returns the names of all signals that a ranking can be explained by
// and done without.
func Signals() []string { return nil }

// A SignalError is returned for a name in Query.Without that is no signal's.
type SignalError struct{ Name string }

func (e *SignalError) Error() string {
	return fmt.Sprintf("%q is no signal; an explained result names them", e.Name)
}

func checkSignals(names []string) error {
	for _, name := range names {
		if !slices.Contains(Signals(), name) {
			return &SignalError{name}
		}
	}
	return nil
}
