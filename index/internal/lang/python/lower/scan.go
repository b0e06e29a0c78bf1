package lower

import (
	"sort"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A scope is the module or a function: the names that it binds.
type scope struct {
	node   syntax.Node
	unit   int32     // the outermost function around it
	bound  []binding // a name once for each time that it is bound
	global []ir.Str
	outer  []ir.Str // declared nonlocal
}

// A binding is a name that is given a meaning at a place in the text.
type binding struct {
	name    ir.Str
	pos     int
	imports bool // by an import
}

// A scanner is the state of the first pass.
type scanner struct {
	*lowerer
	open  []region
	funcs int // how many functions are open

	importing bool
	unit      int32
}

// A region is a function or class that the scan is in.
type region struct {
	end   int
	scope int32 // the function; of a class that of the code around
	class bool
}

// scan fills in the scopes. It goes over all nodes, so what it does for each is
// little: the tree is in the order of the text, and children follow parents.
func (l *lowerer) scan() {
	s := scanner{lowerer: l, open: []region{{end: len(l.Source()) + 1}}}
	l.scopes = append(l.scopes, scope{node: l.Root()})
	for n, last := syntax.Node(1), syntax.Node(l.Len()); n <= last; n++ {
		s.visit(n)
	}
	for _, b := range l.scopes[0].bound {
		at := l.name(b.name)
		at.multi = at.multi || at.bound && !(b.imports && at.onlyImports)
		at.onlyImports = b.imports && (!at.bound || at.onlyImports)
		at.bound = true
	}
	for i := range l.scopes {
		for _, g := range l.scopes[i].global {
			l.name(g).global, l.name(g).bound = true, true
		}
	}
}

func (s *scanner) visit(n syntax.Node) {
	switch s.Kind(n) {
	case "identifier":
		if len(s.open) > 1 {
			s.leave(n)
			if s.funcs > 1 {
				s.seen(s.id(n))
			}
		}
	case "function_definition":
		s.leave(n)
		s.bind(s.Child(n, "name"))
		s.enter(n, s.Child(n, "parameters"))
	case "lambda":
		s.leave(n)
		s.enter(n, s.Child(n, "parameters"))
	case "class_definition":
		s.leave(n)
		s.bind(s.Child(n, "name"))
		s.open = append(s.open, region{end: s.End(n), scope: s.top().scope, class: true})
	case "assignment", "augmented_assignment":
		s.leave(n)
		if len(s.open) == 1 {
			s.all(n)
		}
		s.pattern(s.Child(n, "left"), 0)
	case "for_statement":
		s.leave(n)
		s.pattern(s.Child(n, "left"), 0)
	case "named_expression":
		s.leave(n)
		s.bind(s.Child(n, "name"))
	case "as_pattern_target":
		s.leave(n)
		s.pattern(s.NamedChild(n, 0), 0)
	case "as_pattern":
		s.leave(n)
		if id := s.NamedChild(n, 1); s.Kind(id) == "identifier" {
			s.bind(id)
		}
	case "case_pattern", "keyword_pattern", "splat_pattern":
		s.leave(n)
		s.bind(s.capture(n))
	case "import_statement", "import_from_statement":
		s.leave(n)
		s.imports(n)
	case "global_statement", "nonlocal_statement":
		s.leave(n)
		s.declare(n)
	case "type_alias_statement":
		s.leave(n)
		s.bind(s.NamedChild(s.NamedChild(n, 0), 0))
	}
}

func (s *scanner) top() *region { return &s.open[len(s.open)-1] }

// leave closes what ends before n.
func (s *scanner) leave(n syntax.Node) {
	at := s.Start(n)
	for len(s.open) > 1 && at >= s.top().end {
		if !s.top().class {
			s.funcs--
		}
		s.open = s.open[:len(s.open)-1]
	}
}

// enter opens a function with its parameters.
func (s *scanner) enter(n, params syntax.Node) {
	id := int32(len(s.scopes))
	if s.funcs == 0 {
		s.unit = id
	}
	s.funcs++
	s.scopes = append(s.scopes, scope{node: n, unit: s.unit})
	s.open = append(s.open, region{end: s.End(n), scope: id})
	for p := range s.NamedChildren(params) {
		s.bind(s.paramName(p))
	}
}

// bind notes that the current function binds a name. What a class binds are its
// members, no variables.
func (s *scanner) bind(id syntax.Node) {
	if s.Kind(id) != "identifier" || s.top().class {
		return
	}
	sc := &s.scopes[s.top().scope]
	sc.bound = append(sc.bound, binding{s.id(id), s.Start(id), s.importing})
}

// pattern binds the names in the target of an assignment.
func (s *scanner) pattern(n syntax.Node, depth int) {
	switch s.Kind(n) {
	case "identifier":
		s.bind(n)
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list",
		"expression_list", "list_splat", "parenthesized_expression":
		if depth > walk.MaxDepth {
			return
		}
		for c := range s.NamedChildren(n) {
			s.pattern(c, depth+1)
		}
	}
}

// all reads "__all__ = [...]": the names that "from m import *" brings.
func (s *scanner) all(n syntax.Node) {
	if left := s.Child(n, "left"); s.Kind(left) != "identifier" || string(s.Bytes(left)) != "__all__" {
		return
	}
	if s.public == nil {
		s.public = map[ir.Str]bool{}
	}
	for c := range s.NamedChildren(s.Child(n, "right")) {
		if word, ok := s.constant(c); ok {
			s.public[s.Str(word)] = true
		}
	}
}

// exported reports whether "from m import *" brings a name.
func (l *lowerer) exported(s ir.Str) bool {
	if l.public != nil {
		return l.public[s]
	}
	text := l.text(s)
	return text != "" && text[0] != '_'
}

func (s *scanner) imports(n syntax.Node) {
	from := s.Kind(n) == "import_from_statement"
	s.importing = true
	defer func() { s.importing = false }()
	for c := range s.NamedChildren(n) {
		if s.Field(c) != "name" {
			continue
		}
		if s.Kind(c) == "aliased_import" {
			s.bind(s.Child(c, "alias"))
		} else if first := s.NamedChild(c, 0); from || first != 0 {
			s.bind(first)
		}
	}
}

func (s *scanner) declare(n syntax.Node) {
	sc := &s.scopes[s.top().scope]
	for c := range s.NamedChildren(n) {
		if s.Kind(n) == "global_statement" {
			sc.global = append(sc.global, s.id(c))
		} else {
			sc.outer = append(sc.outer, s.id(c))
		}
	}
}

// seen records a name that occurs in a function within a function.
func (s *scanner) seen(id ir.Str) {
	if s.inner == nil {
		s.inner = map[uint64]struct{}{}
	}
	s.inner[uint64(s.unit)<<32|uint64(id)] = struct{}{}
}

// captured reports whether a name of a function is used in a function within it.
func (l *lowerer) captured(sc *scope, id ir.Str) bool {
	_, ok := l.inner[uint64(sc.unit)<<32|uint64(id)]
	return ok
}

// scopeOf returns the scope of a function's node.
func (l *lowerer) scopeOf(n syntax.Node) *scope {
	i := sort.Search(len(l.scopes), func(i int) bool { return l.scopes[i].node >= n })
	if i < len(l.scopes) && l.scopes[i].node == n {
		return &l.scopes[i]
	}
	return &scope{node: n}
}

// paramName returns the identifier of a parameter, or none for "/" and "*".
func (l *lowerer) paramName(p syntax.Node) syntax.Node {
	for range 4 {
		switch l.Kind(p) {
		case "identifier":
			return p
		case "default_parameter", "typed_default_parameter":
			p = l.Child(p, "name")
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern":
			p = l.NamedChild(p, 0)
		default:
			return 0
		}
	}
	return 0
}

// capture returns the name that a pattern of a case binds itself, or none: "x",
// "*x" and "key=x", but not "_", "a.b" or a literal.
func (l *lowerer) capture(n syntax.Node) syntax.Node {
	var id syntax.Node
	switch l.Kind(n) {
	case "case_pattern":
		id = l.NamedChild(n, 0)
	case "keyword_pattern":
		id = l.NamedChild(n, 1)
	case "splat_pattern":
		id = l.NamedChild(n, 0)
	}
	if l.Kind(id) == "dotted_name" && l.NamedChild(id, 1) == 0 {
		id = l.NamedChild(id, 0)
	}
	if l.Kind(id) != "identifier" || string(l.Bytes(id)) == "_" {
		return 0
	}
	return id
}
