package calls

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// LastPart cuts a name before its last part.
func LastPart(name string) (before, last string, found bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:], i >= 0
}

// MakesInstances reports whether a method of a name is called by the name of its class in a
// language: init is a method like others but in Swift.
func MakesInstances(language, name string) bool {
	switch name {
	case "__init__", "__new__":
		return language == "python"
	case "constructor":
		return store.CrossFamily(language) == "javascript"
	case "__construct":
		return language == "php"
	case "initialize":
		return language == "ruby"
	case "init":
		return language == "swift"
	}
	return false
}

// ClassName is the part before the last of a node's name, or the name if it has one part.
func ClassName(n *graph.Node) string {
	name := n.Name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Definitions returns the definitions of a name in its very case.
func Definitions(x *store.View, name string) []store.SymbolRef {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	var out []store.SymbolRef
	for _, d := range x.Table.Define(name) {
		if d.Record.Symbols[d.Symbol].Name == name {
			out = append(out, d)
		}
	}
	return out
}
