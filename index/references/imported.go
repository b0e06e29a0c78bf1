package references

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/references/typing"
)

// imported says whether an import brings the target.
func (f *file) imported(m *mention.Mention) string {
	if f.IR == nil {
		return byName
	}
	if f.required(m) {
		return f.bind(m.Name)
	}
	rest := bytes.TrimLeft(f.src[m.Offset+len(m.Name):], " \t")
	part := bytes.HasPrefix(rest, []byte(".")) || bytes.HasPrefix(rest, []byte("::")) || bytes.HasPrefix(rest, []byte("/")) || bytes.HasPrefix(rest, []byte("\\")) ||
		f.Lang == "python" && bytes.HasPrefix(rest, []byte("import"))
	if f.Lang == "rust" && part {
		return f.pathPart(m)
	}
	best, near := "", 0
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		name := f.IR.String(info.Name)
		if part && !strings.HasSuffix(f.IR.String(info.Module), "."+m.Name) || !part && name != m.Name && f.IR.String(info.Alias) != m.Name {
			continue
		}
		if part && store.CrossFamily(f.Lang) != "jvm" {
			continue
		}
		if f.s.parent != "" && info.Flags&ir.StaticName == 0 && store.CrossFamily(f.Lang) != "rust" && !typing.IsType(string(f.s.at.Sym().Kind())) {
			continue
		}
		// A statement of several lines may have one place for all its names.
		nearness := 1
		if info.Pos == ir.At(m.Line, m.Column) {
			nearness = 3
		} else if info.Pos.Line() == m.Line {
			nearness = 2
		}
		if c := f.leads(info); nearness > near || nearness == near && (c == scoped || best == "") {
			best, near = c, nearness
		}
	}
	return best
}

// pathPart says whether a name that another one follows, in an import of Rust, is the target.
func (f *file) pathPart(m *mention.Mention) (best string) {
	if !typing.IsType(string(f.s.at.Sym().Kind())) {
		return "" // of a module
	}
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		if parts := strings.Split(f.IR.String(info.Module), "::"); slices.Contains(parts, m.Name) {
			best = better(best, f.leadsFrom(info, strings.Join(parts[:slices.Index(parts, m.Name)], "::")))
		}
	}
	return best
}

// importedAround reports whether a function of Python or Rust around a place imports its name: a
// variable of the function then, and what the import brings.
func (f *file) importedAround(m *mention.Mention) bool {
	if f.Lang != "python" && f.Lang != "rust" || f.IR == nil {
		return false
	}
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		if name := f.IR.String(info.Name); f.IR.String(cmp.Or(info.Alias, info.Name)) != m.Name || name == "*" {
			continue
		}
		at, ok := source.LineAt(f.src, info.Pos.Line()-1)
		if !ok {
			continue
		}
		if f.together(at, m.Offset) {
			return true
		}
	}
	return false
}

// together reports whether two places are in one function.
func (f *file) together(a, b int) bool {
	for n := 2; n < len(f.IR.Funcs); n++ { // the first is the file
		if start, end := int(f.IR.Funcs[n].Start), int(f.IR.Funcs[n].End); start <= a && a < end && start <= b && b < end {
			return true
		}
	}
	return false
}

// brings reports whether an import of the file brings the target under a name.
func (f *file) brings(name string) bool {
	for i := 1; f.IR != nil && i < len(f.IR.Imports); i++ {
		if info := &f.IR.Imports[i]; f.IR.String(cmp.Or(info.Alias, info.Name)) == name && f.leads(info) != "" {
			return true
		}
	}
	return false
}

// loadedAround reports whether a variable of a function of JavaScript around a place may hold what a
// module has, as in a = require("m").
func (f *file) loadedAround(at *mention.Mention) (found bool) {
	if store.CrossFamily(f.Lang) != "javascript" || f.IR == nil {
		return false
	}
	mention.Of([]string{at.Name}).Each(f.src, func(m mention.Mention) bool {
		if !f.together(at.Offset, m.Offset) {
			return true
		}
		value, assigned := bytes.CutPrefix(bytes.TrimLeft(f.src[m.Offset+len(m.Name):], " \t"), []byte("="))
		value = bytes.TrimPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte("await "))
		found = assigned && (bytes.HasPrefix(value, []byte("require(")) || bytes.HasPrefix(value, []byte("import("))) || f.required(&m)
		return !found
	})
	return found
}

// required reports whether a place picks a name out of a module, as in {a} = require("m"), on one
// line or several.
func (f *file) required(m *mention.Mention) bool {
	if store.CrossFamily(f.Lang) != "javascript" || f.IR == nil {
		return false
	}
	rest := f.src[m.Offset:min(len(f.src), m.Offset+maxPattern)]
	line, _, _ := bytes.Cut(rest, newline)
	if !bytes.Contains(line, []byte("}")) {
		names, after, ok := bytes.Cut(rest, []byte("}"))
		if !ok || bytes.ContainsAny(names, "()[]{;.") {
			return false
		}
		line, _, _ = bytes.Cut(after, newline)
	}
	return bytes.Contains(line, []byte("require(")) || bytes.Contains(line, []byte("import("))
}

// maxPattern bounds the names that are picked out of a module at once, in bytes.
const maxPattern = 4096
