package calls

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
)

// A Gaps notes why an answer may lack something.
type Gaps struct {
	reasons []string
	open    int            // call sites that may be missing
	names   map[string]int // open sites by the name that is called
}

func (l *Gaps) Because(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.reasons, text) {
		l.reasons = append(l.reasons, text)
	}
}

// Unread notes how many files could not be read, and the first of them.
func (l *Gaps) Unread(n int, first string) {
	if n > 0 {
		l.Because("files that could not be read: %d, as %s", n, first)
	}
}

// Any reports whether anything was noted but open calls.
func (l *Gaps) Any() bool { return len(l.reasons) > 0 }

// Take notes what others have noted.
func (l *Gaps) Take(others *Gaps) {
	for _, text := range others.reasons {
		l.Because("%s", text)
	}
	for name, n := range others.names {
		for range n {
			l.Called(name)
		}
	}
}

// Called notes an open call of a name.
func (l *Gaps) Called(name string) {
	if l.names == nil {
		l.names = map[string]int{}
	}
	l.names[name]++
	l.open++
}

// Completeness concludes. what says how the open calls are related to the target.
func (l *Gaps) Completeness(what string) answer.Completeness {
	c := answer.Completeness{Complete: len(l.reasons) == 0 && l.open == 0, Open: l.open, Because: l.reasons}
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
