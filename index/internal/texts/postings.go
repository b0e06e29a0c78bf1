package texts

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/store"
)

// postings find the texts of records that may hold a match. They are what the filters of the
// records are together: blocks of pieces, each of which says of 64 whether they have a
// trigram. Filters are made when a text is first searched for something that they could have
// ruled out, so that an edit costs its own file, at the next such search. Nothing of it is
// in a snapshot: of the Go distribution, 9,916 files, it is made again in 0.2 s.
type postings struct {
	records []*store.Record // by path
	blocks  []*line.Block
	begins  []int32 // of each block, in owners
	owners  []int32 // of each piece of a block: the index of its record; -1: none of these
	unknown []int32 // records without a filter
	bytes   int64   // that all of it takes
	version uint64  // of the filters
}

// knownPostings are those of the last list of records. The zero value is ready.
type knownPostings struct {
	mu      sync.Mutex
	last    atomic.Pointer[postings]
	version atomic.Uint64 // grows with each filter that is made
}

// of returns the postings of all records of a table, in the order of their paths.
func (k *knownPostings) of(records []*store.Record) *postings {
	if p := k.last.Load(); p.are(records, k.version.Load()) {
		return p
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	version := k.version.Load()
	if p := k.last.Load(); p.are(records, version) {
		return p
	}
	p := newPostings(records)
	p.version = version
	k.last.Store(p)
	return p
}

func (p *postings) are(records []*store.Record, version uint64) bool {
	return p != nil && p.version == version && len(p.records) == len(records) && (len(records) == 0 || &p.records[0] == &records[0])
}

func newPostings(records []*store.Record) *postings {
	p := &postings{records: records}
	filters := make([]*line.Filter, 0, len(records))
	owners := make([]int32, 0, len(records))
	for i, r := range records {
		if f := r.Filter.Load(); f != nil {
			filters, owners = append(filters, f), append(owners, int32(i))
		} else {
			p.unknown = append(p.unknown, int32(i))
		}
	}
	for i, packed := range line.Pack(filters) {
		if packed != nil && records[owners[i]].Filter.CompareAndSwap(filters[i], packed) {
			filters[i] = packed
		}
	}
	known := map[*line.Block]int32{} // where each begins in owners
	var last *line.Block
	var begin int32
	for i, f := range filters {
		f.Blocks(func(b *line.Block, n uint8) {
			if b != last {
				var ok bool
				if begin, ok = known[b]; !ok {
					begin = int32(len(p.owners))
					known[b] = begin
					p.blocks, p.begins = append(p.blocks, b), append(p.begins, begin)
					for range b.Columns() {
						p.owners = append(p.owners, -1)
					}
					p.bytes += b.Bytes()
				}
				last = b
			}
			p.owners[begin+int32(n)] = owners[i]
		})
		p.bytes += f.Bytes()
	}
	p.bytes += int64(cap(p.owners)+cap(p.begins)+cap(p.unknown))*4 + int64(cap(p.blocks))*int64(unsafe.Sizeof(last))
	return p
}

// A set is one of records, by their index.
type set []uint64

func (s set) has(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int32)      { s[i/64] |= 1 << (i % 64) }

// admit returns the records that may hold a match.
func (p *postings) admit(pattern *line.Pattern) set {
	admitted := make(set, (len(p.records)+63)/64)
	for _, i := range p.unknown {
		admitted.add(i)
	}
	for n, b := range p.blocks {
		for pieces := pattern.In(b); pieces != 0; pieces &= pieces - 1 {
			if i := p.owners[int(p.begins[n])+bits.TrailingZeros64(pieces)]; i >= 0 {
				admitted.add(i)
			}
		}
	}
	return admitted
}

// Admitted returns those of all records of a table, by path, that may hold a match.
func Admitted(x *store.View, records []*store.Record, pattern *line.Pattern) []*store.Record {
	if !pattern.Selective() {
		return records
	}
	var list []*store.Record
	for n, word := range keptOf(x).postings.of(records).admit(pattern) {
		for ; word != 0; word &= word - 1 {
			list = append(list, records[n*64+bits.TrailingZeros64(word)])
		}
	}
	return list
}
