package flow

import (
	_ "embed"
	"os/exec"

	"github.com/spf13/cobra"
)

var (
	//go:embed python.py
	pythonProgram string
	//go:embed slices.py
	slicesProgram string
	//go:embed slices.js
	scriptsProgram string
)

func newPythonCommand() *cobra.Command {
	return script("python", "python3", "-c", pythonProgram, &cobra.Command{
		Use:   "python arcs|uses GRAPHS | observe RUNS TEST... | ran GRAPHS RUNS",
		Short: "Compare with coverage.py, beniget, and with tests that run",
		Long: `Python compares the graphs of Python functions: "arcs" with the static arcs of coverage.py,
errors apart; "uses" with beniget's chains of definitions and uses; "observe" runs tests of
the standard library and writes which line ran after which one, and "ran" says which of
these are not among our edges. It needs a Python with coverage and beniget.`,
		Args: cobra.MinimumNArgs(2),
	})
}

func newSlicesCommand() *cobra.Command {
	return script("python", "python3", "-c", slicesProgram, &cobra.Command{
		Use:   "slices generate DIR LANGUAGE NUMBER SEED | real DIR NUMBER SEED | check GRAPHS [--small] [--more] [--verbose]",
		Short: "Prove slices by running them",
		Long: `Slices makes functions by lot in Python, Go or JavaScript ("generate"), or takes functions of Python's
standard library and looks for arguments that they take ("real"), each with a line that
prints a variable. "check" takes out what is not in the slice of that line, runs both, and
compares what is printed. With --small it makes each slice smaller as long as that stays the
same, and says how much; lines that no run can judge, of conditions that always went one
way, are apart. A slice that is made smaller keeps the heads of the statements that it stands
in. With --more there are inputs for branches, and for errors that the function raises itself, which
the first ones do not come to. DIR/list is what TestDump reads. "real" and "check" run what they read.`,
		Args: cobra.MinimumNArgs(2),
	})
}

func newScriptsCommand() *cobra.Command {
	return script("node", "node", "-e", scriptsProgram, &cobra.Command{
		Use:   "scripts MODULES real DIR NUMBER SEED | MODULES check GRAPHS [--small] [--more] [--verbose]",
		Short: "Prove slices of JavaScript by running them",
		Long: `Scripts is slices for JavaScript. MODULES is a node_modules folder that has acorn, astring and
the packages that "real" draws functions from; "check" also takes what "slices generate" makes.`,
		Args: cobra.MinimumNArgs(3),
	})
}

// script makes a command of a program that another one runs: flag names that one, with its default,
// and option has it run a text.
func script(flag, runs, option, program string, cmd *cobra.Command) *cobra.Command {
	by := cmd.Flags().String(flag, runs, "`program` that runs it")
	cmd.Flags().SetInterspersed(false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		run := exec.CommandContext(cmd.Context(), *by, append([]string{option, program}, args...)...)
		run.Stdout, run.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
		return run.Run()
	}
	return cmd
}
