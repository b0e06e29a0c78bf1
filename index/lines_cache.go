package index

import (
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// A lineCache keeps the lines of files and folders by what they are made of, so that an
// edit costs the lines of one file and of the folders around it. It is safe for
// concurrent use.
type lineCache struct {
	mu         sync.Mutex
	young, old map[uint64]string
}

func (x *View) lines() lines { return lines{kept[lineCache](x), &x.state} }

// lines are a lineCache with the figures of its index.
type lines struct {
	*lineCache
	state *counters
}

// maxLines and minLines bound a generation of a lineCache, of twice as many lines as there
// are files: what is not asked for during a whole one is forgotten. An edit leaves the lines
// of what was before, which with a bound for large trees fill the memory of a small one
// for hours. Two generations take 30 KB to 50 MB.
const (
	minLines = 1 << 8
	maxLines = 1 << 17
)

// most is how many lines a generation has at most.
func (c lines) most() int {
	return min(max(2*int(c.state.files.Load()), minLines), maxLines)
}

// get returns the line of a key, made by make if it is not there.
func (c lines) get(key uint64, make func() string) string {
	c.mu.Lock()
	line, ok := c.young[key]
	if !ok {
		line, ok = c.old[key]
	}
	c.mu.Unlock()
	if !ok {
		line = make()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		c.state.linesFound.Add(1)
	} else {
		c.state.linesMade.Add(1)
	}
	if c.young == nil || len(c.young) >= c.most() {
		c.old, c.young = c.young, map[uint64]string{}
	}
	c.young[key] = line
	return line
}

// keyOf is the key of what is made of some files' paths and contents, and of a purpose.
func keyOf(purpose string, records []*record) uint64 {
	h := xxhash.New()
	var number [8]byte
	_, _ = h.WriteString(purpose) // it never fails
	for _, r := range records {
		for i := range number {
			number[i] = byte(r.hash >> (8 * i))
		}
		_, _ = h.WriteString("\x00" + r.path)
		_, _ = h.Write(number[:])
	}
	return h.Sum64()
}

// byPath sorts records.
func byPath(records []*record) {
	slices.SortFunc(records, comparePaths)
}
