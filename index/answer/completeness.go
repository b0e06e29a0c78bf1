package answer

import (
	"slices"
	"strings"
)

// Completeness says whether an answer about the call graph has all there is within
// the index. What runs code from outside of it is not counted: tests are run by a
// runner, handlers by a library.
type Completeness struct {
	Complete bool     `json:"complete"`
	Open     int      `json:"open_calls"`           // calls that are not resolved and could belong to the answer
	Because  []string `json:"incomplete,omitempty"` // why it is not complete
}

// GraphBuilding is why an answer is not complete before there is a first call graph.
const GraphBuilding = "the call graph is still being built"

// Lacks notes the bounds that left something out of an answer: it does not have all then.
func (c *Completeness) Lacks(cuts []Cut) {
	const because = "cut by "
	if len(cuts) == 0 {
		return
	}
	c.Complete = false
	c.Because = slices.DeleteFunc(slices.Clone(c.Because), func(text string) bool { return strings.HasPrefix(text, because) })
	var names []string
	for _, cut := range cuts {
		names = append(names, string(cut))
	}
	c.Because = append(c.Because, because+strings.Join(names, ", "))
}
