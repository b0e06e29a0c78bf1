package store

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
)

// MaxOthers bounds the alternatives to an ambiguous target.
const MaxOthers = 10

// A Target is what a request names.
type Target struct {
	Record *Record
	Symbol int32       // -1: the file itself, or a line outside of all definitions
	Line   int         // that was named; 0: none
	Others []SymbolRef // what the name could mean, too, the likelier first
}

func (t *Target) Sym() *Symbol { return &t.Record.Symbols[t.Symbol] }

// Alternatives returns the other meanings.
func (t *Target) Alternatives() []answer.Place {
	var all []answer.Place
	for _, d := range t.Others {
		all = append(all, d.Record.Place(int32(d.Symbol)))
	}
	return all
}

// Qualified returns the symbol's name with those around it.
func (s *Symbol) Qualified() string {
	if s.Parent == "" {
		return s.Name
	}
	return s.Parent + "." + s.Name
}

func (r *Record) Place(i int32) answer.Place {
	s := &r.Symbols[i]
	return answer.Place{Symbol: s.Qualified(), File: r.Path, Line: int(s.NameLine)}
}

// Define says all of a symbol.
func (r *Record) Define(i int32) answer.Definition {
	s := &r.Symbols[i]
	return answer.Definition{
		Symbol: s.Qualified(), File: r.Path, Line: int(s.Line), EndLine: int(s.Last), Kind: string(s.Kind()), Lang: r.Lang,
		Signature: r.SignatureOf(s), Doc: r.DocOf(s),
	}
}

// SignatureOf returns the symbol's signature, from the text where it is not kept.
func (r *Record) SignatureOf(s *Symbol) string {
	if s.Signature != "" {
		return s.Signature
	}
	return cmp.Or(FirstLine(string(r.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+2*MaxSignature)))), s.Name)
}

// DocOf returns the symbol's doc comment or docstring, as prose.
func (r *Record) DocOf(s *Symbol) string {
	if s.DocTo <= s.DocAt {
		return ""
	}
	return lang.All().Prose(r.Lang, r.Text.Slice(int(s.DocAt), int(s.DocTo)))
}

// NamedAt returns the symbol with a name whose name stands in a line, or -1.
func (r *Record) NamedAt(name string, line int) int32 {
	return int32(slices.IndexFunc(r.Symbols, func(s Symbol) bool { return int(s.NameLine) == line && s.Name == name }))
}

// SymbolAt returns the symbol whose doc comment a line is in, or else the innermost
// one around it, -1 for none. Symbols are in the order of where they begin,
// containers before what they contain.
func (r *Record) SymbolAt(line int) int32 {
	best := int32(-1)
	if at, ok := source.LineAt(r.Text.All(), line-1); ok {
		for i := range r.Symbols {
			if s := &r.Symbols[i]; s.DocAt <= uint32(at) && uint32(at) < s.DocTo {
				return int32(i)
			}
		}
	}
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if int(s.Line) > line {
			break
		}
		if int(s.Last) >= line && (best < 0 || s.End <= r.Symbols[best].End) {
			best = int32(i)
		}
	}
	return best
}

// Locate makes the path in a target that comes from outside relative to the root.
func (x *View) Locate(text string) (string, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), "()")
	if !filepath.IsAbs(text) {
		file, rest, _ := strings.Cut(text, ":")
		if clean := path.Clean(file); clean == ".." || strings.HasPrefix(clean, "../") {
			return "", source.ErrOutside
		} else if strings.HasPrefix(file, "./") {
			text = strings.TrimSuffix(clean+":"+rest, ":")
		}
		return text, nil
	}
	file, rest := text, ""
	if i := strings.IndexByte(text, ':'); i >= 0 {
		file, rest = text[:i], text[i:]
	}
	rel, err := x.Tree.Resolve(file)
	if err != nil {
		return "", err
	}
	return filepath.ToSlash(rel) + rest, nil
}

// target finds what a text from locate names, as described for Extract.
func (t *Table) target(text string) (Target, error) {
	if r := t.Files[text]; r != nil {
		return Target{Record: r, Symbol: -1}, nil
	}
	if at, ok, err := t.line(text); ok {
		return at, err
	}
	for i := 1; i < len(text)-1; i++ {
		if text[i] != ':' || text[i-1] == ':' || text[i+1] == ':' {
			continue
		}
		file, name := text[:i], text[i+1:]
		files := t.ending(file)
		if len(files) == 0 {
			if skip, ok := t.Skips[file]; ok {
				return Target{}, &answer.TargetError{Target: text, Reason: (&answer.PlaceError{File: file, Reason: string(skip.Reason)}).Error()}
			}
			continue
		}
		if at, ok := t.named(name, func(r *Record) bool { return slices.Contains(files, r) }); ok {
			return at, nil
		}
		return Target{}, &answer.TargetError{Target: name, Reason: fmt.Sprintf("%s defines no %q", files[0].Path, name)}
	}
	if at, ok := t.named(text, func(*Record) bool { return true }); ok {
		return at, nil
	}
	if files := t.ending(text); len(files) > 0 && strings.ContainsAny(text, "./") {
		return Target{Record: files[0], Symbol: -1}, nil
	}
	if skip, ok := t.Skips[text]; ok {
		return Target{}, &answer.TargetError{Target: text, Reason: (&answer.PlaceError{File: text, Reason: string(skip.Reason)}).Error()}
	}
	if len(t.Files) == 0 {
		return Target{}, &answer.TargetError{Target: text, Reason: fmt.Sprintf("no symbol is called %q: nothing is indexed yet", text)}
	}
	return Target{}, &answer.TargetError{Target: text}
}

// line reads FILE:LINE and FILE:LINE:COLUMN. ok says that it is one.
func (t *Table) line(text string) (at Target, ok bool, err error) {
	file, number, found := cutLast(text)
	column := ""
	if before, n, ok := cutLast(file); ok && found && digits(n) && digits(number) {
		file, number, column = before, n, number
	}
	if !found || !digits(number) {
		return at, false, nil
	}
	files := t.ending(file)
	if len(files) == 0 {
		if skip, ok := t.Skips[file]; ok {
			return at, true, &answer.PlaceError{File: file, Reason: string(skip.Reason)}
		}
		return at, strings.ContainsAny(file, "/."), &answer.TargetError{Target: text, Reason: fmt.Sprintf("%s is not in the index", file)}
	}
	line, err := strconv.Atoi(number)
	if err != nil {
		line = 1 << 30
	}
	r := files[0]
	if n := len(r.Chunks); line < 1 || n == 0 || line > int(r.Chunks[n-1].Last) {
		if lines := r.Lines(); line < 1 || line > lines {
			return at, true, &answer.PlaceError{File: r.Path, Line: line, Lines: lines}
		}
	}
	at = Target{Record: r, Symbol: r.SymbolAt(line), Line: line}
	if n, err := strconv.Atoi(column); err == nil {
		if i := r.namedAt(line, n); i >= 0 {
			at.Symbol = i
		}
	}
	return at, true, nil
}

// namedAt returns the symbol whose name stands at a column of a line, or -1.
func (r *Record) namedAt(line, column int) int32 {
	for i := range r.Symbols {
		if int(r.Symbols[i].NameLine) == line && r.NameColumn(int32(i)) == column {
			return int32(i)
		}
	}
	return -1
}

// NameColumn returns where in its line the name of a symbol stands, in bytes, from 1; 0 where it
// does not stand there as a word.
func (r *Record) NameColumn(i int32) int {
	s := &r.Symbols[i]
	src := r.Text.All()
	line, ok := source.LineAt(src, int(s.NameLine)-1)
	if !ok || s.Name == "" {
		return 0
	}
	at := max(line, int(s.Start))
	end := len(src)
	if n := bytes.IndexByte(src[line:], '\n'); n >= 0 {
		end = line + n
	}
	if at > end {
		at = line // what is declared together begins elsewhere
	}
	if r.Lang == "go" && bytes.HasPrefix(src[at:end], []byte("func (")) { // a receiver
		at += bytes.IndexByte(src[at:], ')') + 1
	}
	for at < end {
		n := bytes.Index(src[at:end], []byte(s.Name))
		if n < 0 {
			return 0
		}
		if at += n; !wordAt(src, at-1) && !wordAt(src, at+len(s.Name)) {
			return at - line + 1
		}
		at += len(s.Name)
	}
	return 0
}

// wordAt reports whether the byte at an offset is one of a word.
func wordAt(src []byte, at int) bool {
	return 0 <= at && at < len(src) && (src[at] == '_' || '0' <= src[at] && src[at] <= '9' || 'a' <= src[at]|0x20 && src[at]|0x20 <= 'z' || src[at] >= utf8.RuneSelf)
}

func cutLast(text string) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 1 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// ending returns the file of a path, or else those whose paths end in it, the
// shallowest first.
func (t *Table) ending(file string) []*Record {
	if r := t.Files[file]; r != nil {
		return []*Record{r}
	}
	if file == "" || file[0] == '/' {
		return nil
	}
	var all []*Record
	for p, r := range t.Files {
		if len(p) > len(file) && strings.HasSuffix(p, file) && p[len(p)-len(file)-1] == '/' {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), strings.Compare(a.Path, b.Path))
	})
	return all
}

// MaxSignature bounds a signature that is taken from the text, in bytes.
const MaxSignature = 200

func FirstLine(content string) string {
	for line := range strings.Lines(content) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		if len(line) > MaxSignature {
			cut := MaxSignature
			for !utf8.RuneStart(line[cut]) {
				cut--
			}
			line = line[:cut]
		}
		return line
	}
	return content
}
