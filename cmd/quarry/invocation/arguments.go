package invocation

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AtMostOne accepts no argument or one, named by what.
func AtMostOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("only one %s can be given, not %d", what, len(args))
		}
		return nil
	}
}

// NoArguments accepts none.
func NoArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

// Normalize lets --project stand for --root.
func Normalize(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "project" {
		name = "root"
	}
	return pflag.NormalizedName(name)
}

// AddGlobFlag declares the flag that narrows a question to files.
func AddGlobFlag(fs *pflag.FlagSet, globs *[]string) {
	fs.StringArrayVarP(globs, "glob", "g", nil, "only files that match; with ! in front, files that do not; may be repeated")
}
