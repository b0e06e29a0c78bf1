package envelope

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/index/grep"
)

// grepFlags are the flags of grep that are no fields of its request.
type grepFlags struct {
	matcher               string // the last of -G, -E, -F and -P
	patterns, files       []string
	before, after, around int
	most                  int
	with, without         bool
	quiet, numbers, names bool
	noNames               bool
	binary, color         string
}

const (
	fixed = "fixed"
	perl  = "perl"
)

// A choice is a flag without a value that sets one of several.
type choice struct {
	to    *string
	value string
}

func (c choice) Set(text string) error {
	if text != "true" {
		return errors.New("it takes no value")
	}
	*c.to = c.value
	return nil
}
func (c choice) String() string { return "" }
func (c choice) Type() string   { return "bool" }

func addChoice(fs *pflag.FlagSet, to *string, value, name, short, usage string) {
	fs.VarPF(choice{to, value}, name, short, usage).NoOptDefVal = "true"
}

func (o *options) newGrep() *cobra.Command {
	var q grepRequest
	f := grepFlags{matcher: grep.Basic}
	cmd := &cobra.Command{
		Use: "grep PATTERN [PATH...]", Short: "Find lines, the best first",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && f.patterns == nil && f.files == nil {
				return errors.New("a pattern is needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.fill(cmd, &q, args); err != nil {
				return err
			}
			if f.most == 0 && cmd.Flags().Changed("max-count") { // as grep does, without a look
				return invocation.Silent(cmd, invocation.NothingFound)
			}
			if f.quiet {
				cmd.SetOut(io.Discard)
			}
			return ask(cmd, "grep", o.raw || f.quiet, &q)
		},
	}
	f.add(cmd.Flags(), &q)
	return cmd
}

func (f *grepFlags) add(fs *pflag.FlagSet, q *grepRequest) {
	fs.Bool("help", false, "help for grep") // whose short form is grep's -h
	addChoice(fs, &f.matcher, grep.Basic, "basic-regexp", "G", "a basic pattern of POSIX, as grep reads it; this is so without a flag")
	addChoice(fs, &f.matcher, grep.Extended, "extended-regexp", "E", "an extended pattern of POSIX")
	addChoice(fs, &f.matcher, fixed, "fixed-strings", "F", "the pattern is plain text")
	addChoice(fs, &f.matcher, perl, "perl-regexp", "P", "a pattern of Perl, as far as RE2 has it")
	fs.StringArrayVarP(&f.patterns, "regexp", "e", nil, "a pattern; may be repeated")
	fs.StringArrayVarP(&f.files, "file", "f", nil, "a file with patterns, one a line; - is the standard input")
	fs.BoolVarP(&q.IgnoreCase, "ignore-case", "i", false, "ignore case")
	fs.BoolVarP(&q.Word, "word-regexp", "w", false, "only whole words")
	fs.BoolVarP(&q.WholeLine, "line-regexp", "x", false, "only whole lines")
	fs.BoolVarP(&q.Invert, "invert-match", "v", false, "the lines that do not match")
	fs.BoolVarP(&q.Only, "only-matching", "o", false, "each match on a line of its own")
	fs.BoolVarP(&q.Count, "count", "c", false, "how many lines match in each file")
	fs.BoolVarP(&f.with, "files-with-matches", "l", false, "the files with a match")
	fs.BoolVarP(&f.without, "files-without-match", "L", false, "the files without one")
	fs.IntVarP(&f.before, "before-context", "B", 0, "lines before each match")
	fs.IntVarP(&f.after, "after-context", "A", 0, "lines after each match")
	fs.IntVarP(&f.around, "context", "C", 0, "lines before and after")
	fs.IntVarP(&f.most, "max-count", "m", 0, "lines of each file at most")
	fs.IntVar(&q.Limit, "limit", 0, "lines at most, of all files together")
	fs.BoolVarP(&f.noNames, "no-filename", "h", false, "without the paths, and without the numbers unless there is -n")
	fs.BoolVarP(&f.names, "with-filename", "H", false, "with the paths, as without a flag")
	fs.BoolVarP(&f.numbers, "line-number", "n", false, "with the numbers of lines, as without a flag")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing")
	invocation.AddGlobFlag(fs, &q.Glob)
	fs.StringArrayVar(&q.Glob, "include", nil, "only files that match; may be repeated")
	fs.StringArrayVar(&q.Exclude, "exclude", nil, "not files whose name matches; may be repeated")
	fs.StringArrayVar(&q.ExcludeDir, "exclude-dir", nil, "not folders whose name matches; may be repeated")
	fs.StringVar(&f.binary, "binary-files", "without-match", "binary files are not searched")
	fs.StringVar(&f.color, "color", "never", "there are no colours")
	fs.StringVar(&f.color, "colour", "never", "there are no colours")
	fs.Lookup("color").NoOptDefVal, fs.Lookup("colour").NoOptDefVal = "auto", "auto"
	fs.BoolVar(&f.quiet, "silent", false, "print nothing")
	fs.BoolVarP(&q.IgnoreCase, "either-case", "y", false, "ignore case")
	var done bool
	for _, same := range []struct{ name, short string }{
		{"recursive", "r"}, {"dereference-recursive", "R"}, {"no-messages", "s"}, {"no-ignore-case", ""}, {"line-buffered", ""}, {"text-only", "I"},
	} {
		fs.BoolVarP(&done, same.name, same.short, true, "what is done anyway")
		_ = fs.MarkHidden(same.name) // it is there
	}
	for _, name := range []string{"colour", "binary-files", "with-filename", "silent", "either-case"} {
		_ = fs.MarkHidden(name)
	}
}

// fill puts what the user wrote into the request, and refuses what is not done.
func (f *grepFlags) fill(cmd *cobra.Command, q *grepRequest, args []string) error {
	fs := cmd.Flags()
	switch {
	case f.binary != "without-match":
		return fmt.Errorf("--binary-files=%s: binary files are not searched", f.binary)
	case f.color != "never" && f.color != "auto" && f.color != "":
		return fmt.Errorf("--color=%s: there are no colours", f.color)
	case f.before < 0 || f.after < 0 || f.around < 0:
		return errors.New("the number of lines around a match must not be negative")
	}
	list, err := f.read(cmd.InOrStdin())
	if err != nil {
		return err
	}
	if f.patterns == nil && f.files == nil {
		list, args = strings.Split(args[0], "\n"), args[1:]
	}
	if err := f.pattern(q, list); err != nil {
		return err
	}
	if slices.Contains(args, "-") {
		return errors.New("the standard input is not searched")
	}
	if q.Paths = args; len(args) == 1 {
		q.Path, q.Paths = args[0], nil
	}
	switch {
	case f.with && f.without:
		return errors.New("-l and -L contradict each other")
	case f.names && f.noNames:
		return errors.New("-h and -H contradict each other")
	case f.with:
		q.Files = "with"
	case f.without:
		q.Files = "without"
	}
	q.Before, q.After = f.lines(fs, "before-context", f.before), f.lines(fs, "after-context", f.after)
	if q.MaxCount = max(f.most, 0); f.noNames {
		q.NoFilename, q.NoLineNumber = true, !f.numbers
	}
	return nil
}

// lines returns how many lines around a match are wanted, nil where nobody says.
func (f *grepFlags) lines(fs *pflag.FlagSet, name string, n int) *int {
	if !fs.Changed(name) {
		if n = f.around; !fs.Changed("context") {
			return nil
		}
	}
	return &n
}

// read returns the patterns of the flags.
func (f *grepFlags) read(in io.Reader) ([]string, error) {
	var list []string
	for _, p := range f.patterns {
		list = append(list, strings.Split(p, "\n")...)
	}
	for _, name := range f.files {
		from := in
		if name != "-" {
			file, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			defer file.Close()
			from = file
		}
		lines := bufio.NewScanner(from)
		for lines.Scan() {
			list = append(list, lines.Text())
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list, nil
}

// pattern puts patterns into the request.
func (f *grepFlags) pattern(q *grepRequest, list []string) error {
	q.Syntax, q.Literal = f.matcher, false
	switch f.matcher {
	case perl:
		if len(list) != 1 {
			return errors.New("the -P option only supports a single pattern")
		}
		if q.Only && q.Word {
			return errors.New("-o with -w is not supported for the patterns of -P: -E has them")
		}
		q.Syntax = grep.RE2
	case fixed:
		q.Syntax, q.Literal = grep.Basic, true
	}
	switch q.Pattern = strings.Join(list, "\n"); {
	case len(list) == 0: // no line matches
		q.Pattern, q.Syntax, q.Literal = "x^", grep.Extended, false
	case q.Pattern == "": // every line does
		q.Pattern, q.Syntax, q.Literal = "()", grep.Extended, false
	}
	return nil
}

// aroundFlag is a number of lines around matches, as in -3.
var aroundFlag = regexp.MustCompile(`^-[0-9]+$`)

// grepArguments has a number of lines around matches be written as an option of its own.
func grepArguments(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		switch {
		case arg == "--":
			return out
		case aroundFlag.MatchString(arg) && (i == 0 || !slices.Contains([]string{"-e", "-f", "-A", "-B", "-C", "-m", "-g"}, out[i-1])):
			out[i] = "--context=" + arg[1:]
		}
	}
	return out
}
