package flow

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// sorted returns the lines: those of the target's file first, then by path and place.
func (s *slicer) sorted(f *function) []SliceLine {
	list := make([]SliceLine, 0, len(s.lines))
	for _, l := range s.lines {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b SliceLine) int {
		first := func(l *SliceLine) int {
			if l.File == f.File {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(first(&a), first(&b)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

// chop leaves the lines that are also in the slice of the other end, the other way.
func (s *slicer) chop(ctx context.Context, list []SliceLine, q *SliceQuery) ([]SliceLine, error) {
	back := *q
	back.Target, back.To, back.Variable, back.Offset, back.Limit = q.To, "", "", 0, maxLines
	back.Direction = Forward
	if s.forward {
		back.Direction = Backward
	}
	other, err := Slice(ctx, s.index, back)
	if err != nil {
		return nil, err
	}
	if !other.Complete {
		s.gaps.Complete = false
		for _, text := range other.Because {
			lacks(&s.gaps, "%s", text)
		}
	}
	in := map[lineKey]bool{}
	for _, l := range other.Lines {
		in[lineKey{l.File, l.Line}] = true
	}
	return slices.DeleteFunc(list, func(l SliceLine) bool { return !in[lineKey{l.File, l.Line}] }), nil
}

// Given returns how many entries the answer has.
func (a *SliceAnswer) Given() int { return len(a.Lines) }

// Keep leaves out all but the first n lines.
func (a *SliceAnswer) Keep(n int) { a.Lines = a.Lines[:min(n, len(a.Lines))] }

// Places calls visit for each place of the answer.
func (a *SliceAnswer) Places(visit func(string, *bool)) {
	visit(a.Function.File, &a.Function.Changed)
	for i := range a.Lines {
		visit(a.Lines[i].File, &a.Lines[i].Changed)
	}
}
