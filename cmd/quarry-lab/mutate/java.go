package mutate

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A suite is a language whose functions are found in the text and whose tests are run by a
// build tool. What the tests run is not asked: a mutant that no test fails for counts for
// nothing.
type suite struct {
	root    string // the copy
	scratch string
	timeout time.Duration
	tool    buildTool
	words   []string // of the command that runs the tests

	files  []string // of the language
	passed map[test]bool
}

// A buildTool builds a project and runs its tests.
type buildTool interface {
	extension() string
	code() *bracedLanguage
	support(file string) bool // says whether a file is no code of the project, by its path
	// command runs all tests; what it says is read then. It may take away what an earlier run
	// has left.
	command(ctx context.Context, s *suite) (*exec.Cmd, error)
	// read returns which tests passed and failed; built is false where there is nothing to run.
	read(s *suite, said []byte) (passed, failed map[test]bool, built bool, err error)
}

func (s *suite) functions(ctx context.Context) (all []function, tests []test, err error) {
	err = fs.WalkDir(os.DirFS(s.root), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != s.tool.extension() {
			return err
		}
		s.files = append(s.files, file)
		if s.tool.support(file) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		all = append(all, s.tool.code().functions(file, string(text))...)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("mutate: %w", err)
	}
	passed, _, built, expired, err := s.try(ctx, 0)
	if err == nil && (!built || expired) {
		err = errors.New("mutate: the project cannot be built without a change")
	}
	if err != nil {
		return nil, nil, err
	}
	again, _, _, expired, err := s.try(ctx, s.timeout)
	if err == nil && expired {
		err = fmt.Errorf("mutate: the tests take longer than %s without a change", s.timeout)
	}
	s.passed = steady(passed, again)
	return all, sortedTests(s.passed, test.itself), err
}

// try builds the tree and runs its tests.
func (s *suite) try(ctx context.Context, timeout time.Duration) (passed, failed map[test]bool, built, expired bool, err error) {
	said, late, err := runTests(ctx, s.words[0], timeout, s.root, func(ctx context.Context) (*exec.Cmd, error) { return s.tool.command(ctx, s) })
	if err != nil || late {
		return nil, nil, false, late, err
	}
	passed, failed, built, err = s.tool.read(s, said)
	if err == nil && !built && s.passed == nil {
		err = fmt.Errorf("mutate: the build fails without a change:\n%s", said)
	}
	return passed, failed, built, false, err
}

func (s *suite) run(ctx context.Context) (out outcome, err error) {
	passed, failed, built, expired, err := s.try(ctx, s.timeout)
	if err != nil || expired || !built {
		out.Expired, out.Unbuilt = expired, err == nil && !expired
		return out, err
	}
	for c := range s.passed {
		if failed[c] || !passed[c] { // what did not run to its end does not pass
			out.Failed = append(out.Failed, c)
		}
	}
	slices.SortFunc(out.Failed, compareTests)
	return out, nil
}

// maven runs the tests of a project of Java, which have the reports of surefire.
type maven struct{}

func (maven) extension() string     { return ".java" }
func (maven) code() *bracedLanguage { return &javaCode }
func (maven) support(file string) bool {
	return !strings.Contains("/"+file, "/src/main/java/") || strings.HasSuffix(file, "-info.java")
}

func (maven) command(ctx context.Context, s *suite) (*exec.Cmd, error) {
	for _, r := range reports(s.root) {
		if err := os.Remove(r); err != nil {
			return nil, err
		}
	}
	return exec.CommandContext(ctx, s.words[0], s.words[1:]...), nil
}

// mavenTest compiles and runs the tests, without what else a project has to be checked.
const mavenTest = "mvn -B -q -Dmaven.test.failure.ignore=true resources:resources compiler:compile resources:testResources compiler:testCompile surefire:test"

// reports returns the files that surefire has written.
func reports(root string) (all []string) {
	for _, pattern := range []string{"target", "*/target", "*/*/target"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern, "surefire-reports", "TEST-*.xml")) // the pattern is a good one
		all = append(all, found...)
	}
	return all
}

func (maven) read(s *suite, _ []byte) (passed, failed map[test]bool, built bool, err error) {
	passed, failed = map[test]bool{}, map[test]bool{}
	byClass := map[string]string{}
	for _, f := range s.files {
		if _, class, ok := strings.Cut("/"+strings.TrimSuffix(f, ".java"), "/src/test/java/"); ok {
			byClass[strings.ReplaceAll(class, "/", ".")] = f
		}
	}
	list := reports(s.root)
	for _, r := range list {
		text, err := os.ReadFile(r)
		if err != nil {
			return nil, nil, false, fmt.Errorf("mutate: %w", err)
		}
		if err := readSurefire(text, s.root, byClass, passed, failed); err != nil {
			return nil, nil, false, err
		}
	}
	return passed, failed, len(list) > 0, nil
}

// readSurefire adds the tests of one report, in the format of
// https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd. A method is
// one test, whatever its parameters.
func readSurefire(text []byte, root string, byClass map[string]string, passed, failed map[test]bool) error {
	var report struct {
		Cases []struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("mutate: surefire: %w", err)
	}
	for _, c := range report.Cases {
		class, _, _ := strings.Cut(c.Class, "$")
		name := c.Name
		if end := strings.IndexAny(name, "({[ "); end >= 0 {
			name = name[:end]
		}
		one := test{File: byClass[class], Name: name, Home: home(root, class, name, byClass)}
		switch {
		case one.File == "":
		case c.Failure != nil || c.Error != nil:
			failed[one] = true
			delete(passed, one)
		case c.Skipped == nil && !failed[one]:
			passed[one] = true
		}
	}
	return nil
}

var extends = regexp.MustCompile(`\bclass\s+(\w+)[^{]*?\bextends\s+(\w+)`)

// home returns the file that has a test method which a class inherits, or "".
func home(root, class, method string, byClass map[string]string) string {
	own := byClass[class]
	called := regexp.MustCompile(`\b` + regexp.QuoteMeta(method) + `\s*\(`)
	for file := own; file != ""; {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			break
		}
		if called.Match(text) {
			return strings.TrimPrefix(file, own) // its own file is none
		}
		name := strings.TrimSuffix(path.Base(file), ".java")
		folder := path.Dir(file)
		file = ""
		for _, m := range extends.FindAllSubmatch(text, -1) {
			if string(m[1]) == name {
				file = path.Join(folder, string(m[2])+".java")
			}
		}
	}
	return ""
}
