package resolve

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// above are the types of the library that a type of it is one of, as far as
// extensions are written for them. Those of other names may be anything.
var above = map[string][]string{
	"MutableList": {"List"}, "ArrayList": {"MutableList"}, "List": {"Collection"}, "MutableSet": {"Set"}, "Set": {"Collection"},
	"HashSet": {"MutableSet"}, "MutableCollection": {"Collection"}, "Collection": {"Iterable"}, "list": {"List"}, "Iterable": {}, "Sequence": {},
	"MutableMap": {"Map"}, "HashMap": {"MutableMap"}, "LinkedHashMap": {"MutableMap"}, "map": {"Map"}, "Map": {},
	"String": {"CharSequence", "Comparable"}, "StringBuilder": {"CharSequence"}, "CharSequence": {}, "Char": {"Comparable"}, "Boolean": {"Comparable"},
	"Int": {"Number", "Comparable"}, "Long": {"Number", "Comparable"}, "Double": {"Number", "Comparable"}, "Float": {"Number", "Comparable"},
	"Short": {"Number", "Comparable"}, "Byte": {"Number", "Comparable"}, "Number": {}, "Comparable": {},
	"Array": {}, "IntArray": {}, "LongArray": {}, "ShortArray": {}, "ByteArray": {}, "CharArray": {}, "BooleanArray": {}, "DoubleArray": {}, "FloatArray": {},
	"func": {}, program.ExtensionForm: {}, "Pair": {}, "KClass": {}, "Throwable": {},
}

// knownType reports whether something of the library is a type, and no function or property of
// it, of which nobody knows what that gives.
func knownType(e *eval.Evaluator, i pointsto.Info) bool {
	if i.Kind != pointsto.External {
		return true
	}
	last := program.LastName(e.Family.Names.Text[i.ID])
	return last != "" && (last[0] < 'a' || last[0] > 'z') || program.IsWord(program.LiteralWord(last))
}

// kotlinExtensions are the extensions of a name that the file sees for a type of the
// library, those of the types above it included.
func kotlinExtensions(e *eval.Evaluator, typ, n intern.Name) []program.Entry {
	for _, word := range wordsOf(e, typ) {
		if list := foreign(e, word, n); len(list) > 0 {
			return list
		}
	}
	return extensionsOfAll(e, n)
}

// wordsOf are the names of a type of the library and those above it.
func wordsOf(e *eval.Evaluator, typ intern.Name) []string {
	open := []string{program.LastName(e.Family.Names.Text[typ])}
	for at := 0; at < len(open); at++ {
		open = append(open, above[open[at]]...)
	}
	return open
}

// foreign are the extensions of a name that the file sees for a type of the library.
func foreign(e *eval.Evaluator, word string, n intern.Name) []program.Entry {
	if id, ok := e.Family.Names.Lookup(word); ok {
		if b := e.Family.Foreign[id]; b != nil {
			return inSight(e, e.Family.Find(b, n))
		}
	}
	return nil
}

// extensionsOfAll are those of every type: of Any, and of type parameters.
func extensionsOfAll(e *eval.Evaluator, n intern.Name) []program.Entry {
	if list := foreign(e, "Any", n); len(list) > 0 {
		return list
	}
	return foreign(e, pointsto.AnyItem, n)
}

// callExtension calls the extensions that a call on a value means: the nearest that take its
// arguments. Where that is not sure they are possible, with those further up.
func callExtension(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	g := e.Family
	list, sure := extensionsOn(e, v, c.Name, c.Args)
	if len(list) == 0 {
		return 0, false
	}
	if sure {
		return e.CallValues(c, e.Bound(list, v, nil, 0), edge.ByType), true
	}
	out := pointsto.Set(0)
	for _, m := range list {
		c.Add(m.ID, edge.ByOverload, true)
		out = g.Union(out, e.Returned(m.ID, v, nil))
	}
	return out, true
}

// extensionsOn are the extensions that a call on a value may mean. sure says that they are all
// of one type, and that one of them is sure to take the arguments.
func extensionsOn(e *eval.Evaluator, v pointsto.Value, n intern.Name, args []eval.Argument) (list []program.Entry, sure bool) {
	for tier, of := range tiers(e, v, n) {
		fitting, certain := taking(e, of, args)
		if len(fitting) == 0 {
			continue
		}
		list = append(list, fitting...)
		if certain && tier != maybeBounded {
			return list, len(list) == len(fitting)
		}
	}
	return list, false
}

// maybeBounded is the place of the extensions in what tiers returns of which it is not known
// that they are for the type.
const maybeBounded = 1

// tiers are the extensions of a name for the type of a value: first those that are certainly for
// it, of which the type itself comes before those above it, last those for everything.
func tiers(e *eval.Evaluator, v pointsto.Value, n intern.Name) [][]program.Entry {
	g := e.Family
	all := make([][]program.Entry, maybeBounded+1)
	i := g.Values.Info[v]
	var rest []program.Entry
	for _, m := range foreign(e, pointsto.AnyItem, n) {
		switch can, certain := admits(e, g.Entities[m.ID].File.Recv[ir.Func(m.Ref)], v); {
		case !can:
		case certain == bounded:
			all[0] = append(all[0], m)
		case certain == maybe:
			all[maybeBounded] = append(all[maybeBounded], m)
		default:
			rest = append(rest, m)
		}
	}
	for _, word := range typeWords(e, i) {
		if list := foreign(e, word, n); len(list) > 0 {
			all[0] = slices.Concat(list, all[0])
			break
		}
	}
	return append(all, foreign(e, "Any", n), rest)
}

// typeWords are the names of the types of the library that a value is of.
func typeWords(e *eval.Evaluator, i pointsto.Info) []string {
	switch i.Kind {
	case pointsto.External, pointsto.Generic:
		return wordsOf(e, intern.Name(i.ID))
	case pointsto.Func, pointsto.Bound:
		return []string{"func", program.ExtensionForm}
	}
	return nil
}

// How a type parameter admits a value.
const (
	unbounded = iota // as it does everything
	maybe            // it may be one of its bound
	bounded          // it is one of its bound
)

// admits reports whether the receiver of an extension, a type parameter, may be a value.
func admits(e *eval.Evaluator, recv pointsto.Set, v pointsto.Value) (can bool, how int) {
	g := e.Family
	for _, p := range g.Elems(recv) {
		i := g.Values.Info[p]
		if i.Kind != pointsto.Param {
			continue
		}
		bounds := g.Elems(e.BoundOf(i))
		if len(bounds) == 0 {
			return true, unbounded
		}
		for _, b := range bounds {
			if program.LastName(g.NameOf(g.Values.Info[b])) == "Any" {
				return true, unbounded
			}
			if is, certain := isOf(e, v, b); is && certain {
				can, how = true, bounded
			} else if is && how != bounded {
				can, how = true, maybe
			}
		}
	}
	return can, how
}

// boundsOf are the types, not parameters, that a type parameter is bounded by, also by way of
// others. No compiler takes one that is bounded by itself, but somebody may write it.
func boundsOf(e *eval.Evaluator, param pointsto.Value) (types []pointsto.Value) {
	g := e.Family
	params := []pointsto.Value{param}
	for n := 0; n < len(params); n++ {
		for _, b := range g.Elems(e.BoundOf(g.Values.Info[params[n]])) {
			switch {
			case g.Values.Info[b].Kind != pointsto.Param:
				types = append(types, b)
			case !slices.Contains(params, b) && len(params) < program.MaxChain:
				params = append(params, b)
			}
		}
	}
	return types
}

// isOf reports whether a value may be of a type, and whether that is certain.
func isOf(e *eval.Evaluator, v, typ pointsto.Value) (is, certain bool) {
	g := e.Family
	i, t := g.Values.Info[v], g.Values.Info[typ]
	if i.Kind == pointsto.Param {
		for _, b := range boundsOf(e, v) {
			one, sure := isOf(e, b, typ)
			is, certain = is || one, certain || one && sure
		}
		return is, certain
	}
	up, k := g.ClassOf(typ), g.ClassOf(v)
	switch {
	case v == typ:
		return true, true
	case up != nil && k != nil:
		if up == k || g.IsAbove(up, k) {
			return true, true
		}
		return k.Foreign, false
	case up != nil:
		return false, false
	case k != nil:
		return k.Foreign, false
	}
	to := program.LastName(g.NameOf(t))
	words := typeWords(e, i)
	if to == "" || len(words) == 0 || t.Kind == pointsto.Param {
		return true, false
	}
	if slices.Contains(words, to) {
		return true, true
	}
	_, known := above[words[0]]
	_, other := above[to]
	return !known || !other, false
}

// taking leaves of some extensions those that take arguments. certain says that one of them is
// sure to.
func taking(e *eval.Evaluator, list []program.Entry, args []eval.Argument) (fitting []program.Entry, certain bool) {
	for _, m := range list {
		if fn := e.Family.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Getter == 0 && applies(e, m, args) && e.Match(m.ID, args) >= 0 {
			fitting, certain = append(fitting, m), certain || surelyTakes(e, m, args)
		}
	}
	return fitting, certain
}

// surelyTakes reports whether all arguments are known to be what a function declares.
func surelyTakes(e *eval.Evaluator, m program.Entry, args []eval.Argument) bool {
	g := e.Family
	fn, f := g.Func(m.ID), g.Entities[m.ID].File
	for n, a := range args {
		p := program.ParamFor(fn, f, n, a.Name, e.File)
		if a.Kind == ir.Block {
			p = len(fn.Params) - 1
		}
		if p < 0 {
			return false
		}
		declared, value := f.VarTypes[fn.Params[p].Var], a.Value
		if a.Kind == ir.Spread {
			value = e.Elements(value, nil)
		}
		if fn.Params[p].Kind == ir.Variadic {
			declared = e.Elements(declared, nil)
		}
		for _, d := range g.Elems(declared) {
			if i := g.Values.Info[d]; i.Kind == pointsto.Param && e.BoundOf(i) == 0 || program.LastName(g.NameOf(i)) == "Any" {
				continue
			}
			for _, w := range g.Elems(value) {
				if e.Fits(d, w) <= 0 {
					return false
				}
			}
			if value == 0 {
				return false
			}
		}
		if declared == 0 {
			return false
		}
	}
	return true
}

// ofInterface reports whether values are of an interface of the index that has a function of a
// name: a lambda among them is called by that.
func ofInterface(e *eval.Evaluator, all pointsto.Set, n intern.Name) bool {
	return slices.ContainsFunc(e.Family.Elems(all), func(v pointsto.Value) bool {
		k := e.Family.ClassOf(v)
		if k == nil {
			return false
		}
		_, at := e.Family.Member(k, n)
		return at >= 0
	})
}

// boundReceiver is the receiver of an extension of a type parameter or of a type of the library,
// if the bound of the one has a function of the name, or there is an extension of it.
func boundReceiver(e *eval.Evaluator, n intern.Name, args []eval.Argument) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for fn := e.Func; fn > 1; fn = e.File.IR.Funcs[fn].Outer {
		if e.File.IR.Funcs[fn].Recv == 0 {
			continue
		}
		for _, v := range g.Elems(e.File.Recv[fn]) {
			i := g.Values.Info[v]
			if i.Kind == pointsto.Param {
				for _, w := range g.Elems(e.BoundOf(i)) {
					if k := g.ClassOf(w); k != nil && e.HasFunction(k, n, args) {
						out = g.Union(out, g.Values.Single(w))
					}
				}
			}
			if list, _ := extensionsOn(e, v, n, args); out == 0 && len(list) > 0 && (i.Kind == pointsto.Param || g.ClassOf(v) == nil) {
				out = g.Values.Single(v)
			}
		}
		break
	}
	return out
}
