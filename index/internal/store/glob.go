package store

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/quarry-search/quarry/index/answer"
)

// maxAlternatives bounds how many plain patterns the braces of a glob stand for:
// doublestar tries them one after the other, for every file.
const maxAlternatives = 256

// CheckGlobs returns a PatternError for the first glob that cannot be used.
func CheckGlobs(patterns []string) error {
	for _, p := range patterns {
		g := newGlob(p)
		switch {
		case g.pattern == "":
			return &answer.PatternError{Pattern: p, Reason: "it is empty"}
		case !doublestar.ValidatePattern(g.pattern):
			return &answer.PatternError{Pattern: p, Reason: "a bracket, brace or escape is not closed"}
		case alternatives(g.pattern) > maxAlternatives:
			return &answer.PatternError{Pattern: p, Reason: fmt.Sprintf("its braces stand for more than %d patterns", maxAlternatives)}
		}
	}
	return nil
}

// alternatives returns how many plain patterns a glob stands for, or more.
func alternatives(pattern string) int {
	all := 1
	var open []int
	for i := 0; i < len(pattern) && all <= maxAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			open = append(open, 1)
		case ',':
			if len(open) > 0 {
				open[len(open)-1]++
			}
		case '}':
			if n := len(open) - 1; n >= 0 {
				all *= open[n]
				open = open[:n]
			}
		}
	}
	return all
}

// Globs admit a path that one of the including patterns matches, if there are
// any, and no excluding one.
type Globs []glob

// glob is one pattern, read as ripgrep reads those of its --glob: without a
// slash it is about a name in any folder, with one about the path from the root.
type glob struct {
	pattern string
	exclude bool // it began with "!"
	name    bool // it has no slash
}

func newGlob(p string) glob {
	var g glob
	p, g.exclude = strings.CutPrefix(p, "!")
	p, folder := strings.CutSuffix(p, "/")
	g.name = !strings.Contains(p, "/")
	g.pattern = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
	if folder && !g.exclude && p != "" {
		if g.pattern += "/**"; g.name {
			g.pattern, g.name = "**/"+g.pattern, false
		}
	}
	return g
}

func NewGlobs(patterns []string) Globs {
	var all Globs
	for _, p := range patterns {
		all = append(all, newGlob(p))
	}
	return all
}

func (all Globs) Admit(path string) bool {
	including, included := false, false
	for i := range all {
		g := &all[i]
		if g.exclude {
			if g.excludes(path) {
				return false
			}
			continue
		}
		including = true
		included = included || g.match(path)
	}
	return included || !including
}

func (g *glob) match(path string) bool {
	if g.name {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return doublestar.MatchUnvalidated(g.pattern, path)
}

// excludes reports whether the pattern matches the file or a folder around it.
func (g *glob) excludes(path string) bool {
	for !g.match(path) {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
	return true
}
