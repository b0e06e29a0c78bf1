package verify

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/store"
)

// alike is the cosine from which two vectors of one chunk count as the same, where they
// may have been summed in another order: by ONNX Runtime in another batch, or by another
// backend before the snapshot was written that the index was restored from. Of 4,363
// vectors of the built-in model 15 differ by the batch, with cosines of 1 to twelve
// digits, and 3,579 by the backend, four of them with less than 0.999999: a vector is
// kept in few bits, and then falls to the other side of some.
const alike = 0.999

// tokensAlike is how near the tokens of one chunk must be to those of the other, by that of the
// others to themselves: more fall to the other side of fewer bits, and of nearly equal ones
// another may be among those that are kept.
const tokensAlike = 0.97

// differ notes a difference.
func (v *Verifier) differ(kind, path, format string, args ...any) {
	v.Total++
	if len(v.Differences) < v.Opt.Limit {
		v.Differences = append(v.Differences, Difference{kind, path, fmt.Sprintf(format, args...)})
	}
}

func (v *Verifier) uncheck(format string, args ...any) {
	v.Unchecked = append(v.Unchecked, fmt.Sprintf(format, args...))
}

// compare compares all that the two indexes hold of the files that they hold alike.
func (v *Verifier) compare(ctx context.Context) error {
	now := time.Now()
	live, fresh := v.Live.Table, v.fresh.Table
	if n := max(v.Live.Counters.Unread.Load(), v.fresh.Counters.Unread.Load()); n > 0 {
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
			if changed++; len(v.Changed) < v.Opt.Limit {
				v.Changed = append(v.Changed, path)
			}
		default:
			v.Files++
			if live.Files[path] != nil {
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
		v.record(live.Files[path], fresh.Files[path], &p)
	}
	v.tables()
	if err := v.postings(ctx, &p); err != nil {
		return err
	}
	if err := v.ofOneKind(ctx, &p); err != nil {
		return err
	}
	v.vectors(&p)
	return v.graph(ctx)
}

// pairs are the chunks that both indexes have, by path and place.
type pairs struct {
	live, fresh []uint32         // ids
	at          []store.ChunkRef // in the fresh one
}

// record compares what is known of a file, and enters its chunks in p.
func (v *Verifier) record(live, fresh *store.Record, p *pairs) {
	path := fresh.Path
	for _, f := range []struct {
		what      string
		got, want any
	}{
		{"path", live.Path, fresh.Path},
		{"language", live.Lang, fresh.Lang},
		{"role", live.Role, fresh.Role},
		{"traits", live.Traits, fresh.Traits},
		{"having a grammar", live.Grammar, fresh.Grammar},
		{"having syntax errors", live.Errors, fresh.Errors},
		{"fault of the parser", live.Fault, fresh.Fault},
		{"references", live.Refs, fresh.Refs},
		{"bytes of code", live.Code, fresh.Code},
		{"abstractness", live.Abstract, fresh.Abstract},
		{"symbols", len(live.Symbols), len(fresh.Symbols)},
		{"chunks", len(live.Chunks), len(fresh.Chunks)},
	} {
		if f.got != f.want {
			v.differ("record", path, "%s: %v, should be %v", f.what, f.got, f.want)
		}
	}
	a, b := v.Live.Table.Lexicon, v.fresh.Table.Lexicon
	if !a.Equal(live.Words.Stem, b, fresh.Words.Stem) || !a.Equal(live.Words.Folders, b, fresh.Words.Folders) ||
		!a.Equal(live.Words.Symbols, b, fresh.Words.Symbols) {
		v.differ("record", path, "the words of its names are others")
	}
	if !live.Text.Equal(fresh.Text) {
		v.differ("text", path, "it is not the text of the file")
	}
	if !bytes.Equal(live.Lowered, fresh.Lowered) {
		v.differ("record", path, "what it was lowered to for the call graph is something else")
	}
	v.Symbols += len(fresh.Symbols)
	for i := range min(len(live.Symbols), len(fresh.Symbols)) {
		if got, want := live.Symbols[i], fresh.Symbols[i]; got != want {
			v.differ("symbol", path, "%v, should be %v", got, want)
		}
	}
	for i := range min(len(live.Chunks), len(fresh.Chunks)) {
		got, want := live.Chunks[i], fresh.Chunks[i]
		id, freshID := got.ID, want.ID
		got.ID, want.ID = 0, 0
		if got != want {
			v.differ("chunk", path, "%v, should be %v", got, want)
		}
		if got.Start != want.Start || got.End != want.End {
			continue // it is of another text
		}
		p.live, p.fresh = append(p.live, id), append(p.fresh, freshID)
		p.at = append(p.at, store.ChunkRef{Record: fresh, Chunk: uint32(i)})
	}
}

// tables checks that what finds the live records agrees with them.
func (v *Verifier) tables() {
	t := v.Live.Table
	defined := map[store.SymbolRef]int{}
	for hash, list := range t.Names {
		for _, d := range list {
			if r := d.Record; t.Files[r.Path] != r || int(d.Symbol) >= len(r.Symbols) || store.FoldName(r.Symbols[d.Symbol].Name) != hash {
				v.differ("symbol", r.Path, "symbol %d is found under a name that it does not have", d.Symbol)
				continue
			}
			defined[d]++
		}
	}
	symbols, refs, pieces, vectors, plain := 0, 0, 0, 0, 0
	size := int64(0)
	for path, r := range t.Files {
		symbols, refs, size, pieces = symbols+len(r.Symbols), refs+r.Refs, size+r.Size, pieces+len(r.Chunks)
		plain += t.PlainIn(r)
		for i := range r.Symbols {
			if n := defined[store.SymbolRef{Record: r, Symbol: uint32(i)}]; n != 1 {
				v.differ("symbol", path, "%s in line %d is found %d times by its name, should be once", r.Symbols[i].Name, r.Symbols[i].Line, n)
			}
		}
		for i := range r.Chunks {
			id := r.Chunks[i].ID
			if int(id) >= len(t.Chunks) || t.Chunks[id] != (store.ChunkRef{Record: r, Chunk: uint32(i)}) {
				v.differ("chunk", path, "the chunk in line %d has a number that leads elsewhere", r.Chunks[i].Line)
			}
			if t.Vectors != nil && t.Vectors.Has(id) {
				vectors++
			}
		}
	}
	stored := 0
	if t.Vectors != nil {
		stored = t.Vectors.Len()
	}
	c := &v.Live.Counters
	for _, n := range []struct {
		what      string
		got, want int64
	}{
		{"files", c.Files.Load(), int64(len(t.Files))},
		{"chunks", c.Chunks.Load(), int64(pieces)},
		{"documents of the words", int64(t.Words.Len()), int64(pieces)},
		{"symbols", int64(t.Symbols), int64(symbols)},
		{"references", int64(t.Refs), int64(refs)},
		{"bytes of source", t.Bytes, size},
		{"vectors", int64(stored), int64(vectors)},
		{"vectors to be refined", c.Plain.Load(), int64(plain)},
	} {
		if n.got != n.want {
			v.differ("count", "", "%s: %d are counted, there are %d", n.what, n.got, n.want)
		}
	}
}

// postings compares the words of the chunks.
func (v *Verifier) postings(ctx context.Context, p *pairs) (err error) {
	v.Chunks = len(p.at)
	v.Terms, v.Postings, err = lexical.Compare(ctx, v.Live.Table.Words, v.fresh.Table.Words, p.live, p.fresh, func(d lexical.Difference) {
		if len(v.Differences) >= v.Opt.Limit {
			v.Total++
			return
		}
		if d.Doc < 0 {
			v.differ("posting", "", "the word with the hash %016x counts as in %d chunks, it is in %d", d.Term, d.Got, d.Want)
			return
		}
		at := p.at[d.Doc]
		line := at.Record.Chunks[at.Chunk].Line
		if d.Term == 0 {
			v.differ("posting", at.Record.Path, "the chunk in line %d has %d words, should have %d", line, d.Got, d.Want)
			return
		}
		v.differ("posting", at.Record.Path, "the chunk in line %d has %s %d times, should have it %d times", line, word(at, d.Term), d.Got, d.Want)
	})
	return err
}

// word returns a word of a chunk that has the hash of a term.
func word(at store.ChunkRef, hash uint64) string {
	r, p := at.Record, &at.Record.Chunks[at.Chunk]
	names := []string{string(r.Text.Slice(int(p.Start), int(p.End))), r.Path}
	for _, s := range r.Begun(p) {
		names = append(names, s.Name, s.Parent)
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

// ofOneKind gives the fresh index the plain vectors of those chunks of which the live one has
// no better yet, so that vectors of one kind are compared.
func (v *Verifier) ofOneKind(ctx context.Context, p *pairs) error {
	live, fresh := v.Live.Table.Vectors, v.fresh.Table
	if live == nil || live.Plain() == 0 {
		return nil
	}
	vector := make([]float32, v.Live.Dim)
	files := map[*store.Record]bool{}
	for i, at := range p.at {
		if !live.IsPlain(p.live[i]) || fresh.Vectors.IsPlain(p.fresh[i]) {
			continue
		}
		err := v.fresh.PlainVector(ctx, at, vector)
		if err == nil {
			err = fresh.Vectors.Add(p.fresh[i], vector)
		}
		if err != nil {
			return fmt.Errorf("index: %s: %w", at.Record.Path, err)
		}
		files[at.Record] = true
	}
	for r := range files {
		fresh.Sum(r)
	}
	return nil
}

// vectors compares the vectors of the chunks, and those of files that come from them.
func (v *Verifier) vectors(p *pairs) {
	live, fresh := v.Live.Table.Vectors, v.fresh.Table.Vectors
	if fresh == nil || live == nil {
		return
	}
	exact := v.Live.Opt.Embedder.Info().Backend == "go" && !v.Live.Foreign.Load()
	other := map[*store.Record]bool{} // files with a vector that differs
	var got, want []byte
	for i, at := range p.at {
		line := at.Record.Chunks[at.Chunk].Line
		got, want = live.AppendCode(got[:0], p.live[i]), fresh.AppendCode(want[:0], p.fresh[i])
		if len(want) > 0 {
			v.Vectors++
		}
		switch {
		case bytes.Equal(got, want):
			continue
		case len(got) == 0:
			v.differ("vector", at.Record.Path, "the chunk in line %d has none, should have one", line)
		case len(want) == 0:
			v.differ("vector", at.Record.Path, "the chunk in line %d has one, should have none", line)
		default:
			cosine := exactCosine(live.Vector(p.live[i]), fresh.Vector(p.fresh[i]))
			// Better vectors are the work of ONNX Runtime, whoever computes the others.
			better := v.Live.Refiner != nil && !fresh.IsPlain(p.fresh[i])
			tokens := fresh.Tokens(p.fresh[i])
			switch near, most := live.Late(tokens).With(p.live[i]), fresh.Late(tokens).With(p.fresh[i]); {
			case exact && !better || cosine < alike:
				v.differ("vector", at.Record.Path, "that of the chunk in line %d is another one (cosine %.7f)", line, cosine)
			case near < tokensAlike*most:
				v.differ("vector", at.Record.Path, "those of the tokens of the chunk in line %d are other ones (%.3f as near as they should be)", line, near/most)
			default:
				v.Rounded++
			}
		}
		other[at.Record] = true
	}
	for _, at := range p.at {
		if at.Chunk != 0 || other[at.Record] {
			continue
		}
		r := v.Live.Table.Files[at.Record.Path]
		if r.Ready != at.Record.Ready {
			v.differ("vector", r.Path, "%d of its chunks count as having one, should be %d", r.Ready, at.Record.Ready)
		}
		if !r.Meaning.Equal(&at.Record.Meaning) {
			v.differ("vector", r.Path, "that of the whole file is another one")
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
func (v *Verifier) graph(ctx context.Context) error {
	switch live, fresh := &v.Live.Graph, &v.fresh.Graph; {
	case v.Sampled:
		v.uncheck("edges and sites of the call graph: those of a sample are not those of the whole")
	case len(v.apart) > 0:
		v.uncheck("edges and sites of the call graph: they depend on the files that are not compared")
	case fresh.Broken.Load():
		v.uncheck("edges and sites of the call graph: it could not be resolved")
	case live.Broken.Load():
		v.differ("graph", "", "it could not be resolved whole, a fresh one can be")
	default:
		live.Mu.RLock()
		defer live.Mu.RUnlock()
		fresh.Mu.RLock()
		defer fresh.Mu.RUnlock()
		stats := fresh.Graph.Stats()
		v.GraphDone, v.Edges, v.Sites = true, stats.Edges, stats.Sites+stats.External
		return graph.Compare(ctx, live.Graph, fresh.Graph, func(d graph.Difference) {
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
