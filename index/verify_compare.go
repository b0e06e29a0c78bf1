package index

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/lexical"
)

// alike is the cosine from which two vectors of one chunk count as the same, where they
// may have been summed in another order: by ONNX Runtime in another batch, or by another
// backend before the snapshot was written that the index was restored from. Of 4,363
// vectors of the built-in model 15 differ by the batch, with cosines of 1 to twelve
// digits, and 3,579 by the backend, four of them with less than 0.999999: a vector is
// kept in few bits, and then falls to the other side of some.
const alike = 0.999

// differ notes a difference.
func (v *verifier) differ(kind, path, format string, args ...any) {
	v.Total++
	if len(v.Differences) < v.opt.Limit {
		v.Differences = append(v.Differences, Difference{kind, path, fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) uncheck(format string, args ...any) {
	v.Unchecked = append(v.Unchecked, fmt.Sprintf(format, args...))
}

// compare compares all that the two indexes hold of the files that they hold alike.
func (v *verifier) compare(ctx context.Context) error {
	now := time.Now()
	live, fresh := v.live.table, v.fresh.table
	if n := max(v.live.state.unread.Load(), v.fresh.state.unread.Load()); n > 0 {
		v.uncheck("%d files or folders, which the system cannot read now", n)
	}
	changed := 0
	var same []string // indexed in both
	for _, path := range v.paths() {
		d, apart := v.apart[path]
		switch {
		case apart && v.unseen(d, now):
			v.differ("file", path, "the index has not seen a change: it has %v, on disk is %v", d.live, d.fresh)
		case apart:
			if changed++; len(v.Changed) < v.opt.Limit {
				v.Changed = append(v.Changed, path)
			}
		default:
			v.Files++
			if live.files[path] != nil {
				same = append(same, path)
			}
		}
	}
	if changed > 0 {
		v.uncheck("%d files that went on changing", changed)
	}
	p := pairs{}
	for _, path := range same {
		if err := ctx.Err(); err != nil {
			return err
		}
		v.record(live.files[path], fresh.files[path], &p)
	}
	v.tables()
	if err := v.postings(ctx, &p); err != nil {
		return err
	}
	v.vectors(&p)
	return v.graph(ctx)
}

// pairs are the chunks that both indexes have, by path and place.
type pairs struct {
	live, fresh []uint32 // ids
	at          []place  // in the fresh one
}

// record compares what is known of a file, and enters its chunks in p.
func (v *verifier) record(live, fresh *record, p *pairs) {
	path := fresh.path
	for _, f := range []struct {
		what      string
		got, want any
	}{
		{"path", live.path, fresh.path},
		{"language", live.lang, fresh.lang},
		{"role", live.role, fresh.role},
		{"traits", live.traits, fresh.traits},
		{"having a grammar", live.grammar, fresh.grammar},
		{"having syntax errors", live.errors, fresh.errors},
		{"fault of the parser", live.fault, fresh.fault},
		{"references", live.refs, fresh.refs},
		{"bytes of code", live.code, fresh.code},
		{"abstractness", live.abstract, fresh.abstract},
		{"symbols", len(live.symbols), len(fresh.symbols)},
		{"chunks", len(live.pieces), len(fresh.pieces)},
	} {
		if f.got != f.want {
			v.differ("record", path, "%s: %v, should be %v", f.what, f.got, f.want)
		}
	}
	a, b := v.live.table.lexicon, v.fresh.table.lexicon
	if !a.Equal(live.words.Stem, b, fresh.words.Stem) || !a.Equal(live.words.Folders, b, fresh.words.Folders) ||
		!a.Equal(live.words.Symbols, b, fresh.words.Symbols) {
		v.differ("record", path, "the words of its names are others")
	}
	if !live.text.equal(fresh.text) {
		v.differ("text", path, "it is not the text of the file")
	}
	if !bytes.Equal(live.lowered, fresh.lowered) {
		v.differ("record", path, "what it was lowered to for the call graph is something else")
	}
	v.Symbols += len(fresh.symbols)
	for i := range min(len(live.symbols), len(fresh.symbols)) {
		if got, want := live.symbols[i], fresh.symbols[i]; got != want {
			v.differ("symbol", path, "%v, should be %v", got, want)
		}
	}
	for i := range min(len(live.pieces), len(fresh.pieces)) {
		got, want := live.pieces[i], fresh.pieces[i]
		id, freshID := got.id, want.id
		got.id, want.id = 0, 0
		if got != want {
			v.differ("chunk", path, "%v, should be %v", got, want)
		}
		if got.start != want.start || got.end != want.end {
			continue // it is of another text
		}
		p.live, p.fresh = append(p.live, id), append(p.fresh, freshID)
		p.at = append(p.at, place{fresh, uint32(i)})
	}
}

func (s symbol) String() string {
	text := fmt.Sprintf("%s %s", s.kind(), s.name)
	if s.parent != "" {
		text = fmt.Sprintf("%s %s.%s", s.kind(), s.parent, s.name)
	}
	return fmt.Sprintf("%s in lines %d to %d, name in %d, bytes %d to %d, comment %d to %d, exported %t, signature %q",
		text, s.line, s.last, s.nameLine, s.start, s.end, s.docAt, s.docTo, s.exported, s.signature)
}

func (p piece) String() string {
	return fmt.Sprintf("lines %d to %d, bytes %d to %d, shown from %d, symbol %d, defines %t, head %t, hash %016x",
		p.line, p.last, p.start, p.end, p.lead, p.symbol, p.defines, p.head, p.hash)
}

// equal reports whether two texts are the same. What cannot be unpacked is not.
func (t text) equal(other text) (same bool) {
	if t.size != other.size {
		return false
	}
	if slices.EqualFunc(t.blocks, other.blocks, bytes.Equal) {
		return true
	}
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return bytes.Equal(t.all(), other.all())
}

// tables checks that what finds the live records agrees with them.
func (v *verifier) tables() {
	t := v.live.table
	defined := map[definition]int{}
	for hash, list := range t.names {
		for _, d := range list {
			if r := d.record; t.files[r.path] != r || int(d.symbol) >= len(r.symbols) || foldName(r.symbols[d.symbol].name) != hash {
				v.differ("symbol", r.path, "symbol %d is found under a name that it does not have", d.symbol)
				continue
			}
			defined[d]++
		}
	}
	symbols, refs, pieces, vectors := 0, 0, 0, 0
	size := int64(0)
	for path, r := range t.files {
		symbols, refs, size, pieces = symbols+len(r.symbols), refs+r.refs, size+r.size, pieces+len(r.pieces)
		for i := range r.symbols {
			if n := defined[definition{r, uint32(i)}]; n != 1 {
				v.differ("symbol", path, "%s in line %d is found %d times by its name, should be once", r.symbols[i].name, r.symbols[i].line, n)
			}
		}
		for i := range r.pieces {
			id := r.pieces[i].id
			if int(id) >= len(t.chunks) || t.chunks[id] != (place{r, uint32(i)}) {
				v.differ("chunk", path, "the chunk in line %d has a number that leads elsewhere", r.pieces[i].line)
			}
			if t.vectors != nil && t.vectors.Has(id) {
				vectors++
			}
		}
	}
	stored := 0
	if t.vectors != nil {
		stored = t.vectors.Len()
	}
	c := &v.live.state
	for _, n := range []struct {
		what      string
		got, want int64
	}{
		{"files", c.files.Load(), int64(len(t.files))},
		{"chunks", c.chunks.Load(), int64(pieces)},
		{"documents of the words", int64(t.words.Len()), int64(pieces)},
		{"symbols", int64(t.symbols), int64(symbols)},
		{"references", int64(t.refs), int64(refs)},
		{"bytes of source", t.bytes, size},
		{"vectors", int64(stored), int64(vectors)},
	} {
		if n.got != n.want {
			v.differ("count", "", "%s: %d are counted, there are %d", n.what, n.got, n.want)
		}
	}
}

// postings compares the words of the chunks.
func (v *verifier) postings(ctx context.Context, p *pairs) (err error) {
	v.Chunks = len(p.at)
	v.Terms, v.Postings, err = lexical.Compare(ctx, v.live.table.words, v.fresh.table.words, p.live, p.fresh, func(d lexical.Difference) {
		if len(v.Differences) >= v.opt.Limit {
			v.Total++
			return
		}
		if d.Doc < 0 {
			v.differ("posting", "", "the word with the hash %016x counts as in %d chunks, it is in %d", d.Term, d.Got, d.Want)
			return
		}
		at := p.at[d.Doc]
		line := at.record.pieces[at.piece].line
		if d.Term == 0 {
			v.differ("posting", at.record.path, "the chunk in line %d has %d words, should have %d", line, d.Got, d.Want)
			return
		}
		v.differ("posting", at.record.path, "the chunk in line %d has %s %d times, should have it %d times", line, at.word(d.Term), d.Got, d.Want)
	})
	return err
}

// word returns a word of a chunk that has the hash of a term.
func (at place) word(hash uint64) string {
	r, p := at.record, &at.record.pieces[at.piece]
	names := []string{string(r.text.slice(int(p.start), int(p.end))), r.path}
	for _, s := range r.begun(p) {
		names = append(names, s.name, s.parent)
	}
	found := ""
	lexical.Split([]byte(strings.Join(names, "\n")), func(term []byte) {
		if found == "" && lexical.Hash(lexical.Stem(string(term))) == hash {
			found = fmt.Sprintf("the word %q", term)
		}
	})
	if found == "" {
		return fmt.Sprintf("a word with the hash %016x", hash)
	}
	return found
}

// vectors compares the vectors of the chunks, and those of files that come from them.
func (v *verifier) vectors(p *pairs) {
	live, fresh := v.live.table.vectors, v.fresh.table.vectors
	if fresh == nil || live == nil {
		return
	}
	exact := v.live.opt.Embedder.Info().Backend == "go" && !v.live.foreign.Load()
	other := map[*record]bool{} // files with a vector that differs
	var got, want []byte
	for i, at := range p.at {
		line := at.record.pieces[at.piece].line
		got, want = live.AppendCode(got[:0], p.live[i]), fresh.AppendCode(want[:0], p.fresh[i])
		if len(want) > 0 {
			v.Vectors++
		}
		switch {
		case bytes.Equal(got, want):
			continue
		case len(got) == 0:
			v.differ("vector", at.record.path, "the chunk in line %d has none, should have one", line)
		case len(want) == 0:
			v.differ("vector", at.record.path, "the chunk in line %d has one, should have none", line)
		default:
			cosine := exactCosine(live.Vector(p.live[i]), fresh.Vector(p.fresh[i]))
			if !exact && cosine >= alike {
				v.Rounded++
			} else {
				v.differ("vector", at.record.path, "that of the chunk in line %d is another one (cosine %.7f)", line, cosine)
			}
		}
		other[at.record] = true
	}
	for _, at := range p.at {
		if at.piece != 0 || other[at.record] {
			continue
		}
		r := v.live.table.files[at.record.path]
		if r.ready != at.record.ready {
			v.differ("vector", r.path, "%d of its chunks count as having one, should be %d", r.ready, at.record.ready)
		}
		if !slices.Equal(r.meaning, at.record.meaning) {
			v.differ("vector", r.path, "that of the whole file is another one")
		}
	}
}

// exactCosine is the cosine of two vectors whose lengths are not quite 1.
func exactCosine(a, b []float32) float64 {
	product, x, y := 0.0, 0.0, 0.0
	for d := range a {
		p, q := float64(a[d]), float64(b[d])
		product, x, y = product+p*q, x+p*p, y+q*q
	}
	return product / math.Sqrt(x*y)
}

// graph compares the call graphs, where that can be done.
func (v *verifier) graph(ctx context.Context) error {
	switch live, fresh := &v.live.calls, &v.fresh.calls; {
	case v.Sampled:
		v.uncheck("edges and sites of the call graph: those of a sample are not those of the whole")
	case len(v.apart) > 0:
		v.uncheck("edges and sites of the call graph: they depend on the files that are not compared")
	case fresh.broken.Load():
		v.uncheck("edges and sites of the call graph: it could not be resolved")
	case live.broken.Load():
		v.differ("graph", "", "it could not be resolved and is empty, a fresh one can be")
	default:
		live.mu.RLock()
		defer live.mu.RUnlock()
		fresh.mu.RLock()
		defer fresh.mu.RUnlock()
		stats := fresh.graph.Stats()
		v.GraphDone, v.Edges, v.Sites = true, stats.Edges, stats.Sites+stats.External
		return graph.Compare(ctx, live.graph, fresh.graph, func(d graph.Difference) {
			detail := "should not be there: "
			if d.Lack {
				detail = "is not there: "
			}
			if d.What == "graph" {
				detail = ""
			}
			v.differ(d.What, d.Path, "%s%s", detail, d.Text)
		})
	}
	return nil
}
