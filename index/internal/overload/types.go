package overload

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/jdk"
)

// A typ is what is known of a type. The zero value is any.
type typ struct {
	kind kind
	name string // without its package
	dims int    // of an array
	file []byte // in which the name stands
}

type kind uint8

const (
	unknown   kind = iota
	primitive      // or an array of such
	reference      // or an array of such
	null           // the literal
	function       // a lambda expression or the reference of a method
)

// wider are the primitive types that one may become, itself included.
var wider = map[string]string{
	"boolean": "boolean", "byte": "byte short int long float double", "short": "short int long float double",
	"char": "char int long float double", "int": "int long float double", "long": "long float double", "float": "float double", "double": "double",
}

// boxes are the classes of the primitive types.
var boxes = map[string]string{
	"boolean": "Boolean", "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer", "long": "Long", "float": "Float", "double": "Double",
}

// unboxed is the primitive type of a class, "" for none.
func unboxed(name string) string {
	for p, box := range boxes {
		if box == name {
			return p
		}
	}
	return ""
}

func widens(from, to string) bool { return slices.Contains(strings.Fields(wider[from]), to) }

// converts reports whether a value of type a may be passed where p is declared.
func converts(a, p typ, types Lookup) bool {
	switch {
	case a.kind == unknown || p.kind == unknown:
		return true
	case a.kind == function:
		return p.kind == reference && p.dims == 0 && mayBeFunction(p, types)
	case a.kind == null:
		return p.kind == reference || p.dims > 0
	case a.dims > 0 && p.dims > 0:
		switch {
		case a.dims < p.dims:
			return false
		case a.dims > p.dims:
			return p.kind == reference && ofArrays(p.name)
		case a.kind == primitive || p.kind == primitive:
			return a.kind == p.kind && a.name == p.name
		}
		return below(a, p, types)
	case a.dims > 0:
		return p.kind == reference && ofArrays(p.name)
	case p.dims > 0:
		return false
	case a.kind == primitive && p.kind == primitive:
		return widens(a.name, p.name)
	case a.kind == primitive:
		box := jdk.Find(boxes[a.name], nil)
		return p.name == box.Name || box.Below(p.name)
	case p.kind == primitive:
		return widens(unboxed(a.name), p.name)
	}
	return below(a, p, types)
}

// ofArrays reports whether all arrays are of a type.
func ofArrays(name string) bool {
	return name == "Object" || name == "Cloneable" || name == "Serializable"
}

// mayBeFunction reports whether a type may be an interface with one method.
func mayBeFunction(p typ, types Lookup) bool {
	list := types(p.name)
	if slices.ContainsFunc(list, func(c Class) bool { return c.Interface }) {
		return true
	}
	t := jdk.Find(p.name, p.file)
	if t == nil {
		return len(list) == 0
	}
	return t.Lambda
}

// maxAbove bounds how many types above one are looked at.
const maxAbove = 64

// below reports whether a class may be another one, or below it.
func below(a, p typ, types Lookup) bool {
	if a.name == p.name || p.name == "Object" || p.name == "Record" || p.name == "Annotation" {
		return true
	}
	if t := jdk.Find(p.name, p.file); t != nil && t.Final && len(types(p.name)) == 0 {
		return false
	}
	seen := map[string]bool{}
	level := []typ{a}
	for n := 0; len(level) > 0; n++ {
		if n == maxAbove {
			return true
		}
		c := level[0]
		level = level[1:]
		if seen[c.name] {
			continue
		}
		seen[c.name] = true
		t, list := jdk.Find(c.name, c.file), types(c.name)
		if t == nil && len(list) == 0 || t != nil && t.Below(p.name) || c.name == p.name {
			return true
		}
		for _, k := range list {
			if !k.Plain {
				return true
			}
			for _, b := range k.Bases {
				level = append(level, typ{reference, b, 0, k.File})
			}
		}
	}
	return false
}
