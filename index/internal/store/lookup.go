package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
)

// FindTarget is Table.Target for a text from outside, without the lock.
func (x *View) FindTarget(text string) (Target, answer.State, error) {
	at, state, err := x.FindTargetOnly(text)
	return at, state, x.Suggest(err)
}

// FindTargetOnly is find without names that are like one that is missing: they take time.
func (x *View) FindTargetOnly(text string) (Target, answer.State, error) {
	text, err := x.Locate(text)
	if err != nil {
		return Target{}, answer.State{}, err
	}
	x.Mu.RLock()
	if x.Closed {
		x.Mu.RUnlock()
		return Target{}, answer.State{}, answer.ErrClosed
	}
	at, err := x.Table.target(text)
	state := x.State()
	x.Mu.RUnlock()
	if missing := (*answer.TargetError)(nil); errors.As(err, &missing) {
		missing.Building = state.State == answer.Indexing
	}
	return at, state, err
}

// Suggest completes a TargetError about a name with those that are like it. It
// looks at the letters of every name.
func (x *View) Suggest(err error) error {
	var missing *answer.TargetError
	if !errors.As(err, &missing) || missing.Nearest != nil {
		return err
	}
	x.Mu.RLock()
	names := x.Table.Lettered() // what is read of it does not change
	x.Mu.RUnlock()
	all := readings(missing.Target)
	missing.Nearest = nearestNames(all[len(all)-1].name, names)
	return missing
}

// FilesOf returns the records that a filter admits, by path. The list must not be
// changed; records do not change, so that they are good without the lock.
func (x *View) FilesOf(f *Filter) ([]*Record, answer.State, error) {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		return nil, answer.State{}, answer.ErrClosed
	}
	files := x.Table.Below(f.Path)
	if len(f.Globs) == 0 && len(f.Langs) == 0 {
		return files, x.State(), nil
	}
	var admitted []*Record
	for _, r := range files {
		if f.Admits(r) {
			admitted = append(admitted, r)
		}
	}
	return admitted, x.State(), nil
}

// Nothing is the error for a line outside of all definitions.
func (t *Target) Nothing() error {
	return &answer.TargetError{Target: t.Record.Path, Reason: fmt.Sprintf("there is no definition at line %d of %s", t.Line, t.Record.Path), Nearest: []string{}}
}

// OneFunction reports whether definitions of one name in one place are signatures of one
// function in a language, or one of them at a time.
func OneFunction(language string) bool {
	return CrossFamily(language) == "javascript" || language == "python"
}

// CrossFamily is the name under which the languages go that see each other's
// definitions; "" where calls are not followed into other roots.
func CrossFamily(lang string) string {
	switch lang {
	case "go", "python", "rust", "csharp", "php":
		return lang
	case "typescript", "tsx", "javascript", "jsx", "vue", "svelte":
		return "javascript"
	case "java", "kotlin":
		return "jvm"
	}
	return ""
}

// SameCode reports whether files of two languages can see each other's definitions. The
// graph knows the parts of Vue's and Svelte's files by their own languages.
func SameCode(a, b string) bool {
	return a != "" && (graph.SameFamily(a, b) || CrossFamily(a) == "javascript" && CrossFamily(b) == "javascript")
}

// Dynamic reports whether any object may have any member in a language.
func Dynamic(language string) bool {
	switch CrossFamily(language) {
	case "javascript", "python", "php":
		return true
	}
	return language == "ruby" || language == "lua"
}

// MakesInstances reports whether a method of a name is called by the name of its class in a
// language: init is a method like others but in Swift.
func MakesInstances(language, name string) bool {
	switch name {
	case "__init__", "__new__":
		return language == "python"
	case "constructor":
		return CrossFamily(language) == "javascript"
	case "__construct":
		return language == "php"
	case "initialize":
		return language == "ruby"
	case "init":
		return language == "swift"
	}
	return false
}

// FilesByPath returns the files in a scope, in order.
func (x *View) FilesByPath(q Scope) ([]*Record, answer.State, error) {
	if err := CheckGlobs(q.Glob); err != nil {
		return nil, answer.State{}, err
	}
	f := NewFilter(q)
	files, state, err := x.FilesOf(&f)
	if err != nil {
		return nil, state, err
	}
	return files, state, nil
}

// Enclosing finds the innermost symbols around the lines of a file, which must be
// asked for in order.
type Enclosing struct {
	Record *Record
	next   int
	open   []int32
	text   []byte // of the record, once At has asked for it
	line   int    // that At has looked at last, from 0, and where it begins
	start  int
}

func (e *Enclosing) Line(n int) int32 {
	symbols := e.Record.Symbols
	for e.next < len(symbols) && int(symbols[e.next].Line) <= n {
		e.open = append(e.open, int32(e.next))
		e.next++
	}
	// Most end before the line; what they enclosed has ended too.
	e.open = slices.DeleteFunc(e.open, func(i int32) bool { return int(symbols[i].Last) < n })
	if len(e.open) == 0 {
		return -1
	}
	return e.open[len(e.open)-1]
}

// At is Line for a column of the line, 1-based and in bytes: what ends before it, or begins after it, is not
// around it.
func (e *Enclosing) At(line, column int) int32 {
	i, symbols := e.Line(line), e.Record.Symbols
	if i < 0 || int(symbols[i].Last) != line && int(symbols[i].Line) != line {
		return i
	}
	if e.text == nil {
		e.text = e.Record.Text.All()
	}
	if line-1 < e.line {
		e.line, e.start = 0, 0
	}
	further, ok := source.LineAt(e.text[e.start:], line-1-e.line)
	if !ok {
		return i
	}
	e.line, e.start = line-1, e.start+further
	at := e.start + column // where what ends there has its end, and what begins after it begins
	for i >= 0 && (int(symbols[i].Last) == line && int(symbols[i].End) < at || int(symbols[i].Line) == line && int(symbols[i].Start) >= at) {
		i = e.Record.Around(i)
	}
	return i
}

// At returns the file and the symbol of a place, as far as there are any.
func (t *Table) At(p answer.Place) (*Record, *Symbol) {
	r := t.Files[p.File]
	if r == nil || p.Symbol == "" {
		return r, nil
	}
	name := p.Symbol[strings.LastIndexByte(p.Symbol, '.')+1:]
	if i := r.NamedAt(name, p.Line); i >= 0 {
		return r, &r.Symbols[i]
	}
	return r, nil
}

// Definitions returns the definitions of a name in its very case.
func (x *View) Definitions(name string) []SymbolRef {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	var out []SymbolRef
	for _, d := range x.Table.Define(name) {
		if d.Record.Symbols[d.Symbol].Name == name {
			out = append(out, d)
		}
	}
	return out
}

// Split cuts the text of a file at a place.
func (r *Record) Split(pos ir.Pos) (before, after []byte) {
	src := r.Text.All()
	at := Offset(src, pos)
	if at < 0 {
		return src, nil
	}
	at = min(at, len(src))
	return src[:at], src[at:]
}

// Offset is a place of a text, -1 for none.
func Offset(src []byte, pos ir.Pos) int {
	at, ok := source.LineAt(src, pos.Line()-1)
	if !ok || pos.Column() == 0 {
		return -1
	}
	return at + pos.Column() - 1
}
