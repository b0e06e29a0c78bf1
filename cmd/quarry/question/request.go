package question

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// Flags that several commands have.

func addLang(fs *pflag.FlagSet, langs *[]string) {
	fs.StringSliceVar(langs, "lang", nil, "only these languages, such as go,python")
}

func addKind(fs *pflag.FlagSet, kinds *[]string) {
	fs.StringSliceVar(kinds, "kind", nil, "only symbols of these kinds, such as function,class")
}

// addScope adds the flags that narrow what an answer about calls lists. Tests are those of calls.
func addScope(fs *pflag.FlagSet, path *string, glob *[]string, tests *string) {
	fs.StringVar(path, "path", "", "list only what is below this file or folder")
	fs.StringArrayVar(glob, "glob", nil, "list only what is in files that this glob matches; ! in front excludes; repeatable")
	fs.StringVar(tests, "tests", "", "test code: with, after everything else; without; or only (default with)")
}

// testsOf reads --tests, for which --no-tests is another way to say without.
func testsOf(tests string, none bool) (wire.Tests, error) {
	if none {
		if tests == answer.WithTests || tests == answer.OnlyTests {
			return "", errors.New("--no-tests and --tests say different things")
		}
		tests = answer.WithoutTests
	}
	if tests == "" {
		return "", nil
	}
	return wire.Tests(tests), config.OneOf("tests", tests, answer.WithTests, answer.WithoutTests, answer.OnlyTests)
}

// addFormat adds the flag of commands whose findings can be written as SARIF.
func addFormat(fs *pflag.FlagSet, format *string) {
	fs.StringVar(format, "format", "text", "text, json or sarif")
}

// formatOf reads --format, for which --json is another way to say json.
func (o *askOptions) formatOf(fs *pflag.FlagSet, format *string) error {
	switch {
	case o.json && fs.Changed("format") && *format != "json":
		return errors.New("only one of --json and --format can be given")
	case o.json:
		*format = "json"
	}
	return config.OneOf("format", *format, "text", "json", "sarif")
}

// knownBelow is an error for a path below which, and at which, the index has no file: an empty
// answer would say that there is none of what was asked for.
func knownBelow(x *index.Index, path string) error {
	if x.Knows(path) {
		return nil
	}
	return fmt.Errorf("no file at or below %s is in the index", path)
}

func addSteps(fs *pflag.FlagSet, depth *int, usual int) {
	fs.IntVar(depth, "depth", usual, "steps from the target, 1 to 10")
}

// TestsOf reads --tests.
func TestsOf(tests string) (wire.Tests, error) { return testsOf(tests, false) }

// AddScope adds the flags that narrow an answer about calls.
func AddScope(fs *pflag.FlagSet, path *string, glob *[]string, tests *string) {
	addScope(fs, path, glob, tests)
}

// Below makes the path below which an answer is to be relative to the root, "" for all of it.
func Below(path *string) func(root string) error { return below(path) }

// KnownBelow is an error for a path below which, and at which, the index has no file.
func KnownBelow(x *index.Index, path string) error { return knownBelow(x, path) }

// target makes a target relative to the root, as TargetPath does.
func target(written *string, folders bool) func(root string) error {
	return func(root string) (err error) {
		*written, err = invocation.TargetPath(root, *written, folders)
		return err
	}
}

// below makes the path below which the answer is to be relative to the root, "" for all of it.
func below(path *string) func(root string) error {
	return func(root string) (err error) {
		if *path, err = invocation.RootPath(root, *path); *path == "." {
			*path = ""
		}
		return err
	}
}

// targetBelow makes a target, and the path below which the answer is to be, relative to the
// root.
func targetBelow(written, path *string) func(root string) error {
	return func(root string) error {
		if err := below(path)(root); err != nil {
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
	d.Check(asked)
	if d.Err == nil && len(d.Clamped) > 0 {
		fmt.Fprintf(w, "quarry: lowered to the maximum: %s\n", strings.ReplaceAll(strings.Join(d.Clamped, ", "), "_", "-"))
	}
	if d.Err != nil {
		return fmt.Errorf("%s", terminal.Visible(d.Err.Error()))
	}
	return nil
}
