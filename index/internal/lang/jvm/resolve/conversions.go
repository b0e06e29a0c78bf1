package resolve

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// conversions are functions of Kotlin's library that give one type whatever they are called on.
var conversions = map[string]string{
	"toInt": "Int", "toLong": "Long", "toShort": "Short", "toByte": "Byte", "toDouble": "Double", "toFloat": "Float", "toChar": "Char",
	"toString": "String", "joinToString": "String",
}

// arrayConversions are what arrays of numbers become.
var arrayConversions = map[string]string{
	"toTypedArray": "Array", "toList": "List", "toMutableList": "MutableList", "asList": "List", "toSet": "Set", "asIterable": "Iterable", "asSequence": "Sequence",
}

// converted calls such a function on something of the library.
func converted(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	g := e.Family
	i := g.Values.Info[v]
	if i.Kind != pointsto.External && i.Kind != pointsto.Generic {
		return 0, false
	}
	name := g.Names.Text[c.Name]
	if to := conversions[name]; to != "" {
		outside(c)
		return e.External(g.Names.Intern(to)), true
	}
	elem, array := strings.CutSuffix(program.LastName(g.Names.Text[i.ID]), "Array")
	if to := arrayConversions[name]; to != "" && array && elem != "" && len(g.Args(i.Args)) == 0 {
		outside(c)
		return e.Generic(to, e.External(g.Names.Intern(elem))), true
	}
	return 0, false
}

// outside notes that a call leads out of the index, unless it is known by its whole name.
func outside(c *eval.Call) {
	if c.External == 0 {
		c.External = c.Name
	}
}

// spreads reports whether an array is passed as several arguments.
func spreads(args []eval.Argument) bool {
	return slices.ContainsFunc(args, func(a eval.Argument) bool { return a.Kind == ir.Spread })
}
