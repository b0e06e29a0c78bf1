package lexical

import "github.com/cespare/xxhash/v2"

// A Builder makes Docs. Its zero value is ready; it is not safe for concurrent
// use, and reuses its memory from one Doc to the next.
//
// It counts runs of letters and digits as they stand, and looks up the terms of each run
// once for each document: within a screen of code more than half of the runs repeat, and a
// table of the few runs of a document stays in the nearest cache, while the memo of all
// does not.
type Builder struct {
	runs   places
	spans  []counted // by place of the run
	terms  places
	counts []Term // by place of the term
	memo   memo
}

// counted is how often a document has a run.
type counted struct {
	span  span
	times int
}

// Add counts the terms of text, as Split gives them, each occurrence times times.
func (d *Builder) Add(text []byte, times int) {
	for from, to := nextRun(text, 0); from < to; from, to = nextRun(text, to) {
		run := text[from:to]
		hash := xxhash.Sum64(run)
		n := d.runs.of(hash)
		if n == len(d.spans) {
			d.spans = append(d.spans, counted{span: d.memo.terms(hash, run)})
		}
		d.spans[n].times += times
	}
}

// Doc returns what has been counted and starts over.
func (d *Builder) Doc() Doc {
	words := 0
	for _, c := range d.spans {
		for _, hash := range d.memo.hashes[c.span.from:c.span.to] {
			n := d.terms.of(hash)
			if n == len(d.counts) {
				d.counts = append(d.counts, Term{Hash: hash})
			}
			d.counts[n].Count += c.times
			words += c.times
		}
	}
	doc := Doc{Terms: append([]Term(nil), d.counts...), Words: words}
	d.spans, d.counts = d.spans[:0], d.counts[:0]
	d.runs.clear()
	d.terms.clear()
	d.memo.bound()
	return doc
}

// places numbers hashes by first occurrence.
type places struct {
	slots []slot // open addressing, a power of two long, at most half full
	round uint32
	count int
}

type slot struct {
	hash  uint64
	round uint32 // another than that of places: the slot is free
	place uint32
}

// of returns the place of a hash, which is the next one where it has none yet.
func (p *places) of(hash uint64) int {
	if 2*p.count >= len(p.slots) {
		p.grow()
	}
	s := p.find(hash)
	if s.round != p.round {
		*s = slot{hash, p.round, uint32(p.count)}
		p.count++
	}
	return int(s.place)
}

func (p *places) find(hash uint64) *slot {
	mask := uint64(len(p.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if s := &p.slots[i]; s.hash == hash || s.round != p.round {
			return s
		}
	}
}

func (p *places) grow() {
	old, round := p.slots, p.round
	p.slots, p.round = make([]slot, max(1024, 2*len(old))), 1
	for _, s := range old {
		if s.round == round {
			*p.find(s.hash) = slot{s.hash, p.round, s.place}
		}
	}
}

func (p *places) clear() {
	p.count = 0
	p.round++
	if p.round == 0 { // after 4 billion documents the stamps would repeat
		clear(p.slots)
		p.round = 1
	}
}
