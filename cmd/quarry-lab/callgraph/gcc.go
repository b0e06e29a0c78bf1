package callgraph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// gccOptions are the flags of `quarry-lab callgraph gcc`.
type gccOptions struct {
	sources, flags []string
	c, cpp         string
	measurement
}

func newGCCCommand() *cobra.Command {
	o := gccOptions{}
	cmd := &cobra.Command{
		Use:   "gcc DIR",
		Short: "Compare with the C and C++ compiler",
		Long: `Gcc compares the calls of a project in C or C++ with those that the compiler makes,
as GCC 12 writes them with -fcallgraph-info at -O0. Every source is compiled into a
folder of its own; nothing is written in the project.

An edge is a pair of functions: GCC does not say exactly where a call stands. A call in
a macro is one of the function that uses the macro, and one in a function literal of the
function around it. Destructors, conversions, and what the compiler makes itself are
implicit calls. Calls of function values and virtual calls have no callee in GCC's graph:
edges on their lines are not compared, nor those of functions that this build does not
have, as a template that nothing uses.`,
		Example: `  quarry-lab callgraph gcc ~/src/lua --sources . --flag -DLUA_USE_POSIX
  quarry-lab callgraph gcc ~/src/ninja --sources src --flag -Isrc --flag -std=c++17`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			want, err := o.truth(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			for _, p := range want.failed {
				fmt.Fprintf(cmd.ErrOrStderr(), "callgraph: %s does not compile\n", p)
			}
			return o.measure(cmd, args[0], want.truth())
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.sources, "sources", []string{"."}, "`folder` or file to compile, from DIR; may be given several times")
	f.StringArrayVar(&o.flags, "flag", nil, "`option` for the compiler, which runs in DIR; may be given several times")
	f.StringVar(&o.c, "c", "gcc", "`program` that compiles C")
	f.StringVar(&o.cpp, "cpp", "g++", "`program` that compiles C++")
	o.measurement.flags(cmd)
	return cmd
}

// truth compiles the sources and reads the call graphs of them all.
func (o *gccOptions) truth(ctx context.Context, dir string) (*units, error) {
	dir, work, err := workFor(dir)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	files, err := o.files(dir)
	if err != nil {
		return nil, err
	}
	all := newUnits(dir)
	for n, file := range files {
		info, err := o.compile(ctx, dir, file, filepath.Join(work, fmt.Sprintf("%d.o", n)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			all.failed = append(all.failed, file)
			continue
		}
		if err := all.read(n, bytes.NewReader(info)); err != nil {
			return nil, err
		}
	}
	if len(all.failed) == len(files) {
		return nil, errors.New("callgraph: no source of C or C++ compiles in " + dir)
	}
	return all, nil
}

// files lists the sources.
func (o *gccOptions) files(dir string) ([]string, error) {
	files, err := filesBelow(dir, o.sources, func(p string) bool { return o.compiler(p) != "" })
	slices.Sort(files)
	return slices.Compact(files), err
}

func (o *gccOptions) compiler(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".c":
		return o.c
	case ".cc", ".cpp", ".cxx", ".c++":
		return o.cpp
	}
	return ""
}

// compile compiles a source and returns what the compiler says of its calls.
func (o *gccOptions) compile(ctx context.Context, dir, file, object string) ([]byte, error) {
	args := append([]string{"-c", "-O0", "-w", "-fcallgraph-info", "-fkeep-inline-functions", "-fkeep-static-functions"}, o.flags...)
	cmd := exec.CommandContext(ctx, o.compiler(file), append(args, "-o", object, file)...)
	cmd.Dir = dir
	var problems bytes.Buffer
	cmd.Stderr = &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("callgraph: compile %s: %w\n%s", file, err, problems.Bytes())
	}
	return os.ReadFile(strings.TrimSuffix(object, ".o") + ".ci")
}
