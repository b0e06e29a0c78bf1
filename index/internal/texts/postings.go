package texts

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/store"
)

// postings find the texts of a list that may hold a match. They are what the filters of the
// texts are together: blocks of parts, each of which says of 64 whether they have a trigram.
// A filter is made when a text is first searched for something that it could have ruled out,
// so that an edit costs no more than its own file, at the next such search. Nothing of it is
// in a snapshot: to make it again takes less than to read it would.
type postings struct {
	texts   int
	blocks  []*line.Block
	begins  []int32 // of each block, in owners
	owners  []int32 // of each part of a block: its text; -1: none of these
	unknown []int32 // texts without a filter
	whole   []whole // texts that can be ruled out as a whole
	bytes   int64   // that all of it takes
}

type whole struct {
	text   int32
	filter *line.Filter
}

// fill makes the postings of n texts. filter is where that of one is, which is packed.
func (p *postings) fill(n int, filter func(int) *atomic.Pointer[line.Filter]) {
	p.texts = n
	filters, owners := make([]*line.Filter, 0, n), make([]int32, 0, n)
	for i := range n {
		if f := filter(i).Load(); f != nil {
			filters, owners = append(filters, f), append(owners, int32(i))
		} else {
			p.unknown = append(p.unknown, int32(i))
		}
	}
	for i, packed := range line.Pack(filters) {
		if packed != nil && filter(int(owners[i])).CompareAndSwap(filters[i], packed) {
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
		if f.Whole() {
			p.whole = append(p.whole, whole{owners[i], f})
		}
	}
	p.bytes += int64(cap(p.owners)+cap(p.begins)+cap(p.unknown))*4 + int64(cap(p.blocks))*int64(unsafe.Sizeof(last)) +
		int64(cap(p.whole))*int64(unsafe.Sizeof(whole{}))
}

// admit returns the texts that may hold a match.
func (p *postings) admit(pattern *line.Pattern) set {
	admitted := make(set, (p.texts+63)/64)
	for _, i := range p.unknown {
		admitted.add(i)
	}
	for n, b := range p.blocks {
		for parts := pattern.In(b); parts != 0; parts &= parts - 1 {
			if i := p.owners[int(p.begins[n])+bits.TrailingZeros64(parts)]; i >= 0 {
				admitted.add(i)
			}
		}
	}
	for _, w := range p.whole {
		if admitted.has(w.text) && !pattern.MayWhole(w.filter) {
			admitted.remove(w.text)
		}
	}
	return admitted
}

// A set is one of texts, by their numbers.
type set []uint64

func (s set) has(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int32)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int32)   { s[i/64] &^= 1 << (i % 64) }

// knownPostings are those of the last list of some kind of texts. The zero value is ready.
type knownPostings[T any] struct {
	mu      sync.Mutex
	last    atomic.Pointer[postingsOf[T]]
	version atomic.Uint64 // grows with each filter that is made
}

// postingsOf are the postings of a list.
type postingsOf[T any] struct {
	postings
	list    []T
	version uint64 // of the filters
}

// of returns the postings of a list, which never changes.
func (k *knownPostings[T]) of(list []T, filter func(T) *atomic.Pointer[line.Filter]) *postingsOf[T] {
	if p := k.last.Load(); p.are(list, k.version.Load()) {
		return p
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	version := k.version.Load()
	if p := k.last.Load(); p.are(list, version) {
		return p
	}
	p := &postingsOf[T]{list: list, version: version}
	p.fill(len(list), func(i int) *atomic.Pointer[line.Filter] { return filter(list[i]) })
	k.last.Store(p)
	return p
}

func (p *postingsOf[T]) are(list []T, version uint64) bool {
	return p != nil && p.version == version && same(p.list, list)
}

// same reports whether two lists are one and the same.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func filterOf(r *store.Record) *atomic.Pointer[line.Filter] { return &r.Filter }

// Admitted returns those of all records of a table, by path, that may hold a match.
func Admitted(x *store.View, records []*store.Record, pattern *line.Pattern) []*store.Record {
	if !pattern.Selective() {
		return records
	}
	var list []*store.Record
	for n, word := range keptOf(x).records.of(records, filterOf).admit(pattern) {
		for ; word != 0; word &= word - 1 {
			list = append(list, records[n*64+bits.TrailingZeros64(word)])
		}
	}
	return list
}

// Weigh packs the filters that a search has made, and notes what they take.
func Weigh(x *store.View) {
	k := keptOf(x)
	x.Mu.RLock()
	records := x.Table.Below("")
	x.Mu.RUnlock()
	x.Counters.Filters.Store(k.raw.bytes() + k.records.of(records, filterOf).bytes)
}

// Record reads the text of a record, its lines ended by line feeds, unless its filter says
// that a pattern does not match, which ok says. made says that the filter was made for this.
func (w *Reader) Record(x *store.View, r *store.Record, p *line.Pattern) (ok, made bool) {
	filter := r.Filter.Load()
	if filter != nil && !w.begins(r, filter, p) {
		return false, false
	}
	w.Src = r.Text.AppendAll(w.Src[:0])
	if ok = true; filter == nil && p.Selective() {
		filter = line.NewFilter(w.Src) // of the text as it is packed, see begins
		r.Filter.Store(filter)
		keptOf(x).records.version.Add(1)
		ok, made = p.May(filter), true
	}
	w.Src = line.Unix(w.Src)
	return ok, made
}

// begins reports whether a literal that every match holds may be in a text. Where its filter
// admits a few parts of many, it looks into those.
func (w *Reader) begins(r *store.Record, f *line.Filter, p *line.Pattern) bool {
	parts, few := p.Parts(f, w.parts[:0])
	w.parts = parts
	if !few || len(parts) == 0 {
		return len(parts) > 0
	}
	if w.Search == nil {
		w.Search = p.Searcher()
	}
	for _, n := range parts {
		from := n * line.PartSize
		w.Src = r.Text.AppendSlice(w.Src[:0], from, from+line.PartSize+p.Reach())
		if w.Search.Holds(w.Src) {
			return true
		}
	}
	return false
}
