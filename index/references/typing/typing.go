// Package typing tells which types the values of expressions are declared to have, from what files were lowered
// to alone: a name is followed to its declaration, a call to the results of what it calls, a member to
// the type that has it. Nothing is known of a value that no declaration or first assignment says anything of.
package typing

import (
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Reader reads declarations in the files of an index. It is for one question.
type Reader struct {
	index   *store.View
	lang    string // whose family declarations are looked for in
	lower   func(*store.Record) *ir.File
	modules func() *modules.Set
	files   map[*store.Record]*File // see Lowered
}

// New returns a Reader for code of a language. lower returns what a file was lowered to, or nil.
func New(x *store.View, lang string, lower func(*store.Record) *ir.File, m func() *modules.Set) *Reader {
	return &Reader{x, lang, lower, m, map[*store.Record]*File{}}
}

// A File is one whose expressions are read.
type File struct {
	Path, Lang string
	Record     *store.Record // nil: it is not indexed
	IR         *ir.File      // nil: there is none
}

// Lowered returns a file with what it was lowered to, nil where too many were looked at.
func (r *Reader) Lowered(of *store.Record) *File {
	f, ok := r.files[of]
	if !ok && len(r.files) < maxLowered && len(of.Lowered) > 0 {
		f = &File{of.Path, of.Lang, of, r.lower(of)}
		if f.IR == nil {
			f = nil
		}
		r.files[of] = f
	}
	return f
}

// ImportOf returns the import that binds a name in the file, or nil.
func (f *File) ImportOf(name string) *ir.ImportInfo {
	if name == "" {
		return nil
	}
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		module := f.IR.String(info.Module)
		switch {
		case info.Alias != 0:
			if f.IR.String(info.Alias) == name {
				return info
			}
		case info.Name != 0:
			if f.IR.String(info.Name) == name || info.Flags&ir.Mod != 0 && module == name {
				return info
			}
		case f.Lang == "go":
			if modules.GoName(module) == name {
				return info
			}
		case module[strings.LastIndexAny(module, "./:")+1:] == name:
			return info
		}
	}
	return nil
}

// Innermost returns the innermost symbol around a line, -1 for none.
func (f *File) Innermost(line int) int32 {
	if f.Record == nil {
		return -1
	}
	in := store.Enclosing{Record: f.Record}
	return in.Line(line)
}

// ClassAt returns the name of the class or the type that code on a line is a member of.
func (f *File) ClassAt(line int) string {
	for i := f.Innermost(line); i >= 0; i = f.Record.Around(i) {
		switch t := &f.Record.Symbols[i]; {
		case IsType(string(t.Kind())):
			return t.Name
		case store.Runs(t.Kind()) && t.Parent != "" && f.Record.Around(i) < 0:
			return LastPart(t.Parent) // a method that is written outside of its type
		}
	}
	return ""
}

// IsType reports whether symbols of a kind have members.
func IsType(kind string) bool {
	switch kind {
	case "class", "struct", "interface", "trait", "enum", "type":
		return true
	}
	return false
}

// LastPart is the last part of a name with those around it.
func LastPart(name string) string {
	_, last, _ := calls.LastPart(strings.ReplaceAll(name, "::", "."))
	return last
}
