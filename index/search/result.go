package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/chunk"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// hit is a chosen chunk, with all that its result needs.
type hit struct {
	record  *store.Record
	piece   *store.Chunk
	symbol  int32
	score   rank.Scored
	explain []Signal
	kinds   []string // that the symbol to show must have; none: any
	src     []byte   // of the piece, nil: not unpacked yet
	made    *Result  // what result returned
}

// text returns that of the piece.
func (h *hit) text() []byte {
	if h.src == nil {
		h.src = h.record.Text.Slice(int(h.piece.Start), int(h.piece.End))
	}
	return h.src
}

// shows reports whether a symbol is one to show.
func (h *hit) shows(symbol int32) bool {
	return len(h.kinds) == 0 || slices.Contains(h.kinds, string(h.record.Symbols[symbol].Kind()))
}

func (s *inquiry) hit(c rank.Scored) hit {
	at := s.table.Chunks[c.ID]
	h := hit{record: at.Record, piece: at.Record.Chunk(at.Chunk), score: c, symbol: s.symbolOf(c.ID), src: s.unpackedText(c.ID)}
	if h.symbol < 0 && c.Symbol > 0 {
		h.symbol = int32(c.Symbol - 1)
	}
	return h
}

// symbolOf returns the symbol of a chunk that was asked for by name, -1: none.
func (s *inquiry) symbolOf(id uint32) int32 {
	if i, ok := s.byID[id]; ok {
		return s.marks[i].symbol
	}
	return -1
}

// unpackedText returns the text of a chunk that was unpacked, nil of others.
func (s *inquiry) unpackedText(id uint32) []byte {
	for _, u := range s.unpacked {
		if u.id == id {
			return s.texts[u.from:u.to]
		}
	}
	return nil
}

// focus chooses the symbol to show when the question did not name one.
func (h *hit) focus(q rank.Query, src []byte) {
	r, p := h.record, h.piece
	if h.symbol >= 0 && h.shows(h.symbol) || p.Symbol < 0 {
		return
	}
	h.symbol = p.Symbol
	folded := lowered(src)
	var places []rank.Place
	var at []int32
	after := p.Start // what stands between two symbols is the second one's comment
	for i, sym := range r.Begun(p) {
		if !h.shows(int32(i)) {
			continue
		}
		end := max(min(sym.End, p.End), sym.Start)
		places = append(places, rank.Place{
			Name: sym.Name, Parent: sym.Parent, Kind: string(sym.Kind()), Lines: int(sym.Last-sym.Line) + 1,
			Text: folded[min(after, sym.Start)-p.Start : end-p.Start],
		})
		at = append(at, int32(i))
		after = max(after, end)
	}
	n := rank.Focus(q, places)
	plain := n < 0 || r.Symbols[at[n]].Kind() == syntax.Field && r.Symbols[p.Symbol].Kind() != syntax.Field
	if plain && (h.shows(p.Symbol) || len(at) == 0) {
		return // fields only: their type says what they are
	}
	h.symbol = at[max(n, 0)]
}

// lowered returns a text in lower case, of the same length: as it is where it has letters whose
// small form is of another one.
func lowered(src []byte) string {
	folded := make([]byte, len(src))
	for i, c := range src {
		if c >= utf8.RuneSelf {
			if folded := strings.ToLower(string(src)); len(folded) == len(src) {
				return folded
			}
			return string(src)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		folded[i] = c
	}
	return string(folded)
}

// someLines is how many lines a symbol must span to be shown without what
// follows it in its chunk.
const someLines = 3

// result returns what is shown of the piece. It is made once.
func (h *hit) result(q rank.Query) Result {
	if h.made == nil {
		r := h.show(q)
		h.made = &r
	}
	return *h.made
}

func (h *hit) show(q rank.Query) Result {
	r, p, src := h.record, h.piece, h.text()
	h.focus(q, src)
	lead, line := p.Lead, p.Line
	out := Result{File: r.Path, EndLine: int(p.Last), Role: r.RoleOf(p), Lang: r.Lang, FileHash: r.Hash, FileTokens: answer.Tokens(int(r.Size))}
	if h.symbol >= 0 {
		sym := &r.Symbols[h.symbol]
		out.Symbol, out.Kind, out.Signature = sym.Name, string(sym.Kind()), sym.Signature
		if p.Holds(sym) {
			out.Role = cmp.Or(string(r.Role), answer.RoleDefinition)
			start := int(sym.Start - p.Start)
			at := bytes.LastIndexByte(src[:start], '\n') + 1
			lead, line = p.Start+uint32(at), sym.Line
			if n := int(sym.NameLine) - int(sym.Line); n > 0 && chunk.Decorated(src[start:]) {
				if below, ok := source.LineAt(src[at:], n); ok {
					lead, line = lead+uint32(below), sym.NameLine
				}
			}
			end := int(min(sym.End, p.End) - p.Start)
			if sym.Last < p.Last && sym.Last >= line+someLines-1 && !tells(q, src[start:end], src[end:]) {
				out.EndLine = int(sym.Last)
			}
		}
	}
	content := src[lead-p.Start:]
	if cut, ok := source.LineAt(content, out.EndLine-int(line)+1); ok {
		content = content[:cut]
	}
	out.Line = int(line)
	out.Content = strings.TrimRight(string(content), " \t\r\n")
	if out.Signature == "" {
		out.Signature = store.FirstLine(out.Content)
	}
	return out
}

// passage returns what a reranker reads of a result that was made of h.
func (h *hit) passage(r *Result) rerank.Passage {
	name, _ := rank.PathParts(h.record.Path)
	p := rerank.Passage{Names: name, Text: r.Content}
	if h.symbol >= 0 {
		sym := &h.record.Symbols[h.symbol]
		p.Names += " . " + sym.Qualified()
		p.Doc = h.record.DocOf(sym)
	}
	return p
}

// tells reports whether rest repeats a word of the question that text does not.
func tells(q rank.Query, text, rest []byte) bool {
	text, rest = bytes.ToLower(text), bytes.ToLower(rest)
	for _, k := range q.Keywords {
		if word := []byte(k); bytes.Contains(rest, word) && !bytes.Contains(text, word) {
			return true
		}
	}
	return false
}
