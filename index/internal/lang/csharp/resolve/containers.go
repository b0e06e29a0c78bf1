package resolve

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// pair is the library's type of an entry of a dictionary.
const pair = "KeyValuePair"

// Elements are entries, of a dictionary.
func (*language) Elements(e *eval.Evaluator, v pointsto.Value, _ *ir.Node) (pointsto.Set, bool) {
	g := e.Family
	i := g.Values.Info[v]
	if args := g.Args(i.Args); i.Kind == pointsto.Generic && len(args) == 2 && strings.HasSuffix(lastName(g, i), "Dictionary") {
		return e.Generic(pair, args...), true
	}
	return 0, false
}

// Property is a property of the library's generic types that gives what they hold.
func (*language) Property(e *eval.Evaluator, v pointsto.Value, n intern.Name, _ ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	i := g.Values.Info[v]
	args := g.Args(i.Args)
	if i.Kind != pointsto.Generic || len(args) == 0 || g.IsFunctionType(i) {
		return 0, false
	}
	text, last := g.Names.Text[n], args[len(args)-1]
	switch kind := lastName(g, i); kind {
	case "Tuple", "ValueTuple":
		if at := strings.TrimPrefix(text, "Item"); len(at) == 1 && at[0] >= '1' && int(at[0]-'1') < len(args) {
			return args[at[0]-'1'], true
		}
	case pair:
		switch text {
		case "Key":
			return args[0], true
		case "Value":
			return last, true
		}
	case "Lazy", "Nullable", "Task", "ValueTask", "IGrouping", "IEnumerator", "ThreadLocal", "AsyncLocal", "StrongBox", "LinkedListNode":
		switch text {
		case "Key":
			return args[0], true
		case "Value", "Result", "Current":
			return last, true
		case "Next", "Previous":
			return g.Values.Single(v), true
		}
	case "LinkedList":
		if text == "First" || text == "Last" {
			return e.Generic("LinkedListNode", args...), true
		}
	default:
		if strings.HasSuffix(kind, "Dictionary") {
			switch text {
			case "Keys":
				return e.Generic("ICollection", args[0]), true
			case "Values":
				return e.Generic("ICollection", last), true
			}
		}
	}
	return 0, false
}

// lastName is the name of a type of the library without the namespaces it is in.
func lastName(g *program.Family, i pointsto.Info) string { return program.LastName(g.NameOf(i)) }

// ownMethods are methods of the library's collections that extensions share a name with: for each
// argument which type argument is its type, from the last one backwards.
var ownMethods = map[string][]int{
	"Add": {0}, "Remove": {0}, "Contains": {0}, "IndexOf": {0}, "Enqueue": {0}, "Push": {0},
}

// ownOfDictionaries are those of dictionaries.
var ownOfDictionaries = map[string][]int{
	"Add": {1, 0}, "TryAdd": {1, 0}, "ContainsKey": {1}, "Remove": {1}, "ContainsValue": {0},
}

// Own reports whether a collection has a method that takes the arguments.
func (*language) Own(e *eval.Evaluator, c *eval.Call, recv pointsto.Info) bool {
	g := e.Family
	table := ownMethods
	if strings.HasSuffix(lastName(g, recv), "Dictionary") {
		table = ownOfDictionaries
	} else if csharpTypes[lastName(g, recv)] == nil {
		return false
	}
	types, takes := g.Args(recv.Args), table[g.Names.Text[c.Name]]
	if len(takes) == 0 || len(takes) != len(c.Args) || len(takes) > len(types) {
		return false
	}
	for n, at := range takes {
		if !mayHold(g, types[len(types)-1-at], c.Args[n].Value) {
			return false
		}
	}
	return true
}

// mayHold reports whether a collection of some type may take values: a text or number is no
// element of a collection of others.
func mayHold(g *program.Family, declared, given pointsto.Set) bool {
	for _, v := range g.Elems(given) {
		i := g.Values.Info[v]
		word := program.LiteralWord(g.NameOf(i))
		if i.Kind != pointsto.External || !program.IsWord(word) {
			continue
		}
		takes := func(w pointsto.Value) bool {
			d := g.Values.Info[w]
			wanted := program.LiteralWord(g.NameOf(d))
			return d.Kind == pointsto.Param || d.Kind == pointsto.External && (wanted == word || !program.IsWord(wanted))
		}
		if declared != 0 && !slices.ContainsFunc(g.Elems(declared), takes) {
			return false
		}
	}
	return true
}
