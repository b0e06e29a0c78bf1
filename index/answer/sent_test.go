package answer

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestSent(t *testing.T) {
	var s Sent
	add := func(file string, hash uint64, from, to int) { s.Add(Lines{file, hash, from, to}) }
	add("a.go", 1, 10, 20)
	add("a.go", 1, 30, 40)
	add("b.go", 2, 5, 5)
	for _, tc := range []struct {
		l    Lines
		want bool
	}{
		{Lines{"a.go", 1, 10, 20}, true}, {Lines{"a.go", 1, 12, 13}, true}, {Lines{"a.go", 1, 9, 10}, false},
		{Lines{"a.go", 1, 20, 21}, false}, {Lines{"a.go", 1, 15, 35}, false}, {Lines{"a.go", 2, 10, 20}, false},
		{Lines{"b.go", 2, 5, 5}, true}, {Lines{"b.go", 2, 5, 4}, false}, {Lines{"c.go", 1, 1, 1}, false},
	} {
		if got := s.Has(tc.l); got != tc.want {
			t.Errorf("%v: %v", tc.l, got)
		}
	}
	if s.Len() != 3 {
		t.Errorf("%d ranges, want 3", s.Len())
	}
	add("a.go", 1, 21, 29) // closes the gap
	if s.Len() != 2 || !s.Has(Lines{"a.go", 1, 10, 40}) {
		t.Errorf("%d ranges after the gap is closed: %v", s.Len(), s.files["a.go"].lines)
	}
	add("a.go", 9, 1, 2) // the file has changed
	if s.Has(Lines{"a.go", 1, 10, 40}) || !s.Has(Lines{"a.go", 9, 1, 2}) {
		t.Error("lines of a content that is gone are kept")
	}
	add("z.go", 1, 4, 3)
	if s.Len() != 2 || s.files["z.go"] != nil {
		t.Error("no lines are kept as lines")
	}
	var none *Sent
	if none.Has(Lines{"a.go", 9, 1, 2}) || none.Len() != 0 || none.Bytes() != 0 {
		t.Error("nil has something")
	}
}

// Ranges are a set of lines: the slow way is a map.
func TestSentIsASet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var s Sent
		lines := map[int]bool{}
		for range r.IntN(40) {
			from := 1 + r.IntN(100)
			to := from + r.IntN(8)
			s.Add(Lines{"a", 1, from, to})
			for i := from; i <= to; i++ {
				lines[i] = true
			}
		}
		for from := 1; from < 110; from++ {
			all := true
			for to := from; to < min(from+12, 110); to++ {
				all = all && lines[to]
				if got := s.Has(Lines{"a", 1, from, to}); got != all {
					t.Fatalf("%d-%d: %v, lines are %v", from, to, got, s.files["a"].lines)
				}
			}
		}
	}
}

// The oldest file goes when there are too many ranges, and the counts fit what is left.
func TestSentIsBounded(t *testing.T) {
	var s Sent
	for file := range 100 {
		for line := range 50 {
			s.Add(Lines{fmt.Sprint("f", file), 1, 1 + 2*line, 1 + 2*line})
		}
	}
	if s.Len() > maxSentRanges || s.Len() < maxSentRanges-50 {
		t.Errorf("%d ranges", s.Len())
	}
	if s.Has(Lines{"f0", 1, 1, 1}) || !s.Has(Lines{"f99", 1, 99, 99}) {
		t.Error("it is not the oldest that went")
	}
	ranges, bytes := 0, 0
	for name, f := range s.files {
		ranges += len(f.lines)
		bytes += sentFileBytes + len(name) + sentRangeBytes*len(f.lines)
	}
	if s.Len() != ranges || s.Bytes() != bytes {
		t.Errorf("%d ranges and %d bytes are counted, there are %d and %d", s.Len(), s.Bytes(), ranges, bytes)
	}
	var one Sent
	for line := range 2 * maxSentRanges {
		one.Add(Lines{"f", 1, 2 * line, 2 * line})
	}
	if one.Len() > maxSentRanges {
		t.Errorf("%d ranges of one file", one.Len())
	}
}
