package api

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/highlight"
)

// What the fake says to the endpoints of the envelope.

func (f *fake) Grep(ctx context.Context, q grep.GrepQuery) (*grep.GrepAnswer, error) {
	if q.Pattern == "a(b" || slices.Contains(q.Glob, "[a") {
		return nil, &answer.PatternError{Pattern: q.Pattern, Reason: "something is not closed"}
	}
	f.mu.Lock()
	f.greps = append(f.greps, q)
	f.mu.Unlock()
	g := &grep.GrepAnswer{Query: q, Matches: len(f.matches), Searched: 3, State: f.State()}
	files := map[string]bool{}
	for _, l := range f.matches {
		if n := len(g.Sections); n == 0 || g.Sections[n-1].Name != l.Section {
			g.Sections = append(g.Sections, grep.GrepSection{Name: l.Section, Files: 1})
		}
		g.Sections[len(g.Sections)-1].Matches++
		files[l.File] = true
		g.Bytes += int64(len(fmt.Sprintf("%s:%d:%s\n", l.File, l.Line, l.Text)))
	}
	if g.Files = len(files); g.Files > 1 {
		g.HotZone = &grep.Zone{Dir: "src/", Share: 0.75}
	}
	return g, ctx.Err()
}

func (f *fake) Lines(ctx context.Context, g *grep.GrepAnswer, from, n int) (lines []grep.GrepLine, gone int, err error) {
	for i := from; i < from+n; i++ {
		if f.gone[i] {
			gone++
		} else {
			lines = append(lines, f.matches[i])
		}
	}
	return lines, gone, ctx.Err()
}

func (f *fake) GrepRaw(ctx context.Context, q grep.GrepQuery, o grep.RawOptions, w io.Writer) (p grep.Printed, err error) {
	if _, err := f.Grep(ctx, q); err != nil {
		return p, err
	}
	for _, l := range f.matches {
		if p.Matches++; o.Limit > 0 && p.Matches > o.Limit {
			p.Matches = o.Limit
			return p, nil
		}
		if _, err := fmt.Fprintf(w, "%s:%d:%s\n", o.Name(l.File), l.Line, l.Text); err != nil {
			return p, err
		}
	}
	return p, f.rawFails
}

func (f *fake) Read(_ context.Context, q grep.ReadQuery) (grep.FileText, error) {
	if f.read != nil {
		return f.read(q)
	}
	path, err := f.Resolve(q.Path)
	if err != nil {
		return grep.FileText{}, err
	}
	text, err := os.ReadFile(filepath.Join(f.root, path))
	lines := strings.Count(string(text), "\n")
	return grep.FileText{File: path, Lang: "typescript", Size: int64(len(text)), Lines: lines, Start: 1, End: lines, Text: string(text), State: f.State()}, err
}

func (f *fake) Highlight(_ context.Context, q highlight.Query) (highlight.Answer, error) {
	return highlight.Answer{Lines: make([][]int, q.Lines), Because: []string{"it is a fake"}}, nil
}

func (f *fake) Find(_ context.Context, q grep.FindQuery) (grep.Found, error) {
	if slices.Contains(q.Name, "[a") {
		return grep.Found{}, &answer.PatternError{Pattern: "[a", Reason: "something is not closed"}
	}
	return grep.Found{Paths: append([]grep.FoundPath{}, f.paths...), Total: len(f.paths), State: f.State()}, nil
}
