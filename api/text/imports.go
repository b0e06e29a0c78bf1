package text

import (
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// importText is the import as its file has it, more or less.
func importText(path, name, alias string) string {
	text := path
	if name != "" {
		text += " " + name
	}
	if alias != "" {
		text += " as " + alias
	}
	return text
}

// imports writes a line for each import, below its file.
func imports(b *builder, a *wire.ImportsResponse) {
	if len(a.Files) == 0 {
		b.linef("There are no imports.")
	}
	for i := range a.Files {
		f := &a.Files[i]
		b.linef("%s", f.File)
		for _, one := range f.Imports {
			to := ""
			if len(one.Files) > 0 {
				to = " -> " + strings.Join(one.Files, ", ")
			}
			b.linef("  %d: %s%s", one.Line, importText(one.Path, one.Name, one.Alias), to)
		}
		if f.Omitted > 0 {
			b.linef("  and %d more", f.Omitted)
		}
		if len(f.Imports) == 0 {
			b.linef("  nothing")
		}
	}
	noteMeta(b, &a.Meta, len(a.Files), "files")
	noteIndex(b, &a.Index)
}
