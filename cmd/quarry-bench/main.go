// Quarry-bench puts figures side by side: Quarry's own against what the machine allows,
// and Quarry against the programs that do some of the same.
//
//	quarry-bench ratios bench/new.txt
//	quarry-bench peers --quarry bin/quarry --repos DIR,DIR [--bin DIR,DIR] [--suite FILE --corpus DIR] [--out FILE]
//
// The first form reads the output of Go's benchmarks and prints a table of the ratios
// in it, after the machine, the Go version and the commit. `make bench` ends with it.
//
// The second form runs each peer that it finds, on copies of the same folders, one
// after the other, and writes tables in Markdown, into FILE between two markers or to
// the standard output. A peer that is not found, or that fails, is in the tables with the
// reason. Times are of whole processes, from start to end, unless a table says that a
// server was kept running; peak memory is that of the largest process. The peers are
// looked for in the folders of --bin, then on the PATH.
//
// Exit codes: 0 done, 1 an error, 2 wrong flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "quarry-bench:", err)
		os.Exit(1)
	}
}

const usage = "usage: quarry-bench ratios FILE | quarry-bench peers --repos DIR,DIR [flags]"

// options are the flags of peers.
type options struct {
	quarry, suite, corpus, out string
	repos, bin                 []string
	runs                       int
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "ratios":
		text, err := os.ReadFile(args[1])
		if err != nil {
			return fmt.Errorf("cannot read the benchmarks: %w", err)
		}
		return printRatios(ctx, out, string(text))
	case len(args) > 0 && args[0] == "peers":
		o, err := parseOptions(args[1:], errOut)
		if err != nil {
			return err
		}
		return comparePeers(ctx, o, out, errOut)
	}
	return errors.New(usage)
}

func parseOptions(args []string, errOut io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("quarry-bench peers", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.StringVar(&o.quarry, "quarry", "quarry", "the program quarry")
	repos := fs.String("repos", "", "the folders to index, with commas")
	bin := fs.String("bin", "", "folders with peers, before those of the PATH, with commas")
	fs.IntVar(&o.runs, "n", 10, "how often each query is run; the median counts")
	fs.StringVar(&o.suite, "suite", "", "questions, as quarry eval takes them")
	fs.StringVar(&o.corpus, "corpus", "", "the folder with the repositories of the questions")
	fs.StringVar(&o.out, "out", "", "the page whose tables are rewritten; otherwise they are printed")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("%q is no flag", fs.Arg(0))
	case *repos == "":
		return o, errors.New("--repos is needed: the folders to index")
	case (o.suite == "") != (o.corpus == ""):
		return o, errors.New("--suite and --corpus come together")
	case o.runs < 1:
		return o, errors.New("-n must be at least 1")
	}
	if o.repos, err = folders(*repos); err != nil {
		return o, err
	}
	o.bin, err = folders(*bin)
	return o, err
}

// folders splits a list at its commas and makes the paths absolute.
func folders(list string) (all []string, err error) {
	for dir := range strings.SplitSeq(list, ",") {
		if dir == "" {
			continue
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		all = append(all, dir)
	}
	return all, nil
}
