package search

import (
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/index/internal/rank"
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
func Signals() []string { return rank.Names() }

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

// without returns the signals that do not count in a mode or by the query's wish;
// their names have been checked.
func (q *Query) without(mode Mode) rank.Set {
	var none rank.Set
	switch mode {
	case Lexical:
		none = rank.Meaning()
	case Semantic:
		none = ^rank.Meaning()
	}
	for _, name := range q.Without {
		none, _ = none.With(name)
	}
	return none
}

// explain names what a score was made of: signals of the file, then those of the chunk. Two
// have no weight of their own: "share", the logarithm of the file's share of all candidates'
// scores, counts in Result.Score only; "sentence" says how much the question is one, and the
// weights of all others depend on it. "another" counts the results of its file before it,
// where nobody says how many there may be.
func explain(q rank.Query, s *rank.Scored, weights *rank.Weights, perFile int) []Signal {
	var all []Signal
	add := func(name string, value, weight float64) {
		all = append(all, Signal{name, value, weight, value * weight})
	}
	s.Values.Each(weights, add)
	s.Chunk.Each(weights, add)
	if s.Another > 0 && perFile == 0 {
		add("another", float64(s.Another), rank.AnotherOfFile)
	}
	add("sentence", q.Sentence, 0)
	return all
}
