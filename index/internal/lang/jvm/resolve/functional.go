package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// finalClasses are the types that a value of a final class of the library is of, besides
// its own: nothing else that is declared can take it.
var finalClasses = map[string]map[string]bool{
	"string": program.Words("Object Any CharSequence Comparable Serializable Constable ConstantDesc"),
	"int":    program.Words("Object Any Number Comparable Serializable Constable ConstantDesc"),
	"float":  program.Words("Object Any Number Comparable Serializable Constable ConstantDesc"),
	"bool":   program.Words("Object Any Comparable Serializable Constable"),
	"char":   program.Words("Object Any Comparable Serializable Constable"),
	"Class":  program.Words("Object Any Type GenericDeclaration AnnotatedElement Serializable Constable TypeDescriptor OfField"),
}

// suitsFinal says how well a value of a final class of the library suits a declared type.
func suitsFinal(e *eval.Evaluator, d, v pointsto.Info) (int, bool) {
	known := func(k pointsto.Kind) bool { return k == pointsto.External || k == pointsto.Generic }
	if !known(d.Kind) || !known(v.Kind) {
		return 0, false
	}
	word, declared := program.LiteralWord(program.LastName(e.Family.Names.Text[v.ID])), program.LastName(e.Family.Names.Text[d.ID])
	types := finalClasses[word]
	to := program.LiteralWord(declared)
	switch {
	case types == nil || len(declared) < 2: // a type parameter that nothing is known of
		return 0, false
	case word == to:
		return 3, word == "Class"
	case declared == "Object" || declared == "Any":
		return 0, true
	case types[declared]:
		return 1, true
	case program.IsWord(word) && program.IsWord(to):
		return 0, false
	}
	return -1, true
}

// suitsFunction says how well a function as an argument suits a declared type.
func suitsFunction(e *eval.Evaluator, d pointsto.Info, up *program.Class, id edge.ID) int {
	g := e.Family
	fn := g.Func(id)
	if fn == nil {
		return 0
	}
	n := len(fn.Params)
	free := fn.Name != 0 && fn.Class != 0 // C::method may have its receiver as first argument
	if n == 1 && g.Entities[id].File.IR.String(fn.Params[0].Name) == "it" {
		free = true // a lambda of Kotlin with no or one parameter
	}
	want := -1
	if up != nil {
		if !up.Abstract() {
			return -1
		}
		for _, m := range up.Bag.Entries {
			if f := g.Func(m.ID); f != nil && f.Flags&ir.Abstract != 0 {
				want = len(f.Params)
			}
		}
	} else if params, ok := g.FunctionalOf(d); ok {
		want = len(params)
	} else {
		switch text := g.NameOf(d); {
		case program.LiteralWords[text] != "" || text == "list" || text == "map" || text == "Class" || text == "KClass":
			return -1
		case text == "Object" || text == "Any":
			return 0
		}
		return 0
	}
	if want >= 0 && want != n && !free {
		return -1
	}
	return 1
}

// contextualLibrary gives the parameters of functions the types that a functional
// interface of the library has as arguments.
func contextualLibrary(e *eval.Evaluator, s pointsto.Set, d pointsto.Info, with func(pointsto.Info) (pointsto.Set, bool)) {
	g := e.Family
	params, ok := g.FunctionalOf(d)
	if !ok {
		return
	}
	args := g.Args(d.Args)
	for _, v := range g.Elems(s) {
		vi := g.Values.Info[v]
		if vi.Kind != pointsto.Func && vi.Kind != pointsto.Bound {
			continue
		}
		for p, at := range params {
			if at < 0 || at >= len(args) {
				continue
			}
			t := args[at]
			if with != nil {
				t = g.Subst(t, with)
			}
			e.Pass(edge.ID(vi.ID), p, t)
		}
	}
}

// numbers are the types of numbers of Kotlin, none of which is taken for one of another kind.
var numbers = map[string]string{
	"Int": "whole", "Long": "whole", "Short": "whole", "Byte": "whole", "Float": "Float", "Double": "Double",
	"UInt": "natural", "ULong": "natural", "UShort": "natural", "UByte": "natural",
}

// sorts are types of Kotlin's library none of which is taken for one of another sort.
var sorts = map[string]string{
	"Iterable": "container", "Collection": "container", "MutableCollection": "container", "List": "container", "MutableList": "container",
	"ArrayList": "container", "Set": "container", "MutableSet": "container", "HashSet": "container", "Sequence": "container", "Array": "container",
	"Map": "map", "MutableMap": "map", "HashMap": "map", "LinkedHashMap": "map",
	"String": "text", "Pair": "pair", "KClass": "class", "Char": "char", "Boolean": "bool",
}

// Suits says besides that a number is not converted, and how many parameters a function has.
func (l *kotlin) Suits(e *eval.Evaluator, d, v pointsto.Info, up *program.Class) (int, bool) {
	if e.Family.NameOf(d) == "func" {
		if n, ok := suitsCount(e, d, v); ok {
			return n, true
		}
	}
	if a, b := sorts[program.LastName(e.Family.NameOf(d))], sorts[program.LastName(e.Family.NameOf(v))]; a != "" && b != "" && a != b {
		return -1, true
	}
	if d.Kind == pointsto.External && v.Kind == pointsto.External {
		declared, given := program.LastName(e.Family.Names.Text[d.ID]), numbers[program.LastName(e.Family.Names.Text[v.ID])]
		switch to := numbers[declared]; {
		case given == "":
		case declared == "Number" && given != "natural":
			return 1, true
		case to != "" && to != given, declared == "String", declared == "Boolean", declared == "Char":
			return -1, true
		}
	}
	return l.jvm.Suits(e, d, v, up)
}

// suitsCount says how well a function suits a function type without a receiver by the number
// of its parameters. A lambda that declares none has one or none: one if it is used.
func suitsCount(e *eval.Evaluator, d, v pointsto.Info) (int, bool) {
	g := e.Family
	want := len(g.Args(d.Args)) - 1
	switch v.Kind {
	case pointsto.Generic:
		return -1, g.NameOf(v) == "func" && len(g.Args(v.Args))-1 != want
	case pointsto.Func:
		fn, f := g.Func(edge.ID(v.ID)), g.Entities[v.ID].File
		if fn == nil || fn.Name != 0 || f.Lang.Name != "kotlin" {
			return 0, false
		}
		switch n := len(fn.Params); {
		case n > 1, n == 1 && f.IR.String(fn.Params[0].Name) != "it":
			return -1, n != want
		case want > 1:
			return -1, true
		case n == 0:
			return 0, false
		case kotlinFacts(f).its[fn.Params[0].Var]:
			return 2 * want, true
		}
		return 2 - want, true
	}
	return 0, false
}
