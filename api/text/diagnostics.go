package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// diagnostics writes the findings below their files.
func diagnostics(b *builder, a *wire.DiagnosticsResponse) {
	var counts []string
	for kind, n := range a.Counts {
		counts = append(counts, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(counts)
	b.linef("%d findings in %d files: %s", a.Total, a.Files, strings.Join(counts, ", "))
	file := "\x00"
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.File != file {
			b.linef("%s%s", f.File, since(f.Changed))
			file = f.File
		}
		b.linef("%6d %s %s%s  <%s>", f.Line, f.Severity, f.Message, in(f.Symbol), f.Source+" "+f.Rule)
	}
	for _, why := range a.NotLookedAt {
		b.note("not looked at: %s", why)
	}
	noteMeta(b, &a.Meta, len(a.Findings), "findings")
	sure{a.Complete, a.Incomplete, nil}.note(b)
	noteIndex(b, &a.Index)
}

func in(symbol string) string {
	if symbol == "" {
		return ""
	}
	return ", in " + symbol
}
