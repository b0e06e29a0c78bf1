package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// describe returns what the model sees of a piece, whose text is given.
func (r *record) describe(p *piece, text string) embed.Document {
	return embed.Document{Path: r.path, Names: r.namesIn(p), Text: text}
}

// describedHash is the hash of what describe returns without the path: an edited
// file's pieces take over the vectors of those that had the same. A piece's
// names can change while its text does not, when its class is renamed.
func (r *record) describedHash(p *piece, text []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.WriteString(r.namesIn(p))
	d.Write([]byte{0}) // no name has it
	d.Write(text)
	return d.Sum64()
}

// namesIn returns the names of the symbols that begin in a piece, each followed
// by its parent's, or those of the symbol that the piece lies in. Fields are left
// out: there are many, and they would bury the name of their type.
func (r *record) namesIn(p *piece) string {
	var b strings.Builder
	add := func(s *symbol) {
		for _, name := range [...]string{s.name, s.parent} {
			if name == "" {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(name)
		}
	}
	first, _ := slices.BinarySearchFunc(r.symbols, p.start, func(s symbol, at uint32) int { return cmp.Compare(s.start, at) })
	for i := first; i < len(r.symbols) && r.symbols[i].start < p.end; i++ {
		if s := &r.symbols[i]; s.kind != syntax.Field {
			add(s)
		}
	}
	if b.Len() == 0 && p.symbol >= 0 {
		add(&r.symbols[p.symbol])
	}
	return b.String()
}
