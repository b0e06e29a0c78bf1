package question

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/search"
)

// Flags that several commands have.

func addLang(fs *pflag.FlagSet, langs *[]string) {
	fs.StringSliceVar(langs, "lang", nil, "only these languages, such as go,python")
}

func addKind(fs *pflag.FlagSet, kinds *[]string) {
	fs.StringSliceVar(kinds, "kind", nil, "only symbols of these kinds, such as function,class")
}

func addSteps(fs *pflag.FlagSet, depth *int, usual int) {
	fs.IntVar(depth, "depth", usual, "steps from the target, 1 to 10")
}

// target makes a target relative to the root, as TargetPath does.
func target(written *string, folders bool) func(root string) error {
	return func(root string) (err error) {
		*written, err = invocation.TargetPath(root, *written, folders)
		return err
	}
}

// targetBelow makes a target, and the path below which the answer is to be, relative to the
// root.
func targetBelow(written, below *string) func(root string) error {
	return func(root string) (err error) {
		if *below, err = invocation.RootPath(root, *below); err != nil {
			return err
		}
		return target(written, false)(root)
	}
}

// bounds are those of a server that nobody has configured: an index in memory answers the same
// questions. A diff and a text may be as long as they are.
func bounds() *fields.Bounds {
	return &fields.Bounds{
		Numbers: map[string]int{"body": math.MaxInt, "query": math.MaxInt, "results": 100, "timeout": 30_000, "text": 1 << 16},
		Words:   map[string][]string{"kinds": search.Kinds(), "langs": search.Languages()},
	}
}

// read reads a request as a server does, and says on the error output which of its numbers were
// lowered.
func (q *question) read(w io.Writer) error {
	asked := q.request
	if v := reflect.ValueOf(asked).Elem(); v.Type().Field(0).Anonymous {
		asked = v.Field(0).Addr().Interface() // with the form of the answer
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("the question cannot be written: %w", err)
	}
	d := fields.JSON(text)
	d.Read(asked, bounds())
	if d.Err == nil && len(d.Clamped) > 0 {
		fmt.Fprintf(w, "quarry: lowered to the maximum: %s\n", strings.ReplaceAll(strings.Join(d.Clamped, ", "), "_", "-"))
	}
	if d.Err != nil {
		return fmt.Errorf("%s", terminal.Visible(d.Err.Error()))
	}
	return nil
}
