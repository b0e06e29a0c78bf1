package brief

import (
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/store"
)

// A LineCache keeps the lines of files and folders by what they are made of, so that an
// edit costs the lines of one file and of the folders around it. It is safe for
// concurrent use.
type LineCache struct {
	mu         sync.Mutex
	Young, Old map[uint64]string
}

func lines(x *store.View) Lines { return Lines{store.Kept[LineCache](x), &x.Counters} }

// Lines are a lineCache with the figures of its index.
type Lines struct {
	*LineCache
	State *store.Counters
}

// MaxLines and minLines bound a generation of a lineCache, of twice as many lines as there
// are files: what is not asked for during a whole one is forgotten. An edit leaves the lines
// of what was before, which with a bound for large trees fill the memory of a small one
// for hours. Two generations take 30 KB to 50 MB.
const (
	MinLines = 1 << 8
	MaxLines = 1 << 17
)

// most is how many lines a generation has at most.
func (c Lines) most() int {
	return min(max(2*int(c.State.Files.Load()), MinLines), MaxLines)
}

// Get returns the line of a key, made by make if it is not there.
func (c Lines) Get(key uint64, make func() string) string {
	c.mu.Lock()
	line, ok := c.Young[key]
	if !ok {
		line, ok = c.Old[key]
	}
	c.mu.Unlock()
	if !ok {
		line = make()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		c.State.LinesFound.Add(1)
	} else {
		c.State.LinesMade.Add(1)
	}
	if c.Young == nil || len(c.Young) >= c.most() {
		c.Old, c.Young = c.Young, map[uint64]string{}
	}
	c.Young[key] = line
	return line
}

// keyOf is the key of what is made of some files' paths and contents, and of a purpose.
func keyOf(purpose string, records []*store.Record) uint64 {
	h := xxhash.New()
	var number [8]byte
	_, _ = h.WriteString(purpose) // it never fails
	for _, r := range records {
		for i := range number {
			number[i] = byte(r.Hash >> (8 * i))
		}
		_, _ = h.WriteString("\x00" + r.Path)
		_, _ = h.Write(number[:])
	}
	return h.Sum64()
}

// byPath sorts records.
func byPath(records []*store.Record) {
	slices.SortFunc(records, store.ComparePaths)
}
