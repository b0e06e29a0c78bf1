package text

import (
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// dead writes code that nothing uses: a line for each finding, what is dead with another below
// it.
func dead(b *builder, a *wire.DeadResponse) {
	if len(a.Dead) == 0 {
		n := 0
		for _, c := range a.LookedAt {
			n += c.Count
		}
		b.linef("No dead code is found among %d symbols.", n)
	} else {
		b.linef("Dead code:")
	}
	for i := range a.Dead {
		d := &a.Dead[i]
		how := []string{string(d.Kind), string(d.Confidence)}
		if d.Reason != wire.DeadUnused {
			how = append(how, strings.ReplaceAll(string(d.Reason), "_", " "))
		}
		if d.Test {
			how = append(how, "test")
		}
		lead := ""
		if d.Root != nil {
			lead = "  "
		}
		b.linef("%s%s  (%s)%s", lead, placeText(d.File, d.Line, d.Symbol, ""), strings.Join(how, ", "), since(d.Changed))
		if d.Why != "" {
			b.linef("%s  but %s", lead, d.Why)
		}
	}
	noteMeta(b, &a.Meta, len(a.Dead))
	if len(a.NotLooked) > 0 {
		b.note("not looked for: %s", strings.Join(a.NotLooked, ", "))
	}
	sure{a.Complete, a.Incomplete, nil}.note(b)
	noteIndex(b, &a.Index)
}
