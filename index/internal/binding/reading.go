package binding

import (
	"bytes"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A reading is a file that is parsed to see which of its names stand where.
type reading struct {
	record     *store.Record
	src        []byte
	tree       *syntax.Tree
	form       *ir.File
	starts     []int // of lines
	words      map[string][]occurrence
	statements []importStatement // that import something
	strings    []text
	comments   []text
	traits     []text // of Rust: implementations of traits, and traits
	bodies     []syntax.Node
	markup     bool // it has elements of JSX
	fold       bool // small and capital letters are the same
}

// folded is a name as words have it.
func (d *reading) folded(name string) string {
	if d.fold {
		return strings.ToLower(name)
	}
	return name
}

// An occurrence is a place that has a name.
type occurrence struct {
	at     int
	member bool // it is taken of something, or the name of an argument: it is not a name by itself
	dollar bool // it is a variable of PHP
}

// An importStatement is one that imports something.
type importStatement struct {
	start, end int
	from, to   int  // what can see the names: a function, a class, or the file
	class      bool // that is a class, whose names are members
	tried      bool // it is looked whether it can be imported
}

// A text is a string, a comment or another part of a file.
type text struct {
	start, end int
	kind       textKind
}

type textKind uint8

const (
	plain   textKind = iota
	typing           // a string that is a type
	listing          // one in __all__
	docs             // a string that stands alone
)

// importing are the kinds of nodes that import, and other heads in which names mean nothing of the file.
var importing = map[string]bool{
	"import_statement": true, "import_from_statement": true, "future_import_statement": true, "import_declaration": true, "import_header": true,
	"use_declaration": true, "extern_crate_declaration": true, "namespace_use_declaration": true, "using_directive": true,
	"package_header": true, "package_clause": true,
}

// traded are the names that a file has seen in a way that others have to know of, by hash.
type traded struct {
	seed    maphash.Seed
	begun   map[uint64]struct{} // what names may begin with that a program puts together, or end with, after a star
	valued  map[uint64]struct{} // stand somewhere without being called
	defined map[uint64]uint16   // functions and methods of a name
	taken   map[uint64]struct{} // "module.name" of Python: something takes the name of the module
	stars   map[uint64]struct{} // modules of Python of which all is taken
}

func newTraded(seed maphash.Seed) *traded {
	return &traded{seed, map[uint64]struct{}{}, map[uint64]struct{}{}, map[uint64]uint16{}, map[uint64]struct{}{}, map[uint64]struct{}{}}
}

func (t *traded) key(family, name string) uint64 {
	return maphash.String(t.seed, family) ^ maphash.String(t.seed, name)
}

// made reports whether a string has what a name begins or ends with, where names are put together.
func (t *traded) made(family, name string) bool {
	begins := func(word string) bool { _, ok := t.begun[t.key(family, word)]; return ok }
	ends := func(word string) bool { _, ok := t.begun[t.key(family, "*"+word)]; return ok }
	return protocol.Made(name, begins, ends) != ""
}

func (t *traded) keyBytes(family string, name []byte) uint64 {
	return maphash.String(t.seed, family) ^ maphash.Bytes(t.seed, name)
}

// read goes through the tree. It notes where the names are that want has, and in all what others have
// to know.
func (d *reading) read(want map[string]bool, all *traded) {
	d.words = map[string][]occurrence{}
	t, lang, family := d.tree, d.record.Lang, store.CrossFamily(d.record.Lang)
	heads := map[int]bool{} // where functions have their names
	for i := 2; i < len(d.form.Funcs); i++ {
		if f := &d.form.Funcs[i]; f.Name != 0 {
			heads[d.offset(f.Pos)] = true
			all.defined[all.key(family, d.form.String(f.Name))]++
		}
	}
	var open []syntax.Node
	past, quoted, count := 0, 0, 0 // count: of the words of a string
	if callsMade(lang) {
		count = -1
	}
	for n := syntax.Node(1); int(n) <= t.Len(); n++ {
		start, end := t.Start(n), t.End(n)
		for len(open) > 0 && t.End(open[len(open)-1]) <= start {
			open = open[:len(open)-1]
		}
		if end == start {
			continue
		}
		up := syntax.Node(0)
		if len(open) > 0 {
			up = open[len(open)-1]
		}
		open = append(open, n)
		kind := t.Kind(n)
		switch {
		case start < past:
			continue
		case t.Kind(up) == "package_declaration" && !strings.HasSuffix(kind, "annotation"): // those use what is imported below
			past = end
			continue
		case importing[kind] && (lang != "php" || kind != "use_declaration"): // of PHP that puts traits into a class
			past = end
			if kind == "import_header" { // the grammar has the comment behind it in it
				past = start + len(firstLine(d.src[start:end]))
			}
			d.statements = append(d.statements, d.statement(open, n))
			continue
		case t.Comment(n):
			d.comments = append(d.comments, text{start, end, plain})
			past = end
			continue
		case strings.HasPrefix(kind, "jsx_"):
			d.markup = true
		case kind == "trait_item", kind == "impl_item" && t.Child(n, "trait") != 0, kind == "foreign_mod_item":
			d.traits = append(d.traits, text{start, end, plain})
		case kind == "preproc_arg": // what a macro stands for, as text
			for _, at := range word.FindAllIndex(d.src[start:end], -1) {
				if !isCalled(d.src, start+at[1], lang) {
					all.valued[all.keyBytes(family, d.src[start+at[0]:start+at[1]])] = struct{}{}
				}
			}
		case t.Field(n) == "body", kind == "function_body":
			d.bodies = append(d.bodies, n)
		case t.Named(n) && start >= quoted && textual(kind):
			quoted = end
			d.strings = append(d.strings, text{start, end, d.textKind(open, n)})
			if inside := bytes.Trim(d.src[start:end], "'\"`"); len(inside) < 60 && identifier.Match(inside) {
				all.valued[all.keyBytes(family, inside)] = struct{}{}
			}
			for _, at := range word.FindAllIndex(d.src[start:min(end, start+200)], count) {
				if from, to := start+at[0], start+at[1]; protocol.Begins(d.src, from, to) {
					all.begun[all.keyBytes(family, d.src[from:to])] = struct{}{}
				} else if protocol.Ends(d.src, from, to) {
					all.begun[all.key(family, "*"+string(d.src[from:to]))] = struct{}{}
				}
			}
		}
		if c := t.First(n); c != 0 && t.Named(c) || !t.Named(n) || !strings.HasSuffix(kind, "identifier") && kind != "name" {
			continue
		}
		name := bytes.TrimPrefix(d.src[start:end], []byte("r#"))
		switch lang {
		case "csharp":
			name = bytes.TrimPrefix(name, []byte("@"))
		case "kotlin":
			name = bytes.Trim(name, "`")
		}
		one := occurrence{at: start, member: d.member(up, n, kind), dollar: t.Kind(up) == "variable_name"}
		if d.fold {
			name = bytes.ToLower(name)
		}
		if want[string(name)] {
			d.words[string(name)] = append(d.words[string(name)], one)
		}
		switch field := t.Field(n); {
		case heads[start]:
		case field == "name" && defining(t.Kind(up)):
			all.defined[all.keyBytes(family, name)]++
		case !one.dollar && kind != "statement_identifier" && !isCalled(d.src, end, lang):
			all.valued[all.keyBytes(family, name)] = struct{}{}
		}
		if lang == "python" && one.member && t.Kind(up) == "attribute" {
			of := t.Child(up, "object")
			if t.Kind(of) == "attribute" {
				of = t.Child(of, "attribute")
			}
			all.taken[all.key(t.Text(of), string(name))] = struct{}{}
		}
	}
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// defining reports whether a kind of node defines a function, or declares one.
func defining(kind string) bool {
	return strings.Contains(kind, "method") || strings.Contains(kind, "function")
}

var (
	identifier = regexp.MustCompile(`^[\pL_$][\pL\d_$]*$`)
	word       = regexp.MustCompile(`[\pL_][\pL\d_]*`)
	arguments  = regexp.MustCompile("^(?:(?:::)?<[^()<>;]*>|\\[[\\w., *]*\\]|\\?\\.|!!|!)?[ \t]*[(`]")
)

// isCalled reports whether what ends at an offset is called there.
func isCalled(src []byte, at int, lang string) bool {
	rest := src[at:min(len(src), at+200)]
	if arguments.Match(rest) {
		return true
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && (rest[0] == '(' || rest[0] == '{' && lang == "kotlin")
}

// textual reports whether a kind of node is a string.
func textual(kind string) bool {
	return strings.Contains(kind, "string") && !strings.Contains(kind, "interpol") || strings.HasPrefix(kind, "heredoc") || kind == "encapsed_string"
}

// textKind says what a string is.
func (d *reading) textKind(open []syntax.Node, n syntax.Node) textKind {
	t := d.tree
	if d.record.Lang != "python" {
		return plain
	}
	for i := len(open) - 2; i >= 0; i-- {
		switch kind := t.Kind(open[i]); kind {
		case "type":
			return typing
		case "expression_statement":
			if t.NamedChild(open[i], 0) == n {
				return docs
			}
		case "assignment", "augmented_assignment", "call":
			if bytes.HasPrefix(t.Bytes(open[i]), []byte("__all__")) {
				return listing
			}
			if c := t.Text(t.Child(open[i], "function")); c == "cast" || strings.HasSuffix(c, ".cast") || strings.HasSuffix(c, "TypeVar") {
				return typing
			}
		}
	}
	return plain
}

// member reports whether a name is one that something else is asked for.
func (d *reading) member(up, n syntax.Node, kind string) bool {
	t := d.tree
	switch kind {
	case "property_identifier", "private_property_identifier", "statement_identifier", "field_identifier":
		return true
	}
	field := t.Field(n)
	switch above := t.Kind(up); d.record.Lang {
	case "python":
		return above == "attribute" && field == "attribute" || above == "keyword_argument" && field == "name"
	case "javascript", "typescript", "tsx":
		return above == "nested_type_identifier" && field == "name"
	case "java":
		switch above {
		case "field_access":
			return field == "field"
		case "method_invocation":
			return field == "name" && t.Child(up, "object") != 0
		case "scoped_type_identifier", "scoped_identifier", "method_reference":
			return t.NamedChild(up, 0) != n
		}
	case "rust":
		return (above == "scoped_identifier" || above == "scoped_type_identifier") && field == "name" && t.Child(up, "path") != 0 && !slices.Contains([]string{"self", "super"}, t.Text(t.Child(up, "path")))
	case "php":
		return field == "name" && (strings.HasPrefix(above, "member_") || strings.HasPrefix(above, "scoped_") || strings.HasPrefix(above, "nullsafe_"))
	case "csharp":
		return above == "member_access_expression" && field == "name"
	}
	return false
}

// statement notes an import, whose node is the last of those that are open.
func (d *reading) statement(open []syntax.Node, n syntax.Node) importStatement {
	t := d.tree
	s := importStatement{start: t.Start(n), end: t.End(n), to: len(d.src)}
	scoped := false
	for i := len(open) - 2; i >= 0; i-- {
		up := open[i]
		switch t.Kind(up) {
		case "try_statement":
			if body := t.Child(up, "body"); d.record.Lang == "python" && t.Start(body) <= s.start && s.end <= t.End(body) && missing.Match(d.src[t.End(body):t.End(up)]) {
				s.tried = true
			}
		case "function_definition", "function_item", "mod_item", "block", "class_definition":
			if scoped || t.Kind(up) == "block" && d.record.Lang != "rust" {
				continue
			}
			scoped, s.from, s.to, s.class = true, t.Start(up), t.End(up), t.Kind(up) == "class_definition"
		}
	}
	return s
}

var missing = regexp.MustCompile(`except\s*:|except[^:\n]*(?:Import|ModuleNotFound|Exception|Attribute)`)

// offset returns the offset of a place.
func (d *reading) offset(p ir.Pos) int {
	if d.starts == nil {
		d.starts = []int{0}
		for i, c := range d.src {
			if c == '\n' {
				d.starts = append(d.starts, i+1)
			}
		}
	}
	if n := p.Line(); n >= 1 && n <= len(d.starts) {
		return min(d.starts[n-1]+max(p.Column(), 1)-1, len(d.src))
	}
	return 0
}

// lines returns the text of the lines from that of an offset to that of another one, with one more above
// where a mark may stand there.
func (d *reading) lines(from, to int) []byte {
	begin := bytes.LastIndexByte(d.src[:from], '\n') + 1
	if begin > 0 && d.record.Lang != "python" {
		begin = bytes.LastIndexByte(d.src[:begin-1], '\n') + 1
	}
	end := len(d.src)
	if i := bytes.IndexByte(d.src[to:], '\n'); i >= 0 {
		end = to + i
	}
	return d.src[begin:end]
}

// hasWord reports whether a text has a word.
func hasWord(text []byte, word string) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		start := at + i
		end := start + len(word)
		if (start == 0 || !inWord(text[start-1]) || text[start-1] == '$') && (end == len(text) || !inWord(text[end]) || text[end] == '$') { // "{:width$}" of Rust
			return true
		}
		at = end
	}
}

// mentioned reports whether one of some texts within a part of the file has a word.
func (d *reading) mentioned(list []text, word string, from, to int, is func(text []byte, kind textKind) bool) bool {
	return slices.ContainsFunc(list, func(s text) bool {
		return from <= s.start && s.end <= to && hasWord(d.src[s.start:s.end], word) && is(d.src[s.start:s.end], s.kind)
	})
}
