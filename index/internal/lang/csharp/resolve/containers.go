package resolve

import (
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

func lastName(g *program.Family, i pointsto.Info) string {
	text := g.Names.Text[i.ID]
	return text[strings.LastIndexByte(text, '.')+1:]
}
