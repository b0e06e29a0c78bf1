package calls

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/overload"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Doubts notes why callers of some nodes may not be known that the graph has no open call
// for. at is what was asked for, or nil.
func (w *Walk) Doubts(ctx context.Context, at *store.Target, ids []graph.ID, l *Gaps) {
	if at != nil && at.Symbol >= 0 {
		r := at.Record
		src := r.Text.All()
		for _, i := range group(r, at.Symbol) {
			if name := Decorated(r, src, i); name != "" {
				l.Because("%s is decorated by %s, which may have it called", r.Symbols[i].Qualified(), name)
				break
			}
		}
		if n := overloads(r, at.Symbol); n > 1 && w.mistakable(at, ids) {
			l.Because("%s is one of %d overloads, and a call may be taken for one of another", nameOf(at), n)
		}
	}
	if other, special := w.alternative(at, ids); special {
		l.Because("%s is of a specialisation of a template, and a call may be taken for one of the template", nameOf(at))
	} else if other != "" {
		l.Because("%s is defined in %s as well, and a call may be taken for one of that", nameOf(at), other)
	}
	w.fromOutside(ids, l)
	w.witness(ctx, at, ids, l)
}

// fromOutside notes which of some methods something outside of the index may call.
func (w *Walk) fromOutside(ids []graph.ID, l *Gaps) {
	told := 0
	for _, id := range ids[:min(len(ids), maxWitnessed)] {
		if by := w.Callback(id); by != "" {
			l.Because("%s may be called through %s", w.Node(id).Name, by)
			if told++; told == maxDoubts {
				return
			}
		}
	}
}

// Callback returns what outside of the index may call a function, or "".
func (w *Walk) Callback(id graph.ID) (by string) {
	if known, ok := w.outside[id]; ok {
		return known
	}
	defer func() { w.outside[id] = by }()
	n := w.Node(id)
	if n.Kind != graph.FuncNode || n.Flags&(ir.TestFunc|ir.Entry|ir.Operator) != 0 {
		return ""
	}
	r := w.index.Record(n.Path)
	if r == nil {
		return ""
	}
	i := int32(slices.IndexFunc(r.Symbols, func(s store.Symbol) bool {
		return int(s.NameLine) == n.Pos.Line() && s.Name == PlainName(n) && (store.Runs(s.Kind()) || n.Flags&ir.Constructor == 0)
	}))
	if i < 0 {
		return ""
	}
	return w.calledBack(n, r, i)
}

// declaredOnce reports whether the functions of C or C++ that a file has of one name and container
// are one: a definition of C, or of C++ with at most as many parameters as its declaration.
func (w *Walk) declaredOnce(r *store.Record, i int32) bool {
	list := same(r, i)
	if r.Lang == "c" || len(list) == 1 {
		return true
	}
	prototypes := 0
	for _, j := range list {
		if arityOf(r, i).Apart(arityOf(r, j)) {
			return false
		}
		for _, id := range w.G.Named(r.Path, r.Symbols[j].Name, int(r.Symbols[j].NameLine)) {
			if w.Node(id).Flags&ir.Prototype != 0 {
				prototypes++
				break
			}
		}
	}
	return len(list) == 2 && prototypes == 1
}

// alternative returns the file of another definition of a function of C's languages, as one for another
// setting of the preprocessor, that calls lead to which the target may have as well; "" for none. special
// says that it is one of a template which the target's class specialises.
func (w *Walk) alternative(at *store.Target, ids []graph.ID) (file string, special bool) {
	s := function(at)
	if s == nil || at.Record.Lang != "c" && at.Record.Lang != "cpp" {
		return "", false
	}
	header := func(path string) bool { return strings.HasSuffix(path, ".h") || strings.HasSuffix(path, ".hpp") }
	seen := func(id graph.ID, path string) bool { return header(path) || w.Node(id).Flags&ir.Private == 0 }
	own := map[ir.Pos]bool{}
	outside := s.Parent == "" // of a class
	for _, id := range ids {
		if !seen(id, at.Record.Path) {
			return "", false
		}
		n := w.Node(id)
		outside = outside || n.Outer != 0 && w.Node(n.Outer).ClassKind == ir.Namespace
		special = special || w.specialises(n)
		w.G.In(id, func(e graph.Edge) bool {
			own[e.Pos] = true
			return true
		})
	}
	for _, d := range w.index.Definitions(s.Name) {
		t := &d.Record.Symbols[d.Symbol]
		if !store.Runs(t.Kind()) || t.Parent != s.Parent && !special || d.Record.Lang != at.Record.Lang {
			continue
		}
		for _, id := range w.G.Named(d.Record.Path, t.Name, int(t.NameLine)) {
			if n := w.Node(id); slices.Contains(ids, id) || n.Kind != graph.FuncNode || !seen(id, d.Record.Path) ||
				!outside && !special && !w.specialises(n) {
				continue
			}
			w.G.In(id, func(e graph.Edge) bool {
				if e.Kind == graph.Calls && !own[e.Pos] {
					file = d.Record.Path
				}
				return file == ""
			})
		}
	}
	return file, special && file != ""
}

// specialises reports whether a function is one of a template's specialisation: its class has arguments
// after its name. Which of them a call means the graph does not know.
func (w *Walk) specialises(n *graph.Node) bool {
	if n.Language != "cpp" || n.Outer == 0 {
		return false
	}
	class := w.Node(n.Outer)
	r := w.index.Record(class.Path)
	if r == nil || class.Kind != graph.ClassNode {
		return false
	}
	src := r.Text.All()
	at := store.Offset(src, class.Pos)
	return at >= 0 && bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(src[at:], []byte(PlainName(class))), " "), []byte("<"))
}

// function returns the symbol of a target that is a function, or nil.
func function(t *store.Target) *store.Symbol {
	if t == nil || t.Symbol < 0 || !store.Runs(t.Sym().Kind()) {
		return nil
	}
	return t.Sym()
}

// relatives adds to the nodes of a symbol those of its other signatures and, in C and C++,
// of its declarations and its definition in other files.
func (w *Walk) relatives(at *store.Target, add func(graph.ID)) {
	r := at.Record
	if group := group(r, at.Symbol); len(group) > 1 {
		named := w.G.NamedIn(r.Path) // a file may have thousands
		for _, i := range group {
			if s := &r.Symbols[i]; i != at.Symbol {
				for _, id := range named[graph.Spot{Name: s.Name, Line: int(s.NameLine)}] {
					add(id)
				}
			}
		}
	}
	s := at.Sym()
	if r.Lang != "c" && r.Lang != "cpp" || !store.Runs(s.Kind()) || !w.declaredOnce(r, at.Symbol) {
		return
	}
	own := w.G.Named(r.Path, s.Name, int(s.NameLine))
	if !slices.ContainsFunc(own, func(id graph.ID) bool { return w.Node(id).Flags&ir.Prototype != 0 }) {
		own = nil
	}
	for _, d := range w.index.Definitions(s.Name) {
		t := &d.Record.Symbols[d.Symbol]
		if d.Record == r && int32(d.Symbol) == at.Symbol || t.Parent != s.Parent || !store.Runs(t.Kind()) || !graph.SameFamily(d.Record.Lang, r.Lang) {
			continue
		}
		for _, id := range w.G.Named(d.Record.Path, t.Name, int(t.NameLine)) {
			flags := w.Node(id).Flags
			if flags&ir.Prototype != 0 || len(own) > 0 && (d.Record == r || flags&ir.Private == 0) {
				add(id)
			}
		}
	}
}

// Decorated returns the name of a decorator or an annotation of a symbol that may have it
// called, or put something else in its place; "" for none. src is the record's text.
func Decorated(r *store.Record, src []byte, i int32) string {
	switch r.Lang {
	case "c", "cpp":
		s := &r.Symbols[i]
		return protocol.CalledBy(string(headOf(r, uint32(bytes.LastIndexByte(src[:s.Start], '\n')+1), s.End)))
	case "python", "java", "kotlin", "typescript", "tsx", "javascript", "vue", "svelte", "csharp", "php", "scala", "rust", "swift":
	default:
		return ""
	}
	s := &r.Symbols[i]
	return protocol.Attribute(protocol.AttributeLines(src, int(s.Start), int(s.NameLine-s.Line)))
}

// same returns the functions of a file with the name and the container of one, itself
// included.
func same(r *store.Record, i int32) (all []int32) {
	s := &r.Symbols[i]
	if !store.Runs(s.Kind()) {
		return []int32{i}
	}
	for j := range r.Symbols {
		if t := &r.Symbols[j]; t.Name == s.Name && t.Parent == s.Parent && store.Runs(t.Kind()) {
			all = append(all, int32(j))
		}
	}
	return all
}

// group returns the symbols that are the same function as one: its overload signatures and
// its implementation, where a language writes them apart.
func group(r *store.Record, i int32) []int32 {
	if !store.OneFunction(r.Lang) {
		return []int32{i}
	}
	all := same(r, i)
	if r.Lang == "python" {
		return all
	}
	src := r.Text.All()
	apart := func(j int32) bool { // from the one after it
		gap := src[r.Symbols[j].End:max(r.Symbols[j].End, r.Symbols[j+1].Start)]
		return !signatures.Match(gap)
	}
	at := slices.Index(all, i)
	first, last := at, at
	for first > 0 && all[first-1] == all[first]-1 && !apart(all[first-1]) {
		first--
	}
	for last+1 < len(all) && all[last+1] == all[last]+1 && !apart(all[last]) {
		last++
	}
	return all[first : last+1]
}

// signatures matches what stands between the signatures of one function of TypeScript.
var signatures = regexp.MustCompile(`^(?:[\s;]|//[^\n]*|/\*(?s:.*?)\*/|\b(?:export|default|declare|async|public|private|protected|static|abstract|override)\b)*$`)

// overloads counts the functions that calls of a symbol can be taken for.
func overloads(r *store.Record, i int32) int {
	switch r.Lang {
	case "java", "kotlin", "csharp", "cpp", "scala", "swift":
		return len(same(r, i))
	}
	return 1
}

// mistakable reports whether something that the graph takes for a use of another overload may be
// one of the target, whose nodes are given: a call with as many arguments as both take, or a
// name without arguments.
func (w *Walk) mistakable(at *store.Target, ids []graph.ID) bool {
	r := at.Record
	own := arityOf(r, at.Symbol)
	for _, i := range same(r, at.Symbol) {
		other := arityOf(r, i)
		apart := own.Apart(other)
		for _, id := range w.G.Named(r.Path, r.Symbols[i].Name, int(r.Symbols[i].NameLine)) {
			if slices.Contains(ids, id) {
				continue
			}
			found := false
			var sites []graph.Edge
			w.G.In(id, func(e graph.Edge) bool {
				if found = e.Kind != graph.Calls; !apart {
					sites = append(sites, e)
				}
				return !found
			})
			if found || len(sites) > 0 && !w.excluded(r, ids, sites) {
				return true
			}
		}
	}
	return false
}

// excluded reports whether none of some calls of other overloads can be of the target by the types of its
// arguments, or that the answer has it: ids are the target's nodes.
func (w *Walk) excluded(r *store.Record, ids []graph.ID, sites []graph.Edge) bool {
	if r.Lang != "java" {
		return false
	}
	own := slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return w.Node(id).Kind != graph.FuncNode })
	if len(own) != 1 {
		return false
	}
	listed := map[graph.Edge]bool{} // by place
	w.G.In(own[0], func(e graph.Edge) bool {
		listed[graph.Edge{From: e.From, Pos: e.Pos}] = e.Kind == graph.Calls
		return true
	})
	var target overload.Function
	ok := w.parse(r, func(tree *syntax.Tree, src []byte) (ok bool) {
		target, ok = overload.FunctionAt(tree, store.Offset(src, w.Node(own[0]).Pos))
		return ok
	})
	files := map[string][]ir.Pos{}
	for _, e := range sites {
		if path := w.Node(e.From).Path; !listed[graph.Edge{From: e.From, Pos: e.Pos}] {
			files[path] = append(files[path], e.Pos)
		}
	}
	for path, places := range files {
		from := w.index.Record(path)
		ok = ok && from != nil && from.Lang == "java" && w.parse(from, func(tree *syntax.Tree, src []byte) bool {
			return !slices.ContainsFunc(places, func(pos ir.Pos) bool { return !target.Excludes(tree, store.Offset(src, pos), w.javaTypes) })
		})
	}
	return ok
}

// javaTypes is an overload.Lookup.
func (w *Walk) javaTypes(name string) (found []overload.Class) {
	for _, d := range w.Types(name, "java") {
		s := &d.Record.Symbols[d.Symbol]
		c := overload.Class{Interface: s.Kind() == syntax.Interface, File: d.Record.Text.All()}
		c.Plain = d.Record.Lang == "java" && (c.Interface || s.Kind() == syntax.Class)
		for _, b := range protocol.Bases(d.Record.Lang, s.Name, headOf(d.Record, s.Start, s.End)) {
			c.Bases = append(c.Bases, b.Name)
		}
		found = append(found, c)
	}
	return found
}

// arityOf reads the parameters of a function.
func arityOf(r *store.Record, i int32) protocol.Arity {
	s := &r.Symbols[i]
	src := r.Text.All()[s.Start:s.End]
	for range s.NameLine - s.Line { // annotations
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	return protocol.ArityOf(r.Lang, s.Name, src)
}
