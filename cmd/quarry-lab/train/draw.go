package train

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/outline"
)

// A Function is one that was drawn by lot, for a person to write questions about.
type Function struct {
	Path       string // relative to the repository
	Name       string // after those of what it stands in, joined by "."
	Start, End int    // its lines, 1-based and inclusive
	Text       string // these lines
	Beside     []string
}

// Lines of a function that questions are written about: less has nothing to ask about,
// more is seldom one thing.
const (
	minDrawn = 5
	maxDrawn = 120
)

// aside are folders of what is next to the code that a repository is for.
var aside = regexp.MustCompile(`(?i)(^|/)(\..*|examples?|samples?|demos?|docs?|website|vendor|third[_-]?party|deps|extras?|node_modules|integration|scripts|tools)/`)

// drawnFrom bounds the functions of one file, so that a large file does not outweigh the
// others.
const drawnFrom = 3

// Draw returns at most count functions of a repository, by lot. Tests
// and what is shorter than five lines or longer than 120 are not drawn, and of a file
// three at most. The same revision and seed give the same functions.
func Draw(ctx context.Context, clones string, r Repository, count int, seed string) ([]Function, error) {
	dir, err := locate(clones, r)
	if err != nil {
		return nil, err
	}
	g := git{dir}
	if err := g.check(ctx, r); err != nil {
		return nil, err
	}
	type drawn struct {
		Function
		lot uint64
	}
	var all []drawn
	pick := func(o *outline.Outliner, path string, src []byte, _ func(Pair)) {
		if testPath.MatchString(path) || aside.MatchString(path) {
			return
		}
		lines := strings.SplitAfter(string(src), "\n")
		parts := o.Outline(path, src).Parts
		var names []string
		for _, p := range parts {
			if isFunction(p.Kind) {
				names = append(names, p.Name)
			}
		}
		var own []drawn
		for _, p := range parts {
			n := p.EndLine - p.Line + 1
			if !isFunction(p.Kind) || n < minDrawn || n > maxDrawn || testName.MatchString(p.Name) {
				continue
			}
			name := strings.TrimPrefix(p.Parent+"."+p.Name, ".")
			own = append(own, drawn{Function{
				Path: path, Name: name, Start: p.Line, End: p.EndLine, Beside: names,
				Text: strings.Join(lines[p.Line-1:min(p.EndLine, len(lines))], ""),
			}, hash(seed, r.Name, path, name)})
		}
		slices.SortFunc(own, func(a, b drawn) int { return cmp.Compare(a.lot, b.lot) })
		all = append(all, own[:min(len(own), drawnFrom)]...)
	}
	if err := g.outlines(ctx, r, pick, nil); err != nil {
		return nil, fmt.Errorf("draw from %s: %w", r.Name, err)
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Compare(a.lot, b.lot) })
	var out []Function
	for _, d := range all[:min(len(all), count)] {
		out = append(out, d.Function)
	}
	return out, nil
}

func isFunction(kind string) bool {
	return kind == "function" || kind == "method" || kind == "constructor"
}
