package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/chunk"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// hit is a chosen chunk, with all that its result needs.
type hit struct {
	record  *record
	piece   *piece
	symbol  int32
	score   rank.Scored
	explain []Signal
	kinds   []string // that the symbol to show must have; none: any
}

// shows reports whether a symbol is one to show.
func (h *hit) shows(symbol int32) bool {
	return len(h.kinds) == 0 || slices.Contains(h.kinds, string(h.record.symbols[symbol].kind()))
}

func (s *inquiry) hit(c rank.Scored) hit {
	at := s.table.chunks[c.ID]
	return hit{record: at.record, piece: at.record.piece(at.piece), score: c, symbol: s.symbolOf(c.ID)}
}

// symbolOf returns the symbol of a chunk that was asked for by name, -1: none.
func (s *inquiry) symbolOf(id uint32) int32 {
	if i, ok := s.byID[id]; ok {
		return s.marks[i].symbol
	}
	return -1
}

// focus chooses the symbol to show when the question did not name one.
func (h *hit) focus(q rank.Query, src []byte) {
	r, p := h.record, h.piece
	if h.symbol >= 0 && h.shows(h.symbol) || p.symbol < 0 {
		return
	}
	h.symbol = p.symbol
	folded := strings.ToLower(string(src))
	if len(folded) != len(src) {
		folded = string(src) // letters whose small form is of another length
	}
	var places []rank.Place
	var at []int32
	after := p.start // what stands between two symbols is the second one's comment
	for i, sym := range r.begun(p) {
		if !h.shows(int32(i)) {
			continue
		}
		end := max(min(sym.end, p.end), sym.start)
		places = append(places, rank.Place{
			Name: sym.name, Parent: sym.parent, Kind: string(sym.kind()), Lines: int(sym.last-sym.line) + 1,
			Text: folded[min(after, sym.start)-p.start : end-p.start],
		})
		at = append(at, int32(i))
		after = max(after, end)
	}
	n := rank.Focus(q, places)
	plain := n < 0 || r.symbols[at[n]].kind() == syntax.Field && r.symbols[p.symbol].kind() != syntax.Field
	if plain && (h.shows(p.symbol) || len(at) == 0) {
		return // fields only: their type says what they are
	}
	h.symbol = at[max(n, 0)]
}

// someLines is how many lines a symbol must span to be shown without what
// follows it in its chunk.
const someLines = 3

func (h hit) result(q rank.Query) Result {
	r, p := h.record, h.piece
	src := r.text.slice(int(p.start), int(p.end))
	h.focus(q, src)
	lead, line := p.lead, p.line
	out := Result{File: r.path, EndLine: int(p.last), Role: r.roleOf(p), Lang: r.lang, FileHash: r.hash, FileTokens: tokens(int(r.size))}
	if h.symbol >= 0 {
		sym := &r.symbols[h.symbol]
		out.Symbol, out.Kind, out.Signature = sym.name, string(sym.kind()), sym.signature
		if p.holds(sym) {
			out.Role = cmp.Or(string(r.role), RoleDefinition)
			start := int(sym.start - p.start)
			at := bytes.LastIndexByte(src[:start], '\n') + 1
			lead, line = p.start+uint32(at), sym.line
			if n := int(sym.nameLine) - int(sym.line); n > 0 && chunk.Decorated(src[start:]) {
				if below, ok := lineAt(src[at:], n); ok {
					lead, line = lead+uint32(below), sym.nameLine
				}
			}
			end := int(min(sym.end, p.end) - p.start)
			if sym.last < p.last && sym.last >= line+someLines-1 && !tells(q, src[start:end], src[end:]) {
				out.EndLine = int(sym.last)
			}
		}
	}
	content := src[lead-p.start:]
	if cut, ok := lineAt(content, out.EndLine-int(line)+1); ok {
		content = content[:cut]
	}
	out.Line = int(line)
	out.Content = strings.TrimRight(string(content), " \t\r\n")
	if out.Signature == "" {
		out.Signature = firstLine(out.Content)
	}
	return out
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
