package index

import (
	"cmp"
	"fmt"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"slices"
	"strings"
)

// unfollowed is followed for one symbol of many.
func (l *gaps) unfollowed(kind syntax.Kind, name string) bool {
	switch kind {
	case syntax.Field, syntax.Variable, syntax.Constant, syntax.Macro:
		l.because("the call graph does not follow the uses of a %s such as %s", kind, name)
		return true
	}
	return false
}

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
