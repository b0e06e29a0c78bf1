package suite

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A file is one source file and what it defines.
type file struct {
	path, language string
	symbols        []syntax.Symbol
}

// isCode reports whether a path is that of source code which may answer a
// question: no test, example, document, configuration or vendored file.
func isCode(path string) bool {
	t := source.TraitsOf(path)
	if t.Test || t.Config || t.Doc || t.Example || t.Vendored {
		return false
	}
	switch source.Language(path, nil) {
	case "", "cmake", "css", "dockerfile", "gomod", "html", "ini", "json", "less", "make", "markdown", "sass", "scss", "stylus", "text", "toml", "xml", "yaml":
		return false
	}
	return true
}

// read parses the source code of a tree, by path.
func read(ctx context.Context, tree *source.Tree) ([]file, error) {
	listed, _, err := tree.Walk(ctx)
	if err != nil {
		return nil, err
	}
	listed = slices.DeleteFunc(listed, func(f source.File) bool { return !isCode(f.Path) })
	code := make([]file, len(listed))
	workers, ctx := errgroup.WithContext(ctx)
	next := make(chan int)
	workers.Go(func() error {
		defer close(next)
		for i := range listed {
			select {
			case next <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() error {
			parser := lang.NewParser()
			defer parser.Close()
			for i := range next {
				text, skip, err := tree.Read(listed[i])
				if err != nil {
					return err
				}
				if skip != nil {
					continue // generated, binary or gone: its place stays empty
				}
				name := source.Language(listed[i].Path, text[:min(len(text), 512)])
				code[i] = file{listed[i].Path, name, parser.Parse(name, text).Symbols}
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(code, func(f file) bool { return f.path == "" }), nil
}

// language returns the language of most files.
func language(code []file) string {
	count := map[string]int{}
	for _, f := range code {
		count[f.language]++
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	return names[0] // without files there are no questions, and Make has returned
}

// asked reports whether people ask for a symbol of this kind by what it does.
func asked(k syntax.Kind) bool {
	switch k {
	case syntax.Function, syntax.Method, syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait,
		syntax.Enum, syntax.Type, syntax.Module, syntax.Macro:
		return true
	}
	return false
}

// symbolQuestions are the names that are defined once.
func symbolQuestions(code []file) []Query {
	g := gather{category: FromSymbol}
	for _, f := range code {
		for _, s := range f.symbols {
			if (asked(s.Kind) || s.Kind == syntax.Constant) && isName(s.Name) {
				g.add(s.Name, Target{Path: f.path, Start: s.NameLine, End: s.NameLine})
			}
		}
	}
	return g.take(1)
}

// isName reports whether a reader sees that a text is a name: a short word in
// lower case may stand for anything, and is no fair question.
func isName(s string) bool {
	if len(s) < 4 || strings.ContainsFunc(s, unicode.IsSpace) {
		return false
	}
	return len(s) >= 8 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLower(r) })
}

func commentQuestions(code []file) []Query {
	g := gather{category: FromComment}
	for _, f := range code {
		for _, s := range f.symbols {
			if !asked(s.Kind) {
				continue
			}
			if text, ok := sentence(s.Doc, s.Name); ok {
				g.add(text, Target{Path: f.path})
			}
		}
	}
	return g.take(maxChanged)
}

// sentence returns the first sentence of a doc comment without the name that
// it documents, where that comes first. ok is false unless it has 5 to 20
// words of prose.
func sentence(doc, name string) (text string, ok bool) {
	doc, _, _ = strings.Cut(doc, "\n\n")
	words := strings.Fields(doc)
	for i, w := range words {
		if strings.HasSuffix(w, ".") && !strings.HasSuffix(w, "e.g.") && !strings.HasSuffix(w, "i.e.") {
			words = words[:i+1]
			break
		}
	}
	if len(words) > 0 && strings.Trim(words[0], "`*:()") == name {
		words = words[1:]
	}
	if len(words) < 5 || len(words) > 20 {
		return "", false
	}
	text = strings.TrimRight(strings.Join(words, " "), ".:;,")
	for _, mark := range []string{"://", "@", "{", "<", "TODO", "FIXME", "eprecated", "opyright", "enerated", "SPDX", "nolint"} {
		if strings.Contains(text, mark) {
			return "", false
		}
	}
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) || r == ' ' {
			letters++
		}
	}
	return text, letters*10 >= len(text)*8 // less is a table, a formula or code
}
