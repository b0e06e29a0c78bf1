package listing

import (
	"errors"
	"io"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/index/flow"
)

// A Drawing is the flags that say in which form an answer is drawn, if at all.
type Drawing struct{ dot, mermaid, svg bool }

// Add adds the flags; of says what is drawn.
func (d *Drawing) Add(fs *pflag.FlagSet, of string) {
	fs.BoolVar(&d.dot, "dot", false, "draw "+of+" in the language of Graphviz")
	fs.BoolVar(&d.mermaid, "mermaid", false, "draw "+of+" in the language of Mermaid")
	fs.BoolVar(&d.svg, "svg", false, "draw "+of+" as a picture, at most 300")
}

// Form is the form that is asked for, "" for none. It is an error to ask for two, or for one and
// JSON.
func (d *Drawing) Form(json bool) (form string, err error) {
	for _, f := range []struct {
		asked bool
		form  string
	}{{d.dot, flow.DOT}, {d.mermaid, flow.Mermaid}, {d.svg, flow.SVG}} {
		switch {
		case !f.asked:
		case form != "" || json:
			return "", errors.New("only one of --dot, --mermaid, --svg and --json can be given")
		default:
			form = f.form
		}
	}
	return form, nil
}

// Drawn writes the drawing of an answer in a form.
func Drawn(w io.Writer, form string, a interface {
	Draw(form string) (string, error)
}) error {
	text, err := a.Draw(form)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}
