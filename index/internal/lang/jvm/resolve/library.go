package resolve

import (
	_ "embed" // library.txt
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// callLibrary calls a method of a generic type of the library: a container, a map,
// a functional interface. What it returns, and what the functions get that are
// passed to it, goes by the method's name.
func callLibrary(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	g := e.Family
	i := g.Values.Info[v]
	args := g.Args(i.Args)
	if i.Kind != pointsto.Generic || len(args) == 0 {
		return 0, false
	}
	word, method := program.LastName(g.Names.Text[i.ID]), g.Names.Text[c.Name]
	m := &meaning{e, c, v, args}
	switch {
	case word == "func" || word == program.ExtensionForm || word == program.ConstructorRef:
		return 0, false
	case len(args) == 2 && (strings.HasSuffix(word, "Map") || word == "map"):
		if s, ok := models["map"].Apply(e, method, m); ok {
			return s, true
		}
		if takesTwo(e, c) {
			return models["map of two"].Apply(e, method, m)
		}
		return models["map of entries"].Apply(e, method, m)
	case isPair(word, args):
		return models["pair"].Apply(e, method, m)
	case word == "Class":
		return models["class"].Apply(e, method, m)
	case program.Functional[word] != nil:
		switch word {
		case "Function", "BiFunction", "IntFunction", "LongFunction":
			return args[len(args)-1], true
		case "Supplier", "Callable", "UnaryOperator", "BinaryOperator":
			return args[0], true
		}
		return 0, true
	}
	return callContainer(m, method)
}

// supply passes types to the parameters of the functions among the arguments of a
// call, the last type to all that are left, and returns what they return.
func supply(e *eval.Evaluator, c *eval.Call, types ...pointsto.Set) pointsto.Set {
	g := e.Family
	returns := pointsto.Set(0)
	for _, a := range c.Args {
		for _, v := range g.Elems(a.Value) {
			i := g.Values.Info[v]
			switch {
			case i.Kind == pointsto.Generic && g.Names.Text[i.ID] == program.ConstructorRef:
				returns = g.Union(returns, e.Instances(g.Values.Arg(v, 0), nil))
			case i.Kind == pointsto.Class && e.File.Lang.CallMakes:
				returns = g.Union(returns, e.Instances(g.Values.Single(v), nil))
			case i.Kind == pointsto.Func || i.Kind == pointsto.Bound:
				fn := g.Func(edge.ID(i.ID))
				if fn == nil {
					continue
				}
				for p := range fn.Params {
					e.Pass(edge.ID(i.ID), p, types[min(p, len(types)-1)])
				}
				returns = g.Union(returns, e.Returned(edge.ID(i.ID), i.Base, nil))
			}
		}
	}
	return returns
}

// takesTwo reports whether a function with two parameters is among the arguments.
func takesTwo(e *eval.Evaluator, c *eval.Call) bool {
	for _, a := range c.Args {
		for _, v := range e.Family.Elems(a.Value) {
			if i := e.Family.Values.Info[v]; i.Kind == pointsto.Func || i.Kind == pointsto.Bound {
				if fn := e.Family.Func(edge.ID(i.ID)); fn != nil && len(fn.Params) == 2 {
					return true
				}
			}
		}
	}
	return false
}

// instancesIn are the instances of the project's classes among the arguments.
func instancesIn(e *eval.Evaluator, c *eval.Call) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, a := range c.Args {
		for _, v := range g.Elems(a.Value) {
			if k := g.Values.Info[v].Kind; k == pointsto.Inst || k == pointsto.Decl {
				out = g.Union(out, g.Values.Single(v))
			}
		}
	}
	return out
}

// callContainer calls a method of something that holds elements.
func callContainer(m *meaning, method string) (pointsto.Set, bool) {
	e, c := m.e, m.c
	switch {
	case method == "zip" && len(c.Args) > 0 && !e.HasFunc(c.Args[0].Value):
		return e.Generic("List", e.Generic("Pair", m.elem(), e.Elements(c.Args[0].Value, nil))), true
	case method == "filterIsInstance" && len(c.Explicit) > 0:
		return m.same(c.Explicit[0]), true
	}
	return models["container"].Apply(e, method, m)
}

//go:embed library.txt
var libraryText string

// models say what methods do, by the kind of their receiver.
var models = library.MustParse(libraryText)

// A meaning is what the words of the models mean at a call, or for a property.
type meaning struct {
	e    *eval.Evaluator
	c    *eval.Call // nil: of a property
	v    pointsto.Value
	args []pointsto.Set // the type arguments of v
}

// Call calls all functions among the arguments.
func (m *meaning) Call(_ string, params []pointsto.Set) pointsto.Set {
	return supply(m.e, m.c, params...)
}

// Word is what a word means.
func (m *meaning) Word(word string, args []pointsto.Set) (pointsto.Set, bool) {
	switch word {
	case "elem":
		return m.elem(), true
	case "key":
		return m.args[0], true
	case "val":
		return m.args[1], true
	case "entry":
		return m.e.Generic("Entry", m.args...), true
	case "self":
		return m.e.Family.Values.Single(m.v), true
	case "given":
		return instancesIn(m.e, m.c), true
	case "arg0":
		return m.c.Arg(0), true
	case "same":
		return m.same(args[0]), true
	case "elements":
		return m.e.Elements(args[0], nil), true
	case "first":
		return m.half(args[0], 0), true
	case "second":
		return m.half(args[0], 1), true
	}
	return 0, false
}

func (m *meaning) elem() pointsto.Set { return m.args[len(m.args)-1] }

// same is the type of the receiver with another last argument; most functions of Kotlin's library
// make a list of an array or a set.
func (m *meaning) same(s pointsto.Set) pointsto.Set {
	out := m.e.Single(withArg(m.e, m.v, s))
	if word := m.e.Family.NameOf(m.e.Family.Values.Info[m.v]); m.e.File.Lang.Name == "kotlin" && (strings.HasSuffix(word, "Array") || strings.HasSuffix(word, "Set")) {
		out = m.e.Family.Union(out, m.e.Generic("List", s))
	}
	return out
}

// half is a type argument of each of some values.
func (m *meaning) half(s pointsto.Set, n int) pointsto.Set {
	out := pointsto.Set(0)
	for _, p := range m.e.Family.Elems(s) {
		out = m.e.Family.Union(out, m.e.Family.Values.Arg(p, n))
	}
	return out
}

// withArg is a generic type with another last argument.
func withArg(e *eval.Evaluator, v pointsto.Value, s pointsto.Set) pointsto.Info {
	i := e.Family.Values.Info[v]
	i.Args = e.Family.Values.List([]pointsto.Set{s})
	return i
}

// builders are functions of the library that make a container of their arguments.
var builders = map[string]string{
	"listOf": "List", "mutableListOf": "MutableList", "arrayListOf": "ArrayList", "listOfNotNull": "List", "setOf": "Set",
	"mutableSetOf": "MutableSet", "hashSetOf": "HashSet", "linkedSetOf": "Set", "arrayOf": "Array", "sequenceOf": "Sequence", "flowOf": "Flow",
	"booleanArrayOf": "BooleanArray", "byteArrayOf": "ByteArray", "charArrayOf": "CharArray", "doubleArrayOf": "DoubleArray",
	"floatArrayOf": "FloatArray", "intArrayOf": "IntArray", "longArrayOf": "LongArray", "shortArrayOf": "ShortArray",
	"emptyList": "List", "emptySet": "Set", "emptySequence": "Sequence", "ArrayDeque": "ArrayDeque",
	"List.of": "List", "Set.of": "Set", "Stream.of": "Stream", "Arrays.asList": "List", "Optional.of": "Optional",
	"Optional.ofNullable": "Optional", "Collections.singletonList": "List", "Collections.singleton": "Set",
	"Collections.emptyList": "List", "CompletableFuture.completedFuture": "CompletableFuture", "Mono.just": "Mono", "Flux.just": "Flux",
	"ImmutableList.of": "List", "ImmutableSet.of": "Set", "Lists.newArrayList": "List", "Collections.unmodifiableList": "",
	"Map.of": "Map", "mapOf": "Map", "mutableMapOf": "MutableMap", "hashMapOf": "HashMap", "linkedMapOf": "LinkedHashMap", "emptyMap": "Map",
	"Arrays.stream": "Stream", "Stream.concat": "Stream", "ImmutableMap.of": "Map", "Map.entry": "Entry", "Pair": "Pair", "EnumSet.of": "Set",
}

// build makes a container of the arguments of a call of the library.
func build(e *eval.Evaluator, c *eval.Call, path string) (pointsto.Set, bool) {
	g := e.Family
	short := program.LastName(path)
	word, ok := builders[short]
	if !ok {
		if i := strings.LastIndexByte(strings.TrimSuffix(path, "."+short), '.'); i >= 0 {
			path = path[i+1:]
		}
		if word, ok = builders[path]; !ok {
			return constructed(e, c, short)
		}
	}
	if word == "" {
		return c.Args[0].Value, len(c.Args) > 0
	}
	two := strings.HasSuffix(word, "Map") || word == "Entry" || word == "Pair"
	if two {
		if len(c.Explicit) == 2 {
			return e.Generic(word, c.Explicit...), true
		}
		key, val := pointsto.Set(0), pointsto.Set(0)
		for n, a := range c.Args {
			if strings.HasSuffix(word, "Map") && e.File.Lang.Name == "kotlin" {
				for _, p := range g.Elems(a.Value) {
					key, val = g.Union(key, g.Values.Arg(p, 0)), g.Union(val, g.Values.Arg(p, 1))
				}
			} else if n%2 == 0 {
				key = g.Union(key, a.Value)
			} else {
				val = g.Union(val, a.Value)
			}
		}
		return e.Generic(word, key, val), true
	}
	elem := pointsto.Set(0)
	if len(c.Explicit) > 0 {
		elem = c.Explicit[0]
	}
	for _, a := range c.Args {
		if a.Kind == ir.Spread || short == "stream" || short == "concat" {
			elem = g.Union(elem, e.Elements(a.Value, nil))
		} else {
			elem = g.Union(elem, a.Value)
		}
	}
	return e.Generic(word, elem), true
}

// CallExternal makes an instance of an imported class of the library.
func (*kotlin) CallExternal(e *eval.Evaluator, c *eval.Call, path string) (pointsto.Set, bool) {
	s, ok := constructed(e, c, program.LastName(path))
	if ok {
		e.Outside(c, 0)
	}
	return s, ok
}

// constructed is an instance of a class of the library that Kotlin makes with its type
// arguments: LinkedHashSet<T>().
func constructed(e *eval.Evaluator, c *eval.Call, class string) (pointsto.Set, bool) {
	if e.File.Lang.Name != "kotlin" || len(c.Explicit) == 0 || class == "" || class[0] < 'A' || class[0] > 'Z' {
		return 0, false
	}
	return e.Generic(class, c.Explicit...), true
}

// libraryField is a property of a generic type of the library, as Kotlin reads it.
func libraryField(e *eval.Evaluator, v pointsto.Value, n intern.Name) (pointsto.Set, bool) {
	g := e.Family
	i := g.Values.Info[v]
	args := g.Args(i.Args)
	if i.Kind != pointsto.Generic || len(args) == 0 {
		return 0, false
	}
	word, m := program.LastName(g.Names.Text[i.ID]), &meaning{e: e, v: v, args: args}
	switch text := g.Names.Text[n]; {
	case len(args) == 2 && strings.HasSuffix(word, "Map"):
		return models["map properties"].Apply(e, text, m)
	case isPair(word, args):
		return models["pair properties"].Apply(e, text, m)
	default:
		return models["container properties"].Apply(e, text, m)
	}
}

// isPair reports whether a type of the library with its arguments holds two things.
func isPair(word string, args []pointsto.Set) bool {
	return len(args) == 2 && (word == "Entry" || word == "Pair" || word == "IndexedValue")
}
