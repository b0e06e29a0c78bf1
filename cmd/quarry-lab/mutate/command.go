package mutate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// options are the flags of mutate.
type options struct {
	repo, language, program, python, test, out, again string
	mutants                                           int
	seed                                              uint64
	timeout                                           time.Duration
}

// Command returns the command mutate.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "mutate --repo DIR",
		Short: "Break functions, run the tests, and see whether impact names those that fail",
		Long: `Mutate measures what quarry impact promises. It copies a repository, finds the functions
that its tests run, and breaks some of them, drawn by lot, one at a time:

  throw     it panics or raises before it does anything
  rename    its definition has another name
  constant  a number, a string or a truth value in it is another

For each it runs all tests, asks quarry impact what the change may affect, and compares: a
test that fails, and did not before, must be named. It counts files, which are what is run,
and test functions. A file that cannot be loaded counts as one file. Where Go's compiler
refuses a renamed function no test runs: then the answer must say that something depends on
it, and is silent if it does not.

The columns: fail, mutants that some test fails for; missed, those of them that the answer
misses something of; complete, those of them whose answer says that it is complete, and
wrong, how many of these miss something; recall, the part of what failed that is named, over
all, and of complete answers alone; share, the median part of all tests that is named.
Then come the misses, those of complete answers first.

IT RUNS THE CODE OF THE REPOSITORY, with your rights and your environment, broken on
purpose: a function that deletes files may be asked to delete others. Use it on code that
you trust, in a place where nothing can be lost.

With --again it takes the mutants and what failed from a file of --out, asks again, and runs
nothing: for another version of quarry, on the same repository.

Go needs the modules at hand that the tests need; Python needs pytest, and what the tests
need, in the interpreter of --python. TypeScript and JavaScript need node, what the tests
need in node_modules, and typescript and the coverage of vitest or c8 there. Java needs Maven, Rust cargo; of these
any function is drawn, not only those that tests run, and often nothing fails.`,
		Example: `  quarry-lab mutate --repo ~/src/hujson --mutants 30 --out mutants.json
  quarry-lab mutate --repo ~/src/hujson --again mutants.json --quarry bin/quarry
  quarry-lab mutate --repo ~/src/tomlkit --language python --python venv/bin/python`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.repo, "repo", "", "`folder` of the repository, which stays as it is")
	f.StringVar(&o.language, "language", "", "go, python, typescript, java or rust (default: by go.mod, package.json, pom.xml or Cargo.toml, else python)")
	f.IntVar(&o.mutants, "mutants", 40, "how many functions to break")
	f.Uint64Var(&o.seed, "seed", 1, "of the lot")
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long the tests of one mutant may take")
	f.StringVar(&o.program, "quarry", "quarry", "the `program` quarry")
	f.StringVar(&o.python, "python", "python3", "the interpreter `program` of Python")
	f.StringVar(&o.test, "test", "", "the `command` that runs the tests of typescript (default: vitest, jest or mocha), java or rust")
	f.StringVar(&o.again, "again", "", "ask about the mutants in this `file` again, and run no tests")
	f.StringVar(&o.out, "out", "", "write all there is to know as JSON to this `file`")
	return cmd
}

func (o *options) run(cmd *cobra.Command) (err error) {
	switch {
	case o.repo == "":
		return errors.New("--repo is needed: the folder of a repository")
	case o.mutants < 1:
		return errors.New("--mutants must be at least 1")
	case o.timeout <= 0:
		return errors.New("--timeout must be more than nothing")
	}
	if o.language == "" {
		o.language = "python"
		for _, mark := range [][2]string{{"package.json", "typescript"}, {"pom.xml", "java"}, {"Cargo.toml", "rust"}, {"go.mod", "go"}} {
			if _, err := os.Stat(filepath.Join(o.repo, mark[0])); err == nil {
				o.language = mark[1]
			}
		}
	}
	for _, program := range []*string{&o.program, &o.python} {
		if found, err := exec.LookPath(*program); err == nil {
			if *program, err = filepath.Abs(found); err != nil {
				return fmt.Errorf("mutate: %w", err)
			}
		}
	}
	place, err := os.MkdirTemp("", "quarry-mutate-")
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(place)) }()
	if place, err = filepath.EvalSymlinks(place); err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	root, scratch := filepath.Join(place, filepath.Base(filepath.Clean(o.repo))), filepath.Join(place, ".scratch")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	if err := duplicate(o.repo, root); err != nil {
		return err
	}
	x := experiment{root: root, ask: quarry{o.program, root, filepath.Join(scratch, "data")}.impact}
	x.report = func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format, args...) }
	var found results
	switch {
	case o.again != "":
		if found, err = readResults(o.again); err == nil {
			err = x.each(cmd.Context(), &found)
		}
		return o.finish(cmd, found, err)
	case o.language == "go":
		x.language = &golang{root: root, scratch: scratch, timeout: o.timeout}
	case o.language == "python":
		x.language = &python{root: root, scratch: scratch, timeout: o.timeout, program: o.python}
	case o.language == "typescript":
		x.language = &typescript{repo: o.repo, root: root, scratch: scratch, command: o.test, timeout: o.timeout}
	case o.language == "java":
		x.language = &suite{root: root, scratch: scratch, timeout: o.timeout, tool: maven{}, words: strings.Fields(cmp.Or(o.test, mavenTest))}
	case o.language == "rust":
		x.language = &suite{root: root, scratch: scratch, timeout: o.timeout, tool: cargo{}, words: strings.Fields(cmp.Or(o.test, cargoTests))}
	default:
		return fmt.Errorf("mutate: no mutants are made of the language %q: go, python, typescript, java or rust", o.language)
	}
	found, err = x.run(cmd.Context(), o.mutants, o.seed)
	return o.finish(cmd, found, err)
}

// readResults reads what --out has written.
func readResults(path string) (rs results, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &rs)
	}
	if err != nil {
		return rs, fmt.Errorf("mutate: read the mutants: %w", err)
	}
	return rs, nil
}

// finish prints what was found, unless there was an error.
func (o *options) finish(cmd *cobra.Command, found results, err error) error {
	if err != nil {
		return err
	}
	if o.out != "" {
		text, err := json.MarshalIndent(found, "", "  ")
		if err == nil {
			err = os.WriteFile(o.out, append(text, '\n'), 0o644)
		}
		if err != nil {
			return fmt.Errorf("mutate: %w", err)
		}
	}
	return found.write(cmd.OutOrStdout())
}
