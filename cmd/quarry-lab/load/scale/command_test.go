package scale

import (
	"context"
	"io"
	"testing"

	"github.com/spf13/cobra"
)

// run runs a command as main does.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	root := &cobra.Command{Use: "quarry-lab", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(Commands()...)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	return root.ExecuteContext(ctx)
}

// TestFlags: what a command cannot work without is asked for before it does anything.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"grow"}, {"grow", "--from", "d"}, {"scale"}, {"scale", "--from", "d"},
	} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}
