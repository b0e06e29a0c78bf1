// Package postings has the posting list of what a question about callers has to look at in the
// text: which files have which words that are called, or may be, without the call graph's knowledge.
package postings

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// Postings are the files that have to be looked at, by what they name.
type Postings struct {
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

// Kept are the last postings that were made.
type Kept struct{ last atomic.Pointer[Postings] }

// Forget is nothing to do: postings of an earlier state spare the work on files that stay.
func (*Kept) Forget() {}

// Of returns the postings of a state, or nil.
func (k *Kept) Of(generation, version uint64) *Postings {
	if p := k.last.Load(); p != nil && p.generation == generation && p.version == version {
		return p
	}
	return nil
}

// Known are the places at which the graph knows calls in a file.
type Known struct {
	InGraph  bool // the graph has the file
	at       map[ir.Pos]bool
	implicit map[ir.Pos]uint32 // the word of what the language calls there
	sum      uint64            // a hash of all
}

// Call takes a place at which a call is known: of something, or one that is open.
func (k *Known) Call(at ir.Pos, open bool) {
	if k.at == nil {
		k.at = map[ir.Pos]bool{}
	}
	k.at[at] = true
	kind := uint64(1)
	if open {
		kind = 2
	}
	k.sum += mixed(at, kind)
}

// Implicit takes a place at which the language calls what has a name.
func (k *Known) Implicit(at ir.Pos, name string) {
	if k.implicit == nil {
		k.implicit = map[ir.Pos]uint32{}
	}
	k.implicit[at] = hashOf(name)
	k.sum += mixed(at, 3)
}

func mixed(p ir.Pos, kind uint64) uint64 {
	h := (uint64(p)<<2 | kind) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// A Maker makes postings, and spares the work on files that are as they were in the last ones.
type Maker struct {
	Search *texts.Search // of every text
	made   *Postings
	was    *Postings
	one    texts.Reader
}

// Make begins to make the postings of a state.
func (k *Kept) Make(s *texts.Search, generation, version uint64) *Maker {
	return &Maker{Search: s, made: &Postings{generation: generation, version: version, files: map[string]*posted{}}, was: k.last.Load()}
}

// Add takes the nth of the files.
func (m *Maker) Add(n int, k *Known) {
	file := &m.Search.Files[n]
	before := &posted{}
	if m.was != nil && m.was.files[file.Path] != nil {
		before = m.was.files[file.Path]
	}
	if file.Record == nil {
		m.made.disk = append(m.made.disk, n)
		m.made.files[file.Path] = m.onDisk(n, before)
	} else {
		m.made.files[file.Path] = k.posted(file.Record, &m.one, before)
	}
}

// Keep puts the postings in place of the last ones, and returns their size in bytes.
func (k *Kept) Keep(m *Maker) int64 {
	p := m.made
	for n := range m.Search.Files {
		if f := p.files[m.Search.Files[n].Path]; f != nil {
			for _, word := range f.words {
				p.entries = append(p.entries, uint64(word)<<32|uint64(n))
			}
		}
	}
	slices.Sort(p.entries)
	k.last.Store(p)
	// An entry, its hash in its file, and a share of the map and of what slices have spare.
	return int64(len(p.entries))*16 + int64(len(p.files))*160
}

// onDisk finds the words of a file that is not indexed. before is what was known of it.
func (m *Maker) onDisk(n int, before *posted) *posted {
	now, there := m.Search.OnDisk(n)
	if before.disk == now {
		return before
	}
	var found texts.Head
	if !there || !m.Search.Text(&m.one, n, &found) || !texts.Settled(now) {
		return &posted{}
	}
	lang := source.Language(now.Path, m.one.Src[:min(len(m.one.Src), 512)])
	src := mention.Plain(lang, now.Path, m.one.Src)
	nothing := func(*mention.Mention, mention.Way) bool { return false }
	return &posted{disk: now, words: wordsOf(lang, src, nothing, func(*mention.Mention) bool { return true })}
}

// posted finds the words of an indexed file. before is what was known of it.
func (k *Known) posted(r *store.Record, one *texts.Reader, before *posted) *posted {
	if before.record == r && before.known == k.sum {
		return before
	}
	src := line.Unix(r.Text.AppendAll(one.Src[:0]))
	one.Src = src
	src = mention.Plain(r.Lang, r.Path, src)
	all := !k.InGraph || mention.Loose(r.Lang)
	known := func(m *mention.Mention, way mention.Way) bool {
		at := ir.At(m.Line, m.Column)
		of, ok := k.implicit[at]
		return (k.at[at] || ok && of == hashOf(m.Name)) && way != mention.Class && way != mention.Token
	}
	calls := func(m *mention.Mention) bool { return (all || m.Call) && !named(r, src, m) }
	return &posted{record: r, known: k.sum, words: wordsOf(r.Lang, src, known, calls)}
}

// wordsOf returns the words of a text that a witness has to look at: those with a way to be called,
// and of the others those that may be calls, if the graph does not know of them.
func wordsOf(lang string, src []byte, known func(*mention.Mention, mention.Way) bool, calls func(*mention.Mention) bool) []uint32 {
	words := map[uint32]bool{}
	ways := mention.Ways{Language: lang, Src: src}
	mention.Words(src, func(m mention.Mention) bool {
		hash, end := hashOf(m.Name), m.Offset+len(m.Name)
		if words[hash] && !mention.MayBePart(lang, src, m.Offset, end) {
			return true
		}
		way := ways.At(m.Offset, end)
		if known(&m, way) {
			return true
		}
		if way == mention.Part {
			words[hashOfPart(m.Name)] = true
			way = mention.NoWay // to what is asked for by its whole name
		}
		if way != mention.NoWay || !words[hash] && calls(&m) && !mention.NoUse(lang, src, m.Offset) {
			words[hash] = true
		}
		return true
	})
	return slices.Sorted(maps.Keys(words))
}

// named reports whether the file defines what a word names in its line. With a mark the word
// is not the whole name.
func named(r *store.Record, src []byte, m *mention.Mention) bool {
	end := m.Offset + len(m.Name)
	if mention.Dotted(r.Lang, src, m.Offset) || m.Offset > 0 && src[m.Offset-1] == '#' || end < len(src) && (src[end] == '?' || src[end] == '!') {
		return false
	}
	return r.NamedAt(m.Name, m.Line) >= 0
}

func hashOf(word string) uint32 { return uint32(xxhash.Sum64String(word)) }

// hashOfPart is that of a word that a name is put together of: most files say one such as Type, and
// few have it as a part.
func hashOfPart(word string) uint32 { return hashOf(word + "+") }

// Naming returns the numbers of the files that have to be looked at for some names, in order: of
// those whose value is true, the ones that put a name together of them.
func (p *Postings) Naming(s *texts.Search, names map[string]bool) (numbers []int) {
	for _, n := range p.disk {
		if now, there := s.OnDisk(n); s.Unseen(n) || there && p.files[now.Path].disk != now {
			numbers = append(numbers, n)
		}
	}
	for name, part := range names {
		hash := uint64(hashOf(mention.Word(name))) << 32
		if part {
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

// Concerns reports whether code in a file may call something in the index.
func Concerns(file *texts.Source, inGraph bool) bool {
	if inGraph {
		return true
	}
	if protocol.NamesFunctions(file.Path) {
		return true
	}
	if stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(file.Path, "ts"), "m"), "c"); strings.HasSuffix(stem, ".d.") {
		return false // it declares alone
	}
	if file.Traits.Doc || file.Traits.Config {
		return false
	}
	if lang := source.Language(file.Path, nil); source.IsText(lang) || source.IsData(lang) {
		return false
	}
	switch path.Ext(file.Path) {
	case ".snap", ".map", ".stderr", ".stdout", ".log", ".expected", ".golden": // what programs have written
		return false
	}
	return true
}
