package dead

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/protocol"
)

// open returns what code outside of the index may do with an item that nothing in it names, "" where there is no
// such code: then only what can be read can use it. That nothing names it says nothing of others where it is offered
// to them, or where what they have may demand it.
func (p *program) open(i int32, family string) string {
	one := &p.items[i]
	private := one.hidden || one.Flags&ir.Private != 0 || !one.Code() && one.up >= 0 && p.secret(one)
	if of := p.langs[one.name] &^ familyBit(family); of != 0 && (family == "go" || !private) {
		return "what is in another language has its name, and may call it or make code that does"
	}
	if at := p.packages.Made[family]; at != "" && (family == "go" || !private) {
		return at + " leaves out code that is made, which may use it"
	}
	if family == "go" {
		return p.openGo(i)
	}
	if by := p.demandedOutside(i, family); by != "" {
		return fmt.Sprintf("it may be a method of %s, whose users are not in the index", by)
	}
	switch family {
	case "javascript":
		if one.Kind == convention.Method && !private && !kept.Match(convention.Head(p.textOf(one.Record), one.Sym())) {
			return "types of TypeScript fit by their members, and one outside of the index may have it"
		}
	case "jvm", "csharp":
		if one.Kind == convention.Class && !private && len(p.above[i]) > 0 {
			return "what asks for all types below another may find it"
		}
		if at := p.makes[family]; at != "" && !private {
			return "code that " + at + " makes may use it"
		}
		if p.offered != IgnoreExports && p.exported(i) && !p.packages.Program(one.Record.Path, family) {
			return "it is exported, and nothing says of its own package that it makes a program"
		}
	}
	return ""
}

// familyBit is the bit of a family of languages, of what has none the last one.
func familyBit(family string) uint16 {
	if at, ok := slices.BinarySearch(families, family); ok {
		return 1 << at
	}
	return 1 << 15
}

// secret reports whether a member says that it is for its type alone. One of C# that says nothing is.
func (p *program) secret(one *item) bool {
	head := convention.Head(p.textOf(one.Record), one.Sym())
	return secret.Match(head) || one.Record.Lang == "csharp" && !lent.Match(head)
}

var (
	secret = regexp.MustCompile(`\bprivate\b`)
	lent   = regexp.MustCompile(`\b(?:public|internal|protected)\b`)
)

// kept finds what says that a member of TypeScript is for its class alone, or for those below.
var kept = regexp.MustCompile(`\b(?:private|protected)\b|^\s*(?:static |async |get |set |\* ?)*#`)

// openGo is open of Go, where what takes a value of one interface may ask it for another. One of another module can
// demand a method unless that takes or gives a type of this one.
func (p *program) openGo(i int32) string {
	one := &p.items[i]
	if one.Kind != convention.Method || !one.Public || one.up < 0 {
		return ""
	}
	up := &p.items[one.up]
	if p.offered != IgnoreExports && !up.Public && !one.Test && p.packages.Library(one.Record.Path, "go") {
		return "others may get values of its type as an interface, and ask for it"
	}
	if p.contracts.of(p, one.up).foreign {
		return fmt.Sprintf("%s has what a type outside of the index has, and may be taken for one", up.Sym().Name)
	}
	if !p.namesOwn(one) {
		return "an interface of another module may demand it"
	}
	return ""
}

// namesOwn reports whether the parameters or results of a method of Go have a type of the index: then no interface of
// another module has it. That the method's own type is among them may be what a parameter of a type demands
// (Clone() T, Less(T) bool), but not where it takes something else and gives that.
func (p *program) namesOwn(one *item) bool {
	_, head, _ := bytes.Cut(convention.Head(p.textOf(one.Record), one.Sym()), []byte(")")) // after the receiver
	_, head, _ = bytes.Cut(head, []byte("("))
	takes, gives := convention.Parted(head)
	own := func(i int32) bool { return i == one.up }
	return p.ofIndex(one, head, func(i int32) bool { return i != one.up }) ||
		len(bytes.TrimSpace(takes)) > 0 && !p.ofIndex(one, takes, own) && p.ofIndex(one, gives, own)
}

// ofIndex reports whether a text in the head of a method of Go names a type of the index that is so.
func (p *program) ofIndex(one *item, text []byte, is func(int32) bool) bool {
	dir := path.Dir(one.Record.Path)
	for _, m := range typed.FindAllSubmatch(text, -1) {
		id, ok := p.byName.get(string(m[2]))
		if !ok {
			continue
		}
		for _, sc := range p.names[id].scopes {
			for _, i := range p.spots[sc.spot].rest {
				of := &p.items[i]
				if of.Kind != convention.Class || of.Record.Lang != "go" || !is(i) {
					continue
				}
				in := path.Dir(of.Record.Path)
				if len(m[1]) == 0 && in == dir || len(m[1]) > 0 && (path.Base(in) == string(m[1]) || p.clauses[p.dirs[in]] == string(m[1])) {
					return true
				}
			}
		}
	}
	return false
}

// typed finds names that may be of types, with the package that they are of.
var typed = regexp.MustCompile(`(?:\b(\w+)\.)?([\pL_][\pL\d_]*)`)

// demandedOutside returns a type above that of a method whose users are not in the index, and which may have it.
func (p *program) demandedOutside(i int32, family string) string {
	one := &p.items[i]
	if one.Kind != convention.Method || one.up < 0 || p.items[one.up].Kind != convention.Class || one.hidden || one.Flags&ir.Private != 0 || family == "c" || family == "rust" {
		return ""
	}
	head := string(convention.Head(p.textOf(one.Record), one.Sym()))
	for class := range p.withAbove(one.up) {
		c := &p.items[class]
		bases := p.foreignBases(class)
		if len(bases) == 0 {
			continue
		}
		text := c.Record.Text.All()
		for _, b := range bases {
			if (family == "csharp" && !ofType.MatchString(head) || protocol.MayOverride(c.Record.Lang, head, b)) && protocol.Knows(c.Record.Lang, b.Name, one.Sym().Name, text) {
				return b.Name
			}
		}
	}
	return ""
}

// ofType finds what is called on a type alone. Of all other members of C# a base that the index has not may be an
// interface, whatever its name is like.
var ofType = regexp.MustCompile(`\bstatic\b`)

// withAbove yields a type and those above it.
func (p *program) withAbove(class int32) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		if yield(class) {
			p.typesAbove(class)(yield)
		}
	}
}

// foreignBases returns the types right above a type whose users are not in the index: it has not the type, or only
// a declaration of it.
func (p *program) foreignBases(class int32) (list []protocol.Base) {
	one := &p.items[class]
	s, lang := one.Sym(), one.Record.Lang
	if !protocol.Watched(lang) {
		return nil
	}
	head := one.Record.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+2000))
	for _, b := range protocol.Bases(lang, s.Name, head) {
		if !protocol.Harmless(lang, b.Name) && !slices.ContainsFunc(p.above[class], func(up int32) bool {
			return p.items[up].Sym().Name == b.Name && !p.items[up].Record.Traits.Declaration
		}) {
			list = append(list, b)
		}
	}
	return list
}

// unusedFolders lowers what is certain in folders of which most is unused: something else than the code that was read runs it,
// reads it or is made of it. What is offered to others tells nothing.
func (p *program) unusedFolders(findings []Finding, roots []bool) {
	type share struct{ unused, all int }
	of := map[string]*share{}
	folders := func(file string, with func(*share) bool) {
		for dir := path.Dir(file); ; dir = path.Dir(dir) {
			if of[dir] == nil {
				of[dir] = &share{}
			}
			if with(of[dir]) || dir == "." || dir == "/" {
				return
			}
		}
	}
	for i := range p.items {
		if p.reported(int32(i)) && !p.items[i].Test && !roots[i] {
			folders(p.items[i].Record.Path, func(s *share) bool { s.all++; return false })
		}
	}
	for i := range findings {
		if f := &findings[i]; f.Reason != OnlyTests && !f.Test {
			folders(f.File, func(s *share) bool { s.unused++; return false })
		}
	}
	for i := range findings {
		if f := &findings[i]; f.Confidence == Certain {
			folders(f.File, func(s *share) bool {
				if s.unused < minUnused || 2*s.unused <= s.all {
					return false
				}
				f.Confidence, f.Why = Likely, "most of its folder is unused, as what is there for something else than code"
				return true
			})
		}
	}
}

// minUnused is how many unused symbols of a folder say something of it.
const minUnused = 40

// looks notes what a file looks at while the program runs, and whether it makes code.
func (s *scanner) looks(f *file) {
	look := func(name string) {
		if id, ok := s.p.byName.get(name); ok {
			s.looked[id] = true
		}
	}
	convention.Looks(f.family, s.src, look)
	convention.InMarks(f.family, s.src, look)
	if !f.test && convention.MakesCode(f.family, s.src) {
		s.makes[f.family] = first(s.makes[f.family], f.path)
	}
}

// takeLooks takes what a scanner noted of words and files.
func (p *program) takeLooks(s *scanner) {
	for id, of := range s.langs {
		p.langs[id] |= of
	}
	firsts(p.begun, s.begun)
	firsts(p.ended, s.ended)
	firsts(p.makes, s.makes)
}

// firsts takes places of words by first.
func firsts(to, from map[string]string) {
	for word, at := range from {
		to[word] = first(to[word], at)
	}
}

// ofJVM reports whether a name is one of a private function of Java's machine: what has it as a text may find that in
// another file, as method handles do.
func (p *program) ofJVM(spot int32) bool {
	code := p.spots[spot].code
	return len(code) > 0 && convention.Family(p.items[code[0]].Record.Lang) == "jvm"
}

// A place is what the path of a file says.
type place struct {
	run   bool     // its code is run by itself, or read
	tests bool     // it is about tests, or there to be read
	count [][2]int // of Go, where constants are that count by iota
}

// counted reports whether a constant of Go gives others of its group their values.
func (p *program) counted(one *item) bool {
	if one.Kind != convention.Constant || one.Record.Lang != "go" {
		return false
	}
	p.placed(one)
	at := int(one.Sym().Start)
	return slices.ContainsFunc(p.places[one.Record.Path].count, func(group [2]int) bool { return group[0] < at && at < group[1] })
}

// placed returns what may use an item for the place of its file, "" for nothing. A file is looked at once.
func (p *program) placed(one *item) string {
	at, ok := p.places[one.Record.Path]
	if !ok {
		at = place{run: convention.RunByItself(one.Record.Path), tests: convention.ForTests(one.Record.Path)}
		if one.Record.Lang == "go" {
			at.count = convention.Counting(p.textOf(one.Record))
		}
		if p.places == nil {
			p.places = map[string]place{}
		}
		p.places[one.Record.Path] = at
	}
	switch {
	case at.run:
		return "what runs the code of its folder may find it"
	case at.tests && !one.Test:
		return "its folder is one for tests, examples or input, and what runs or reads these may find it"
	}
	return ""
}
