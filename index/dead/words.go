package dead

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/protocol"
)

// words goes through the words of a file that are names.
func (s *scanner) words(n int) {
	p, f := s.p, &s.p.files[n]
	c := commenter{lang: f.lang}
	w := wordScan{scanner: s, f: f, n: n, owner: -1, opens: -1, next: f.first, file: p.fileNode(n), bit: familyBit(f.family), named: make([]bool, f.last-f.first)}
	if s.imports = (imports{}); f.family == "go" {
		s.imports, s.heads = p.importsOf(s.src), map[int32]bool{}
		s.dots = append(s.dots, p.joined[f.dir]...)
		s.enter(f.dir)
	}
	for start, line := 0, 1; start < len(s.src); line++ {
		end := len(s.src)
		if i := bytes.IndexByte(s.src[start:], '\n'); i >= 0 {
			end = start + i
		}
		text := s.src[start:end]
		if f.family == "go" && bytes.HasPrefix(text, []byte("//")) && directive(text) {
			w.directive(text, line)
		}
		code := c.code(text, s.src[end:])
		if len(code) > 0 {
			from := start + cap(text) - cap(code)
			w.line(start, from, from+len(code), line)
		}
		start = end + 1
	}
}

// directive reports whether a comment of Go says by what else a function is known.
func directive(line []byte) bool {
	return bytes.HasPrefix(line, []byte("//go:linkname ")) || bytes.HasPrefix(line, []byte("//export ")) || bytes.HasPrefix(line, []byte("//go:wasmexport "))
}

// A wordScan is the work on the words of one file.
type wordScan struct {
	*scanner
	f     *file
	n     int
	owner int32
	next  int32
	file  int32
	bit   uint16 // of the family of the file
	block int    // of a generated file, the one at or after the place
	guard bool   // the line only sees to it that a type has the methods of an interface
	opens int    // how far the line was indented that named such a package and that this one goes on; -1: none
	gives bool   // the line names a package that is not in the index
	named []bool // of the items of the file: the word that defines it has been passed
}

// move brings the innermost item in line with a place.
func (w *wordScan) move(at int) {
	items := w.p.items
	for w.next < w.f.last && int(items[w.next].Sym().Start) <= at {
		w.owner = w.next
		w.next++
	}
	for w.owner >= 0 && int(items[w.owner].Sym().End) <= at {
		w.owner = items[w.owner].in
	}
}

// line takes the words of the part of a line that begins at an offset.
func (w *wordScan) line(start, from, to, line int) {
	src := w.src
	w.gives = slices.ContainsFunc(w.bound, func(q []byte) bool { return bytes.Contains(src[from:to], q) })
	if w.f.family == "go" {
		w.guard = guard(src[from:to])
		w.goesOn(src[from:to])
	}
	for at := from; at < to; {
		if !inWord(src[at]) {
			at++
			continue
		}
		end, hash := at, uint32(0)
		for ; end < to && inWord(src[end]); end++ {
			hash = hash*31 + uint32(src[end])
		}
		if src[at] > '9' || src[at] == '$' {
			if id, ok := w.p.byName.find(hash, src[at:end]); ok {
				w.word(id, at, end, line, at-start+1)
			} else if bytes.IndexByte(src[at:end], '$') >= 0 { // $name in a text of Kotlin, or in PHP
				for i := at; i < end; {
					next := end
					if n := bytes.IndexByte(src[i:end], '$'); n >= 0 {
						next = i + n
					}
					if id, ok := w.p.byName.get(string(src[i:next])); ok {
						w.word(id, i, next, line, i-start+1)
					}
					w.part(i, next, line)
					i = next + 1
				}
			}
			w.part(at, end, line)
		}
		at = end
	}
}

// part notes a word that begins or ends names which are put together.
func (w *wordScan) part(at, end, line int) {
	if w.f.family == "" || static(w.f.family) || at == end {
		return
	}
	note := func(to map[string]string) {
		word := w.f.family + " " + string(w.src[at:end])
		to[word] = first(to[word], fmt.Sprintf("%s:%d", w.f.path, line))
	}
	if protocol.Begins(w.src, at, end) {
		note(w.begun)
	}
	if protocol.Ends(w.src, at, end) {
		note(w.ended)
	}
}

// guards finds lines of Go that do nothing but have the compiler see whether a type has some methods.
var guards = regexp.MustCompile(`^\s*(?:var\s+)?_\s+[\w.]+(?:\[[\w., ]*\])?\s*=\s*(?:\(?\*?\w+(?:\[[\w., ]*\])?\)?\(nil\)|&?\w+(?:\[[\w., ]*\])?\{\}|new\(\w+\))\s*$`)

func guard(line []byte) bool {
	text := line[indentOf(line):]
	return (bytes.HasPrefix(text, []byte("_ ")) || bytes.HasPrefix(text, []byte("var _ "))) && guards.Match(line)
}

// goesOn has a line count for naming a package that is not in the index if one that it continues
// does: the elements of a literal, and the arguments of a call.
func (w *wordScan) goesOn(text []byte) {
	depth := 0
	for depth < len(text) && text[depth] == '\t' {
		depth++
	}
	if depth == len(text) {
		return
	}
	if w.opens >= 0 && depth > w.opens {
		w.gives = true
		return
	}
	w.opens = -1
	last := text[len(text)-1]
	var literal [][]byte
	if last == '{' && len(w.bound) > 0 {
		literal = literals.FindSubmatch(text)
	}
	if literal != nil && slices.ContainsFunc(w.bound, func(q []byte) bool { return bytes.Contains(literal[1], q) }) ||
		w.gives && (last == '(' || last == '{' && !bytes.HasSuffix(text, []byte(") {"))) && bytes.ContainsAny(text, "=(:,&") && !statement.Match(text) {
		w.opens = depth
	}
}

// literals finds the head of a literal of a function, with what the function gives.
var literals = regexp.MustCompile(`\bfunc\([^{}]*\) (\([^(){}]*\)|[\w.*\[\]]+) \{$`)

var statement = regexp.MustCompile(`^\s*(?:func|if|for|switch|select|case|type|import|\} else)\b`)

// word takes a word that is a name.
func (w *wordScan) word(id int32, at, end, line, column int) {
	w.move(at)
	p, owner := w.p, w.file
	if w.owner >= 0 {
		one := &p.items[w.owner]
		if s := one.Sym(); one.name == id && int(s.NameLine) == line && !w.named[w.owner-w.f.first] {
			w.named[w.owner-w.f.first] = true // what follows in the line, as in a = b.a, is no definition
			return
		}
		owner = w.owner
	}
	w.langs[id] |= w.bit
	var defines bool
	if len(w.f.blocks) > 0 {
		owner, defines = w.generatedBy(at)
	}
	if defines {
		return
	}
	h := unsure
	if w.f.family == "" {
		h = config
	} else if w.f.record == nil { // of generated code there is no call graph, and it is code
		h = known
		if len(w.f.blocks) > 0 && at > 0 && w.src[at-1] == '.' {
			h = unsure // of what, is not known
		}
	} else if q := w.src[max(at-1, 0)]; q == '"' || q == '\'' || q == '`' {
		h = quoted
	}
	pos := ir.At(line, column)
	switch {
	case w.f.family == "":
		w.foreign(owner, id, line)
	case w.f.family == "go":
		w.golang(owner, id, at, pos, h)
	default:
		if w.f.family == "c" && callsJava(w.src, at, end) {
			w.calledBack(owner, id, line)
		}
		for _, sc := range p.names[id].scopes {
			if sc.scope == w.f.scope || sc.scope == fileScope+int64(w.n) || h == quoted && sc.scope >= fileScope && w.f.family == "jvm" && p.ofJVM(sc.spot) {
				w.name(owner, sc.spot, pos, h)
			}
		}
	}
}

// enter notes the names of a folder of Go: most words of a file are looked for there alone.
func (s *scanner) enter(dir int32) {
	if dir == s.entered {
		return
	}
	if s.entered >= 0 {
		for _, n := range s.p.inFolder[s.entered] {
			s.own[n.name] = 0
		}
	}
	for _, n := range s.p.inFolder[dir] {
		s.own[n.name] = n.spot + 1
	}
	s.entered = dir
}

// name links a place to what has a name in a scope.
func (w *wordScan) name(owner, spot int32, pos ir.Pos, h how) {
	of, line := &w.p.spots[spot], pos.Line()
	if of.generated {
		w.emit(owner, w.p.codeNode(spot), line, known)
		w.emit(owner, w.p.restNode(spot), line, known)
	}
	if len(of.rest) > 0 {
		to := h
		if h == unsure {
			to = known
		}
		if !w.guard {
			w.emit(owner, w.p.restNode(spot), line, to)
		}
		if w.fills || len(w.bound) > 0 && (w.gives || w.headGives(owner)) {
			for _, i := range of.rest {
				if w.p.items[i].Kind == convention.Class {
					w.given[i] = true
				}
			}
		}
	}
	if len(of.code) == 0 {
		return
	}
	switch marks := w.at[pos]; {
	case marks&open != 0:
		w.emit(owner, w.p.codeNode(spot), line, known)
	case marks&leads != 0:
	default:
		w.emit(owner, w.p.codeNode(spot), line, h)
	}
}

// headGives reports whether the head of a function names a package that is not in the index.
func (w *wordScan) headGives(owner int32) bool {
	if int(owner) >= len(w.p.items) || !w.p.items[owner].Code() {
		return false
	}
	is, ok := w.heads[owner]
	if !ok {
		s := w.p.items[owner].Sym()
		head, _, _ := bytes.Cut(w.src[s.Start:s.End], []byte("{\n"))
		is = slices.ContainsFunc(w.bound, func(q []byte) bool { return bytes.Contains(head, q) })
		w.heads[owner] = is
	}
	return is
}

// callsJava reports whether a word is a string of C, or ends the path of one, as classes and methods of Java are found by.
func callsJava(src []byte, at, end int) bool {
	return at > 0 && (src[at-1] == '"' || src[at-1] == '/') && end < len(src) && (src[end] == '"' || src[end] == '$')
}

// calledBack links a string of C with what has its name in the languages of Java's machine.
func (w *wordScan) calledBack(owner, id int32, line int) {
	for _, sc := range w.p.names[id].scopes {
		of := &w.p.spots[sc.spot]
		for node, all := range map[int32][]int32{w.p.codeNode(sc.spot): of.code, w.p.restNode(sc.spot): of.rest} {
			if len(all) > 0 && convention.Family(w.p.items[all[0]].Record.Lang) == "jvm" {
				w.emit(owner, node, line, quoted)
			}
		}
	}
}

// foreign links a place of a file that is no code of a known language.
func (w *wordScan) foreign(owner, id int32, line int) {
	for _, sc := range w.p.names[id].scopes {
		if sc.scope >= fileScope {
			continue
		}
		family := "go"
		if sc.scope < folderScope {
			family = families[sc.scope]
		}
		switch family {
		case "go":
			if !w.f.assembly && !w.f.template || sc.scope >= folderScope && sc.scope != folderScope+int64(w.f.dir) && sc.scope != ownScope+int64(w.f.dir) {
				continue
			}
		case "c", "rust":
			if w.f.settings {
				continue
			}
		}
		h := config
		if w.f.assembly {
			h = known
		}
		w.emit(owner, w.p.codeNode(sc.spot), line, h)
		w.emit(owner, w.p.restNode(sc.spot), line, h)
	}
}

// directive links the file to all of Go that has one of the names in a directive.
func (w *wordScan) directive(text []byte, line int) {
	for _, word := range bytes.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !inWord(byte(r)) }) {
		if id, ok := w.p.byName.get(string(word)); ok {
			for _, sc := range w.p.names[id].scopes {
				if sc.scope == goFamily || sc.scope >= folderScope && sc.scope < fileScope {
					w.emit(w.file, w.p.codeNode(sc.spot), line, known)
				}
			}
		}
	}
}

// qualified returns the word before a dot before a word, and reports whether there is a dot that ends no comment.
func qualified(src []byte, at int) (word []byte, dot bool) {
	from := at
	for at--; at >= 0 && (src[at] == ' ' || src[at] == '\t' || src[at] == '\n' || src[at] == '\r'); at-- {
	}
	if at < 0 || src[at] != '.' {
		return nil, false
	}
	if bytes.IndexByte(src[at:from], '\n') >= 0 {
		line := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]
		for _, i := range []int{bytes.Index(line, []byte("//")), bytes.LastIndex(line, []byte("//"))} {
			if i >= 0 && bytes.Count(line[:i], []byte(`"`))%2 == 0 {
				return nil, false
			}
		}
	}
	end := at
	for at > 0 && inWord(src[at-1]) {
		at--
	}
	return src[at:end], true
}
