package text

import "github.com/quarry-search/quarry/api/wire"

// definition writes what is named at a place: a line for each symbol.
func definition(b *builder, a *wire.DefinitionResponse) {
	switch l := a.Local; {
	case a.Name == "":
		b.linef("No name is at %s:%d.", a.File, a.Line)
	case l != nil:
		b.linef("%s is a variable, declared at %s", a.Name, placeText(a.File, l.Line, l.Symbol, ""))
		for _, u := range l.Uses {
			how := ""
			if u.Write {
				how = "  (write)"
			}
			b.linef("%s:%d:%d%s", a.File, u.Line, u.Column, how)
		}
	case len(a.Definitions) == 0:
		b.linef("Nothing is known to be named by %s.", a.Name)
	default:
		b.linef("%s:", a.Name)
	}
	each := func(list []wire.Defined) {
		for i := range list {
			d := &list[i]
			b.linef("%s  (%s, %s)%s", placeText(d.File, d.NameLine, d.Symbol, ""), d.Kind, d.Confidence, since(d.Changed))
		}
	}
	each(a.Definitions)
	if len(a.Ambiguous) > 0 {
		b.linef("Perhaps, by the name alone:")
	}
	each(a.Ambiguous)
	for _, kin := range []struct {
		what string
		list []wire.Relative
	}{{"Above it:", a.Above}, {"Below it:", a.Below}} {
		for i := range kin.list {
			if i == 0 {
				b.linef("%s", kin.what)
			}
			each([]wire.Defined{kin.list[i].Defined})
		}
	}
	if len(a.TypeOf) > 0 {
		b.linef("Its type:")
	}
	each(a.TypeOf)
	noteMeta(b, &a.Meta, a.Total)
	sure{a.Complete, a.Incomplete, nil}.note(b)
	noteIndex(b, &a.Index)
}
