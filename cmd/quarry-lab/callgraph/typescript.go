package callgraph

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

//go:embed typescript.js
var typescriptProgram string

// typescriptOptions are the flags of `quarry-lab callgraph typescript`.
type typescriptOptions struct {
	configs  []string
	compiler string
	node     string
	measurement
}

func newTypeScriptCommand() *cobra.Command {
	o := typescriptOptions{}
	cmd := &cobra.Command{
		Use:   "typescript DIR",
		Short: "Compare with the TypeScript compiler",
		Long: `Typescript compares the calls of a TypeScript project with what the compiler's
checker resolves them to. It needs node, and the package typescript of version 5:

  npm install --prefix /tmp/compiler typescript@5

A call of a function, method or class is direct. One of a member of an interface is
right where it leads to what implements the member: a method of a class that names
the interface, or a function in an object that is written where it is expected; one
of these is enough. Methods that override what is called count as right, too, and
are not asked for; so does what is assigned to a field, and what the project has for
a member that is declared outside. Other calls that leave the project must lead
nowhere. A function without a name counts as the one that it is written in. Not compared
are calls of function values, and those of which the checker does not know the type.`,
		Example: `  quarry-lab callgraph typescript ~/src/core --compiler /tmp/compiler/node_modules`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.against(cmd, args[0], o.calls, nil) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.configs, "tsconfig", []string{"tsconfig.json"}, "`file` that says what belongs to the project, from DIR; may be given several times")
	f.StringVar(&o.compiler, "compiler", "node_modules", "`folder` in which the package typescript lies")
	f.StringVar(&o.node, "node", "node", "`program` that runs it")
	o.flags(cmd)
	return cmd
}

// calls runs the compiler over the project.
func (o *typescriptOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	compiler, err := filepath.Abs(o.compiler)
	if err != nil {
		return nil, fmt.Errorf("callgraph: find the compiler: %w", err)
	}
	text, err := callsOf(ctx, typescriptProgram, "js", func(program string) *exec.Cmd {
		run := exec.CommandContext(ctx, o.node, append([]string{"--max-old-space-size=8192", program, dir}, o.configs...)...)
		run.Env = append(os.Environ(), "NODE_PATH="+compiler)
		return run
	})
	if err != nil {
		return nil, fmt.Errorf("callgraph: run the TypeScript compiler on %s: %w", dir, err)
	}
	return text, nil
}
