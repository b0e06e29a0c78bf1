package lexical

import "github.com/cespare/xxhash/v2"

// maxMemo bounds how many runs, and how many terms, a memo holds: some megabytes.
const maxMemo = 1 << 17

// memo remembers the terms of runs, by their hashes, as the index knows terms. Code
// repeats them: of a hundred in the Go distribution ninety-five were there before, and
// to look one up takes less than a third of splitting and folding it and stemming its
// parts. A word of a to z is a run whose only term is its stem's: so the parts of
// identifiers, too, are stemmed once.
type memo struct {
	runs   []known // open addressing, a power of two long, at most half full
	count  int
	hashes []uint64
	folded [maxFolded]byte
}

type known struct {
	run uint64 // its hash; 0: the place is free
	span
}

// A span is where the terms of a run are in hashes.
type span struct{ from, to uint32 }

// terms returns those of a run, whose hash is given.
func (m *memo) terms(hash uint64, run []byte) span {
	if s, ok := m.get(hash); ok {
		return s
	}
	from := len(m.hashes)
	splitRun(run, m.folded[:0], func(term []byte) { m.hashes = append(m.hashes, m.term(term)) })
	s := span{uint32(from), uint32(len(m.hashes))}
	m.put(hash, s)
	return s
}

// term returns the one that a folded word stands for, and remembers it as the next of
// hashes.
func (m *memo) term(word []byte) uint64 {
	hash := xxhash.Sum64(word)
	if !inflected(word) {
		return hash
	}
	if s, ok := m.get(hash); ok {
		return m.hashes[s.from]
	}
	next := uint32(len(m.hashes))
	m.put(hash, span{next, next + 1})
	return xxhash.Sum64String(Stem(string(word)))
}

func (m *memo) get(run uint64) (span, bool) {
	if len(m.runs) == 0 {
		return span{}, false
	}
	k := m.find(max(run, 1))
	return k.span, k.run != 0
}

func (m *memo) put(run uint64, s span) {
	if 2*m.count >= len(m.runs) {
		m.grow()
	}
	run = max(run, 1)
	k := m.find(run)
	if k.run == 0 {
		m.count++
	}
	*k = known{run, s}
}

// find returns the place of a run, which is free where it is not known.
func (m *memo) find(run uint64) *known {
	mask := uint64(len(m.runs) - 1)
	for i := run & mask; ; i = (i + 1) & mask {
		if k := &m.runs[i]; k.run == run || k.run == 0 {
			return k
		}
	}
}

func (m *memo) grow() {
	old := m.runs
	m.runs = make([]known, max(1024, 2*len(old)))
	for _, k := range old {
		if k.run != 0 {
			*m.find(k.run) = k
		}
	}
}

// bound forgets everything when it is too much; spans are good until then.
func (m *memo) bound() {
	if m.count >= maxMemo || len(m.hashes) >= 4*maxMemo {
		clear(m.runs)
		m.count, m.hashes = 0, m.hashes[:0]
	}
}
