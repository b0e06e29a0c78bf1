package references

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/references/typing"
)

// member says whether a place means the target, which is a member of a class or of another
// type.
func (f *file) member(m *mention.Mention, kind mention.Kind) string {
	if f.Lang == "rust" && kind != mention.Call && store.Runs(f.s.at.Sym().Kind()) && !bytes.HasSuffix(f.src[:m.Offset], []byte("::")) {
		return "" // of a field
	}
	if kind == mention.Key {
		if f.places == nil {
			return byName
		}
		of, qualifier := f.places.KeyOf(m.Offset)
		if f.Lang == "go" && f.IR != nil {
			if c, known := f.s.ofGoType(f.s.types.GoLiteral(f.s.types.GoTypeAt(f.s.types.GoNamed(f.File, qualifier, of), 0)), m.Name); known {
				return c
			}
		}
		switch of {
		case "Self":
			return f.inClass(m.Line)
		case f.s.parent:
			if qualifier != "" && f.IR != nil {
				if info := f.ImportOf(qualifier); info != nil {
					if c := f.leads(info); c != "" || f.Lang != "rust" {
						return c
					}
					return byName // a module, and the type is in one below it
				}
			}
			return f.ofClass()
		case "":
			return byName
		default:
			return ""
		}
	}
	if !m.Member && strings.HasPrefix(m.Name, "#") {
		return f.private(m)
	}
	if !m.Member {
		if f.shorthand(m) || f.places != nil && f.places.Attribute(m.Offset) {
			return byName
		}
		return f.bare(m)
	}
	receiver := mention.Receiver(f.src, m.Offset)
	switch {
	case strings.HasPrefix(m.Name, "#"):
		return f.private(m)
	case f.isSelf(receiver):
		return f.inClass(m.Line)
	case receiver == f.s.parent && !(f.Lang == "go" && bytes.HasSuffix(f.src[:m.Offset], []byte("."+receiver+"."))): // as an embedded field has the name of a type
		return f.ofClass()
	}
	for _, x := range f.exprs[ir.At(m.Line, m.Column)] {
		e := &f.IR.Exprs[x]
		if e.Op != ir.Attr {
			continue
		}
		d := f.s.types.TypeOf(f.File, e.A, 0)
		if c, known := f.s.ofGoType(f.s.types.GoTypeOf(d, 0), m.Name); known {
			return c
		}
		of, at := f.s.types.NameOf(d, 0)
		switch confidence := f.leading(of, at); {
		case of == f.s.parent && confidence == exact:
			return scoped
		case of == f.s.parent && of != "":
			if confidence == "" && f.s.hasKin(of) {
				return byName // of another type of the name, which embeds or extends the target's
			}
			return confidence
		case of != "" && f.s.has(of):
			if f.s.holds && f.s.hasKin(of) {
				return byName // it declares the field again, or the target does
			}
			return "" // another type with a member of the name
		}
	}
	if f.Lang == "go" && f.IR != nil && f.ImportOf(receiver) != nil && len(f.exprs) > 0 && !f.variable(receiver, m.Offset) {
		return "" // of a package
	}
	return byName
}

// shorthand reports whether a name is a key and its value at once, as in {a} of JavaScript: for
// certain once the file's syntax was read, and as far as the text tells before.
func (f *file) shorthand(m *mention.Mention) bool {
	return store.CrossFamily(f.Lang) == "javascript" && isKey(f.src, m.Offset, m.Offset+len(m.Name)) && (f.places == nil || f.places.Shorthand(m.Offset))
}

// private says whether a private name of JavaScript means the target: those of the class around it do.
func (f *file) private(m *mention.Mention) string {
	if m.Offset == 0 || f.src[m.Offset-1] != '#' {
		return "" // a name without the mark
	}
	return f.inClass(m.Line)
}

// variable reports whether a function around a place has a variable of a name.
func (f *file) variable(name string, offset int) bool {
	for i := 1; i < len(f.IR.Vars); i++ {
		if v := &f.IR.Vars[i]; v.Func > 1 && f.IR.String(v.Name) == name {
			if fn := &f.IR.Funcs[v.Func]; int(fn.Start) <= offset && offset < int(fn.End) {
				return true
			}
		}
	}
	return false
}

// ofClass says whether the name of the target's class, as the file has it, means that.
func (f *file) ofClass() string {
	if f.Path == f.s.at.Record.Path {
		return scoped
	}
	if c := f.bind(f.s.parent); c == scoped || c == exact {
		return scoped
	}
	return byName
}

// bare says whether a name without a receiver means the target: in the code of its class,
// where the language has it so.
func (f *file) bare(m *mention.Mention) string {
	if m.Offset > 0 && f.src[m.Offset-1] == '@' && f.Lang == "ruby" {
		return f.inClass(m.Line)
	}
	if f.Lang == "rust" && f.places != nil && f.places.InTokens(m.Offset) && isKey(f.src, m.Offset, m.Offset+len(mention.Word(m.Name))) {
		return byName // as far as is known
	}
	if f.local(m) {
		return ""
	}
	switch f.Lang {
	case "java", "kotlin", "csharp", "cpp", "scala", "swift", "ruby":
		if c := f.inClass(m.Line); c != byName {
			return c
		}
		if f.IR != nil {
			for i := 1; i < len(f.IR.Imports); i++ {
				if info := &f.IR.Imports[i]; info.Flags&ir.StaticName != 0 {
					if name := f.IR.String(info.Name); (name == m.Name || name == "*") && f.leads(info) == scoped {
						return scoped
					}
				}
			}
		}
		return byName
	case "python": // in the class itself, outside of its functions
		if i := f.Innermost(m.Line); i >= 0 && !store.Runs(f.Record.Symbols[i].Kind()) && f.Path == f.s.at.Record.Path {
			return f.inClass(m.Line)
		}
		return ""
	case "rust":
		if f.s.at.Sym().Kind() == syntax.Field && f.places != nil && f.places.InTokens(m.Offset) {
			return byName // of what a macro makes
		}
		return f.variant(m)
	case "typescript", "tsx": // in the enumeration itself
		if up := f.s.at.Record.Around(f.s.at.Symbol); up >= 0 && f.s.at.Record.Symbols[up].Kind() == syntax.Enum && f.Path == f.s.at.Record.Path {
			if c := f.inClass(m.Line); c != byName {
				return c
			}
		}
		return ""
	case "go", "javascript", "vue", "svelte", "php":
		return ""
	}
	return byName
}

// isKey reports whether a name may be a key of a literal by what stands around it.
func isKey(src []byte, at, end int) bool {
	rest := bytes.TrimLeft(src[end:], " \t\r\n")
	switch before := bytes.TrimRight(src[:at], " \t\r\n"); {
	case len(rest) == 0 || len(before) == 0:
		return false
	case rest[0] == ':':
		return !bytes.HasPrefix(rest, []byte("::"))
	default:
		return (rest[0] == ',' || rest[0] == '}') && (before[len(before)-1] == '{' || before[len(before)-1] == ',')
	}
}

// variant says whether a free name of Rust means the target: a variant that an import brings by
// itself or with all others of its enum, or a type that belongs to a trait, as in Array<Item = T>.
func (f *file) variant(m *mention.Mention) string {
	rest := bytes.TrimLeft(f.src[m.Offset+len(mention.Word(m.Name)):], " \t")
	if typing.IsType(string(f.s.at.Sym().Kind())) && bytes.HasPrefix(rest, []byte("=")) && !bytes.HasPrefix(rest, []byte("==")) {
		return byName
	}
	if f.IR == nil {
		return byName
	}
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		name, module := f.IR.String(info.Name), f.IR.String(info.Module)
		if last := module[strings.LastIndexByte(module, ':')+1:]; last == f.s.parent && (name == "*" || f.IR.String(cmp.Or(info.Alias, info.Name)) == m.Name) {
			return scoped
		}
	}
	return ""
}

// text says whether a string, or a word of a configuration file, names the target: as a whole,
// or at the end of a path with what the target is in.
func (f *file) text(m *mention.Mention) string {
	start, end := m.Offset, m.Offset+len(m.Name)
	for start > 0 && inPath(f.src[start-1]) {
		start--
	}
	if end < len(f.src) && inPath(f.src[end]) {
		return ""
	}
	quoted := start > 0 && end < len(f.src) && isQuote(f.src[start-1]) && isQuote(f.src[end])
	if !quoted && !f.traits.Config && !(f.Lang == "ruby" && start < m.Offset) {
		return "" // one word of many
	}
	before := strings.TrimRight(string(f.src[start:m.Offset]), ".:/#")
	if before != "" && len(before) < m.Offset-start {
		last := before[strings.LastIndexAny(before, ".:/#")+1:]
		if home := f.s.at.Record.Path; last == f.s.parent && last != "" || last == modules.Stem(home) || last == lastDir(home) {
			return byName
		}
		return ""
	}
	if f.traits.Config || before != "" {
		return ""
	}
	switch store.CrossFamily(f.Lang) {
	case "python", "javascript", "php":
		return byName
	}
	if f.Lang == "ruby" || f.Lang == "lua" {
		return byName
	}
	return ""
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// inPath reports whether a byte is of a path of names.
func inPath(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c == ':' || c == '/' || c == '#' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

func lastDir(p string) string {
	parts := strings.Split(p, "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2]
}
