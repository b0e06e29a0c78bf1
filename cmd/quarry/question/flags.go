package question

import (
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/index/calls"
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

func checkTests(tests string) error {
	if tests == "" {
		return nil
	}
	return config.OneOf("tests", tests, calls.WithTests, calls.WithoutTests, calls.OnlyTests)
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
