package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A gaps notes why an answer may lack something.
type gaps struct {
	reasons []string
	open    int            // call sites that may be missing
	names   map[string]int // open sites by the name that is called
	cuts    []Cut          // bounds that left something out
}

func (l *gaps) because(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.reasons, text) {
		l.reasons = append(l.reasons, text)
	}
}

// called notes an open call of a name.
func (l *gaps) called(name string) {
	if l.names == nil {
		l.names = map[string]int{}
	}
	l.names[name]++
	l.open++
}

// Completeness says whether an answer about the call graph has all there is within
// the index. What runs code from outside of it is not counted: tests are run by a
// runner, handlers by a library.
type Completeness struct {
	Complete bool     `json:"complete"`
	Open     int      `json:"open_calls"`           // calls that are not resolved and could belong to the answer
	Because  []string `json:"incomplete,omitempty"` // why it is not complete
}

// completeness concludes. what says how the open calls are related to the target.
func (l *gaps) completeness(what string) Completeness {
	c := Completeness{Complete: len(l.reasons) == 0 && l.open == 0, Open: l.open, Because: l.reasons}
	if l.open > 0 {
		names := make([]string, 0, len(l.names))
		for name := range l.names {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(l.names[b], l.names[a]), strings.Compare(a, b)) })
		more := ""
		if len(names) > 3 {
			names, more = names[:3], " and others"
		}
		count, are := "1 call", "is"
		if l.open > 1 {
			count, are = fmt.Sprintf("%d calls", l.open), "are"
		}
		c.Because = append(c.Because, fmt.Sprintf("%s %s %s not resolved: %s%s", count, what, are, strings.Join(names, ", "), more))
	}
	return c
}

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
