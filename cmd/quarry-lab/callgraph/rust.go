package callgraph

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed rust.rs
var rustProgram string

// rustOptions are the flags of `quarry-lab callgraph rust`.
type rustOptions struct {
	flags        []string
	rustc, cargo string
	measurement
}

func newRustCommand() *cobra.Command {
	o := rustOptions{}
	cmd := &cobra.Command{
		Use:   "rust DIR",
		Short: "Compare with the Rust compiler",
		Long: `Rust compares the calls of a workspace of Rust with what rustc resolves them to, tests
included. It needs the dependencies, and rustc 1.95 with the parts that a compiler is built of:

  rustup toolchain install 1.95.0 -c rustc-dev -c llvm-tools

Cargo checks the workspace with the features that --flag names: it runs build scripts and
macros of the project, and writes a Cargo.lock if there is none. What it makes goes into a
folder of its own.

A call that names its function, or a method whose implementation the types say, is direct.
One of a method of a trait that only the caller of the function knows, or a trait object, is
right where it leads to an implementation; one of these is enough. Operators, loops, the
question mark, destructors, and what the library calls on the way, as formatting does, are
implicit calls. A call in a macro stands where the macro has it. Not compared are calls of
values and of what a macro makes, and what this build leaves out.`,
		Example: `  RUSTUP_TOOLCHAIN=1.95.0 quarry-lab callgraph rust ~/src/tinyvec --flag --features=std`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.against(cmd, args[0], o.calls, nil) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.flags, "flag", nil, "`option` for cargo check; may be given several times")
	f.StringVar(&o.rustc, "rustc", "rustc", "`program` that compiles")
	f.StringVar(&o.cargo, "cargo", "cargo", "`program` that builds the workspace")
	o.measurement.flags(cmd)
	return cmd
}

// calls compiles the workspace and returns what the compiler says of its calls.
func (o *rustOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	dir, work, err := workFor(dir)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	compiler := filepath.Join(work, "compiler")
	_, err = callsOf(ctx, rustProgram, "rs", func(program string) *exec.Cmd {
		root, _ := exec.CommandContext(ctx, o.rustc, "--print", "sysroot").Output()
		lib := filepath.Join(strings.TrimSpace(string(root)), "lib")
		cmd := exec.CommandContext(ctx, o.rustc, "--edition=2024", "--crate-name=calls", "-Clink-arg=-Wl,-rpath,"+lib, "-o", compiler, program)
		cmd.Env = append(os.Environ(), "RUSTC_BOOTSTRAP=1")
		return cmd
	})
	if err != nil {
		return nil, fmt.Errorf("callgraph: build the Rust compiler: %w", err)
	}
	check := exec.CommandContext(ctx, o.cargo, append([]string{"check", "--quiet", "--workspace", "--all-targets", "--keep-going"}, o.flags...)...)
	check.Dir = dir
	check.Env = append(os.Environ(), "RUSTC_WORKSPACE_WRAPPER="+compiler, "CALLS_ROOT="+dir, "CALLS_OUT="+work,
		"CARGO_TARGET_DIR="+filepath.Join(work, "target"), "CARGO_TERM_COLOR=never", "RUSTFLAGS=--cap-lints=allow")
	var problems bytes.Buffer
	check.Stderr = &problems
	failed := check.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	outputs, err := filepath.Glob(filepath.Join(work, "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("callgraph: list the calls: %w", err)
	}
	if failed != nil || len(outputs) == 0 {
		return nil, fmt.Errorf("callgraph: check %s: %w\n%s", dir, errors.Join(failed, err), bytes.TrimSpace(problems.Bytes()))
	}
	var lines []string
	for _, p := range outputs {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, fmt.Errorf("callgraph: read the calls: %w", err)
		}
		lines = slices.AppendSeq(lines, strings.Lines(string(text)))
	}
	slices.Sort(lines)
	return []byte(strings.Join(slices.Compact(lines), "")), nil
}
