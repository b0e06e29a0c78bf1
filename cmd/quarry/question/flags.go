package question

import (
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/invocation"
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
