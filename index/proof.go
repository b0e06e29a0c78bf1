package index

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"

	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
)

// A snapshot's hashes say that its bytes are those that were written, not that they make
// sense: whoever can write the file can compute its hashes. So each text is unpacked and
// compared with the hash of its file before anything reads it. What is not what it should
// be is left out of what is restored, and the next build reads that file. Of the Go
// distribution, 65 MB in 9,916 files, that takes 0.1 s of one core, while the other
// sections are decoded.

// A prover checks texts alongside whoever decodes them. take may be called by one goroutine.
type prover struct {
	batch []*record
	queue chan []*record

	mu  sync.Mutex
	bad map[*record]bool
}

// provedAtOnce is how many records go to a worker together.
const provedAtOnce = 64

func newProver() *prover { return &prover{queue: make(chan []*record, 64), bad: map[*record]bool{}} }

// take has a record checked.
func (p *prover) take(r *record) {
	if p.batch = append(p.batch, r); len(p.batch) == provedAtOnce {
		p.queue <- p.batch
		p.batch = nil
	}
}

// end says that nothing more comes.
func (p *prover) end() {
	p.queue <- p.batch
	close(p.queue)
}

// work checks until end.
func (p *prover) work() {
	var buffer []byte
	for batch := range p.queue {
		for _, r := range batch {
			err := caught(func() (err error) {
				src, err := r.proved(buffer[:0])
				if err == nil {
					buffer = src
					err = r.fitsText(src)
				}
				return err
			})
			if err != nil {
				p.mu.Lock()
				p.bad[r] = true
				p.mu.Unlock()
			}
		}
	}
}

// mostBad is how many files of a snapshot may have a text that is not what it should be,
// or so large a share of them: of one with more nothing is taken over.
const (
	mostBad      = 16
	mostBadShare = 0.1
)

// found returns the records whose texts are not what they should be, of so many.
func (p *prover) found(of int) (map[*record]bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.bad); n > max(mostBad, int(mostBadShare*float64(of))) {
		return nil, fmt.Errorf("%w: the texts of %d files are not what was indexed", snapshot.ErrDamaged, n)
	}
	return p.bad, nil
}

// proved returns the text of a record in dst, whatever bytes its blocks are, once it has
// been compared with its hash.
func (r *record) proved(dst []byte) ([]byte, error) {
	src, err := r.text.unpack(dst)
	if err != nil {
		return nil, err
	}
	if xxhash.Sum64(src) != r.hash {
		return nil, errors.New("its text is not what was indexed")
	}
	return src, nil
}

// fitsText checks what a record says of its text as far as that is cheap.
func (r *record) fitsText(src []byte) error {
	if lang := source.Language(r.path, src); lang != r.lang {
		return fmt.Errorf("it is in the language %q, not %q", lang, r.lang)
	}
	return r.lowered.fits(len(src))
}

// unpack returns the whole text in dst, of blocks that may be any bytes.
func (t text) unpack(dst []byte) ([]byte, error) {
	out := slices.Grow(dst[:0], t.size)
	for _, b := range t.blocks {
		want := min(blockSize, t.size-len(out))
		if n, err := s2.DecodedLen(b); err != nil || n != want {
			return nil, fmt.Errorf("a block of %d bytes should have %d", n, want)
		}
		block, err := s2.Decode(out[len(out):len(out)+want], b)
		if err != nil {
			return nil, err
		}
		out = out[:len(out)+len(block)]
	}
	if len(out) != t.size {
		return nil, fmt.Errorf("it has %d bytes, and should have %d", len(out), t.size)
	}
	return out, nil
}

// split separates records whose texts were not what they should be from others.
func (r *restored) split(records []*record) (bad, good []*record) {
	if len(r.bad) == 0 {
		return nil, records
	}
	for _, one := range records {
		if r.bad[one] {
			bad = append(bad, one)
		} else {
			good = append(good, one)
		}
	}
	return bad, good
}

// drop takes out records whose texts are not what they should be, so that nobody knows
// which words they were added with.
func (r *restored) drop(bad []*record) {
	if len(bad) == 0 {
		return
	}
	var ids []uint32
	for _, one := range bad {
		for i := range one.pieces {
			ids = append(ids, one.pieces[i].id)
		}
		r.embedded -= int64(one.ready)
	}
	r.table.words.RemoveUnseen(ids)
	for _, one := range bad {
		r.table.leave(one)
		delete(r.bad, one)
	}
}

// dropBad is drop of all that are left, by path. The call graph is made again: nobody knows
// what it has of them.
func (r *restored) dropBad() {
	bad := slices.SortedFunc(maps.Keys(r.bad), func(a, b *record) int { return strings.Compare(a.path, b.path) })
	r.proved = len(r.records) - len(bad)
	if len(bad) == 0 {
		return
	}
	r.drop(bad)
	for _, one := range bad {
		r.rebuilt = append(r.rebuilt, one.path)
	}
	r.records = r.table.below("")
	r.graphOld = true
}
