package resolve

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// The kinds of the types that Rust has itself. A value of one is never taken for one of another.
const (
	truth = iota + 1
	letter
	text
	whole
	fraction
	holder // of other values: an option, a list, a tuple
)

var primitives = map[string]int{
	"bool": truth, "char": letter, "str": text, "String": text, "f32": fraction, "f64": fraction,
	"i8": whole, "i16": whole, "i32": whole, "i64": whole, "i128": whole, "isize": whole,
	"u8": whole, "u16": whole, "u32": whole, "u64": whole, "u128": whole, "usize": whole,
}

// kindOf is the kind of a type, or 0 if it may be any.
func kindOf(g *program.Family, i pointsto.Info) int {
	switch i.Kind {
	case pointsto.External:
		word := g.Names.Text[i.ID]
		if at := strings.LastIndexByte(word, '.'); at >= 0 && word[:at] != "std.string" && word[:at] != "alloc.string" {
			return 0
		}
		return primitives[program.LastName(word)]
	case pointsto.Generic:
		switch g.Names.Text[i.ID] {
		case "list", "map", "tuple", "Option", "Result":
			return holder
		}
	}
	return 0
}

// Suits says that nothing is converted on the way to a parameter: implementations of one trait,
// as From<bool> and From<&str>, are told apart by what an argument is. A number may be of any size,
// as a literal is what is wanted, and whatever implements a trait is one of it.
func (*language) Suits(e *eval.Evaluator, d, v pointsto.Info, up *program.Class) (int, bool) {
	g := e.Family
	if up != nil && up.Info.Kind == ir.Trait && (v.Kind == pointsto.External || v.Kind == pointsto.Generic) {
		return 0, true
	}
	declared, given := kindOf(g, d), kindOf(g, v)
	switch {
	case declared == 0 || given == 0:
		return 0, false
	case declared != given:
		return -1, true
	case declared == holder && d.ID != v.ID:
		return -1, true
	case declared == whole || declared == fraction:
		return 1, true // less than the same word, which is asked before
	}
	return 0, false
}
