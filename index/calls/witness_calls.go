package calls

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// calls leaves of some mentions those that are neither comments, strings nor declarations
// by the syntax of the text. Of those with a way to be called no more is asked than that they
// are in no comment. known is false where it was not asked.
func (t *witness) calls(file *texts.Source, lang string, src []byte, list []mention.Mention, ways map[int]mention.Way) (open []mention.Mention, known bool) {
	if list = slices.DeleteFunc(list, func(m mention.Mention) bool {
		switch ways[m.Offset] {
		case mention.Linked:
			return false
		case mention.Quoted, mention.Part:
			return mention.InComment(lang, src, m.Offset)
		}
		return mention.NoUse(lang, src, m.Offset)
	}); len(list) == 0 {
		return nil, true
	}
	if t.doubts != nil && file.Record == nil && !file.Traits.Test {
		for _, m := range list { // what has the place is not in the graph: it is not asked whether it calls
			t.asked[m.Name].doubted = true
		}
		return nil, true
	}
	if lang == "vue" || lang == "svelte" || lang == "html" {
		return list, true // in a template, calls stand in what the syntax has for strings
	}
	at := func(m *mention.Mention) syntaxOf { return syntaxOf{file.Path, m.Offset, ways[m.Offset]} }
	if !slices.ContainsFunc(list, func(m mention.Mention) bool { _, known := t.code[at(&m)]; return !known }) {
		return slices.DeleteFunc(list, func(m mention.Mention) bool { return !t.code[at(&m)] }), true
	}
	if t.parsed > maxReparsed {
		return list, false
	}
	t.parsed += len(src)
	p := t.index.Parsers.Get()
	defer t.index.Parsers.Put(p)
	tree := p.Tree(lang, src)
	if tree == nil || tree.Root() == 0 {
		return slices.DeleteFunc(list, func(m mention.Mention) bool { return mention.Remark(src, m.Offset) }), true
	}
	return slices.DeleteFunc(list, func(m mention.Mention) bool {
		code := isCode(tree, lang, src, m.Offset, ways[m.Offset])
		t.code[at(&m)] = code
		return !code
	}), true
}

// A syntaxOf is a place whose syntax was asked, with the way that it has.
type syntaxOf struct {
	file   string
	offset int
	way    mention.Way
}

// isCode reports whether a place can have something called in its way, by the syntax.
func isCode(tree *syntax.Tree, lang string, src []byte, at int, way mention.Way) bool {
	switch way {
	case mention.NoWay, mention.Class, mention.Implied, mention.Braced, mention.Token:
		return mention.RoleAt(tree, at) == mention.Used
	case mention.Taken:
		kind := mention.KindAt(tree, at)
		return kind == mention.Read || kind == mention.Key
	case mention.Quoted:
		return mention.KindAt(tree, at) != mention.Comment && (store.CrossFamily(lang) != "javascript" || !mention.Inert(tree, src, at))
	case mention.Part:
		return mention.KindAt(tree, at) != mention.Comment
	}
	return true
}

// elsewhere reports whether a place is none of those at which what is asked about can be named, which is
// confined to its scope.
func (t *witness) elsewhere(a *askedName, file string, src []byte, m *mention.Mention, way mention.Way) bool {
	if store.CrossFamily(a.language) != "javascript" || len(a.nodes) == 0 {
		return false
	}
	if m.Name[0] == '#' { // a private member
		return m.Offset == 0 || src[m.Offset-1] != '#' || !slices.ContainsFunc(a.nodes, func(id graph.ID) bool { return t.Node(id).Path == file })
	}
	text := m.Member || way == mention.Quoted || way == mention.Part
	return !slices.ContainsFunc(a.nodes, func(id graph.ID) bool {
		return t.Node(id).Path == file && !text || !t.confined(id)
	})
}

// mayStandFor reports whether instances of a class may be known, to code that calls their
// methods, as those of a type that is not in the index.
func (t *witness) mayStandFor(class *graph.Node) bool {
	switch class.Language {
	case "java", "kotlin", "csharp":
		r := t.index.Record(class.Path)
		if r == nil {
			return true
		}
		head := protocol.Head(headOf(r, class.Start, class.End))
		return bytes.ContainsAny(head, ":") || bytes.Contains(head, []byte("extends")) || bytes.Contains(head, []byte("implements"))
	case "rust", "c":
		return false
	}
	return true
}

// explained reports whether the graph knows what is called at a place. Of a string it knows
// that where it has an edge.
func (t *witness) explained(calls fileCalls, src []byte, m *mention.Mention, a *askedName, way mention.Way) bool {
	here := calls[ir.At(m.Line, m.Column)]
	if way == mention.Token { // what a macro makes of it is another thing than what it is there
		return slices.ContainsFunc(here, func(c calledHere) bool { return slices.Contains(a.nodes, c.to) })
	}
	if len(here) == 0 {
		for _, c := range calls[ir.At(m.Line, 0)] {
			if c.name == m.Name {
				here = append(here, c)
			}
		}
	}
	for _, c := range here {
		if t.took != nil && (c.open || c.external && c.path == m.Name || c.method && a.member) {
			continue // it may be of what is gone
		}
		if way == mention.Class && !c.calls || c.implicit && c.name != m.Name {
			continue
		}
		if !c.external && (way == mention.NoWay || !c.open) || way == mention.NoWay && t.outside(src, m, a, c) {
			return true
		}
	}
	return false
}

// outside reports whether it is certain that a call of something outside of the index
// does not lead to what is asked about.
func (t *witness) outside(src []byte, m *mention.Mention, a *askedName, c calledHere) bool {
	lang := store.CrossFamily(a.language)
	if lang != "" && c.path != "" && t.modules().Own(lang, c.path) {
		return false // of a package of this project that was not found
	}
	if a.language == "go" && protocol.OfGoLibrary(c.path) && !protocol.GoMethod(m.Name) {
		return true
	}
	if a.language == "c" && a.member && !m.Member {
		return false // C has no members that run: braces in macros, or C++, have misled the reader
	}
	if a.free && !m.Member && c.path == m.Name {
		return false // C++ looks in the namespaces of the arguments' types, too
	}
	// What is written as the end of its name is not surely another: in C++ the graph may
	// have lost the namespace around the call, or a macro has opened one around the definition.
	if strings.Contains(c.path, ".") && slices.ContainsFunc(a.paths, func(path string) bool {
		return strings.HasSuffix("."+path, "."+c.path) || strings.Contains(path, ".") && strings.HasSuffix(c.path, "."+path)
	}) {
		return false
	}
	if a.mixin && protocol.OfExampleGroup(c.path) {
		return false
	}
	receiver := mention.Receiver(src, m.Offset)
	prefix, _, qualified := LastPart(c.path)
	if a.language == "rust" && a.member && qualified && (!protocol.OfRustPrelude(prefix) || protocol.OfRustHolder(c.path) || protocol.OfRustExtension(c.path)) {
		return false // of a type that a macro has made, perhaps, of a variant that an import brings, or of a trait
	}
	if a.language == "rust" && qualified && src[m.Offset-1] == '.' && receiver == prefix[strings.LastIndexByte(prefix, '.')+1:] {
		return false // of a variable that nothing declares: a macro does
	}
	if m.Member && (receiver == "this" || receiver == "self") {
		return !store.Dynamic(a.language) && !a.inherits
	}
	if !m.Member || !a.member {
		return true
	}
	if a.language == "cpp" && src[m.Offset-1] != ':' {
		qualified = false // x.f() is of an object, though nothing is known of x
	}
	if qualified && receiver == prefix[strings.LastIndexAny(prefix, "./")+1:] && (a.language != "ruby" || !protocol.OfResult(a.language, prefix)) {
		return true // a function of a package, or a static one
	}
	return !a.inherits && !protocol.OfResult(a.language, prefix)
}

// tells reports whether an edge may tell what is called or named at its place.
func tells(e *graph.Edge) bool {
	return e.Kind == graph.Calls || e.Kind == graph.References && !e.Hands()
}

// callsIn reads what the graph has on the lines of some mentions in a file.
func (t *witness) callsIn(path string, list []mention.Mention) fileCalls {
	f := fileCalls{}
	lines := map[int]bool{}
	for i := range list {
		lines[list[i].Line] = true
	}
	add := func(pos ir.Pos, c calledHere) {
		f[pos] = append(f[pos], c)
		line := ir.At(pos.Line(), 0)
		f[line] = append(f[line], c)
	}
	t.G.CallsIn(path, func(e graph.Edge) bool {
		if !lines[e.Pos.Line()] || !tells(&e) {
			return true
		}
		n := t.Node(e.To)
		name := PlainName(n)
		add(e.Pos, calledHere{name: name, to: e.To, calls: e.Kind == graph.Calls, implicit: e.Rule == graph.ByProperty, method: strings.Contains(n.Name, ".") || n.Kind == graph.ClassNode})
		if n.Flags&ir.Constructor != 0 || store.MakesInstances(n.Language, name) {
			add(e.Pos, calledHere{name: ClassName(n), calls: e.Kind == graph.Calls, method: true})
		}
		return true
	}, func(s graph.Site) bool {
		if lines[s.Pos.Line()] {
			_, name, _ := LastPart(s.Name)
			add(s.Pos, calledHere{name: name, path: s.Name, external: s.Reason == graph.External, open: s.Reason != graph.External})
		}
		return true
	})
	return f
}

// undecoded looks for the names in files that are code by their own names and hold a NUL byte, or two bytes a letter:
// they are in no search, and compilers take them all the same.
func (t *witness) undecoded(paths []string) {
	if t.took != nil || t.doubts != nil {
		return
	}
	for _, path := range paths {
		lang := source.Language(path, nil)
		text := sync.OnceValue(func() []byte {
			text, ok := texts.Undecoded(t.index, path)
			if !ok {
				t.l.Because("%s could not be read", path)
			}
			return text
		})
		for _, name := range slices.Sorted(maps.Keys(t.asked)) {
			a := t.asked[name]
			if a.bare || len(a.told) > 0 || !store.SameCode(lang, a.language) {
				continue
			}
			mention.Of([]string{name}).Each(text(), func(mention.Mention) bool {
				t.doubt(a, "undecoded", "%s is named in %s, which is not read for its NUL bytes or its encoding", name, path)
				return false
			})
		}
	}
}
