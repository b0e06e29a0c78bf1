package text

import (
	"encoding/json"
	"strings"
)

// An imported is one import, of the outline of a file or of a list of imports.
type imported struct {
	Path  string   `json:"path"`
	Name  string   `json:"name"`
	Alias string   `json:"alias"`
	Line  int      `json:"line"`
	Files []string `json:"files"` // that it leads to
}

// String is the import as its file has it, more or less.
func (i *imported) String() string {
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
			File    string     `json:"file"`
			Imports []imported `json:"imports"`
			Omitted int        `json:"omitted"`
		} `json:"files"`
		Meta  meta  `json:"meta"`
		Index state `json:"index"`
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
			b.linef("  %d: %s%s", f.Imports[j].Line, &f.Imports[j], to)
		}
		if f.Omitted > 0 {
			b.linef("  and %d more", f.Omitted)
		}
		if len(f.Imports) == 0 {
			b.linef("  nothing")
		}
	}
	a.Meta.note(b, len(a.Files), "files")
	a.Index.note(b)
	return nil
}
