package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// noteIndex says how far an answer of the index can be trusted.
func noteIndex(b *builder, s *wire.Index) {
	switch {
	case s.State == wire.StateIndexing:
		b.note("index is still building: %s", percent(s.Progress))
		return
	case s.Empty:
		b.note("nothing is indexed yet")
		return
	case s.State == wire.StateError:
		b.note("index is not whole: its last build failed")
		return
	case s.Pending == 1:
		b.note("index is behind: 1 changed file is not in yet")
	case s.Pending > 1:
		b.note("index is behind: %d changed files are not in yet", s.Pending)
	case s.State == wire.StateStale, s.Freshness == wire.FreshnessStale:
		b.note("index may be behind: the files have not been compared yet")
	}
	if s.Vectors > 0 && s.Vectors < 1 {
		b.note("index has %s of its vectors", percent(s.Vectors))
	}
	if s.Refined != nil && *s.Refined < 1 && s.Vectors > 0 {
		b.note("index is refined to %s", percent(*s.Refined))
	}
}

// percent is never 100 % for less than all.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share*100)) }

// noteMeta says how much of what there is the reader sees: shown of it, in units such as
// "files", or none for the entries of a list.
func noteMeta(b *builder, m *wire.Meta, shown int, unit ...string) {
	if m.Truncated {
		b.note("%s", left(m, shown, strings.Join(unit, "")))
	}
	if m.Unindexed {
		b.note("the index knows no file at or below the path")
	}
	if len(m.Clamped) > 0 {
		b.note("lowered to the maximum: %s", strings.Join(m.Clamped, ", "))
	}
	noteIgnored(b, m.Ignored)
	switch {
	case m.Changed == 1:
		b.note("1 file that is named here has changed since it was indexed")
	case m.Changed > 1:
		b.note("%d files that are named here have changed since they were indexed", m.Changed)
	}
	if m.Unchecked > 0 {
		b.note("files that were not compared with what is indexed: %d", m.Unchecked)
	}
}

func left(m *wire.Meta, shown int, unit string) string {
	if unit != "" {
		unit = " " + unit
	}
	all := fmt.Sprint(m.Matches)
	counted := []string{"matches", "places", "reached"} // what they cut is not
	if slices.ContainsFunc(m.TruncatedBy, func(c string) bool { return slices.Contains(counted, c) }) {
		all = "more than " + all
	}
	text := "not all is shown"
	if m.Matches > shown {
		text = fmt.Sprintf("%d of %s%s shown", shown, all, unit)
	}
	// The limit alone is what everybody expects, but whoever reads that something else cut takes
	// it for all that did; of those that are not counted "more than" speaks.
	why := slices.DeleteFunc(slices.Clone(m.TruncatedBy), func(c string) bool { return slices.Contains(counted, c) })
	if len(why) > 1 || len(why) == 1 && why[0] != "limit" {
		text += ": " + strings.Join(why, ", ")
	}
	return text
}

// placeText returns a place as the relay writes one, and the name of what is there.
func placeText(file string, line int, symbol, project string) string {
	text := fmt.Sprintf("%s:%d", file, line)
	if symbol != "" {
		text += " " + symbol
	}
	if project != "" {
		text += " [" + project + "]"
	}
	return text
}

func places(list []wire.Place) string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = placeText(p.File, p.Line, p.Symbol, "")
	}
	return strings.Join(texts, ", ")
}

// sure is what answers about the call graph say of what they may lack.
type sure struct {
	complete bool
	because  []string
	others   []wire.Place
}

func (s sure) note(b *builder) {
	for _, why := range s.because {
		b.note("not complete: %s", why)
	}
	if !s.complete && len(s.because) == 0 {
		b.note("not complete")
	}
	noteOthers(b, s.others)
}

func noteOthers(b *builder, others []wire.Place) {
	if len(others) > 0 {
		b.note("the name could also mean: %s", places(others))
	}
}

// noteIgnored names fields of the request that had no effect.
func noteIgnored(b *builder, ignored []string) {
	if len(ignored) > 0 {
		b.note("not known here, and ignored: %s", strings.Join(ignored, ", "))
	}
}
