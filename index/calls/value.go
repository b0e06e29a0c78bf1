package calls

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Bounds of how far values are followed.
const (
	maxValueSteps  = 4       // variables and parameters, one after the other
	maxValueParsed = 2 << 20 // bytes of the files in which that is done, for one query
)

// A pursuit follows a function of JavaScript's languages that is used as a value, by the syntax of
// the files that name it, for the graph keeps no more than that it is used.
type pursuit struct {
	*Walk
	id       graph.ID
	calls    map[pathLine]bool // that the graph has of it
	seen     map[pursued]bool
	exported bool // a module of CommonJS gives it to those that load it
}

type pathLine struct {
	path string
	line int
}

// A pursued is a variable, or the function itself, in a part of a file.
type pursued struct {
	path, name string
	start, end int
}

// followed reports whether all that becomes of the values of a function is known: they are compared,
// called where the graph has the call, or given to what calls them at once, or from outside.
func (w *Walk) followed(id graph.ID) bool {
	return w.pursue(id) != nil
}

// pursue follows all values of a function. It is nil where what becomes of one is not known.
func (w *Walk) pursue(id graph.ID) *pursuit {
	n := w.Node(id)
	name := PlainName(n)
	if store.CrossFamily(n.Language) != "javascript" || name == "" || store.MakesInstances(n.Language, name) {
		return nil
	}
	p := pursuit{Walk: w, id: id, calls: map[pathLine]bool{}, seen: map[pursued]bool{}}
	files := []string{n.Path}
	named := true
	w.G.In(id, func(e graph.Edge) bool {
		from := w.Node(e.From).Path
		if e.Kind == graph.Calls {
			p.calls[pathLine{from, e.Pos.Line()}] = true
		}
		if r := w.index.Record(from); e.Kind == graph.References && e.Rule == graph.ByValue {
			named = named && r != nil && names(r, e.Pos, name)
		}
		if !slices.Contains(files, from) {
			files = append(files, from)
		}
		return named
	})
	if !named {
		return nil // by another name
	}
	slices.Sort(files)
	for _, file := range files {
		if !p.in(pursued{file, name, 0, 1 << 30}, maxValueSteps) {
			return nil
		}
	}
	return &p
}

// confined reports whether only code in the scope of a function or a class of JavaScript's languages can
// name it: it is one of a function or a module that exports it by no name, and no object has it as a
// member. Strings, members of its name and what stands in other files mean something else then.
func (w *Walk) confined(id graph.ID) bool {
	if known, ok := w.within[id]; ok {
		return known
	}
	n, name := w.Node(id), PlainName(w.Node(id))
	made := store.MakesInstances(n.Language, name)
	if made {
		n, name = w.Node(n.Outer), ClassName(n)
	}
	r := w.index.Record(n.Path)
	ok := r != nil && store.CrossFamily(r.Lang) == "javascript" && r.Lang != "vue" && r.Lang != "svelte" && w.parse(r, func(tree *syntax.Tree, src []byte) bool {
		at := store.Offset(src, n.Pos)
		return at >= 0 && mention.Scoped(tree, r.Path, src, at, name, made)
	})
	if ok && !made {
		p := w.pursue(id)
		ok = p != nil && !p.exported
	}
	w.within[id] = ok
	return ok
}

// beyondScope reports whether an open call of the name of a node cannot be one of it, which is confined.
func (w *Walk) beyondScope(id graph.ID, s graph.Site) bool {
	n, from := w.Node(id), w.Node(s.From)
	if store.CrossFamily(n.Language) != "javascript" || store.MakesInstances(n.Language, PlainName(n)) {
		return false
	}
	if from.Path == n.Path {
		r := w.index.Record(n.Path)
		if r == nil {
			return false
		}
		src := r.Text.All()
		if at := store.Offset(src, s.Pos); at < 1 || at > len(src) || src[at-1] != '.' {
			return false
		}
	}
	return w.confined(id)
}

// names reports whether a name stands at a place of a file.
func names(r *store.Record, pos ir.Pos, name string) bool {
	src := r.Text.All()
	at := store.Offset(src, pos)
	return at >= 0 && bytes.HasPrefix(src[min(at, len(src)):], []byte(name))
}

// in follows the mentions of a name in a part of a file.
func (p *pursuit) in(what pursued, steps int) bool {
	if p.seen[what] {
		return true
	}
	p.seen[what] = true
	r := p.index.Record(what.path)
	if r == nil || steps == 0 || r.Lang == "vue" || r.Lang == "svelte" {
		return false
	}
	own := what.name == PlainName(p.Node(p.id))
	return p.parse(r, func(tree *syntax.Tree, src []byte) bool {
		places, ok := mention.PlacesIn(tree), true
		mention.Of([]string{what.name}).Each(src, func(m mention.Mention) bool {
			if m.Offset < what.start || m.Offset >= what.end {
				return true
			}
			switch v := places.ValueAt(m.Offset); v.Fate {
			case mention.Lost:
				ok = false
			case mention.Invoked:
				ok = own || m.Member || p.calls[pathLine{what.path, m.Line}]
			case mention.Assigned:
				ok = v.Name == what.name || p.in(pursued{what.path, v.Name, what.start, what.end}, steps-1)
			case mention.Argument:
				ok = p.given(what.path, src, v, steps-1)
			case mention.Exported:
				p.exported = true
				ok = own && p.loaded(what.path)
			}
			return ok
		})
		return ok
	})
}

// parse has a file's tree looked at, unless that cannot be made or too much was parsed for the
// query.
func (w *Walk) parse(r *store.Record, look func(tree *syntax.Tree, src []byte) bool) bool {
	src := r.Text.All()
	if w.parsed += len(src); w.parsed > maxValueParsed {
		return false
	}
	parser := w.index.Parsers.Get()
	defer w.index.Parsers.Put(parser)
	tree := parser.Tree(r.Lang, src)
	return tree != nil && tree.Root() != 0 && look(tree, src)
}

// given reports whether what becomes of an argument is known.
func (p *pursuit) given(file string, src []byte, v mention.Value, steps int) bool {
	line := bytes.Count(src[:v.Callee], []byte{'\n'}) + 1
	at := ir.At(line, v.Callee-bytes.LastIndexByte(src[:v.Callee], '\n'))
	var targets []graph.ID
	inside, open := false, false
	p.G.CallsIn(file, func(e graph.Edge) bool {
		if e.Pos == at && e.Kind == graph.Calls {
			targets = append(targets, e.To)
		}
		return true
	}, func(s graph.Site) bool {
		if s.Pos == at {
			inside = inside || s.Reason != graph.External
			open = true
		}
		return true
	})
	if v.Member && (v.Name == "call" || v.Name == "apply") {
		if v.Number--; v.Number < 0 || v.Name == "apply" {
			return false
		}
	}
	if len(targets) > 0 {
		return !open && !slices.ContainsFunc(targets, func(to graph.ID) bool { return !p.parameter(to, v.Number, steps) })
	}
	if !callsAtOnce[v.Name] && (v.Member || !callsLater[v.Name]) && (!v.Unused || !serves[v.Name]) {
		return false
	}
	return open && !inside || !slices.ContainsFunc(p.index.Definitions(v.Name), func(d store.SymbolRef) bool {
		return store.CrossFamily(d.Record.Lang) == "javascript"
	})
}

// callsAtOnce are the methods of JavaScript's library, and of emitters of events, that call what they
// are given, and do not give it back.
var callsAtOnce = set("map forEach filter some every find findIndex findLast findLastIndex flatMap reduce reduceRight sort toSorted replace replaceAll " +
	"then catch finally on once off addListener removeListener prependListener prependOnceListener addEventListener removeEventListener nextTick " +
	"expect assert ok equal notEqual strictEqual notStrictEqual deepEqual deepStrictEqual throws rejects doesNotThrow doesNotReject has includes indexOf lastIndexOf")

// serves are methods of servers that keep what they are given, where what they give is not used.
var serves = set("get post put patch delete head options all use subscribe unsubscribe listen close end createServer")

// ofNode are modules of Node.js.
var ofNode = set("assert child_process crypto events fs http http2 https net os path stream tls url util zlib")

// callsLater are functions that are global and do so.
var callsLater = set("setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame requestIdleCallback Promise " +
	"describe context it test before after beforeEach afterEach beforeAll afterAll suite setup teardown")

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// parameter reports whether all that becomes of a function's parameter is known.
func (p *pursuit) parameter(of graph.ID, number, steps int) bool {
	n := p.Node(of)
	r := p.index.Record(n.Path)
	if n.Kind != graph.FuncNode || r == nil || steps == 0 {
		return false
	}
	var name string
	known := p.parse(r, func(tree *syntax.Tree, src []byte) (known bool) {
		name, known = mention.ParameterAt(tree, int(n.Start), int(n.End), number)
		return known && !bytes.Contains(src[n.Start:n.End], []byte("arguments"))
	})
	if !known {
		return false
	}
	return name == "" || p.in(pursued{n.Path, name, int(n.Start), int(n.End)}, steps)
}

// loaded reports whether those that load a module of CommonJS take its members by their names.
func (p *pursuit) loaded(file string) bool {
	key := pursued{path: file}
	if p.seen[key] {
		return true
	}
	p.seen[key] = true
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	folder := path.Base(path.Dir(file))
	other := func(module string) bool { // it is surely of another file
		last := strings.TrimSuffix(path.Base(module), path.Ext(module))
		if !strings.HasPrefix(module, ".") {
			return strings.HasPrefix(module, "node:") || ofNode[module]
		}
		return strings.Trim(module, "./") != "" && last != stem && path.Base(module) != stem && (stem != "index" || last != folder)
	}
	known := map[string]bool{}
	ok := true
	p.G.In(p.G.File(file), func(e graph.Edge) bool {
		from := p.Node(e.From).Path
		if known[from] || e.Kind != graph.Imports {
			return true
		}
		known[from] = true
		r := p.index.Record(from)
		if r == nil || store.CrossFamily(r.Lang) != "javascript" || r.Lang == "vue" || r.Lang == "svelte" {
			ok = false
			return false
		}
		ok = p.parse(r, func(tree *syntax.Tree, src []byte) bool { return takesMembers(tree, src, other) })
		return ok
	})
	return ok
}

// takesMembers reports whether a file takes the members of what it loads by their names, but for
// modules that are surely others.
func takesMembers(tree *syntax.Tree, src []byte, other func(module string) bool) bool {
	places, ok := mention.PlacesIn(tree), true
	mention.Of([]string{"require", "import"}).Each(src, func(m mention.Mention) bool {
		module, variables, taken := places.Loads(m.Offset)
		if module != "" && other(module) || module == "" && taken {
			return true
		}
		if ok = taken; !ok {
			return false
		}
		for _, v := range variables {
			held := mention.PlacesIn(tree)
			mention.Of([]string{v}).Each(src, func(m mention.Mention) bool {
				fate := held.ValueAt(m.Offset).Fate
				ok = m.Member || fate == mention.Kept || fate == mention.Invoked
				return ok
			})
			if !ok {
				break
			}
		}
		return ok
	})
	return ok
}
