package peers

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// The planted projects, one for each language: small, of our own writing, with the
// callers of some symbols written down in the comment of the archive.
//
//go:embed planted/*.txtar
var planted embed.FS

// A wanted line is a symbol of a planted project, and who calls it.
type wanted struct {
	file, symbol string
	callers      []caller
}

// parseTruth reads the lines "FILE SYMBOL <- FILE:FUNCTION ..." of an archive's comment.
func parseTruth(comment string) (all []wanted, err error) {
	for line := range strings.Lines(comment) {
		left, right, ok := strings.Cut(line, " <- ")
		if !ok {
			continue
		}
		file, symbol, ok := strings.Cut(left, " ")
		if !ok {
			return nil, fmt.Errorf("there is no symbol in %q", line)
		}
		w := wanted{file: file, symbol: symbol}
		for _, c := range strings.Fields(right) {
			file, function, ok := strings.Cut(c, ":")
			if !ok {
				return nil, fmt.Errorf("%q is no FILE:FUNCTION", c)
			}
			if c := (caller{file, lastName(function)}); !slices.Contains(w.callers, c) {
				w.callers = append(w.callers, c)
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// lastName is a name without its class.
func lastName(name string) string {
	_, after, ok := cutLast(strings.ReplaceAll(name, "::", "."), ".")
	if ok {
		return after
	}
	return name
}

// A score sums up what was given and wanted.
type score struct {
	wanted, given, common int
	took                  []float64 // milliseconds of each question
}

func (s *score) add(want, given []caller) {
	for _, c := range given {
		if slices.Contains(want, c) {
			s.common++
		}
	}
	s.wanted += len(want)
	s.given += len(given)
}

// String is precision and recall; there is no precision of nothing.
func (s *score) String() string {
	precision := "none given"
	if s.given > 0 {
		precision = fmt.Sprintf("%.2f", float64(s.common)/float64(s.given))
	}
	return fmt.Sprintf("%s / %.2f", precision, float64(s.common)/float64(s.wanted))
}

// measureCallers asks a peer for the callers in all planted projects, by language.
func measureCallers(ctx context.Context, f *foundPeer, dir string) (map[string]*score, error) {
	names, err := planted.ReadDir("planted")
	if err != nil {
		return nil, err
	}
	scores := map[string]*score{}
	for _, n := range names {
		language := strings.TrimSuffix(n.Name(), ".txtar")
		s, err := plantedScore(ctx, f, language, filepath.Join(dir, language))
		if err != nil {
			return scores, fmt.Errorf("%s: %w", language, err)
		}
		scores[language] = s
	}
	return scores, nil
}

func plantedScore(ctx context.Context, f *foundPeer, language, dir string) (*score, error) {
	text, err := planted.ReadFile("planted/" + language + ".txtar")
	if err != nil {
		return nil, err
	}
	archive := txtar.Parse(text)
	truth, err := parseTruth(string(archive.Comment))
	if err != nil {
		return nil, err
	}
	p := place{filepath.Join(dir, "root"), filepath.Join(dir, "data")}
	for _, file := range archive.Files {
		at := filepath.Join(p.root, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(at, file.Data, 0o644); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(p.data, 0o755); err != nil {
		return nil, err
	}
	if f.index != nil {
		if _, _, err := f.do(ctx, f.index(p)); err != nil {
			return nil, err
		}
	}
	if f.name == "quarry" { // whose commands ask a server
		s, err := f.start(ctx, p)
		if err != nil {
			return nil, err
		}
		defer s.stop()
	}
	sum := new(score)
	for _, w := range truth {
		out, c, err := f.do(ctx, f.callers(p, language, w.file, w.symbol))
		if err != nil {
			return nil, err
		}
		given := map[caller]bool{}
		for _, c := range f.called(p, w.symbol, out) {
			given[c] = true
		}
		sum.add(w.callers, slices.Collect(maps.Keys(given)))
		sum.took = append(sum.took, float64(c.wall)/float64(time.Millisecond))
	}
	return sum, nil
}

// A site is a line on which something is called.
type site struct {
	file string
	line int // 1-based
}

// lineCallers reads path:line:text. The path may be below the root or absolute.
func lineCallers(p place, symbol string, out []byte) []caller {
	var sites []site
	for line := range strings.Lines(string(out)) {
		if path, n, _, ok := splitLine(line); ok {
			sites = append(sites, site{p.relative(path), n})
		}
	}
	return enclosing(p, symbol, sites)
}

// defines matches the line on which a function of a planted project begins.
var defines = regexp.MustCompile(`^\s*(?:export )?(?:default )?(?:(?:def|function) (\w+)|func (?:\([^)]*\) )?(\w+)|const (\w+) = \(|(\w+)\([^()]*\): \w+ \{)`)

// enclosing makes callers of the lines of programs that know no functions: the last one
// that begins above. The line that defines the symbol is no call.
func enclosing(p place, symbol string, sites []site) (all []caller) {
	for _, s := range sites {
		text, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(s.file)))
		if err != nil {
			continue // what is no file of the project counts as nothing
		}
		lines := strings.Split(string(text), "\n")
		for n := min(s.line, len(lines)); n > 0; n-- {
			m := defines.FindStringSubmatch(lines[n-1])
			if m == nil {
				continue
			}
			name := strings.Join(m[1:], "") // one of them is not empty
			if !(n == s.line && name == lastName(symbol)) {
				all = append(all, caller{s.file, name})
			}
			break
		}
	}
	return all
}
