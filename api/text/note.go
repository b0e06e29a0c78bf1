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
	case s.State == "indexing":
		b.note("index is still building: %s", percent(s.Progress))
		return
	case s.State == "error":
		b.note("index is not whole: its last build failed")
		return
	case s.Pending == 1:
		b.note("index is behind: 1 changed file is not in yet")
	case s.Pending > 1:
		b.note("index is behind: %d changed files are not in yet", s.Pending)
	case s.State == "stale", s.Freshness == "STALE":
		b.note("index may be behind: the files have not been compared yet")
	}
	if s.Vectors > 0 && s.Vectors < 1 {
		b.note("index has %s of its vectors", percent(s.Vectors))
	}
}

// percent is never 100 % for less than all.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share*100)) }

// meta is what answers say of themselves.
type meta struct {
	Matches   int      `json:"matches"`
	Truncated bool     `json:"truncated"`
	Cuts      []string `json:"truncated_by"`
	Clamped   []string `json:"clamped"`
	Unindexed bool     `json:"unindexed"`
	Changed   int      `json:"changed"`
	Unchecked int      `json:"unchecked"`
}

// note says how much of what there is the reader sees: shown of it, in units such as
// "files", or "" for the entries of a list.
func (m *meta) note(b *builder, shown int, unit string) {
	if m.Truncated {
		b.note("%s", m.left(shown, unit))
	}
	if m.Unindexed {
		b.note("the index knows no file at or below the path")
	}
	if len(m.Clamped) > 0 {
		b.note("lowered to the maximum: %s", strings.Join(m.Clamped, ", "))
	}
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

func (m *meta) left(shown int, unit string) string {
	if unit != "" {
		unit = " " + unit
	}
	all := fmt.Sprint(m.Matches)
	if slices.Contains(m.Cuts, "matches") || slices.Contains(m.Cuts, "reached") {
		all = "more than " + all
	}
	text := "not all is shown"
	if m.Matches > shown {
		text = fmt.Sprintf("%d of %s%s shown", shown, all, unit)
	}
	// The limit is what everybody expects, and of the other two "more than" speaks.
	said := []string{"limit", "matches", "reached"}
	if why := slices.DeleteFunc(slices.Clone(m.Cuts), func(c string) bool { return slices.Contains(said, c) }); len(why) > 0 {
		text += ": " + strings.Join(why, ", ")
	}
	return text
}

// A place is where a symbol is.
type place struct {
	Project string `json:"project"`
	Symbol  string `json:"symbol"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Changed bool   `json:"changed"`
}

// String returns the place as the relay writes one, and the name of what is there.
func (p *place) String() string {
	text := fmt.Sprintf("%s:%d", p.File, p.Line)
	if p.Symbol != "" {
		text += " " + p.Symbol
	}
	if p.Project != "" {
		text += " [" + p.Project + "]"
	}
	return text
}

func places(list []place) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].String()
	}
	return strings.Join(texts, ", ")
}

// whole is what answers about the call graph say of what they may lack.
type whole struct {
	Complete *bool    `json:"complete"`
	Because  []string `json:"incomplete"`
	Others   []place  `json:"alternatives"`
}

func (w *whole) note(b *builder) {
	for _, why := range w.Because {
		b.note("not complete: %s", why)
	}
	if w.Complete != nil && !*w.Complete && len(w.Because) == 0 {
		b.note("not complete")
	}
	if len(w.Others) > 0 {
		b.note("the name could also mean: %s", places(w.Others))
	}
}
