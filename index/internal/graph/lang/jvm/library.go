package jvm

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

func simpleName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

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
	word, method := simpleName(g.Names.Text[i.ID]), g.Names.Text[c.Name]
	switch {
	case word == "func" || word == program.ExtensionForm || word == program.ConstructorRef:
		return 0, false
	case len(args) == 2 && (strings.HasSuffix(word, "Map") || word == "map"):
		return callMap(e, c, method, args[0], args[1])
	case len(args) == 2 && (word == "Entry" || word == "Pair" || word == "IndexedValue"):
		switch method {
		case "getKey", "component1", "getFirst":
			return args[0], true
		case "getValue", "component2", "setValue", "getSecond":
			return args[1], true
		}
		return 0, false
	case program.Functional[word] != nil:
		switch word {
		case "Function", "BiFunction", "IntFunction", "LongFunction":
			return args[len(args)-1], true
		case "Supplier", "Callable", "UnaryOperator", "BinaryOperator":
			return args[0], true
		}
		return 0, true
	}
	return callContainer(e, c, v, method, args[len(args)-1]), true
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

// callMap calls a method of a map from key to val.
func callMap(e *eval.Evaluator, c *eval.Call, method string, key, val pointsto.Set) (pointsto.Set, bool) {
	g := e.Family
	entry := e.Generic("Entry", key, val)
	switch method {
	case "keySet", "keys", "navigableKeySet":
		return e.Generic("Set", key), true
	case "values":
		return e.Generic("Collection", val), true
	case "entrySet", "entries", "toList", "asSequence", "asIterable":
		return e.Generic("Set", entry), true
	case "firstKey", "lastKey", "floorKey", "ceilingKey", "higherKey", "lowerKey":
		return key, true
	case "firstEntry", "lastEntry", "floorEntry", "ceilingEntry", "pollFirstEntry":
		return entry, true
	case "get", "getOrDefault", "put", "remove", "putIfAbsent", "replace", "getValue":
		return g.Union(val, instancesIn(e, c)), true
	case "computeIfAbsent":
		return g.Union(val, supply(e, c, key)), true
	case "getOrPut", "getOrElse":
		return g.Union(val, supply(e, c, 0)), true
	case "merge":
		return g.Union(val, supply(e, c, val)), true
	case "mapValues":
		return e.Generic("Map", key, supply(e, c, entry)), true
	case "mapKeys":
		return e.Generic("Map", supply(e, c, entry), val), true
	case "filterKeys":
		supply(e, c, key)
		return e.Generic("Map", key, val), true
	case "filterValues":
		supply(e, c, val)
		return e.Generic("Map", key, val), true
	case "map", "mapNotNull":
		return e.Generic("List", supply(e, c, entry)), true
	case "flatMap":
		return e.Generic("List", e.Elements(supply(e, c, entry), nil)), true
	}
	if takesTwo(e, c) {
		return g.Union(val, supply(e, c, key, val)), true
	}
	supply(e, c, entry)
	switch method {
	case "filter", "filterNot", "plus", "minus", "toMap", "toMutableMap", "toSortedMap", "headMap", "tailMap", "subMap", "onEach":
		return e.Generic("Map", key, val), true
	case "first", "last", "single", "find", "firstOrNull", "minByOrNull", "maxByOrNull", "maxBy", "minBy":
		return entry, true
	}
	return 0, true
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

// callContainer calls a method of something that holds elem: a collection, stream,
// sequence, optional or future.
func callContainer(e *eval.Evaluator, c *eval.Call, v pointsto.Value, method string, elem pointsto.Set) pointsto.Set {
	g := e.Family
	same := func(s pointsto.Set) pointsto.Set { return e.Single(withArg(e, v, s)) }
	switch method {
	case "map", "mapNotNull", "mapToObj", "mapMulti", "thenApply", "thenApplyAsync", "handle", "asyncMap", "mapNotNullTo", "mapTo":
		return same(supply(e, c, elem))
	case "flatMap", "thenCompose", "flatMapIterable", "flatMapSequence", "flatten", "flatMapMerge", "flatMapConcat":
		returns := supply(e, c, elem)
		if method == "flatten" {
			returns = elem
		}
		return same(e.Elements(returns, nil))
	case "mapIndexed", "mapIndexedNotNull":
		return same(supply(e, c, 0, elem))
	case "forEachIndexed", "filterIndexed", "onEachIndexed":
		supply(e, c, 0, elem)
		return g.Values.Single(v)
	case "fold", "foldRight", "foldIndexed":
		init := pointsto.Set(0)
		if len(c.Args) > 0 {
			init = c.Args[0].Value
		}
		return g.Union(init, supply(e, c, init, elem))
	case "withIndex":
		return same(e.Generic("IndexedValue", e.External(g.Names.Intern("Int")), elem))
	case "zip":
		if len(c.Args) > 0 && !e.HasFunc(c.Args[0].Value) {
			return e.Generic("List", e.Generic("Pair", elem, e.Elements(c.Args[0].Value, nil)))
		}
	case "partition":
		supply(e, c, elem)
		list := e.Generic("List", elem)
		return e.Generic("Pair", list, list)
	case "groupBy":
		return e.Generic("Map", supply(e, c, elem), e.Generic("List", elem))
	case "associateBy":
		return e.Generic("Map", supply(e, c, elem), elem)
	case "associateWith":
		return e.Generic("Map", elem, supply(e, c, elem))
	case "associate", "toMap":
		pairs := supply(e, c, elem)
		if method == "toMap" {
			pairs = elem
		}
		key, val := pointsto.Set(0), pointsto.Set(0)
		for _, p := range g.Elems(pairs) {
			key, val = g.Union(key, g.Values.Arg(p, 0)), g.Union(val, g.Values.Arg(p, 1))
		}
		return e.Generic("Map", key, val)
	case "filterIsInstance":
		if len(c.Explicit) > 0 {
			return same(c.Explicit[0])
		}
	case "forEach", "ifPresent", "ifPresentOrElse", "removeIf", "forEachRemaining", "any", "all", "none", "anyMatch", "allMatch", "noneMatch",
		"isEmpty", "isNotEmpty", "isPresent", "size", "count", "contains", "containsAll", "indexOf", "clear", "sum", "joinToString", "addAll",
		"removeAll", "retainAll", "hasNext":
		supply(e, c, elem)
		return 0
	case "next", "get", "first", "last", "single", "find", "firstOrNull", "lastOrNull", "singleOrNull", "findFirst", "findAny", "poll", "peek",
		"pop", "take", "removeFirst", "removeLast", "getFirst", "getLast", "elementAt", "join", "await", "orElseThrow", "random",
		"max", "min", "maxBy", "minBy", "maxByOrNull", "minByOrNull", "maxOrNull", "minOrNull", "reduce", "component1", "component2", "component3":
		// Streams and queues have some of these names for what holds one, not for it.
		supply(e, c, elem)
		return g.Union(elem, g.Union(instancesIn(e, c), same(elem)))
	case "orElse", "orElseGet", "getOrElse", "getOrNull", "ifEmpty", "firstNotNullOf", "firstNotNullOfOrNull", "maxOf", "minOf", "sumOf":
		return g.Union(elem, g.Union(supply(e, c, elem), instancesIn(e, c)))
	case "entrySet", "stream", "iterator", "asSequence", "parallelStream", "boxed":
		return same(elem)
	}
	supply(e, c, elem)
	return g.Union(elem, g.Union(instancesIn(e, c), same(g.Union(elem, instancesIn(e, c)))))
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
	short := simpleName(path)
	word, ok := builders[short]
	if !ok {
		if i := strings.LastIndexByte(strings.TrimSuffix(path, "."+short), '.'); i >= 0 {
			path = path[i+1:]
		}
		if word, ok = builders[path]; !ok {
			return 0, false
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

// libraryField is a property of a generic type of the library, as Kotlin reads it.
func libraryField(e *eval.Evaluator, v pointsto.Value, n intern.Name) (pointsto.Set, bool) {
	g := e.Family
	i := g.Values.Info[v]
	args := g.Args(i.Args)
	if i.Kind != pointsto.Generic || len(args) == 0 {
		return 0, false
	}
	word := simpleName(g.Names.Text[i.ID])
	switch text := g.Names.Text[n]; {
	case len(args) == 2 && strings.HasSuffix(word, "Map"):
		switch text {
		case "keys":
			return e.Generic("Set", args[0]), true
		case "values":
			return e.Generic("Collection", args[1]), true
		case "entries":
			return e.Generic("Set", e.Generic("Entry", args...)), true
		}
	case len(args) == 2 && (word == "Entry" || word == "Pair" || word == "IndexedValue"):
		switch text {
		case "key", "first", "component1", "index":
			return args[0], true
		case "value", "second", "component2":
			return args[1], true
		}
	case text == "value" || text == "first" || text == "last" || text == "component1" || text == "component2" || text == "component3":
		return args[len(args)-1], true
	}
	return 0, false
}
