package library

import (
	"reflect"
	"testing"
)

// TestParse reads rules of each form.
func TestParse(t *testing.T) {
	word := func(name string, args ...[]part) part { return part{name: name, args: args} }
	m := MustParse(`
# Comments and empty lines are none.
[list, set]

map mapTo: args(elem, _) -> List<ret> # so is this
fold:      arg0(arg1); arg0(elem | ret) -> arg1 | Pair<ret, same(elem)>
size:
first:     -> elem
`)
	mapped := &rule{
		calls:  []part{word("args", []part{word("elem")}, []part{word("_")})},
		result: []part{{name: "List", args: [][]part{{word("ret")}}, generic: true}},
	}
	want := map[string]*rule{
		"map": mapped, "mapTo": mapped,
		"fold": {
			calls:  []part{word("arg0", []part{word("arg1")}), word("arg0", []part{word("elem"), word("ret")})},
			result: []part{word("arg1"), {name: "Pair", args: [][]part{{word("ret")}, {word("same", []part{word("elem")})}}, generic: true}},
		},
		"size":  {},
		"first": {result: []part{word("elem")}},
	}
	if !reflect.DeepEqual(m["list"].rules, want) {
		t.Errorf("read %v", m["list"].rules)
	}
	if m["set"] != m["list"] {
		t.Error("a model of two types is none of the second")
	}
	for _, bad := range []string{"map: -> elem", "[list]\nmap elem", "[list]\nmap: f(x) y", "[list]\nmap: -> a ) b", "[list]\nmap:\nmap:"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is read", bad)
				}
			}()
			MustParse(bad)
		}()
	}
}
