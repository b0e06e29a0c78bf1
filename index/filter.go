package index

import (
	"slices"
	"strings"
)

// filter returns what a query's filters admit, nil for everything.
func (s *inquiry) filter() func(uint32) bool {
	q := s.query
	path := strings.TrimSuffix(q.Path, "/")
	if path == "." {
		path = ""
	}
	if path == "" && q.Lang == "" && q.Role == "" && q.Symbol == "" {
		return nil
	}
	var wanted map[*record][]uint32
	if q.Symbol != "" {
		wanted = map[*record][]uint32{}
		for _, d := range s.table.define(q.Symbol) {
			wanted[d.record] = append(wanted[d.record], d.symbol)
		}
	}
	return func(id uint32) bool {
		at := s.table.chunks[id]
		r := at.record
		if r == nil || !within(r.path, path) || q.Lang != "" && r.lang != q.Lang {
			return false
		}
		p := r.piece(at.piece)
		if q.Role != "" && r.roleOf(p) != q.Role {
			return false
		}
		if q.Symbol == "" {
			return true
		}
		return slices.ContainsFunc(wanted[r], func(n uint32) bool { return p.holds(&r.symbols[n]) })
	}
}
