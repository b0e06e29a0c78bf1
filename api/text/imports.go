package text

import (
	"encoding/json"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// importText is the import as its file has it, more or less.
func importText(i *wire.FoundImport) string {
	text := i.Path
	if i.Name != "" {
		text += " " + i.Name
	}
	if i.Alias != "" {
		text += " as " + i.Alias
	}
	return text
}

// imports writes a line for each import, below its file.
func imports(b *builder, body []byte) error {
	var a struct {
		Files []struct {
			File    string             `json:"file"`
			Imports []wire.FoundImport `json:"imports"`
			Omitted int                `json:"omitted"`
		} `json:"files"`
		Meta  meta       `json:"meta"`
		Index wire.Index `json:"index"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	if len(a.Files) == 0 {
		b.linef("There are no imports.")
	}
	for i := range a.Files {
		f := &a.Files[i]
		b.linef("%s", f.File)
		for j := range f.Imports {
			to := ""
			if files := f.Imports[j].Files; len(files) > 0 {
				to = " -> " + strings.Join(files, ", ")
			}
			b.linef("  %d: %s%s", f.Imports[j].Line, importText(&f.Imports[j]), to)
		}
		if f.Omitted > 0 {
			b.linef("  and %d more", f.Omitted)
		}
		if len(f.Imports) == 0 {
			b.linef("  nothing")
		}
	}
	a.Meta.note(b, len(a.Files), "files")
	noteIndex(b, &a.Index)
	return nil
}
