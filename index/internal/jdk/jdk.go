// Package jdk knows the types of Java's library that programs derive from or hand on: what they are
// below, and which methods the library can call of a class below them. types.txt has them, a type a line:
//
//	java.util.ListIterator i Iterator : add hasNext next
//
// That is its name, what it is (i: an interface, f: a final class, c: another class), what it is below,
// and its methods that a class outside of the library may override.
package jdk

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:generate sh -c "java types.java > types.txt"

//go:embed types.txt
var table string

// A Type is one of the library.
type Type struct {
	Name    string // without its package
	Final   bool   // no class is below it
	Lambda  bool   // it is an interface, so that a function literal may be one
	pkg     string // of it, or the type around it
	above   []string
	methods []string
}

// types are those of the table by their names without a package; of some names there are several.
var types = sync.OnceValue(func() map[string][]*Type {
	all := map[string][]*Type{}
	for line := range strings.Lines(table) {
		head, methods, _ := strings.Cut(line, ":")
		words := strings.Fields(head)
		last := strings.LastIndexByte(words[0], '.')
		t := &Type{Name: words[0][last+1:], pkg: words[0][:last], Final: words[1] == "f", Lambda: words[1] == "i", above: words[2:], methods: strings.Fields(methods)}
		all[t.Name] = append(all[t.Name], t)
	}
	return all
})

// imports finds what a file imports.
var imports = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+([\w.]+?)\.(\w+|\*)[ \t]*;`)

// Find returns the type of the library that a name without a dot means in a file, which has no type of
// that name: nil where it is none, or nobody knows.
func Find(name string, file []byte) *Type {
	list := types()[name]
	if len(list) == 0 {
		return nil
	}
	in, named := []string{"java.lang"}, false
	for _, m := range imports.FindAllSubmatch(file, -1) {
		from, what := string(m[1]), string(m[2])
		switch {
		case what == name:
			in, named = []string{from}, true
		case what == "*" && !named:
			in = append(in, from)
		case !named:
			in = append(in, from+"."+what) // Map.Entry
		}
	}
	for _, t := range list {
		if slices.Contains(in, t.pkg) {
			return t
		}
	}
	return nil
}

// Calls reports whether the library may call a method of a class below a type by a name.
func (t *Type) Calls(method string) bool {
	object := types()["Object"][0]
	closed := t.each(func(up *Type) bool { return !slices.Contains(up.methods, method) })
	return !closed || slices.Contains(object.methods, method)
}

// Below reports whether a type may be another one of the library, or one below that, by its name.
func (t *Type) Below(name string) bool {
	return name == "Object" || !t.each(func(up *Type) bool { return up.Name != name })
}

// each calls visit for a type and for all above it but Object, until it returns false. It reports whether it
// never did, and all are known.
func (t *Type) each(visit func(*Type) bool) bool {
	if !visit(t) {
		return false
	}
	for _, name := range t.above {
		up := types()[name]
		if len(up) != 1 || !up[0].each(visit) {
			return false
		}
	}
	return true
}
