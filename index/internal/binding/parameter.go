package binding

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// takers are the languages whose unused parameters are looked for. In C++ and Ruby too much that
// demands a parameter is not seen.
var takers = words("c csharp go java javascript kotlin php python rust tsx typescript")

// hiddenReads are what a function may read its parameters by without naming them.
var hiddenReads = map[string]*regexp.Regexp{
	"c":          regexp.MustCompile(`(?m)^\s*#`),
	"csharp":     regexp.MustCompile(`(?m)^\s*#if`),
	"javascript": regexp.MustCompile(`\b(?:arguments|eval|with)\b`),
	"php":        regexp.MustCompile(`(?i)\b(?:func_get_args?|compact|extract|get_defined_vars|eval|include|require|include_once|require_once|func_num_args)\b|\$\$`),
	"python":     regexp.MustCompile(`\b(?:locals|vars|eval|exec|globals|dir)\(|_getframe|currentframe|\bsuper\(\)\.__init__\(\*`),
	"rust":       regexp.MustCompile(`\bcfg\b|\basm!|\binclude!`),
	"tsx":        regexp.MustCompile(`\b(?:arguments|eval)\b`),
	"typescript": regexp.MustCompile(`\b(?:arguments|eval)\b`),
}

var (
	meantUnused = regexp.MustCompile(`^(?:_.*|.*_|self|cls|this|(?i:unused\w*|ignored?\w*|dummy\w*|\w+unused))$`)
	fields      = regexp.MustCompile(`\b(?:private|public|protected|readonly|override|val|var)\b[^,(]*$`)
	constants   = regexp.MustCompile(`^(?:return\b)?[\s(]*(?:[-\w.:]*|"[^"]*"|'[^']*'|\[\s*\]|\{\s*\}|new \w+\(\)|\w+::\w+\(\))[\s);]*$`)
	notMade     = regexp.MustCompile(`^(?:raise|throw|panic|fail|abort|error|TODO)\b|^(?:todo|unimplemented|unreachable)!|^(?:\.\.\.|pass)$|NotImplemented|NotSupported|Unsupported`)
)

// parameters returns the parameters that their functions do not read, and how many there are.
func (d *reading) parameters() (found []unread, looked int) {
	for i := 2; i < len(d.form.Funcs); i++ {
		f := &d.form.Funcs[i]
		if !d.free(f) {
			continue
		}
		hidden := hiddenReads[d.record.Lang]
		var body []byte
		for k := range f.Params {
			p := &f.Params[k]
			name := d.form.String(p.Name)
			if !identifier.MatchString(name) || p.Var == f.Self || p.Kind != ir.Positional && p.Kind != ir.KwOnly || meantUnused.MatchString(d.bare(name)) {
				continue
			}
			looked++
			at := d.offset(d.form.Vars[p.Var].Pos)
			if d.named(name, int(f.Start), d.ends(i), at) {
				continue
			}
			if body == nil {
				if body = d.body(f); body == nil {
					break
				}
			}
			if hidden != nil && hidden.Match(d.src[f.Start:f.End]) || silenced(d.lines(int(f.Start), at)) || fields.Match(d.src[f.Start:at]) ||
				d.mentioned(d.strings, d.bare(name), int(f.Start), int(f.End), func(_ []byte, k textKind) bool { return k != docs }) {
				continue
			}
			found = append(found, d.parameter(f, name, at))
		}
	}
	return found, looked
}

// free reports whether a function may leave parameters away: nothing that it says of itself demands them.
func (d *reading) free(f *ir.FuncInfo) bool {
	if len(f.Params) == 0 || f.Name == 0 || f.Flags&(ir.Abstract|ir.Prototype|ir.MacroFunc|ir.TestFunc|ir.Entry|ir.Operator|ir.Setter|ir.Getter|ir.Virtual) != 0 || int(f.End) > len(d.src) || f.Start >= f.End {
		return false
	}
	name := d.form.String(f.Name)
	marks := len(f.Decorators())
	if f.Flags&(ir.Static|ir.ClassMethod) != 0 && d.record.Lang == "python" {
		marks--
	}
	if marks > 0 {
		return false
	}
	switch lang := d.record.Lang; lang {
	case "python":
		if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && name != "__init__" || d.record.Traits.Test {
			return false
		}
	case "php":
		if strings.HasPrefix(name, "__") && name != "__construct" {
			return false
		}
	case "javascript", "typescript", "tsx":
		before := d.src[max(f.Start, 20)-20 : f.Start]
		if c := &d.form.Classes[f.Class]; f.Class != 0 && (c.Name == 0 || !classes.Match(d.src[max(c.Start, 20)-20:min(c.Start+20, c.End)])) || f.Class == 0 && !declared.Match(before) || assigned.Match(before) {
			return false
		}
	case "csharp", "kotlin", "java":
		start := int(f.Start)
		if lang == "csharp" { // it begins at its name
			start = bytes.LastIndexAny(d.src[:start], ";{}") + 1
		}
		head, _, _ := bytes.Cut(d.src[start:f.End], []byte("{"))
		if protocol.Attribute(protocol.AttributeLines(d.src, start, bytes.Count(head, []byte("\n")))) != "" || protocol.Overrides(string(head)) || inherited.Match(head) || f.Flags&ir.Constructor != 0 && lang != "java" || f.Flags&ir.Extension != 0 {
			return false
		}
	case "rust":
		return !slices.ContainsFunc(d.traits, func(t text) bool { return t.start <= int(f.Start) && int(f.End) <= t.end })
	}
	return true
}

var (
	macro     = regexp.MustCompile(`\b[A-Z][A-Z\d_]+\s*\(`)
	classes   = regexp.MustCompile(`\bclass\b`)                                               // and no object of a literal, whose members others may replace
	assigned  = regexp.MustCompile(`(?::|\.[\w$]+[ \t]*=)\s*(?:async\s+)?function\s*\*?\s*$`) // to a member, which others may assign, too
	declared  = regexp.MustCompile(`\bfunction\s*\*?\s*$`)
	inherited = regexp.MustCompile(`\b(?:override|virtual|abstract|open|operator|partial|extern|native|external|expect|actual|default)\b`)
)

// ends is where a function ends at the latest. In Kotlin what is written after an equals sign may go on past
// what the grammar takes for its end.
func (d *reading) ends(i int) int {
	f := &d.form.Funcs[i]
	if d.record.Lang != "kotlin" || bytes.HasSuffix(d.src[f.Start:f.End], []byte("}")) {
		return int(f.End)
	}
	end := len(d.src)
	for k := 2; k < len(d.form.Funcs); k++ {
		if start := int(d.form.Funcs[k].Start); start >= int(f.End) {
			end = min(end, start)
		}
	}
	return end
}

// bare is the name of a variable without the mark that variables of PHP have.
func (d *reading) bare(name string) string {
	if d.record.Lang == "php" {
		return strings.TrimPrefix(name, "$")
	}
	return name
}

// named reports whether a name stands in a part of the file, but where it is bound.
func (d *reading) named(name string, from, to, at int) bool {
	php := d.record.Lang == "php"
	return slices.ContainsFunc(d.words[d.bare(name)], func(o occurrence) bool {
		return from <= o.at && o.at < to && o.at != at && (!php || o.at != at+1) && !o.member && (!php || o.dollar)
	})
}

// body is the text of what a function does, nil if that is nothing yet: it only raises an error, or gives
// a constant.
func (d *reading) body(f *ir.FuncInfo) []byte {
	t := d.tree
	body := syntax.Node(0)
	for _, n := range d.bodies {
		if t.End(n) == int(f.End) && t.Start(n) > int(f.Start) && (body == 0 || t.Start(n) < t.Start(body)) {
			body = n
		}
	}
	if body == 0 {
		return nil
	}
	n, one := 0, []byte(nil)
	for c := range t.NamedChildren(body) {
		text := t.Bytes(c)
		if t.Comment(c) || n == 0 && len(text) > 0 && (text[0] == '"' || text[0] == '\'') && d.record.Lang == "python" {
			continue
		}
		if t.Kind(c) == "statements" || t.Kind(c) == "block" || t.Kind(c) == "statement_list" {
			for s := range t.NamedChildren(c) {
				n++
				one = t.Bytes(s)
			}
			continue
		}
		n++
		one = text
	}
	switch one = bytes.TrimSpace(one); {
	case n == 0, n == 1 && (constants.Match(one) || notMade.Match(one)):
		return nil
	}
	return t.Bytes(body)
}

// parameter makes a finding of a parameter.
func (d *reading) parameter(f *ir.FuncInfo, name string, at int) unread {
	r := d.record
	own := d.form.String(f.Name)
	u := unread{name: d.bare(name), at: at, end: at + len(name)}
	private := f.Flags&ir.Private != 0 || r.Lang == "python" && strings.HasPrefix(own, "_") && own != "__init__"
	public := !private
	for i := range r.Symbols {
		if s := &r.Symbols[i]; s.Name == own && int(s.NameLine) == f.Pos.Line() {
			u.symbol, u.export = s.Qualified(), s.Exported
			public = s.Exported && !private
		}
	}
	member := f.Class != 0 || f.Recv != 0
	based := f.Class != 0 && len(d.form.Classes[f.Class].Bases) > 0
	family := store.CrossFamily(r.Lang)
	alone := f.Flags&ir.Private != 0 && r.Lang != "go" && r.Lang != "python" // no type below can have another one
	made := f.Flags&ir.Constructor != 0 || own == "__init__"
	keeps := r.Lang == "python" && slices.ContainsFunc(f.Params, func(p ir.Param) bool {
		return p.Kind == ir.KwVariadic && d.named(d.form.String(p.Name), int(f.Start), int(f.End), d.offset(d.form.Vars[p.Var].Pos))
	})
	macros := r.Lang == "c" && macro.Match(d.src[f.Start:f.End])
	u.across = func(all *traded) (Doubt, string, bool) {
		key := all.key(family, own)
		_, valued := all.valued[key]
		switch {
		case r.Traits.Test || r.Traits.Example:
			return Large, "its function is test code, or an example", false
		case member && based && (!private || r.Lang == "python"): // there private is but a name
			return Large, "a type above that of its method may demand it", false
		case valued && !made:
			return Large, fmt.Sprintf("%s stands where it is not called, and what takes it may demand the parameter", own), false
		case callsMade(r.Lang) && all.made(family, own):
			return Large, "a name that begins or ends like that of its function is put together, and what calls that may demand the parameter", false
		case member && !made && !alone && all.defined[key] > 1:
			return Large, fmt.Sprintf("another %s may have to take the same", own), false
		case member && r.Lang == "go" && protocol.GoMethod(own):
			return Large, "an interface of the library of Go may demand it", false
		case keeps:
			return Some, "it keeps what it takes from the other keyword arguments", false
		case macros:
			return Some, "a macro that it uses may name it", false
		case public || strings.HasSuffix(r.Path, ".h"):
			return Some, "its function is exported, and code outside of the index may need it to take that", false
		case all.defined[key] > 1 && (r.Lang == "c" || r.Lang == "go" || r.Lang == "python"):
			return Some, fmt.Sprintf("another %s may have to take the same", own), false
		case made && based:
			return Some, "a type above its own may demand it", false
		}
		return None, "", false
	}
	return u
}

// callsMade reports whether code of a language calls functions by names that it puts together.
func callsMade(lang string) bool {
	return lang == "php" || lang == "python" || store.CrossFamily(lang) == "javascript"
}
