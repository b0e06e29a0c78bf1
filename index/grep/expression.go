package grep

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/source"
)

// An ExpressionError says why the expression of a FindQuery cannot be used.
type ExpressionError struct{ Reason string }

func (e *ExpressionError) Error() string { return "the expression of find cannot be used: " + e.Reason }

// An expression says which paths find lists, as the arguments of find do: tests joined by
// -a, -o and -not, with brackets. Nothing is run, and nothing is changed.
type expression struct {
	test     test
	min, max int  // depths below the start; max -1: any
	prints   bool // there is a -print, so that a path is listed only where that is reached
	prunes   bool
	names    []string // of -name and -iname
}

// A visit is a path that is looked at.
type visit struct {
	path    string // relative to the root
	written string // as find would print it
	dir     bool
	depth   int
	info    func() fileInfo

	printed, pruned bool
}

// A fileInfo is what the system says of a file.
type fileInfo struct {
	size    int64
	modTime int64 // nanoseconds since 1970
}

type test func(*visit) bool

// lists reports whether a path is listed.
func (e *expression) lists(v *visit) bool {
	if v.depth < e.min || e.max >= 0 && v.depth > e.max {
		return false
	}
	ok := e.test(v)
	if e.prints {
		return v.printed
	}
	return ok
}

// An expressionParser reads the arguments of find.
type expressionParser struct {
	args  []string
	newer func(file string) (fileInfo, error)
	out   *expression
	depth int
}

// parseExpression returns an ExpressionError for what cannot be used. newer describes a file that
// -newer names; nil: nobody knows the sizes and times of files.
func parseExpression(args []string, newer func(string) (fileInfo, error)) (*expression, error) {
	p := expressionParser{args: args, newer: newer, out: &expression{max: -1}}
	if len(args) == 0 {
		p.out.test = func(*visit) bool { return true }
		return p.out, nil
	}
	t, err := p.either()
	if err == nil && len(p.args) > 0 {
		err = p.bad("%q has no place there", p.args[0])
	}
	if err != nil {
		return nil, err
	}
	p.out.test = t
	return p.out, nil
}

func (p *expressionParser) bad(format string, args ...any) error {
	return &ExpressionError{fmt.Sprintf(format, args...)}
}

func (p *expressionParser) next() string {
	if len(p.args) == 0 {
		return ""
	}
	return p.args[0]
}

// either reads tests with -o between them.
func (p *expressionParser) either() (test, error) {
	left, err := p.both()
	for err == nil && (p.next() == "-o" || p.next() == "-or") {
		p.args = p.args[1:]
		var right test
		if right, err = p.both(); err == nil {
			one := left
			left = func(v *visit) bool { return one(v) || right(v) }
		}
	}
	return left, err
}

// both reads tests that must all be true.
func (p *expressionParser) both() (test, error) {
	left, err := p.not()
	for err == nil {
		switch p.next() {
		case "", "-o", "-or", ")":
			return left, nil
		case "-a", "-and":
			p.args = p.args[1:]
		}
		var right test
		if right, err = p.not(); err == nil {
			one := left
			left = func(v *visit) bool { return one(v) && right(v) }
		}
	}
	return nil, err
}

// maxBrackets bounds how deep expressions are nested.
const maxBrackets = 100

func (p *expressionParser) not() (test, error) {
	if p.depth++; p.depth > maxBrackets {
		return nil, p.bad("it is nested more than %d deep", maxBrackets)
	}
	defer func() { p.depth-- }()
	switch p.next() {
	case "!", "-not":
		p.args = p.args[1:]
		t, err := p.not()
		return func(v *visit) bool { return !t(v) }, err
	case "(":
		p.args = p.args[1:]
		t, err := p.either()
		if err == nil && p.next() != ")" {
			err = p.bad("a bracket is not closed")
		}
		if err == nil {
			p.args = p.args[1:]
		}
		return t, err
	}
	return p.primary()
}

// primary reads one test.
func (p *expressionParser) primary() (test, error) {
	name := p.next()
	switch name {
	case "":
		return nil, p.bad("it ends where a test is expected")
	case "-print", "-true", "-false", "-prune":
		p.args = p.args[1:]
		p.out.prints = p.out.prints || name == "-print"
		p.out.prunes = p.out.prunes || name == "-prune"
		return func(v *visit) bool {
			v.printed = v.printed || name == "-print"
			v.pruned = v.pruned || name == "-prune"
			return name != "-false"
		}, nil
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-type", "-maxdepth", "-mindepth", "-newer", "-size":
	default:
		if strings.HasPrefix(name, "-") {
			return nil, p.unsupported(name)
		}
		return nil, p.bad("%q has no place there", name)
	}
	if len(p.args) < 2 {
		return nil, p.bad("%s needs a value", name)
	}
	value := p.args[1]
	p.args = p.args[2:]
	switch name {
	case "-type":
		return p.kind(value)
	case "-size":
		return p.size(value)
	case "-newer":
		return p.newerThan(value)
	case "-maxdepth", "-mindepth":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return nil, p.bad("%s must be a number, and %q is none", name, value)
		}
		if name == "-maxdepth" {
			p.out.max = n
		} else {
			p.out.min = n
		}
		return func(*visit) bool { return true }, nil
	}
	return p.glob(name, value)
}

func (p *expressionParser) unsupported(name string) error {
	return p.bad("%s is not supported: of find there are -name, -iname, -path, -ipath, -type f and d, "+
		"-maxdepth, -mindepth, -newer, -size, -prune, -print, -true, -false, -not, -a, -o and brackets", name)
}

func (p *expressionParser) kind(value string) (test, error) {
	kinds := strings.Split(value, ",")
	for _, k := range kinds {
		if k != "f" && k != "d" {
			return nil, p.bad("-type %s is not supported: only files (f) and folders (d) are listed", value)
		}
	}
	files, dirs := slices.Contains(kinds, "f"), slices.Contains(kinds, "d")
	return func(v *visit) bool { return v.dir && dirs || !v.dir && files }, nil
}

// sizes are the units of -size, in bytes.
var sizes = map[string]int64{"c": 1, "w": 2, "b": 512, "": 512, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}

func (p *expressionParser) size(value string) (test, error) {
	digits := strings.TrimLeft(value, "+-")
	number := strings.TrimRight(digits, "cwbkMG")
	unit, ok := sizes[digits[len(number):]]
	n, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || n < 0 || len(value)-len(digits) > 1 {
		return nil, p.bad("-size must be a number with one of c, w, b, k, M, G behind it, and %q is none", value)
	}
	if p.newer == nil {
		return nil, p.bad("-size cannot be answered: %v", source.ErrNoFolder)
	}
	return func(v *visit) bool {
		have := (v.info().size + unit - 1) / unit
		switch value[0] {
		case '+':
			return have > n
		case '-':
			return have < n
		}
		return have == n
	}, nil
}

func (p *expressionParser) newerThan(file string) (test, error) {
	if p.newer == nil {
		return nil, p.bad("-newer cannot be answered: %v", source.ErrNoFolder)
	}
	than, err := p.newer(file)
	return func(v *visit) bool { return v.info().modTime > than.modTime }, err
}

func (p *expressionParser) glob(name, value string) (test, error) {
	fold := strings.HasPrefix(name, "-i")
	re, err := shellPattern(value, fold)
	if err != nil {
		return nil, p.bad("the glob %q is malformed", value)
	}
	if strings.HasSuffix(name, "name") && !strings.HasSuffix(name, "wholename") {
		p.out.names = append(p.out.names, value)
		return func(v *visit) bool { return re.MatchString(path.Base(v.written)) }, nil
	}
	return func(v *visit) bool { return re.MatchString(v.written) }, nil
}
