package flow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/taint"
)

// A QueryError says what of a FlowsQuery cannot be used.
type QueryError struct{ Reason string }

func (e *QueryError) Error() string { return e.Reason }

// rules are the patterns of a question about one preset, by language.
type rules struct {
	preset string
	langs  map[string]*langRules
}

// A langRules has the patterns for one language.
type langRules struct {
	sources, sinks, sanitizers, carriers []taint.Pattern
}

// of returns the patterns for a language, nil where no flow is looked for.
func (r *rules) of(lang string) *langRules { return r.langs[lang] }

const presetPrefix = "preset:"

// newRules reads the patterns of a query.
func newRules(q *FlowsQuery, preset string) (*rules, error) {
	if preset != "" && !slices.Contains(taint.Presets(), preset) {
		return nil, &QueryError{fmt.Sprintf("there is no preset %q: it is one of %s", preset, join(Presets()))}
	}
	if preset == "" && (len(q.Source) == 0 || len(q.Sink) == 0) {
		return nil, &QueryError{"a preset is needed (" + join(Presets()) + "), or a source and a sink"}
	}
	tables, err := control.Tables()
	if err != nil {
		return nil, err
	}
	sources, sinks, sanitizers := q.Source, q.Sink, q.Sanitizer
	if len(sources) == 0 {
		sources = []string{presetPrefix + taint.Request}
	}
	if len(sinks) == 0 {
		sinks = []string{presetPrefix + preset}
	}
	if len(sanitizers) == 0 {
		sanitizers = []string{presetPrefix + "default"}
	}
	if len(sanitizers) == 1 && sanitizers[0] == NoSanitizer {
		sanitizers = nil
	}
	r := &rules{preset, map[string]*langRules{}}
	for _, lang := range control.Languages() {
		t := tables[lang]
		var l langRules
		var err error
		if l.sources, err = expand(sources, taint.Groups(), func(g string) []taint.Pattern { return t.Sources[g] }); err != nil {
			return nil, err
		}
		if l.sinks, err = expand(sinks, taint.Presets(), func(g string) []taint.Pattern { return t.Sinks[g] }); err != nil {
			return nil, err
		}
		groups := append([]string{"default"}, taint.Presets()...)
		if l.sanitizers, err = expand(sanitizers, groups, func(g string) []taint.Pattern {
			if g == "default" {
				g = preset
			}
			return append(slices.Clone(t.Sanitizers[taint.All]), t.Sanitizers[g]...)
		}); err != nil {
			return nil, err
		}
		l.carriers = t.Carriers
		if len(t.Sinks) > 0 && len(l.sources) > 0 && len(l.sinks) > 0 {
			r.langs[lang] = &l
		}
	}
	return r, nil
}

// expand reads patterns, and puts groups in the place of their names.
func expand(list, groups []string, of func(string) []taint.Pattern) (out []taint.Pattern, err error) {
	for _, text := range list {
		if group, is := strings.CutPrefix(text, presetPrefix); is {
			if !slices.Contains(groups, group) {
				return nil, &answer.PatternError{Pattern: text, Reason: "the groups that there are here: " + join(groups)}
			}
			out = append(out, of(group)...)
			continue
		}
		p, err := taint.Parse(text)
		if err != nil {
			return nil, &answer.PatternError{Pattern: text, Reason: err.Error()}
		}
		out = append(out, p)
	}
	return out, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
