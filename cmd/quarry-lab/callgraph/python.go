package callgraph

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed python.py
var pythonProgram string

// pythonOptions are the flags of `quarry-lab callgraph python`.
type pythonOptions struct {
	python  string
	pytest  []string
	sources []string
	measurement
}

func newPythonCommand() *cobra.Command {
	o := pythonOptions{}
	cmd := &cobra.Command{
		Use:   "python DIR",
		Short: "Compare with the calls that run under pytest",
		Long: `Python runs the tests of a Python project with pytest, which runs the code of the
repository, and compares the calls that ran with those that Quarry finds. It needs
Python 3.12, for sys.monitoring, in an environment with pytest and all that the tests
need, and the project installed from DIR (pip install -e DIR).

An edge is the place of a call that ran and the function that it ran. A call that ran
may lead to other functions in other runs, so precision is a lower bound; resolved are
the edges that Quarry does not call one of several. Right, but not asked for, are the
class that a call makes an object of, and what a library calls back while the call
runs. A call without a call in the source, of a property, an operator or a context
manager, is implicit. What the library or the interpreter calls is counted apart.
Functions are drawn from files without tests, of those that were loaded.`,
		Example: `  quarry-lab callgraph python ~/src/arrow --python ~/venv/bin/python --complete 300
  quarry-lab callgraph python ~/src/arrow --pytest=-o --pytest=addopts=`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.against(cmd, args[0], o.calls, o.observe) },
	}
	f := cmd.Flags()
	f.StringVar(&o.python, "python", "python3", "`program` that runs the tests")
	f.StringArrayVar(&o.pytest, "pytest", nil, "`argument` of pytest; may be given several times")
	f.StringArrayVar(&o.sources, "sources", nil, "only count calls and functions in this `folder`, from DIR; may be given several times")
	o.flags(cmd)
	return cmd
}

// observe says that the calls are those that ran, and leaves out what is not asked for.
func (o *pythonOptions) observe(t *truth) {
	t.observe()
	if len(o.sources) > 0 {
		t.within(o.sources)
	}
}

// calls runs the tests of the project.
func (o *pythonOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	text, err := callsOf(ctx, pythonProgram, "py", func(program string) *exec.Cmd {
		return exec.CommandContext(ctx, o.python, append([]string{program, dir}, o.pytest...)...)
	})
	if err != nil {
		return nil, fmt.Errorf("callgraph: run the tests of %s: %w", dir, err)
	}
	return text, nil
}

// within leaves out what is not in some folders.
func (t *truth) within(folders []string) {
	outside := func(p place) bool {
		for _, f := range folders {
			if strings.HasPrefix(p.path, filepath.ToSlash(filepath.Clean(f))+"/") {
				return false
			}
		}
		return true
	}
	maps.DeleteFunc(t.sites, func(p place, _ kind) bool { return outside(p) })
	maps.DeleteFunc(t.functions, func(p place, _ string) bool { return outside(p) })
	maps.DeleteFunc(t.files, func(p string, _ bool) bool { return outside(place{path: p}) })
	for _, edges := range []map[edge]bool{t.edges, t.right, t.implicit} {
		maps.DeleteFunc(edges, func(e edge, _ bool) bool { return outside(e.site) || outside(e.callee) })
	}
}
