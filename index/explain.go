package index

// A Signal is one piece of evidence for a result and what it added to the
// result's ranking score. The scores of one answer are comparable with each
// other only; Result.Score is the one to compare across answers.
type Signal struct {
	Name   string  `json:"name"`   // one of Signals()
	Value  float64 `json:"value"`  // what was measured, most of them 0..1
	Weight float64 `json:"weight"` // what a value of 1 is worth
	Added  float64 `json:"added"`  // Value times Weight
}
