package envelope

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

func (o *options) newCat() *cobra.Command {
	var q catRequest
	cmd := &cobra.Command{
		Use: "cat FILE...", Short: "Show the lines of files",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a file must be given")
			}
			if slices.Contains(args, "-") {
				return errors.New("the standard input is not shown")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if o.raw && q.Number { // on, from one file to the next
				q.Number = false
				cmd.SetOut(&numbering{to: out, next: max(q.Start, 1)})
			}
			var failed error
			for _, file := range args {
				if len(args) > 1 && !o.raw {
					fmt.Fprintf(out, "==> %s <==\n", file)
				}
				q.Path = file
				err := ask(cmd, "cat", o.raw, &q)
				var exit *invocation.ExitError
				switch {
				case err == nil:
					continue
				case len(args) == 1:
					return err
				case !errors.As(err, &exit) || exit.Err != nil:
					fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %v\n", err)
				}
				failed = invocation.Silent(cmd, invocation.Failed) // the others are shown
			}
			return failed
		},
	}
	cmd.Flags().IntVar(&q.Start, "start", 0, "the first line")
	cmd.Flags().IntVar(&q.End, "end", 0, "the last line")
	cmd.Flags().BoolVarP(&q.Number, "number", "n", false, "with the number of each line in front")
	return cmd
}

// A numbering writes the number of each line in front of it, as cat -n has it.
type numbering struct {
	to   io.Writer
	next int
	open bool // a line has begun
}

func (n *numbering) Write(text []byte) (int, error) {
	out := make([]byte, 0, len(text)+len(text)/8)
	for _, c := range text {
		if !n.open {
			out = fmt.Appendf(out, "%6d\t", n.next)
			n.next++
		}
		out = append(out, c)
		n.open = c != '\n'
	}
	_, err := n.to.Write(out)
	return len(text), err
}
