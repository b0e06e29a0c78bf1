package text

import (
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// references writes the places that name a symbol: a line for each.
func references(b *builder, a *wire.ReferencesResponse) {
	what := title(a.Definition, a.Target)
	if len(a.References) > 0 {
		b.linef("References to %s:", what)
	} else {
		b.linef("No place is known to mean %s.", what)
	}
	each := func(list []wire.Reference) {
		for i := range list {
			r := &list[i]
			how := []string{string(r.Kind), string(r.Confidence)}
			if r.Test {
				how = append(how, "test")
			}
			b.linef("%s  (%s)%s", placeText(r.File, r.Line, r.Symbol, ""), strings.Join(how, ", "), since(r.Changed))
		}
	}
	each(a.References)
	if len(a.Ambiguous) > 0 {
		b.linef("Perhaps, by the name alone:")
	}
	each(a.Ambiguous)
	if n := a.Counts.References + a.Counts.Ambiguous; n > 0 && a.Total > len(a.References)+len(a.Ambiguous) {
		b.note("%d that mean it, and %d by the name alone", a.Counts.References, a.Counts.Ambiguous)
	}
	noteMeta(b, &a.Meta, len(a.References)+len(a.Ambiguous))
	sure{a.Complete, a.Incomplete, a.Alternatives}.note(b)
	noteIndex(b, &a.Index)
}
