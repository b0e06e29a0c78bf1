package calls

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A witness looks at the text of each file that says a name, which takes long where most
// files do. But what it finds there are calls of which the graph knows nothing, or that
// they lead out of the index, and these are few. So a server keeps, once it was asked, a
// posting list of them by name: the files that a witness has to look at. It is made in the
// background; a question for which it is not of the present state looks at all files, with
// the same answer.

// postings are the files that a witness has to look at, by what they name.
type postings struct {
	generation, version uint64 // of the index and its graph
	files               map[string]*posted
	entries             []uint64 // the hash of a word and the number of a file in Sources, in order
	disk                []int    // the numbers of files that are not indexed
}

// A posted file is one with the words that are called, or may be, without the graph's
// knowledge, and with those that it puts names together of.
type posted struct {
	record *store.Record // nil: it is not indexed
	disk   source.File   // then: what it was; the zero File: its words are not known
	known  uint64        // a hash of where the graph knows calls in it
	words  []uint32      // hashes, in order
}

// keptPostings are the last ones that were made.
type keptPostings struct{ last atomic.Pointer[postings] }

// Forget is nothing to do: postings of an earlier state spare the work on files that stay.
func (*keptPostings) Forget() {}

// toRead returns the numbers of the sources that have to be looked at, in order. Where they
// are not known it returns all, and in a server has them made for the next question.
func (t *witness) toRead(ctx context.Context, s *texts.Search, generation uint64) iter.Seq[int] {
	all := func(yield func(int) bool) {
		for n := range s.Files {
			if !yield(n) {
				return
			}
		}
	}
	if t.took != nil {
		return all
	}
	for _, a := range t.asked {
		if a.accessor {
			return all // it is run without a call
		}
	}
	x := t.index
	p := store.Kept[keptPostings](x).last.Load()
	if p != nil && p.generation == generation && p.version == t.Walk.calls.Version.Load() {
		return slices.Values(p.naming(s, t.asked))
	}
	if x.Opt.Background && x.Over == nil {
		ctx = context.WithoutCancel(ctx)
		t.Walk.calls.Precompute(func() { Prepare(ctx, x) })
	}
	return all
}

// testFilesLast puts tests after other files: of the places that there is a doubt about, one is
// told, and that should be one that matters in production.
func testFilesLast(all iter.Seq[int], files []texts.Source) iter.Seq[int] {
	return func(yield func(int) bool) {
		var tests []int
		for n := range all {
			if files[n].Traits.Test {
				tests = append(tests, n)
			} else if !yield(n) {
				return
			}
		}
		for _, n := range tests {
			if !yield(n) {
				return
			}
		}
	}
}

// Prepare makes the postings of the present state, which spare the next questions about
// callers most of their work. It gives up where the state changes.
func Prepare(ctx context.Context, x *store.View) {
	kept := store.Kept[keptPostings](x)
	was := kept.last.Load()
	sources, err := texts.SourcesOf(ctx, x)
	if err != nil || !x.Counters.Built.Load() || x.Graph.Behind() {
		return
	}
	every, err := texts.Compile(`.`, line.Options{})
	if err != nil {
		return
	}
	s := &texts.Search{Index: x, Pattern: every, Sources: sources, Files: sources.Files}
	s.Look()
	p := &postings{generation: sources.State.Generation, version: x.Graph.Version.Load(), files: map[string]*posted{}}
	var one texts.Reader
	for n := 0; n < len(sources.Files); {
		// The lock is let go of now and then, and while texts are read: a graph that is to change
		// does not wait long, nor do the questions behind it.
		first := n
		var known []knownCalls
		ReadGraph(x, func(w *Walk) {
			t := witness{Walk: w}
			for end := min(n+readAtOnce, len(sources.Files)); n < end; n++ {
				known = append(known, t.knownCalls(&sources.Files[n]))
			}
		})
		callgraph.Quietly(func() {
			for i := range known {
				file := &sources.Files[first+i]
				if !known[i].concerns {
					continue
				}
				before := &posted{}
				if was != nil && was.files[file.Path] != nil {
					before = was.files[file.Path]
				}
				if file.Record == nil {
					p.disk = append(p.disk, first+i)
					p.files[file.Path] = onDisk(s, first+i, &one, before)
				} else {
					p.files[file.Path] = known[i].posted(file.Record, &one, before)
				}
			}
		})
		if x.Graph.Stop.Load() || p.version != x.Graph.Version.Load() || p.generation != x.Counters.Generation.Load() {
			return
		}
	}
	for n := range sources.Files {
		if f := p.files[sources.Files[n].Path]; f != nil {
			for _, word := range f.words {
				p.entries = append(p.entries, uint64(word)<<32|uint64(n))
			}
		}
	}
	slices.Sort(p.entries)
	// An entry, its hash in its file, and a share of the map and of what slices have spare.
	x.Counters.Calls.Store(int64(len(p.entries))*16 + int64(len(p.files))*160)
	kept.last.Store(p)
}

// readAtOnce is of how many files Prepare reads the calls before it lets go of the graph.
const readAtOnce = 64

// onDisk finds the words of a file that is not indexed. before is what was known of it.
func onDisk(s *texts.Search, n int, one *texts.Reader, before *posted) *posted {
	now, there := s.OnDisk(n)
	if before.disk == now {
		return before
	}
	var found texts.Head
	if !there || !s.Text(one, n, &found) || !texts.Settled(now) {
		return &posted{}
	}
	words := map[uint32]bool{}
	lang := source.Language(now.Path, one.Src[:min(len(one.Src), 512)])
	src := mention.Plain(lang, now.Path, one.Src)
	mention.Words(src, func(m mention.Mention) bool {
		words[hashOf(m.Name)] = true
		if mention.WayAt(lang, src, m.Offset, m.Offset+len(m.Name)) == mention.Part {
			words[hashOfPart(m.Name)] = true
		}
		return true
	})
	return &posted{disk: now, words: slices.Sorted(maps.Keys(words))}
}

// knownCalls are where the graph knows calls in a file.
type knownCalls struct {
	concerns bool // the file matters to a witness
	inGraph  bool
	at       map[ir.Pos]bool
	implicit map[ir.Pos]uint32 // the word of what the language calls there
	sum      uint64            // a hash of all
}

func (t *witness) knownCalls(file *texts.Source) knownCalls {
	k := knownCalls{concerns: t.concerns(file)}
	if file.Record == nil || !k.concerns {
		return k
	}
	k.inGraph, k.at, k.implicit = t.G.Has(file.Path), map[ir.Pos]bool{}, map[ir.Pos]uint32{}
	if !k.inGraph {
		return k
	}
	t.G.CallsIn(file.Path, func(e graph.Edge) bool {
		switch {
		case !tells(&e):
		case e.Rule == graph.ByProperty:
			k.implicit[e.Pos] = hashOf(PlainName(t.Node(e.To)))
			k.sum += mixed(e.Pos, 3)
		default:
			k.at[e.Pos] = true
			k.sum += mixed(e.Pos, 1)
		}
		return true
	}, func(s graph.Site) bool {
		if s.Reason != graph.External {
			k.at[s.Pos] = true
			k.sum += mixed(s.Pos, 2)
		}
		return true
	})
	return k
}

// posted finds the words of an indexed file. before is what was known of it.
func (k *knownCalls) posted(r *store.Record, one *texts.Reader, before *posted) *posted {
	if before.record == r && before.known == k.sum {
		return before
	}
	src := line.Unix(r.Text.AppendAll(one.Src[:0]))
	one.Src = src
	src = mention.Plain(r.Lang, r.Path, src)
	words := map[uint32]bool{}
	all := !k.inGraph || loose(r.Lang)
	mention.Words(src, func(m mention.Mention) bool {
		hash := hashOf(m.Name)
		way := mention.WayAt(r.Lang, src, m.Offset, m.Offset+len(m.Name))
		at := ir.At(m.Line, m.Column)
		if of, ok := k.implicit[at]; (k.at[at] || ok && of == hash) && way != mention.Class && way != mention.Token {
			return true
		}
		if way == mention.Part {
			words[hashOfPart(m.Name)] = true
			way = mention.NoWay // to what is asked for by its whole name
		}
		if way != mention.NoWay || (all || m.Call) && !words[hash] && !remarked(r.Lang, src, m.Offset) && !named(r, src, &m) {
			words[hash] = true
		}
		return true
	})
	return &posted{record: r, known: k.sum, words: slices.Sorted(maps.Keys(words))}
}

// named reports whether the file defines what a word names in its line. With a mark the word
// is not the whole name.
func named(r *store.Record, src []byte, m *mention.Mention) bool {
	end := m.Offset + len(m.Name)
	if dotted(r.Lang, src, m.Offset) || m.Offset > 0 && src[m.Offset-1] == '#' || end < len(src) && (src[end] == '?' || src[end] == '!') {
		return false
	}
	return r.NamedAt(m.Name, m.Line) >= 0
}

func mixed(p ir.Pos, kind uint64) uint64 {
	h := (uint64(p)<<2 | kind) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func hashOf(word string) uint32 { return uint32(xxhash.Sum64String(word)) }

// hashOfPart is that of a word that a name is put together of: most files say one such as Type, and
// few have it as a part.
func hashOfPart(word string) uint32 { return hashOf(word + "+") }

// loose reports whether a call need not look like one in a language, or whether the graph
// does not see there that a function is passed on or stored.
func loose(language string) bool {
	switch language {
	case "ruby", "elixir", "vue", "svelte", "bash", "elm", "groovy", "lua", "ocaml", "scala", "swift":
		return true
	}
	return false
}

// naming returns the numbers of the files that a witness has to look at, in order.
func (p *postings) naming(s *texts.Search, asked map[string]*askedName) (numbers []int) {
	for _, n := range p.disk {
		if now, there := s.OnDisk(n); s.Unseen(n) || there && p.files[now.Path].disk != now {
			numbers = append(numbers, n)
		}
	}
	for name, a := range asked {
		hash := uint64(hashOf(mention.Word(name))) << 32
		if a.part() {
			hash = uint64(hashOfPart(mention.Word(name))) << 32
		}
		at, _ := slices.BinarySearch(p.entries, hash)
		for ; at < len(p.entries) && p.entries[at]>>32 == hash>>32; at++ {
			numbers = append(numbers, int(uint32(p.entries[at])))
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
