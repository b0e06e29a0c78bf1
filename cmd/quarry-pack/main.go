// Quarry-pack makes the program of a release smaller. The tables of the grammars' parsers,
// which are most of what is not code, and the models of package embed that are asked seldom
// are compressed, and the program expands them when they are first used. Neither the
// repository nor the library of grammars changes: the compiler is called through this
// program, which leaves the tables out, and what is embedded is replaced by an overlay of
// the go command.
//
//	quarry-pack overlay -cc 'zig cc' -out dist/packed GRAMMAR...
//	CC='quarry-pack cc zig cc' go build -overlay dist/packed/overlay.json ./cmd/quarry
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	err := run(os.Args[1:])
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		os.Exit(max(failed.ExitCode(), 1)) // it has said why
	case err != nil:
		fmt.Fprintln(os.Stderr, "quarry-pack:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 1 && args[0] == "cc" {
		return compile(args[1:])
	}
	if len(args) > 1 && args[0] == "overlay" {
		o := overlay{}
		flags := flag.NewFlagSet("overlay", flag.ContinueOnError)
		cc := flags.String("cc", "cc", "the C compiler, and arguments")
		flags.StringVar(&o.out, "out", "", "the folder to write to")
		flags.StringVar(&o.root, "root", ".", "the repository")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		if o.cc = strings.Fields(*cc); len(o.cc) > 0 && o.out != "" {
			return o.write(flags.Args())
		}
	}
	return errors.New("usage: quarry-pack cc COMPILER [ARGUMENTS], or quarry-pack overlay [-cc COMPILER] -out FOLDER [-root FOLDER] GRAMMARS")
}
