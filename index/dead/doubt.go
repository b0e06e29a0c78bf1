package dead

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A doubt says what may use an item that nothing names.
type doubt struct {
	from stage
	why  string // "": there is none
}

// doubted returns the doubt that there is of an item by its kind, its name or its place.
func (p *program) doubted(i int32) doubt {
	one := &p.items[i]
	s, lang := one.Sym(), one.Record.Lang
	family := convention.Family(lang)
	if !static(family) {
		known := func(of map[string]string) func(string) bool {
			return func(word string) bool { return of[family+" "+word] != "" }
		}
		if word := protocol.Made(s.Name, known(p.begun), known(p.ended)); word != "" {
			return doubt{doubtful, fmt.Sprintf("a name may be put together of %s in %s", word, cmp.Or(p.begun[family+" "+word], p.ended[family+" "+word]))}
		}
	}
	if strings.ContainsFunc(s.Name, func(r rune) bool { return r < 0x80 && !inWord(byte(r)) && r != '#' }) {
		return doubt{doubtful, "its name is not one word, and is not looked for"}
	}
	if (lang == "rust" || family == "javascript") && strings.HasPrefix(s.Name, "_") {
		return doubt{doubtful, "its name says that it is meant to be unused"}
	}
	if one.Shown {
		return doubt{doubtful, "it is an example of a documentation, which is compiled and not run"}
	}
	if one.Record.Traits.Example {
		return doubt{doubtful, "it is an example"}
	}
	if one.up >= 0 && p.looked[p.items[one.up].name] && (family != "go" || token.IsExported(s.Name)) {
		return doubt{doubtful, "code that looks at the members of types names its type"}
	}
	if one.Kind == convention.Method || one.Assigned {
		if why := p.reflected(one, family); why != "" {
			return doubt{doubtful, why}
		}
	}
	if why := p.placed(one); why != "" {
		return doubt{anyName, why}
	}
	if family != "go" {
		if p.testCode(i) {
			return doubt{anyName, "what runs tests may find it"}
		}
		if one.Kind == convention.Method && one.up >= 0 && p.declaredAbove(i) {
			return doubt{anyName, "a type above its own demands it"}
		}
	}
	if family == "go" && p.testCode(i) && (!strings.HasSuffix(one.Record.Path, "_test.go") || strings.Contains("/"+one.Record.Path, "/testdata/")) {
		return doubt{anyName, "it may be there for tests to look at, or for those of other modules"}
	}
	if family == "go" && p.testCode(i) && len(p.joined[p.dirs[path.Dir(one.Record.Path)]]) > 0 {
		return doubt{anyName, "its folder has files of another by symbolic links, which may use it"}
	}
	if family == "go" && one.Public && p.packages.Library(one.Record.Path, family) {
		if by := p.givenOut(one); by != "" {
			return doubt{anyName, fmt.Sprintf("what uses %s may call it", by)}
		}
	}
	if p.meant(one) {
		return doubt{anyName, "a mark says that it is known to be unused"}
	}
	if p.counted(one) {
		return doubt{anyName, "its place among constants gives those after it their values"}
	}
	if by := convention.Document(&one.Symbol, p.textOf(one.Record)); by != "" {
		return doubt{anyName, "what reads " + by + " out of sources may find it"}
	}
	if by := convention.Effect(&one.Symbol, p.textOf(one.Record)); by != "" {
		return doubt{anyName, by}
	}
	if by := convention.Spared(&one.Symbol, p.textOf(one.Record)); by != "" {
		return doubt{anyName, fmt.Sprintf("a comment says %q: it may be kept for code outside of the index", by)}
	}
	if one.Record.Errors {
		return doubt{anyName, "its file has syntax errors, and what else is there may not be seen"}
	}
	likely := func(why string) doubt { return doubt{anyName, why} }
	switch family {
	case "ruby":
		return likely("Ruby can call what it makes the name of")
	case "php":
		if one.Flags&ir.Private == 0 {
			return likely("PHP can call what it makes the name of")
		}
	case "c":
		if !one.hidden {
			return likely("what it is linked or compiled with may use it")
		}
		if p.pastes != "" && one.Kind != convention.Method {
			return likely("a macro makes names of parts in " + p.pastes)
		}
	case "python":
		if (one.Kind == convention.Variable || one.Kind == convention.Constant) && !strings.HasPrefix(s.Name, "_") {
			return likely("what loads its module may read it")
		}
		if one.Code() && bytes.Contains(p.textOf(one.Record)[s.Start:min(s.End, s.Start+maxWarning)], []byte("DeprecationWarning")) {
			return likely("it warns that it is deprecated, and is kept for code outside of the index")
		}
		if one.up < 0 && one.Public {
			return likely("what loads its module may use it")
		}
		if one.up < 0 && one.Kind != convention.Variable && convention.Stores(p.textOf(one.Record)) {
			return likely("its file says how objects are stored, and what is stored already may have its name")
		}
		if one.up >= 0 && strings.HasPrefix(s.Name, "__") {
			return likely("outside of its class it has another name")
		}
		if one.Kind == convention.Method && !strings.HasPrefix(s.Name, "_") {
			return likely("code outside of the index may ask any object for it")
		}
	case "javascript":
		switch {
		case one.Public && one.up < 0:
			return likely("it is exported, and what loads its module may use it")
		case one.up < 0 && !one.hidden && !one.Assigned && one.Kind != convention.Method && lang != "vue" && lang != "svelte":
			return likely("its file is no module, and what is loaded with that may use it")
		case one.Kind == convention.Method && lang == "javascript":
			return likely("JavaScript can call what it makes the name of")
		}
	}
	if family == "python" && one.Kind == convention.Method && one.up >= 0 && p.items[one.up].Kind == convention.Class {
		if base := p.foreignBase(&p.items[one.up]); base != "" {
			return likely(fmt.Sprintf("it may be a method of %s, which is not in the index", base))
		}
	}
	if one.Kind == convention.Class {
		if base := p.foreignBase(one); base != "" {
			return likely(fmt.Sprintf("it is a kind of %s, which is not in the index and may find it", base))
		}
		if i, ok := p.itemOf(one.Record, one.Number); ok && !static(family) && len(p.above[i]) > 0 {
			return likely("what asks for all types below another may find it")
		}
		if (family == "jvm" || family == "csharp") && convention.Empty(&one.Symbol) {
			return likely("it has nothing in it, and may be there to be there")
		}
	}
	if why := p.open(i, family); why != "" {
		return likely(why)
	}
	if at := p.undecoded[family+" "+s.Name]; at != "" {
		return likely(at + " has its name, and is not read for its NUL bytes or its encoding")
	}
	if at := cmp.Or(p.mute[family], p.mute[""]); at != "" {
		return likely(at + " may use it, and could not be read")
	}
	return doubt{}
}

// noteUnread notes what could not be read: some files of which that was known before, and those of a gateway that
// the index leaves out; and what code has names of that is not read for its bytes.
func (p *program) noteUnread(sources *texts.Sources) {
	p.unread, p.undecoded = slices.Clone(sources.Unread), map[string]string{}
	for _, path := range sources.Undecoded {
		family := convention.Family(source.Language(path, nil))
		text, ok := texts.Undecoded(p.view, path)
		if !ok {
			p.unread = append(p.unread, path)
		}
		mention.Words(text, func(m mention.Mention) bool {
			p.undecoded[family+" "+m.Name] = cmp.Or(p.undecoded[family+" "+m.Name], path)
			return true
		})
	}
	for i := range p.files {
		if p.files[i].unread {
			p.unread = append(p.unread, p.files[i].path)
		}
	}
	p.mute = map[string]string{}
	for _, at := range p.unread {
		family := convention.Family(source.Language(at, nil))
		p.mute[family] = cmp.Or(p.mute[family], at)
	}
}

// reflected returns what may find a method by the form of its name, or by what its type is.
func (p *program) reflected(one *item, family string) string {
	if by := convention.Reflected(&one.Symbol, p.textOf(one.Record)); by != "" {
		return by
	}
	if one.Assigned {
		return "it is assigned to a property, and what has the object may call it"
	}
	if family == "javascript" && (one.up < 0 || p.items[one.up].Kind != convention.Class) {
		return "a member of an object may be called by a computed name"
	}
	if one.Flags&ir.Private == 0 && one.up >= 0 && p.items[one.up].Kind == convention.Class && family != "go" && family != "c" && family != "rust" {
		up := &p.items[one.up]
		if by := decoration(up, p.textOf(up.Record)); by != "" {
			return fmt.Sprintf("its type is marked by %s, which may find it", by)
		}
	}
	return ""
}

// meant reports whether a mark at an item, or at one around it, says that somebody knows that it is unused.
func (p *program) meant(one *item) bool {
	src := p.textOf(one.Record)
	if convention.MeantAround(&one.Symbol, src) {
		return true
	}
	for !convention.Meant(&one.Symbol, src) {
		if one.in < 0 {
			return false
		}
		one = &p.items[one.in]
	}
	return true
}

// foreignBase returns a type above a type that is not in the index and may know what is below it.
func (p *program) foreignBase(one *item) string {
	if i, ok := p.itemOf(one.Record, one.Number); ok {
		if list := p.foreignBases(i); len(list) > 0 {
			return list[0].Name
		}
	}
	return ""
}

// maxWarning bounds the text at the beginning of a function in which it may warn of itself.
const maxWarning = 600
