package diagnostics

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A form says how a language writes calls and the functions that are called.
type form struct {
	calls     map[string][2]string // kind of a call: the fields of what is called and of the arguments
	functions map[string]string    // kind of a function: the field of its parameters
	fewer     bool                 // more arguments than parameters are no error
}

var forms = map[string]*form{
	"c":          {calls: map[string][2]string{"call_expression": {"function", "arguments"}}, functions: map[string]string{"function_definition": ""}},
	"go":         {calls: map[string][2]string{"call_expression": {"function", "arguments"}}, functions: map[string]string{"function_declaration": "parameters", "method_declaration": "parameters"}},
	"java":       {calls: map[string][2]string{"method_invocation": {"name", "arguments"}, "object_creation_expression": {"type", "arguments"}}, functions: map[string]string{"method_declaration": "parameters", "constructor_declaration": "parameters"}},
	"php":        {calls: map[string][2]string{"function_call_expression": {"function", "arguments"}, "member_call_expression": {"name", "arguments"}, "scoped_call_expression": {"name", "arguments"}}, functions: map[string]string{"function_definition": "parameters", "method_declaration": "parameters"}, fewer: true},
	"python":     {calls: map[string][2]string{"call": {"function", "arguments"}}, functions: map[string]string{"function_definition": "parameters"}},
	"ruby":       {calls: map[string][2]string{"call": {"method", "arguments"}}, functions: map[string]string{"method": "parameters", "singleton_method": "parameters"}},
	"rust":       {calls: map[string][2]string{"call_expression": {"function", "arguments"}}, functions: map[string]string{"function_item": "parameters"}},
	"tsx":        scriptForm,
	"typescript": scriptForm,
}

var scriptForm = &form{
	calls:     map[string][2]string{"call_expression": {"function", "arguments"}, "new_expression": {"constructor", "arguments"}},
	functions: map[string]string{"function_declaration": "parameters", "generator_function_declaration": "parameters", "method_definition": "parameters"},
}

// A head is what a function takes.
type head struct {
	least, most int      // arguments, without a receiver
	receiver    bool     // it has one that a call through its type gives as an argument
	bound       bool     // that is the type itself, or there is none, whatever the call is written with
	names       []string // of the parameters that may be given by name, in order; those that have no default come with "!"
	any         bool     // it takes others by name, too
	unknown     bool     // what is called under its name may take others
}

// A site is a call.
type site struct {
	at, end   int // of the name
	given     int // arguments by position
	names     []string
	open      bool // there may be more or fewer than those that are written
	qualified bool // it is written with something before the name that may be a type
	path      bool // and that is one
	bare      bool // it is written as a name alone
}

// heads returns the functions of a file, by the place of their names, as line<<12 + column.
func (s *text) heads() map[uint32]head {
	f := forms[s.record.Lang]
	found, overloaded := map[uint32]head{}, map[string]bool{}
	names := map[uint32]string{}
	t := s.tree
	decorated := map[syntax.Node]bool{}
	for n := syntax.Node(1); int(n) <= t.Len(); n++ {
		kind := t.Kind(n)
		switch kind {
		case "decorated_definition":
			for c := range t.NamedChildren(n) {
				if t.Kind(c) == "decorator" && !harmless[strings.TrimSpace(strings.TrimPrefix(t.Text(c), "@"))] {
					decorated[t.Child(n, "definition")] = true
				}
			}
			continue
		case "function_signature", "method_signature", "abstract_method_signature":
			overloaded[t.Text(t.Child(n, "name"))] = true
			continue
		}
		field, is := f.functions[kind]
		if !is {
			continue
		}
		name, params := t.Child(n, "name"), t.Child(n, field)
		if s.record.Lang == "ruby" && strings.HasSuffix(t.Text(name), "=") { // a = b calls it
			continue
		}
		if field == "" { // of C
			d := t.Child(n, "declarator")
			for t.Kind(d) == "pointer_declarator" {
				d = t.Child(d, "declarator")
			}
			if t.Kind(d) != "function_declarator" {
				continue
			}
			name, params = t.Child(d, "declarator"), t.Child(d, "parameters")
			if t.ChildOf(n, "declaration") != 0 { // with the types of parameters after the list
				continue
			}
		}
		if name == 0 || params == 0 && s.record.Lang != "ruby" {
			continue
		}
		h := s.headOf(n, params)
		h.unknown = h.unknown || decorated[n]
		at := s.spot(t.Start(name))
		found[at] = h
		names[at] = t.Text(name)
	}
	for at, name := range names {
		if overloaded[name] {
			h := found[at]
			h.unknown = true
			found[at] = h
		}
	}
	return found
}

// harmless are decorators that leave a function's parameters as they are.
var harmless = words("staticmethod classmethod abstractmethod abc.abstractmethod override typing.override typing_extensions.override final typing.final")

func (s *text) spot(at int) uint32 {
	line, column := s.place(at)
	return uint32(min(line, 1<<20-1)<<12 | min(column, 1<<12-1))
}

// headOf reads the parameters of a function.
func (s *text) headOf(fn, params syntax.Node) (h head) {
	t, lang := s.tree, s.record.Lang
	take := func(name string, optional bool) {
		h.most++
		if !optional {
			h.least++
			name += "!"
		}
		h.names = append(h.names, name)
	}
	keywords, first := false, true
	for p := range t.NamedChildren(params) {
		if t.Comment(p) {
			continue
		}
		kind := t.Kind(p)
		is := func(kinds ...string) bool { return slices.Contains(kinds, kind) }
		switch lang {
		case "python":
			inner := p
			if kind == "typed_parameter" {
				inner = t.NamedChild(p, 0)
			}
			name := t.Text(inner)
			if n := t.Child(p, "name"); n != 0 {
				name = t.Text(n)
			}
			optional := is("default_parameter", "typed_default_parameter")
			switch t.Kind(inner) {
			case "list_splat_pattern":
				h.most, keywords = math.MaxInt32/2, true
				continue
			case "dictionary_splat_pattern":
				h.any = true
				continue
			case "keyword_separator":
				keywords = true
				continue
			case "positional_separator":
				continue
			case "tuple_pattern":
				h.unknown = true
			}
			if keywords { // by name alone
				if !optional {
					name += "!"
				}
				h.names = append(h.names, "*"+name)
				continue
			}
			take(name, optional)
		case "go":
			if kind == "variadic_parameter_declaration" {
				h.most = math.MaxInt32 / 2
				continue
			}
			n := 0
			for c := range t.NamedChildren(p) {
				if t.Field(c) == "name" {
					n++
				}
			}
			for range max(n, 1) {
				take("", false)
			}
		case "typescript", "tsx":
			pattern := t.Child(p, "pattern")
			switch {
			case t.Kind(pattern) == "this" || t.Text(pattern) == "this":
			case t.Kind(pattern) == "rest_pattern":
				h.most = math.MaxInt32 / 2
			default:
				typ := t.Text(t.Child(p, "type"))
				take("", is("optional_parameter") || t.Child(p, "value") != 0 || strings.Contains(typ, "void") || strings.Contains(typ, "any") || strings.Contains(typ, "unknown") || typ == "")
			}
		case "java":
			switch kind {
			case "spread_parameter":
				h.most = math.MaxInt32 / 2
			case "receiver_parameter":
			default:
				take("", false)
			}
		case "c":
			switch {
			case is("variadic_parameter"):
				h.most = math.MaxInt32 / 2
			case is("parameter_declaration"):
				if t.Text(p) != "void" {
					take("", false)
				}
			default:
				h.unknown = true
			}
		case "php":
			if kind == "variadic_parameter" {
				h.most = math.MaxInt32 / 2
				continue
			}
			take(strings.TrimPrefix(t.Text(t.Child(p, "name")), "$"), t.Child(p, "default_value") != 0)
		case "ruby":
			switch kind {
			case "identifier", "destructured_parameter":
				take("", false)
			case "optional_parameter":
				take("", true)
			case "block_parameter":
			case "splat_parameter":
				h.most = math.MaxInt32 / 2
			default:
				h.unknown = true
			}
		case "rust":
			switch kind {
			case "self_parameter":
				h.receiver = true
			case "parameter":
				if t.Text(t.Child(p, "pattern")) == "self" {
					h.receiver = true
				} else {
					take("", false)
				}
			default:
				h.unknown = true
			}
		}
		first = false
	}
	switch {
	case lang == "c" && first && t.NamedChild(params, 0) == 0: // f() takes what it is given
		h.unknown = true
	case lang == "python":
		h.inClass(s, fn)
	}
	return h
}

// inClass takes the receiver of a method of Python from its parameters.
func (h *head) inClass(s *text, fn syntax.Node) {
	t := s.tree
	around := s.above(t.Start(fn))
	class, static := false, false
	for i, n := range around {
		switch t.Kind(n) {
		case "class_definition":
			class = true
			h.unknown = t.Text(t.Child(fn, "name")) == "__init__" && (bytes.Contains(t.Bytes(t.Child(n, "superclasses")), []byte("metaclass")) ||
				i > 0 && t.Kind(around[i-1]) == "decorated_definition" && !bytes.Contains(t.Bytes(around[i-1])[:t.Start(n)-t.Start(around[i-1])], []byte("dataclass")))
		case "function_definition", "lambda":
			if n != fn {
				class = false
			}
		case "decorated_definition":
			if i+1 < len(around) && t.Child(n, "definition") == fn {
				static = bytes.Contains(t.Bytes(n)[:t.Start(fn)-t.Start(n)], []byte("@staticmethod"))
				h.bound = bytes.Contains(t.Bytes(n)[:t.Start(fn)-t.Start(n)], []byte("@classmethod"))
			}
		}
	}
	if name := t.Text(t.Child(fn, "name")); name == "__new__" || name == "__init_subclass__" || name == "__class_getitem__" {
		h.unknown = true
	}
	if !class || static {
		h.bound = true
		return
	}
	if len(h.names) == 0 || strings.HasPrefix(h.names[0], "*") {
		h.unknown = h.most == 0
		return
	}
	h.receiver = true
	h.most--
	if strings.HasSuffix(h.names[0], "!") {
		h.least--
	}
	h.names = h.names[1:]
}

// sites returns the calls of a file.
func (s *text) sites() (found []site) {
	f, t := forms[s.record.Lang], s.tree
	for n := syntax.Node(1); int(n) <= t.Len(); n++ {
		fields, is := f.calls[t.Kind(n)]
		if !is {
			continue
		}
		callee, args := t.Child(n, fields[0]), t.Child(n, fields[1])
		if callee == 0 || args == 0 && s.record.Lang != "ruby" {
			continue
		}
		var c site
		name := callee
		c.bare = t.Kind(name) == "identifier"
		for range 4 {
			switch t.Kind(name) {
			case "attribute":
				object := t.Child(name, "object")
				c.qualified = t.Kind(object) == "identifier" || t.Kind(object) == "attribute"
				c.qualified = c.qualified && t.Text(object) != "self"
				name = t.Child(name, "attribute")
			case "selector_expression", "field_expression":
				c.qualified = true
				name = t.Child(name, "field")
			case "member_expression":
				name = t.Child(name, "property")
			case "scoped_identifier":
				c.path = true
				name = t.Child(name, "name")
			case "generic_function":
				name = t.Child(name, "function")
			case "generic_type":
				name = t.NamedChild(name, 0)
			default:
			}
		}
		if k := t.Kind(name); !strings.HasSuffix(k, "identifier") && k != "name" && k != "constant" { // what another call gives
			continue
		}
		c.at, c.end = t.Start(name), t.End(name)
		c.count(s, args)
		found = append(found, c)
	}
	return found
}

// count reads the arguments of a call.
func (c *site) count(s *text, args syntax.Node) {
	t, lang := s.tree, s.record.Lang
	if k := t.Kind(args); k == "generator_expression" {
		c.given = 1
		return
	} else if k == "template_string" {
		c.open = true
	}
	for a := range t.NamedChildren(args) {
		if t.Comment(a) {
			continue
		}
		switch kind := t.Kind(a); kind {
		case "keyword_argument":
			c.names = append(c.names, t.Text(t.Child(a, "name")))
			continue
		case "list_splat", "dictionary_splat", "spread_element", "variadic_argument", "variadic_unpacking", "splat_argument", "hash_splat_argument", "forward_argument", "pair",
			"attribute_item", "ERROR", "macro_invocation", "parenthesized_list_splat", "variadic_placeholder", "preproc_ifdef", "preproc_if", "compound_statement", "type_descriptor", "declaration":
			c.open = true
		case "block_argument", "heredoc_body":
			continue
		case "call_expression":
			callee := t.Text(t.Child(a, "function"))
			c.open = c.open || lang == "go" || lang == "c" && strings.ToUpper(callee) == callee // it may have several values
		case "identifier":
			c.open = c.open || lang == "c" && strings.ToUpper(t.Text(a)) == t.Text(a) // a macro may be several
		case "argument":
			if t.Child(a, "name") != 0 || bytes.HasPrefix(t.Bytes(a), []byte("...")) {
				c.open = true
			}
		}
		c.given++
	}
	if lang == "go" && c.given > 1 { // only one alone is all of its values
		c.open = bytes.Contains(t.Bytes(args), []byte("..."))
	}
	if t.Missing(args) {
		c.open = true
	}
}
