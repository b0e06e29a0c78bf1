package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

func simpleName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// callLibrary calls a method of a generic type of the library: a container, a map,
// a functional interface. What it returns, and what the functions get that are
// passed to it, goes by the method's name.
func (e *eval) callLibrary(c *calling, v value) (set, bool) {
	g := e.g
	i := g.values.info[v]
	args := g.args(i.args)
	if i.kind != vGeneric || len(args) == 0 {
		return 0, false
	}
	word, method := simpleName(g.names.text[i.id]), g.names.text[c.name]
	switch {
	case word == "func" || word == extensionForm || word == constructorRef:
		return 0, false
	case len(args) == 2 && (strings.HasSuffix(word, "Map") || word == "map"):
		return e.callMap(c, method, args[0], args[1])
	case len(args) == 2 && (word == "Entry" || word == "Pair" || word == "IndexedValue"):
		switch method {
		case "getKey", "component1", "getFirst":
			return args[0], true
		case "getValue", "component2", "setValue", "getSecond":
			return args[1], true
		}
		return 0, false
	case functional[word] != nil:
		switch word {
		case "Function", "BiFunction", "IntFunction", "LongFunction":
			return args[len(args)-1], true
		case "Supplier", "Callable", "UnaryOperator", "BinaryOperator":
			return args[0], true
		}
		return 0, true
	}
	return e.callContainer(c, v, method, args[len(args)-1]), true
}

// supply passes types to the parameters of the functions among the arguments of a
// call, the last type to all that are left, and returns what they return.
func (e *eval) supply(c *calling, types ...set) set {
	g := e.g
	returns := set(0)
	for _, a := range c.args {
		for _, v := range g.elems(a.value) {
			i := g.values.info[v]
			switch {
			case i.kind == vGeneric && g.names.text[i.id] == constructorRef:
				returns = g.union(returns, e.instances(g.values.arg(v, 0), nil))
			case i.kind == vClass && e.f.lang.callMakes:
				returns = g.union(returns, e.instances(g.values.single(v), nil))
			case i.kind == vFunc || i.kind == vBound:
				fn := g.fn(ID(i.id))
				if fn == nil {
					continue
				}
				for p := range fn.Params {
					e.pass(ID(i.id), p, types[min(p, len(types)-1)])
				}
				returns = g.union(returns, e.returned(ID(i.id), i.base, nil))
			}
		}
	}
	return returns
}

// takesTwo reports whether a function with two parameters is among the arguments.
func (e *eval) takesTwo(c *calling) bool {
	for _, a := range c.args {
		for _, v := range e.g.elems(a.value) {
			if i := e.g.values.info[v]; i.kind == vFunc || i.kind == vBound {
				if fn := e.g.fn(ID(i.id)); fn != nil && len(fn.Params) == 2 {
					return true
				}
			}
		}
	}
	return false
}

// callMap calls a method of a map from key to val.
func (e *eval) callMap(c *calling, method string, key, val set) (set, bool) {
	g := e.g
	entry := e.generic("Entry", key, val)
	switch method {
	case "keySet", "keys", "navigableKeySet":
		return e.generic("Set", key), true
	case "values":
		return e.generic("Collection", val), true
	case "entrySet", "entries", "toList", "asSequence", "asIterable":
		return e.generic("Set", entry), true
	case "firstKey", "lastKey", "floorKey", "ceilingKey", "higherKey", "lowerKey":
		return key, true
	case "firstEntry", "lastEntry", "floorEntry", "ceilingEntry", "pollFirstEntry":
		return entry, true
	case "get", "getOrDefault", "put", "remove", "putIfAbsent", "replace", "getValue":
		return g.union(val, e.instancesIn(c)), true
	case "computeIfAbsent":
		return g.union(val, e.supply(c, key)), true
	case "getOrPut", "getOrElse":
		return g.union(val, e.supply(c, 0)), true
	case "merge":
		return g.union(val, e.supply(c, val)), true
	case "mapValues":
		return e.generic("Map", key, e.supply(c, entry)), true
	case "mapKeys":
		return e.generic("Map", e.supply(c, entry), val), true
	case "filterKeys":
		e.supply(c, key)
		return e.generic("Map", key, val), true
	case "filterValues":
		e.supply(c, val)
		return e.generic("Map", key, val), true
	case "map", "mapNotNull":
		return e.generic("List", e.supply(c, entry)), true
	case "flatMap":
		return e.generic("List", e.elements(e.supply(c, entry), nil)), true
	}
	if e.takesTwo(c) {
		return g.union(val, e.supply(c, key, val)), true
	}
	e.supply(c, entry)
	switch method {
	case "filter", "filterNot", "plus", "minus", "toMap", "toMutableMap", "toSortedMap", "headMap", "tailMap", "subMap", "onEach":
		return e.generic("Map", key, val), true
	case "first", "last", "single", "find", "firstOrNull", "minByOrNull", "maxByOrNull", "maxBy", "minBy":
		return entry, true
	}
	return 0, true
}

// instancesIn are the instances of the project's classes among the arguments.
func (e *eval) instancesIn(c *calling) set {
	g := e.g
	out := set(0)
	for _, a := range c.args {
		for _, v := range g.elems(a.value) {
			if k := g.values.info[v].kind; k == vInst || k == vDecl {
				out = g.union(out, g.values.single(v))
			}
		}
	}
	return out
}

// callContainer calls a method of something that holds elem: a collection, stream,
// sequence, optional or future.
func (e *eval) callContainer(c *calling, v value, method string, elem set) set {
	g := e.g
	same := func(s set) set { return e.single(e.withArg(v, s)) }
	switch method {
	case "map", "mapNotNull", "mapToObj", "mapMulti", "thenApply", "thenApplyAsync", "handle", "asyncMap", "mapNotNullTo", "mapTo":
		return same(e.supply(c, elem))
	case "flatMap", "thenCompose", "flatMapIterable", "flatMapSequence", "flatten", "flatMapMerge", "flatMapConcat":
		returns := e.supply(c, elem)
		if method == "flatten" {
			returns = elem
		}
		return same(e.elements(returns, nil))
	case "mapIndexed", "mapIndexedNotNull":
		return same(e.supply(c, 0, elem))
	case "forEachIndexed", "filterIndexed", "onEachIndexed":
		e.supply(c, 0, elem)
		return g.values.single(v)
	case "fold", "foldRight", "foldIndexed":
		init := set(0)
		if len(c.args) > 0 {
			init = c.args[0].value
		}
		return g.union(init, e.supply(c, init, elem))
	case "withIndex":
		return same(e.generic("IndexedValue", e.external(g.names.intern("Int")), elem))
	case "zip":
		if len(c.args) > 0 && !e.hasFunc(c.args[0].value) {
			return e.generic("List", e.generic("Pair", elem, e.elements(c.args[0].value, nil)))
		}
	case "partition":
		e.supply(c, elem)
		list := e.generic("List", elem)
		return e.generic("Pair", list, list)
	case "groupBy":
		return e.generic("Map", e.supply(c, elem), e.generic("List", elem))
	case "associateBy":
		return e.generic("Map", e.supply(c, elem), elem)
	case "associateWith":
		return e.generic("Map", elem, e.supply(c, elem))
	case "associate", "toMap":
		pairs := e.supply(c, elem)
		if method == "toMap" {
			pairs = elem
		}
		key, val := set(0), set(0)
		for _, p := range g.elems(pairs) {
			key, val = g.union(key, g.values.arg(p, 0)), g.union(val, g.values.arg(p, 1))
		}
		return e.generic("Map", key, val)
	case "filterIsInstance":
		if len(c.explicit) > 0 {
			return same(c.explicit[0])
		}
	case "forEach", "ifPresent", "ifPresentOrElse", "removeIf", "forEachRemaining", "any", "all", "none", "anyMatch", "allMatch", "noneMatch",
		"isEmpty", "isNotEmpty", "isPresent", "size", "count", "contains", "containsAll", "indexOf", "clear", "sum", "joinToString", "addAll",
		"removeAll", "retainAll", "hasNext":
		e.supply(c, elem)
		return 0
	case "next", "get", "first", "last", "single", "find", "firstOrNull", "lastOrNull", "singleOrNull", "findFirst", "findAny", "poll", "peek",
		"pop", "take", "removeFirst", "removeLast", "getFirst", "getLast", "elementAt", "join", "await", "orElseThrow", "random",
		"max", "min", "maxBy", "minBy", "maxByOrNull", "minByOrNull", "maxOrNull", "minOrNull", "reduce", "component1", "component2", "component3":
		// Streams and queues have some of these names for what holds one, not for it.
		e.supply(c, elem)
		return g.union(elem, g.union(e.instancesIn(c), same(elem)))
	case "orElse", "orElseGet", "getOrElse", "getOrNull", "ifEmpty", "firstNotNullOf", "firstNotNullOfOrNull", "maxOf", "minOf", "sumOf":
		return g.union(elem, g.union(e.supply(c, elem), e.instancesIn(c)))
	case "entrySet", "stream", "iterator", "asSequence", "parallelStream", "boxed":
		return same(elem)
	}
	e.supply(c, elem)
	return g.union(elem, g.union(e.instancesIn(c), same(g.union(elem, e.instancesIn(c)))))
}

// withArg is a generic type with another last argument.
func (e *eval) withArg(v value, s set) valueInfo {
	i := e.g.values.info[v]
	i.args = e.g.values.list([]set{s})
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
func (e *eval) build(c *calling, path string) (set, bool) {
	g := e.g
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
		return c.args[0].value, len(c.args) > 0
	}
	two := strings.HasSuffix(word, "Map") || word == "Entry" || word == "Pair"
	if two {
		if len(c.explicit) == 2 {
			return e.generic(word, c.explicit...), true
		}
		key, val := set(0), set(0)
		for n, a := range c.args {
			if strings.HasSuffix(word, "Map") && e.f.lang.name == "kotlin" {
				for _, p := range g.elems(a.value) {
					key, val = g.union(key, g.values.arg(p, 0)), g.union(val, g.values.arg(p, 1))
				}
			} else if n%2 == 0 {
				key = g.union(key, a.value)
			} else {
				val = g.union(val, a.value)
			}
		}
		return e.generic(word, key, val), true
	}
	elem := set(0)
	if len(c.explicit) > 0 {
		elem = c.explicit[0]
	}
	for _, a := range c.args {
		if a.kind == ir.Spread || short == "stream" || short == "concat" {
			elem = g.union(elem, e.elements(a.value, nil))
		} else {
			elem = g.union(elem, a.value)
		}
	}
	return e.generic(word, elem), true
}

// libraryField is a property of a generic type of the library, as Kotlin reads it.
func (e *eval) libraryField(v value, n name) (set, bool) {
	g := e.g
	i := g.values.info[v]
	args := g.args(i.args)
	if i.kind != vGeneric || len(args) == 0 {
		return 0, false
	}
	word := simpleName(g.names.text[i.id])
	switch text := g.names.text[n]; {
	case len(args) == 2 && strings.HasSuffix(word, "Map"):
		switch text {
		case "keys":
			return e.generic("Set", args[0]), true
		case "values":
			return e.generic("Collection", args[1]), true
		case "entries":
			return e.generic("Set", e.generic("Entry", args...)), true
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
