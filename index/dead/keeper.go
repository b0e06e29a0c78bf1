package dead

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/protocol"
)

// marked reports whether a decorator or an annotation may have an item run.
func (p *program) marked(i int32) bool {
	return strings.HasPrefix(p.keepers.of(i), "@")
}

// overrides reports whether a method says that it is one of a type above, of which the index has
// none with a method of this name, or belongs to an object whose type has no name.
func (p *program) overrides(i int32) bool {
	one := &p.items[i]
	if one.up < 0 || one.Kind != convention.Method {
		return false
	}
	r, s := one.Record, one.Sym()
	switch r.Lang {
	case "java", "kotlin":
		if p.items[one.up].Code() {
			return true
		}
	case "csharp", "cpp", "typescript", "tsx", "php":
	default:
		return false
	}
	head := protocol.Head(string(r.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+1000))))
	return protocol.Overrides(head) && !p.declaredAbove(i)
}

// declaredAbove reports whether a type above that of a method has one of its name.
func (p *program) declaredAbove(i int32) bool {
	for up := range p.typesAbove(p.items[i].up) {
		if slices.ContainsFunc(p.members[up], func(m int32) bool { return p.items[m].name == p.items[i].name }) {
			return true
		}
	}
	return false
}

// decoration returns what marks an item so that something may run it, or "".
func decoration(one *item, src []byte) string {
	if by := calls.Decorated(one.Record, src, one.Number); by != "" {
		return "@" + by
	}
	return convention.Mark(&one.Symbol, src)
}
