package callgraph

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

//go:embed typescript.js
var typescriptProgram string

// typescriptOptions are the flags of `quarry-lab callgraph typescript`.
type typescriptOptions struct {
	configs       []string
	compiler      string
	node          string
	json, verbose bool
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
are not asked for. Calls that leave the project must lead nowhere. Not compared are
calls of function values, and those of which the checker does not know the type.`,
		Example: `  quarry-lab callgraph typescript ~/src/core --compiler /tmp/compiler/node_modules`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.configs, "tsconfig", []string{"tsconfig.json"}, "`file` that says what belongs to the project, from DIR; may be given several times")
	f.StringVar(&o.compiler, "compiler", "node_modules", "`folder` in which the package typescript lies")
	f.StringVar(&o.node, "node", "node", "`program` that runs it")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.verbose, "verbose", false, "list the edges that only one of the two has")
	return cmd
}

func (o *typescriptOptions) run(cmd *cobra.Command, dir string) error {
	want, err := o.truth(cmd.Context(), dir)
	if err != nil {
		return err
	}
	given, err := quarryEdges(cmd.Context(), dir)
	if err != nil {
		return err
	}
	scores, outside := compare(want, given)
	r := result{Scores: scores, Unreached: want.unreached, Outside: outside}
	if o.json {
		return r.writeJSON(cmd.OutOrStdout(), o.verbose)
	}
	return r.writeText(cmd.OutOrStdout(), o.verbose)
}

func (o *typescriptOptions) truth(ctx context.Context, dir string) (truth, error) {
	text, err := o.calls(ctx, dir)
	if err != nil {
		return truth{}, err
	}
	return readTypeScript(bytes.NewReader(text))
}

// calls runs the compiler over the project.
func (o *typescriptOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	compiler, err := filepath.Abs(o.compiler)
	if err != nil {
		return nil, fmt.Errorf("callgraph: find the compiler: %w", err)
	}
	program, err := os.CreateTemp("", "callgraph-*.js")
	if err != nil {
		return nil, fmt.Errorf("callgraph: write the program for node: %w", err)
	}
	defer os.Remove(program.Name())
	_, err = program.WriteString(typescriptProgram)
	if err = errors.Join(err, program.Close()); err != nil {
		return nil, fmt.Errorf("callgraph: write the program for node: %w", err)
	}
	var out, problems bytes.Buffer
	args := append([]string{"--max-old-space-size=8192", program.Name(), dir}, o.configs...)
	run := exec.CommandContext(ctx, o.node, args...)
	run.Env = append(os.Environ(), "NODE_PATH="+compiler)
	run.Stdout, run.Stderr = &out, &problems
	if err := run.Run(); err != nil {
		return nil, fmt.Errorf("callgraph: run the TypeScript compiler on %s: %w\n%s", dir, err, bytes.TrimSpace(problems.Bytes()))
	}
	return out.Bytes(), nil
}

// A spot is a place as the program prints it: file, line and column.
type spot [3]any

func (s spot) place(column bool) (place, error) {
	file, ok := s[0].(string)
	line, isLine := s[1].(float64)
	col, isColumn := s[2].(float64)
	if !ok || !isLine || !isColumn {
		return place{}, fmt.Errorf("callgraph: no place: %v", s)
	}
	if !column {
		col = 0
	}
	return place{filepath.ToSlash(file), int(line), int(col)}, nil
}

// readTypeScript reads what the program prints.
func readTypeScript(r io.Reader) (truth, error) {
	t := truth{
		sites: map[place]kind{}, edges: map[edge]bool{}, files: map[string]bool{},
		right: map[edge]bool{}, oneOf: map[place]bool{},
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var call struct {
			File      string
			At        spot
			Kind      string
			To, Below []spot
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			return truth{}, fmt.Errorf("callgraph: read the compiler's calls: %w", err)
		}
		if call.File != "" {
			t.files[filepath.ToSlash(call.File)] = true
			continue
		}
		site, err := call.At.place(true)
		if err != nil {
			return truth{}, err
		}
		switch call.Kind {
		case "direct", "external":
			t.sites[site] = direct
		case "interface":
			t.sites[site] = through
			t.oneOf[site] = true
		default:
			t.unreached++
			continue
		}
		for edges, list := range map[*map[edge]bool][]spot{&t.edges: call.To, &t.right: call.Below} {
			for _, s := range list {
				to, err := s.place(false)
				if err != nil {
					return truth{}, err
				}
				(*edges)[edge{site, to}] = true
			}
		}
	}
	if err := lines.Err(); err != nil {
		return truth{}, fmt.Errorf("callgraph: read the compiler's calls: %w", err)
	}
	return t, nil
}
