package impact

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Run is a command that runs tests of an answer, as the files of the index tell which.
type Run struct {
	Files   []string `json:"files"`             // of Tests, by path
	Tests   []string `json:"tests,omitempty"`   // that are named, as the runner names them; none: all of the files
	Dir     string   `json:"dir,omitempty"`     // below the root, where it is to be run; "": the root
	Args    []string `json:"args,omitempty"`    // the command; none where it is not known
	Command string   `json:"command,omitempty"` // the same for a POSIX shell in the root
	Unknown string   `json:"unknown,omitempty"` // why there is no command
}

// cases are what is known of the tests of one file.
type cases struct {
	names map[string]bool // functions that a runner runs, with their classes
	whole bool            // something else of the file is affected, or it is not known what

	lines  []int    // of a file of JavaScript, the places that are affected
	titles []string // the tests that these are in
}

// noteCase notes a node of a test file as a test of its own, if it is one.
func (s *search) noteCase(id graph.ID) {
	n := s.Node(s.Home(id))
	c := s.casesOf(n.Path)
	switch {
	case titling(n.Language) && s.reaching && (n.Kind == graph.FuncNode || n.Kind == graph.FileNode):
		// By titleCases.
	case n.Kind == graph.FuncNode && runnable(n):
		c.names[n.Name] = true
	case n.Kind != graph.FuncNode || !plainHelper(n):
		c.whole = true // a fixture, a hook or a class: what runs it is not all known by edges
	}
}

func (s *search) casesOf(file string) *cases {
	c := s.cases[file]
	if c == nil {
		c = &cases{names: map[string]bool{}}
		s.cases[file] = c
	}
	return c
}

// plainHelper reports whether a function of a test file is run only by those that call it, all of
// which the graph knows as well as it knows any.
func plainHelper(n *graph.Node) bool {
	switch n.Language {
	case "go": // a method may be one of a suite
		return n.Name != "TestMain" && n.Name != "init" && !strings.Contains(n.Name, ".")
	case "rust":
		return true
	}
	return false
}

var (
	goTest     = regexp.MustCompile(`^(Test|Fuzz|Example)([^\p{Ll}.][\pL\pN_]*)?$`)
	pythonTest = regexp.MustCompile(`^(Test\w*\.)?test\w*$`)
	oneWord    = regexp.MustCompile(`^\w+$`)
)

// runnable reports whether a runner can be asked for a function by its name.
func runnable(n *graph.Node) bool {
	switch n.Language {
	case "go":
		return goTest.MatchString(n.Name) && n.Name != "TestMain"
	case "python":
		return pythonTest.MatchString(n.Name)
	case "java", "kotlin":
		return n.Flags&ir.TestFunc != 0 && strings.Count(n.Name, ".") == 1
	case "rust":
		return n.Flags&ir.TestFunc != 0
	}
	return false
}

// runs fills in the commands for the tests of an answer, one for each group of files that one
// command can run, in the order of the first of them.
func (s *search) runs() {
	s.answer.Runs = []Run{}
	t := tree{s.index}
	at := map[string]int{}
	groups := []*batch{}
	for _, file := range s.answer.Tests {
		c, lang := s.casesOf(file), ""
		if r := t.record(file); r != nil {
			lang = r.Lang
		}
		r := t.runner(file, lang)
		r.byTitle = len(c.titles) > 0 && !c.whole && r.name != "node" // which runs a file as a whole
		key := fmt.Sprint(r)
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, &batch{runner: r})
		}
		groups[i].add(file, c, t.classes(file))
	}
	for _, g := range groups {
		s.answer.Runs = append(s.answer.Runs, g.run())
	}
}

// A runner is what runs the tests of some files.
type runner struct {
	name    string // go, pytest, cargo, maven, gradle, vitest, jest, mocha or node
	dir     string // below the root, where it runs
	of      string // of go the package, of maven the module below dir
	wrapper bool   // the tree has a script that brings it
	byTitle bool   // the tests of these files are known by their titles
	unknown string
}

// A batch is files of one runner.
type batch struct {
	runner
	files   []string
	cases   []*cases
	classes [][]string // of each file, the outermost
}

func (b *batch) add(file string, c *cases, classes []string) {
	b.files = append(b.files, file)
	b.classes = append(b.classes, classes)
	b.cases = append(b.cases, c)
}

// below is a file as it is from the folder of the runner. One that begins with a dash is no option.
func (b *batch) below(file string) string {
	if b.dir != "" {
		file = strings.TrimPrefix(file, b.dir+"/")
	}
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	return file
}

// names are the tests of the files; all is set where not all that is to be run has a name.
func (b *batch) names() (names []string, all bool) {
	for _, c := range b.cases {
		all = all || c.whole || len(c.names) == 0
		names = append(names, slices.Collect(maps.Keys(c.names))...)
	}
	slices.Sort(names)
	return slices.Compact(names), all
}

// run is the command of a batch.
func (b *batch) run() Run {
	r := Run{Files: slices.Sorted(slices.Values(b.files)), Dir: b.dir, Unknown: b.unknown}
	if b.unknown != "" {
		r.Dir = ""
		return r
	}
	switch b.name {
	case "go":
		r.Args = []string{"go", "test", b.of}
		if names, all := b.names(); !all {
			r.Tests = names
			r.Args = append(r.Args, "-run", "^("+strings.Join(names, "|")+")$")
		}
	case "cargo": // a name is a part of that of a test, with its modules
		r.Args = []string{"cargo", "test"}
		if names, all := b.names(); !all {
			for _, name := range names {
				_, last, _ := calls.LastPart(name)
				r.Tests = append(r.Tests, last)
			}
			r.Args = append(append(r.Args, "--"), r.Tests...)
		}
	case "pytest":
		r.Args = []string{"pytest"}
		for i, file := range b.files {
			at, c := b.below(file), b.cases[i]
			switch all := b.ofAll(file); {
			case all == file:
				r.Args = append(r.Args, path.Dir(at)) // its fixtures are for all that is there
				continue
			case all != "":
				continue
			}
			if c.whole || len(c.names) == 0 {
				r.Args = append(r.Args, at)
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(c.names)) {
				id := at + "::" + strings.ReplaceAll(name, ".", "::")
				r.Tests, r.Args = append(r.Tests, id), append(r.Args, id)
			}
		}
	case "vitest", "jest", "mocha", "node":
		r.Args = map[string][]string{"vitest": {"npx", "vitest", "run"}, "jest": {"npx", "jest", "--runTestsByPath"}, "mocha": {"npx", "mocha"}, "node": {"node", "--test"}}[b.name]
		for _, file := range b.files {
			r.Args = append(r.Args, b.below(file))
		}
		pattern := ""
		if r.Tests, pattern = b.titled(); pattern != "" {
			r.Args = append(r.Args, map[string]string{"vitest": "-t", "jest": "-t", "mocha": "-g"}[b.name], pattern)
		}
	case "maven", "gradle":
		b.jvm(&r)
	}
	if len(r.Args) > 0 {
		r.Command = shellLine(r.Dir, r.Args)
	}
	return r
}

// ofAll is the outermost conftest.py of the batch that matters to a file, itself included; "": none.
func (b *batch) ofAll(file string) (all string) {
	for _, one := range b.files {
		if dir := path.Dir(one); path.Base(one) == "conftest.py" && (dir == "." || strings.HasPrefix(file, dir+"/")) && (all == "" || len(one) < len(all)) {
			all = one
		}
	}
	return all
}

// jvm names classes and methods as Maven and Gradle do. A name that has more than letters, digits
// and underscores is one that they may read as a pattern: all of its class is run.
func (b *batch) jvm(r *Run) {
	var tests []string
	for i := range b.files {
		by := map[string][]string{}
		whole := b.cases[i].whole || len(b.cases[i].names) == 0
		for name := range b.cases[i].names {
			of, method, _ := calls.LastPart(name)
			whole = whole || !oneWord.MatchString(of) || !oneWord.MatchString(method)
			by[of] = append(by[of], method)
		}
		if whole {
			by = map[string][]string{}
			for _, class := range b.classes[i] {
				by[class] = nil
			}
		}
		for _, of := range slices.Sorted(maps.Keys(by)) {
			slices.Sort(by[of])
			if b.name == "maven" {
				one := of
				if len(by[of]) > 0 {
					one += "#" + strings.Join(by[of], "+")
				}
				tests = append(tests, one)
				continue
			}
			if len(by[of]) == 0 {
				tests = append(tests, of)
			}
			for _, method := range by[of] {
				tests = append(tests, of+"."+method)
			}
		}
	}
	if len(tests) == 0 {
		r.Dir, r.Unknown = "", "no class of it is known"
		return
	}
	r.Tests = tests
	if b.name == "gradle" {
		tool := "gradle"
		if b.wrapper {
			tool = "./gradlew"
		}
		r.Args = []string{tool}
		if b.of != "" {
			r.Args = append(r.Args, "-p", b.of)
		}
		r.Args = append(r.Args, "test")
		for _, test := range tests {
			r.Args = append(r.Args, "--tests", test)
		}
		return
	}
	tool := "mvn"
	if b.wrapper {
		tool = "./mvnw"
	}
	r.Args = []string{tool}
	if b.of != "" { // with the modules that it needs, which have no such tests
		r.Args = append(r.Args, "-pl", b.of, "-am", "-Dsurefire.failIfNoSpecifiedTests=false")
	}
	r.Args = append(r.Args, "test", "-Dtest="+strings.Join(tests, ","))
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// shellLine is a command as a POSIX shell reads it, in the root.
func shellLine(dir string, args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = quoted(arg)
	}
	line := strings.Join(words, " ")
	if dir != "" {
		return "(cd " + quoted("./"+dir) + " && " + line + ")"
	}
	return line
}

// quoted is a word for a shell, which leaves everything between single quotes alone.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
