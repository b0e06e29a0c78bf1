package callgraph

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

//go:embed csharp.cs
var csharpProgram string

// csharpOptions are the flags of `quarry-lab callgraph csharp`.
type csharpOptions struct {
	sources, flags      []string
	mono, mcs, compiler string
	measurement
}

func newCSharpCommand() *cobra.Command {
	o := csharpOptions{}
	cmd := &cobra.Command{
		Use:   "csharp DIR",
		Short: "Compare with Mono's compiler of C#",
		Long: `Csharp compares the calls of C# sources with what mcs resolves them to, which knows the
language up to version 7. It needs Mono's runtime, mcs, and what the sources refer to; they
must compile as one assembly but for errors inside of bodies.

Calls count as with "callgraph java": of a method with a body, a constructor, and a property
or indexer with code, which is called where it is read or assigned, they are direct. Operators,
conversions, and what a loop or an initialiser calls are implicit. Not compared are calls of
delegates, what is done with automatic properties, and what stands beyond the columns that the
compiler keeps, of which there are 255.`,
		Example: `  quarry-lab callgraph csharp ~/src/cecil --sources Mono.Cecil --flag -define:NET_4_0 --flag -r:System.Core`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.against(cmd, args[0], o.calls, nil) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.sources, "sources", []string{"."}, "`folder` with sources, from DIR, or a file; may be given several times")
	f.StringArrayVar(&o.flags, "flag", nil, "`option` for the compiler, such as -r:System.Core; may be given several times")
	f.StringVar(&o.mono, "mono", "mono", "`program` that runs assemblies")
	f.StringVar(&o.mcs, "mcs", "mcs", "`program` that compiles")
	f.StringVar(&o.compiler, "compiler", "/usr/lib/mono/4.5/mcs.exe", "`assembly` of the compiler")
	o.measurement.flags(cmd)
	return cmd
}

// calls compiles the sources and returns what the compiler resolved.
func (o *csharpOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("callgraph: find the project: %w", err)
	}
	files, err := filesBelow(dir, o.sources, func(p string) bool { return filepath.Ext(p) == ".cs" })
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("callgraph: no sources of C# in " + dir)
	}
	work, err := os.MkdirTemp("", "callgraph-")
	if err != nil {
		return nil, fmt.Errorf("callgraph: make a folder for the program: %w", err)
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "calls.exe")
	if _, err = callsOf(ctx, csharpProgram, "cs", func(name string) *exec.Cmd {
		return exec.CommandContext(ctx, o.mcs, "-nowarn:162,219", "-r:"+o.compiler, "-r:System.Core", "-out:"+program, name)
	}); err != nil {
		return nil, fmt.Errorf("callgraph: compile the program that reads C#: %w", err)
	}
	cmd := exec.CommandContext(ctx, o.mono, slices.Concat([]string{program, dir, "-target:library", "-out:" + filepath.Join(work, "out.dll")}, o.flags, files)...)
	cmd.Env = append(os.Environ(), "MONO_PATH="+filepath.Dir(o.compiler))
	text, err := printed(cmd)
	if err != nil {
		return nil, fmt.Errorf("callgraph: run mcs on %s: %w", dir, err)
	}
	return text, nil
}
