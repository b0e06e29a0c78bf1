package callgraph

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

//go:embed java.java
var javaProgram string

// jvmOptions are the flags that `quarry-lab callgraph java` and that of Kotlin have.
type jvmOptions struct {
	sources   []string
	classpath string
	java      string
	measurement
}

func (o *jvmOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.sources, "sources", []string{"."}, "`folder` with sources, from DIR; may be given several times")
	f.StringVar(&o.classpath, "classpath", "", "the class `path` of the project")
	f.StringVar(&o.java, "java", "java", "`program` that runs the compiler")
	o.measurement.flags(cmd)
}

// run has a program in Java read files of the project. The options are those before its name.
func (o *jvmOptions) run(ctx context.Context, program, dir string, options, files []string) ([]byte, error) {
	return callsOf(ctx, program, "java", func(name string) *exec.Cmd {
		return exec.CommandContext(ctx, o.java, slices.Concat(options, []string{name, dir, o.classpath}, files)...)
	})
}

// javaOptions are the flags of `quarry-lab callgraph java`.
type javaOptions struct{ jvmOptions }

func newJavaCommand() *cobra.Command {
	o := javaOptions{}
	cmd := &cobra.Command{
		Use:   "java DIR",
		Short: "Compare with the Java compiler",
		Long: `Java compares the calls of a Java project with what javac resolves them to. It needs
a JDK of version 17 or later, and the classes that the project depends on:

  mvn -q dependency:build-classpath -Dmdep.outputFile=/tmp/classpath

A call of a method with a body, a constructor or a static method is direct; the methods
that override it count as right, too. One of an abstract method is right where it leads
to a method that runs in its place in some class; one of these is enough. Calls that
leave the project must lead nowhere, or to a method that overrides what is called. Not
compared are calls of function literals and those that javac does not resolve. A call of
the constructor of the base that is not written is implicit. Sources that do not compile
are read as far as javac understands them.`,
		Example: `  quarry-lab callgraph java ~/src/commons-csv --classpath "$(cat /tmp/classpath)"`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.against(cmd, args[0], o.calls, nil) },
	}
	o.flags(cmd)
	return cmd
}

// calls runs the compiler over the project.
func (o *javaOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	files, err := filesBelow(dir, o.sources, func(p string) bool {
		name := filepath.Base(p)
		return filepath.Ext(p) == ".java" && name != "module-info.java" && name != "package-info.java"
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("callgraph: no sources of Java in " + dir)
	}
	var options []string
	for _, name := range []string{"api", "code", "tree", "util"} {
		options = append(options, "--add-exports", "jdk.compiler/com.sun.tools.javac."+name+"=ALL-UNNAMED")
	}
	text, err := o.run(ctx, javaProgram, dir, options, files)
	if err != nil {
		return nil, fmt.Errorf("callgraph: run javac on %s: %w", dir, err)
	}
	return text, nil
}

//go:embed kotlin.java
var kotlinProgram string

// kotlinOptions are the flags of `quarry-lab callgraph kotlin`.
type kotlinOptions struct {
	jvmOptions
	compiler string
}

func newKotlinCommand() *cobra.Command {
	o := kotlinOptions{}
	cmd := &cobra.Command{
		Use:   "kotlin DIR",
		Short: "Compare with the Kotlin compiler",
		Long: `Kotlin compares the calls of a project with what the Kotlin compiler resolves them to.
It needs a JDK of version 17 or later, the class path of kotlin-compiler-embeddable of a
version before 2.1, with what that depends on, and the classes that the project depends on.

Calls count as with "callgraph java": of a function with a body or a constructor they are
direct; operators, also those in brackets, are calls where they stand. What a loop, a
destructuring declaration and a delegate call is implicit. Not compared are calls of
values and those that the compiler does not resolve. Calls in files of Java are not seen.`,
		Example: `  quarry-lab callgraph kotlin ~/src/clikt --compiler "$(cat /tmp/kotlin)" --classpath "$(cat /tmp/classpath)"`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.against(cmd, args[0], o.calls, nil) },
	}
	cmd.Flags().StringVar(&o.compiler, "compiler", "", "the class `path` of the compiler")
	o.flags(cmd)
	cobra.CheckErr(cmd.MarkFlagRequired("compiler"))
	return cmd
}

// calls runs the compiler over the project.
func (o *kotlinOptions) calls(ctx context.Context, dir string) ([]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("callgraph: find the project: %w", err)
	}
	files, err := filesBelow(dir, o.sources, func(p string) bool {
		return filepath.Ext(p) == ".kt" || filepath.Ext(p) == ".java" && filepath.Base(p) != "module-info.java"
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("callgraph: no sources of Kotlin in " + dir)
	}
	text, err := o.run(ctx, kotlinProgram, dir, []string{"-cp", o.compiler}, files)
	if err != nil {
		return nil, fmt.Errorf("callgraph: run the Kotlin compiler on %s: %w", dir, err)
	}
	return text, nil
}
