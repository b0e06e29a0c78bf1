package syntax

import (
	"bytes"
	"strings"
	"sync"
)

// A pattern finds definitions in a line. Its first group is the name.
type pattern struct {
	kind Kind
	is   *expression
}

// A patternSet is what is known of a language without a grammar.
type patternSet struct {
	comment  string // the mark of a comment to the end of the line
	patterns []pattern
	imports  *expression // of which the first group is the path
	clauses  bool        // neighbours of one name are one definition
}

// longestLine is the length, in bytes, above which a line is no source code
// that a person wrote, and is passed over.
const longestLine = 2000

// patternSets compiles the expressions once, when a file first needs them.
var patternSets = sync.OnceValue(func() map[string]patternSet {
	set := func(comment, imports string, pairs ...string) patternSet {
		s := patternSet{comment: comment, clauses: comment == "--" || comment == "%"}
		if imports != "" {
			s.imports = newExpression(imports)
		}
		for i := 0; i < len(pairs); i += 2 {
			s.patterns = append(s.patterns, pattern{Kind(pairs[i]), newExpression(pairs[i+1])})
		}
		return s
	}
	const braces = `^\s*import\s+["']?([\w./:*-]+)`
	return map[string]patternSet{
		"haskell": set("--", `^import\s+(?:qualified\s+)?([\w.]+)`,
			"function", `^([a-z_][\w']*)\s*::`,
			"function", `^([a-z_][\w']*)(?:\s+[\w'()\[\],:_ @!~"-]+)?\s*(?:=[^=]|=$|\|)`,
			"function", `^([a-z_][\w']*)(?:\s+[\w'()\[\],:_ @!~"-]+)$`,
			"struct", `^(?:data|newtype)\s+(?:[^=]*=>\s*)?([A-Z][\w']*)`,
			"type", `^type\s+(?:family\s+|instance\s+)?([A-Z][\w']*)`,
			"class", `^class\s+(?:.*=>\s*)?([A-Z][\w']*)`,
			"class", `^instance\s+(?:.*=>\s*)?([A-Z][\w'.]*\s+(?:\([^)]*\)|\S+))`,
			"module", `^module\s+([\w.]+)`),
		"zig": set("//", `@import\("([^"]+)"\)`,
			"function", `^\s*(?:pub\s+)?(?:export\s+|extern\s+(?:"\w+"\s+)?|inline\s+|noinline\s+)*fn\s+(\w+)`,
			"struct", `^\s*(?:pub\s+)?const\s+(\w+)\s*=\s*(?:extern\s+|packed\s+)?(?:struct|union|opaque)\b`,
			"enum", `^\s*(?:pub\s+)?const\s+(\w+)\s*=\s*(?:enum|error)\b`,
			"constant", `^(?:pub\s+)?const\s+(\w+)`,
			"variable", `^(?:pub\s+)?(?:threadlocal\s+)?var\s+(\w+)`,
			"function", `^\s*test\s+"([^"]+)"`),
		"dart": set("//", `^\s*(?:import|export)\s+'([^']+)'`,
			"class", `^\s*(?:abstract\s+|base\s+|sealed\s+|final\s+|interface\s+|mixin\s+)*class\s+(\w+)`,
			"trait", `^\s*(?:base\s+)?mixin\s+(\w+)`,
			"type", `^\s*(?:extension(?:\s+type)?|typedef)\s+(\w+)`,
			"enum", `^\s*enum\s+(\w+)`,
			"function", `^\s*(?:static\s+|external\s+|@\w+\s+)*(?:[\w<>,?. \[\]]+\s+)(?:get\s+|set\s+)?(\w+)\s*(?:<[^>]*>)?\s*(?:\([^;]*\)?\s*(?:async\*?|sync\*)?\s*(?:\{|=>|$)|=>)`),
		"perl": set("#", `^\s*(?:use|require)\s+([A-Z][\w:]*)`,
			"module", `^\s*package\s+([\w:]+)`,
			"function", `^\s*sub\s+(\w+)`,
			"constant", `^\s*use\s+constant\s+(\w+)`),
		"r": set("#", `^\s*(?:library|require)\(["']?(\w+)`,
			"function", "^\\s*[`\"']?([\\w.]+|%[^%]+%)[`\"']?\\s*(?:<-|<<-|=)\\s*(?:function|\\\\)\\s*\\(",
			"class", `^\s*(?:\w+\s*<-\s*)?(?:setClass|setRefClass|R6Class|R6::R6Class)\(\s*["'](\w+)`,
			"method", `^\s*(?:setMethod|setGeneric)\(\s*["'](\w+)`,
			"constant", `^([A-Z][A-Z0-9_.]*)\s*(?:<-|=)`),
		"julia": set("#", `^\s*(?:using|import)\s+([\w.]+)`,
			"function", `^\s*(?:@\w+\s+)*function\s+([\w.!]+)`,
			"macro", `^\s*macro\s+(\w+)`,
			"struct", `^\s*(?:@\w+\s+)*(?:mutable\s+)?struct\s+(\w+)`,
			"type", `^\s*(?:abstract|primitive)\s+type\s+(\w+)`,
			"module", `^\s*(?:bare)?module\s+(\w+)`,
			"constant", `^const\s+(\w+)`,
			"function", `^([\w.!]+)\([^=]*\)\s*(?:where\s.*)?=[^=]`),
		"objc": set("//", `^\s*#(?:import|include)\s+["<]([^">]+)`,
			"class", `^@(?:interface|implementation)\s+(\w+)`,
			"interface", `^@protocol\s+(\w+)\s*(?:<|$)`,
			"method", `^\s*[-+]\s*\([^)]*\)\s*(\w+)`,
			"field", `^\s*@property\b.*?(\w+)\s*;`,
			"enum", `^\s*typedef\s+NS_(?:ENUM|OPTIONS)\(\s*\w+\s*,\s*(\w+)`,
			"macro", `^\s*#define\s+(\w+)`,
			"function", `^[A-Za-z_][\w *]*?\b(\w+)\s*\([^;]*\)?\s*\{?\s*$`),
		"nim": set("#", `^\s*(?:import|from|include)\s+([\w./]+)`,
			"function", "^\\s*(?:proc|func|iterator|converter|method)\\s+`?([^\\s`*(\\[]+)",
			"macro", "^\\s*(?:macro|template)\\s+`?([^\\s`*(\\[]+)",
			"type", `^\s*(?:type\s+)?(\w+)\*?(?:\[[^\]]*\])?\s*(?:\{[^}]*\})?\s*=\s*(?:ref\s+)?(?:object|enum|tuple|distinct|concept)\b`),
		"erlang": set("%", `^-include(?:_lib)?\("([^"]+)"`,
			"module", `^-module\((\w+)\)`,
			"function", `^([a-z]\w*)\(.*(?:->|$)`,
			"struct", `^-record\((\w+)`,
			"macro", `^-define\((\w+)`,
			"type", `^-(?:type|opaque)\s+(\w+)`),
		"clojure": set(";", `\[([\w.-]+)\s+:(?:as|refer)`,
			"module", `^\(ns\s+([\w.-]+)`,
			"function", `^\s*\((?:defn-?|defmulti|defmethod|s/defn|deftest)\s+(?:\^\S+\s+)*([^\s()\[\]]+)`,
			"macro", `^\s*\(defmacro\s+([^\s()\[\]]+)`,
			"class", `^\s*\((?:defrecord|deftype)\s+([^\s()\[\]]+)`,
			"interface", `^\s*\((?:defprotocol|definterface)\s+([^\s()\[\]]+)`,
			"variable", `^\s*\((?:def|defonce)\s+(?:\^\S+\s+)*([^\s()\[\]]+)`),
		"fsharp": set("//", `^\s*open\s+([\w.]+)`,
			"module", `^\s*(?:module|namespace)\s+(?:rec\s+|private\s+)?([\w.]+)`,
			"type", `^\s*(?:type|and)\s+(?:private\s+|internal\s+)?([A-Z]\w*)`,
			"method", `^\s*(?:static\s+|abstract\s+|default\s+|override\s+)*member\s+(?:\w+\.)?(\w+)`,
			"function", "^(?:    )?let\\s+(?:rec\\s+|inline\\s+|private\\s+|mutable\\s+)*(\\w+|``[^`]+``)"),
		"powershell": set("#", `^\s*(?:Import-Module|using\s+module)\s+([\w./\\-]+)`,
			"function", `(?i)^\s*(?:function|filter)\s+(?:\w+:)?([\w-]+)`,
			"class", `(?i)^\s*class\s+(\w+)`,
			"enum", `(?i)^\s*enum\s+(\w+)`),
		"make": set("#", `^-?include\s+(\S+)`,
			"rule", `^([A-Za-z0-9_./%$()-]+)(?:\s+[^:=]*)?::?(?:[^=]|$)`,
			"variable", `^(?:export\s+|override\s+)?([A-Za-z_]\w*)\s*(?:\?|:|::|\+)?=`,
			"macro", `^define\s+(\w+)`),
		"vue": set("//", `^\s*import\s.*from\s+['"]([^'"]+)`,
			"function", `^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\*?\s+(\w+)`,
			"function", `^\s*(?:export\s+)?const\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>`,
			"constant", `^(?:export\s+)?const\s+(\w+)`,
			"rule", `^<(template|script|style)\b`),
		"json": {},
		// Any other text: what most languages have in common.
		"": set("//", braces,
			"function", `^\s*(?:(?:export|pub|public|private|protected|internal|static|async|inline|default|local)\s+)*(?:function|func|fn|def|fun|sub|proc)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$.:?!]*)`,
			"class", `^\s*(?:(?:export|pub|public|private|abstract|final|static|sealed|default|data)\s+)*(?:class|object)\s+([A-Z_]\w*)`,
			"struct", `^\s*(?:(?:export|pub|public|typedef)\s+)*struct\s+([A-Za-z_]\w*)`,
			"interface", `^\s*(?:(?:export|pub|public)\s+)*(?:interface|protocol)\s+([A-Za-z_]\w*)`,
			"trait", `^\s*(?:pub\s+)?trait\s+([A-Za-z_]\w*)`,
			"enum", `^\s*(?:(?:export|pub|public)\s+)*enum\s+(?:class\s+)?([A-Za-z_]\w*)`,
			"type", `^(?:export\s+|pub\s+)?type\s+([A-Za-z_]\w*)`,
			"macro", `^\s*#define\s+(\w+)`),
	}
})

// patterns finds definitions by regular expressions, line by line. A definition
// runs to the line before the next one that is indented no deeper, so what is
// indented deeper is inside it.
func (p *Parser) patterns(language string, src []byte) File {
	if language == "" {
		return File{}
	}
	set, ok := patternSets()[language]
	if !ok {
		set = patternSets()[""]
	}
	f := File{Language: language}
	if len(set.patterns) == 0 {
		return f
	}
	x := &p.work
	x.reset(src, &rules{exported: func(decl) bool { return true }, name: unmarked}, p.names)
	for i := range x.lines {
		x.addLine(&set, i)
	}
	if set.clauses {
		x.joinClauses()
	}
	g := x.file()
	f.Symbols, f.Imports, f.HeadEnd = g.Symbols, g.Imports, g.HeadEnd
	return f
}

// unmarked takes the quotes off a name.
func unmarked(text string) (parent, name string) { return "", strings.Trim(text, "`'\"") }

// lineSpan is the line with the given index, without its end.
func (x *extraction) lineSpan(i int) span {
	s := span{x.lines[i], len(x.src)}
	if i+1 < len(x.lines) {
		s.end = x.lines[i+1] - 1
	}
	for s.end > s.start && x.src[s.end-1] == '\r' {
		s.end--
	}
	return s
}

// addLine takes what begins in a line: a comment, an import or a definition.
func (x *extraction) addLine(set *patternSet, i int) {
	s := x.lineSpan(i)
	line := x.src[s.start:s.end]
	text := bytes.TrimLeft(line, " \t")
	if len(text) == 0 || len(line) > longestLine {
		return
	}
	begin := s.start + len(line) - len(text)
	if set.comment != "" && bytes.HasPrefix(text, []byte(set.comment)) {
		x.comments = append(x.comments, span{begin, s.end})
		return
	}
	if set.imports != nil {
		if m := set.imports.find(line); m != nil {
			x.imports = append(x.imports, imported{span: span{begin, s.end}, path: span{s.start + m[2], s.start + m[3]}, name: none, alias: none})
		}
	}
	for _, p := range set.patterns {
		m := p.is.find(line)
		if m == nil || isStatement(string(line[m[2]:m[3]])) {
			continue
		}
		d := def{kind: p.kind, span: span{begin, x.blockEnd(i)}, receiver: none, body: s.end, doc: none,
			name: span{s.start + m[2], s.start + m[3]}}
		if t := bytes.TrimRight(line, " \t{"); len(t) < len(line) && s.start+len(t) >= d.name.end {
			d.body = s.start + len(t)
		}
		x.defs = append(x.defs, d)
		return
	}
}

// isStatement reports whether a word that looks like a name begins a statement.
func isStatement(word string) bool {
	switch word {
	case "if", "else", "for", "while", "switch", "return", "case", "where", "do", "let", "in", "of", "then",
		"import", "module", "data", "newtype", "type", "class", "instance", "deriving", "infixl", "infixr", "infix",
		"catch", "throw", "try", "await", "assert", "super", "when", "unless", "foreign", "elif":
		return true
	}
	return false
}

// blockEnd is where the definition that begins in line i ends: before the next
// line that is indented no deeper, or after it where it closes the block.
func (x *extraction) blockEnd(i int) int {
	first := x.lineSpan(i)
	own := x.indent(first)
	end := first.end
	for i++; i < len(x.lines); i++ {
		s := x.lineSpan(i)
		n := x.indent(s)
		if n < 0 {
			continue // blank
		}
		if n <= own {
			text := x.src[s.start+n : s.end]
			switch {
			case text[0] == '{' || text[0] == '#' && len(text) > 1 && text[1] != ' ':
				continue
			case n == own && (bytes.IndexByte([]byte("})]"), text[0]) >= 0 || bytes.HasPrefix(text, []byte("end"))):
				return s.end
			}
			return end
		}
		end = s.end
	}
	return end
}

// indent is the number of blanks that a line begins with, -1 for a blank line.
func (x *extraction) indent(s span) int {
	for i := s.start; i < s.end; i++ {
		if x.src[i] != ' ' && x.src[i] != '\t' {
			return i - s.start
		}
	}
	return -1
}

// joinClauses makes one definition of neighbours with one name: a type
// signature and the equations below it, or the clauses of a function.
func (x *extraction) joinClauses() {
	n := 0
	for _, d := range x.defs {
		if n > 0 {
			prev := &x.defs[n-1]
			if prev.kind == d.kind && prev.end <= d.start && prev.start-x.lines[x.line(prev.start)-1] == d.start-x.lines[x.line(d.start)-1] &&
				bytes.Equal(x.src[prev.name.start:prev.name.end], x.src[d.name.start:d.name.end]) {
				prev.end = d.end
				continue
			}
		}
		x.defs[n] = d
		n++
	}
	x.defs = x.defs[:n]
}
