package answer

import (
	"cmp"
	"maps"
	"slices"
)

// maxSentRanges bounds what a Sent remembers.
const maxSentRanges = 4096

// Lines are lines of a file of one content.
type Lines struct {
	File     string // relative to the root, with slashes
	Hash     uint64 // of the file's content
	From, To int    // 1-based, inclusive
}

// A Sent is what a reader has been sent of one root: places, not text. A file whose
// content changes is new. It remembers 4,096 ranges of lines at most; then the file that
// nothing was added to for the longest is forgotten, so that its lines are sent again. The
// zero value and nil have nothing; nil cannot be added to. It is not safe for concurrent
// use, but several may ask while nobody adds.
type Sent struct {
	files  map[string]*sentFile
	ranges int
	bytes  int
	clock  uint64
}

// A sentFile is what was sent of one file.
type sentFile struct {
	hash  uint64
	lines [][2]int // from and to, by line, with a gap between each two
	at    uint64   // clock of the last Add
}

// Has reports whether all of the lines were sent.
func (s *Sent) Has(l Lines) bool {
	if s == nil {
		return false
	}
	f := s.files[l.File]
	if f == nil || f.hash != l.Hash || l.To < l.From {
		return false
	}
	i, found := slices.BinarySearchFunc(f.lines, l.From, func(r [2]int, from int) int { return cmp.Compare(r[0], from) })
	if !found {
		i--
	}
	return i >= 0 && f.lines[i][1] >= l.To
}

// Add notes that lines were sent. Nothing is noted of an empty range.
func (s *Sent) Add(l Lines) {
	if l.To < l.From {
		return
	}
	f := s.files[l.File]
	if f != nil && f.hash != l.Hash {
		s.forget(l.File)
		f = nil
	}
	if f == nil {
		if s.files == nil {
			s.files = map[string]*sentFile{}
		}
		f = &sentFile{hash: l.Hash}
		s.files[l.File] = f
		s.bytes += sentFileBytes + len(l.File)
	}
	s.clock++
	f.at = s.clock
	before := len(f.lines)
	f.add(l.From, l.To)
	s.ranges += len(f.lines) - before
	s.bytes += sentRangeBytes * (len(f.lines) - before)
	for s.ranges > maxSentRanges && len(s.files) > 1 {
		s.forget(s.oldest())
	}
	if s.ranges > maxSentRanges { // all in one file
		s.forget(l.File)
	}
}

// What is remembered takes about so many bytes.
const (
	sentFileBytes  = 120 // with its place in the map
	sentRangeBytes = 16
)

// add puts a range among the others, and makes one of those that touch.
func (f *sentFile) add(from, to int) {
	i, _ := slices.BinarySearchFunc(f.lines, from-1, func(r [2]int, before int) int { return cmp.Compare(r[1], before) })
	j := i
	for j < len(f.lines) && f.lines[j][0] <= to+1 {
		from, to = min(from, f.lines[j][0]), max(to, f.lines[j][1])
		j++
	}
	f.lines = slices.Replace(f.lines, i, j, [2]int{from, to})
}

func (s *Sent) forget(file string) {
	f := s.files[file]
	s.ranges -= len(f.lines)
	s.bytes -= sentFileBytes + len(file) + sentRangeBytes*len(f.lines)
	delete(s.files, file)
}

func (s *Sent) oldest() string {
	// The clock never stands still, so there is one only.
	return slices.MinFunc(slices.Collect(maps.Keys(s.files)), func(a, b string) int {
		return cmp.Compare(s.files[a].at, s.files[b].at)
	})
}

// Len returns the number of ranges.
func (s *Sent) Len() int {
	if s == nil {
		return 0
	}
	return s.ranges
}

// Bytes estimates the memory that it takes.
func (s *Sent) Bytes() int {
	if s == nil {
		return 0
	}
	return s.bytes
}
