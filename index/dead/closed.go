package dead

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/protocol"
)

// open returns what code outside of the index may do with an item that nothing in it names, "" where there is no
// such code: then only what can be read can use it. That nothing names it says nothing of others where it is offered
// to them, or where what they have may demand it.
func (p *program) open(i int32, family string) string {
	one := &p.items[i]
	if family == "go" {
		return p.openGo(one)
	}
	if by := p.demandedOutside(i, family); by != "" {
		return fmt.Sprintf("it may be a method of %s, whose users are not in the index", by)
	}
	private := one.hidden || one.Flags&ir.Private != 0
	switch family {
	case "javascript":
		if one.Kind == convention.Method && !private && !kept.Match(convention.Head(p.textOf(one.Record), one.Sym())) {
			return "types of TypeScript fit by their members, and one outside of the index may have it"
		}
	case "jvm", "csharp":
		if one.Kind == convention.Class && !private && len(p.above[i]) > 0 {
			return "what asks for all types below another may find it"
		}
		if p.offered != IgnoreExports && p.exported(i) && !p.packages.Program(one.Record.Path, family) {
			return "it is exported, and nothing says of its own package that it makes a program"
		}
	}
	return ""
}

// kept finds what says that a member of TypeScript is for its class alone, or for those below.
var kept = regexp.MustCompile(`\b(?:private|protected)\b|^\s*(?:static |async |get |set |\* ?)*#`)

// openGo is open of Go, where what takes a value of one interface may ask it for another.
func (p *program) openGo(one *item) string {
	if one.Kind != convention.Method || !one.Public || one.up < 0 {
		return ""
	}
	up := &p.items[one.up]
	if p.offered != IgnoreExports && !up.Public && !one.Test && p.packages.Library(one.Record.Path, "go") {
		return "others may get values of its type as an interface, and ask for it"
	}
	if p.contracts.of(p, one.up).foreign {
		return fmt.Sprintf("%s has what a type outside of the index has, and may be taken for one", up.Sym().Name)
	}
	return ""
}

// demandedOutside returns a type above that of a method whose users are not in the index, and which may have it.
func (p *program) demandedOutside(i int32, family string) string {
	one := &p.items[i]
	if one.Kind != convention.Method || one.up < 0 || p.items[one.up].Kind != convention.Class || one.hidden || one.Flags&ir.Private != 0 || family == "c" || family == "rust" {
		return ""
	}
	head := string(convention.Head(p.textOf(one.Record), one.Sym()))
	for class := range p.withAbove(one.up) {
		c := &p.items[class]
		bases := p.foreignBases(class)
		if len(bases) == 0 {
			continue
		}
		text := c.Record.Text.All()
		for _, b := range bases {
			if protocol.MayOverride(c.Record.Lang, head, b) && protocol.Knows(c.Record.Lang, b.Name, one.Sym().Name, text) {
				return b.Name
			}
		}
	}
	return ""
}

// withAbove yields a type and those above it.
func (p *program) withAbove(class int32) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		if yield(class) {
			p.typesAbove(class)(yield)
		}
	}
}

// foreignBases returns the types right above a type whose users are not in the index: it has not the type, or only
// a declaration of it.
func (p *program) foreignBases(class int32) (list []protocol.Base) {
	one := &p.items[class]
	s, lang := one.Sym(), one.Record.Lang
	if !protocol.Watched(lang) {
		return nil
	}
	head := one.Record.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+2000))
	for _, b := range protocol.Bases(lang, s.Name, head) {
		if !protocol.Harmless(lang, b.Name) && !slices.ContainsFunc(p.above[class], func(up int32) bool {
			return p.items[up].Sym().Name == b.Name && !p.items[up].Record.Traits.Declaration
		}) {
			list = append(list, b)
		}
	}
	return list
}
