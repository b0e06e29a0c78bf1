package index

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxOthers bounds the alternatives to an ambiguous target.
const maxOthers = 10

// A target is what a request names.
type target struct {
	record *record
	symbol int32        // -1: the file itself, or a line outside of all definitions
	line   int          // that was named; 0: none
	others []definition // what the name could mean, too, the likelier first
}

func (t *target) sym() *symbol { return &t.record.symbols[t.symbol] }

// alternatives returns the other meanings.
func (t *target) alternatives() []Place {
	var all []Place
	for _, d := range t.others {
		all = append(all, d.record.place(int32(d.symbol)))
	}
	return all
}

// qualified returns the symbol's name with those around it.
func (s *symbol) qualified() string {
	if s.parent == "" {
		return s.name
	}
	return s.parent + "." + s.name
}

func (r *record) place(i int32) Place {
	s := &r.symbols[i]
	return Place{Symbol: s.qualified(), File: r.path, Line: int(s.nameLine)}
}

// define says all of a symbol.
func (r *record) define(i int32) Definition {
	s := &r.symbols[i]
	return Definition{
		Symbol: s.qualified(), File: r.path, Line: int(s.line), EndLine: int(s.last), Kind: string(s.kind()), Lang: r.lang,
		Signature: r.signatureOf(s), Doc: r.docOf(s),
	}
}

// signatureOf returns the symbol's signature, from the text where it is not kept.
func (r *record) signatureOf(s *symbol) string {
	if s.signature != "" {
		return s.signature
	}
	return cmp.Or(firstLine(string(r.text.slice(int(s.start), min(int(s.end), int(s.start)+2*maxSignature)))), s.name)
}

// docOf returns the symbol's doc comment or docstring, as prose.
func (r *record) docOf(s *symbol) string {
	if s.docTo <= s.docAt {
		return ""
	}
	return syntax.Prose(r.lang, r.text.slice(int(s.docAt), int(s.docTo)))
}

// symbolAt returns the symbol whose doc comment a line is in, or else the innermost
// one around it, -1 for none. Symbols are in the order of where they begin,
// containers before what they contain.
func (r *record) symbolAt(line int) int32 {
	best := int32(-1)
	if at, ok := lineAt(r.text.all(), line-1); ok {
		for i := range r.symbols {
			if s := &r.symbols[i]; s.docAt <= uint32(at) && uint32(at) < s.docTo {
				return int32(i)
			}
		}
	}
	for i := range r.symbols {
		s := &r.symbols[i]
		if int(s.line) > line {
			break
		}
		if int(s.last) >= line && (best < 0 || s.end <= r.symbols[best].end) {
			best = int32(i)
		}
	}
	return best
}

// locate makes the path in a target that comes from outside relative to the root.
func (x *View) locate(text string) (string, error) {
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
	rel, err := x.tree.Resolve(file)
	if err != nil {
		return "", err
	}
	return filepath.ToSlash(rel) + rest, nil
}

// target finds what a text from locate names, as described for Extract.
func (t *table) target(text string) (target, error) {
	if r := t.files[text]; r != nil {
		return target{record: r, symbol: -1}, nil
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
			if skip, ok := t.skips[file]; ok {
				return target{}, &TargetError{Target: text, Reason: (&PlaceError{File: file, Reason: string(skip.Reason)}).Error()}
			}
			continue
		}
		if at, ok := t.named(name, func(r *record) bool { return slices.Contains(files, r) }); ok {
			return at, nil
		}
		return target{}, &TargetError{Target: name, Reason: fmt.Sprintf("%s defines no %q", files[0].path, name)}
	}
	if at, ok := t.named(text, func(*record) bool { return true }); ok {
		return at, nil
	}
	if files := t.ending(text); len(files) > 0 && strings.ContainsAny(text, "./") {
		return target{record: files[0], symbol: -1}, nil
	}
	if skip, ok := t.skips[text]; ok {
		return target{}, &TargetError{Target: text, Reason: (&PlaceError{File: text, Reason: string(skip.Reason)}).Error()}
	}
	return target{}, &TargetError{Target: text}
}

// line reads FILE:LINE and FILE:LINE:COLUMN. ok says that it is one.
func (t *table) line(text string) (at target, ok bool, err error) {
	file, number, found := cutLast(text)
	if before, n, ok := cutLast(file); ok && found && digits(n) && digits(number) {
		file, number = before, n
	}
	if !found || !digits(number) {
		return at, false, nil
	}
	files := t.ending(file)
	if len(files) == 0 {
		if skip, ok := t.skips[file]; ok {
			return at, true, &PlaceError{File: file, Reason: string(skip.Reason)}
		}
		return at, strings.ContainsAny(file, "/."), &TargetError{Target: text, Reason: fmt.Sprintf("%s is not in the index", file)}
	}
	line, err := strconv.Atoi(number)
	if err != nil {
		line = 1 << 30
	}
	r := files[0]
	if n := len(r.pieces); line < 1 || n == 0 || line > int(r.pieces[n-1].last) {
		if lines := r.lines(); line < 1 || line > lines {
			return at, true, &PlaceError{File: r.path, Line: line, Lines: lines}
		}
	}
	return target{record: r, symbol: r.symbolAt(line), line: line}, true, nil
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
func (t *table) ending(file string) []*record {
	if r := t.files[file]; r != nil {
		return []*record{r}
	}
	if file == "" || file[0] == '/' {
		return nil
	}
	var all []*record
	for p, r := range t.files {
		if len(p) > len(file) && strings.HasSuffix(p, file) && p[len(p)-len(file)-1] == '/' {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *record) int {
		return cmp.Or(cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), strings.Compare(a.path, b.path))
	})
	return all
}

// maxSignature bounds a signature that is taken from the text, in bytes.
const maxSignature = 200

func firstLine(content string) string {
	for line := range strings.Lines(content) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		if len(line) > maxSignature {
			cut := maxSignature
			for !utf8.RuneStart(line[cut]) {
				cut--
			}
			line = line[:cut]
		}
		return line
	}
	return content
}
