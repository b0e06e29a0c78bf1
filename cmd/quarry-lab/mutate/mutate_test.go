package mutate

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted outputs")

// each runs a test for every archive that a pattern names, with its files by name, and holds
// what it returns to the last one, "want".
func each(t *testing.T, pattern string, run func(t *testing.T, files map[string]string) string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d archives, %v", pattern, len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			last := len(a.Files) - 1
			if last < 0 || a.Files[last].Name != "want" {
				t.Fatalf("%s does not end with a file want", name)
			}
			files := map[string]string{}
			for _, f := range a.Files[:last] {
				files[f.Name] = string(f.Data)
			}
			got := run(t, files)
			if *update {
				a.Files[last].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(string(a.Files[last].Data), got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// unpack writes files into a folder of its own.
func unpack(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// changes lists the lines that each way to break the functions takes out and puts in.
func changes(text string, functions []function) string {
	var b strings.Builder
	for _, f := range functions {
		fmt.Fprintf(&b, "%s:%d %s\n", f.File, f.Line, f.Name)
		show := func(k kind, e *edit) {
			if e == nil {
				fmt.Fprintf(&b, "  no %s\n", k)
				return
			}
			fmt.Fprintf(&b, "  %s\n", k)
			for line := range strings.Lines(string(diff.Diff("a", []byte(text), "b", e.apply([]byte(text))))) {
				if (line[0] == '-' || line[0] == '+') && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") {
					b.WriteString("    " + strings.ReplaceAll(line, "\t", "  "))
				}
			}
		}
		show(throw, f.Throw)
		show(rename, f.Rename)
		for i := range f.Constants {
			show(constant, &f.Constants[i])
		}
	}
	return b.String()
}

func TestGoFunctions(t *testing.T) {
	each(t, "testdata/source/go.txtar", func(t *testing.T, files map[string]string) string {
		covered, err := goCovered(files["cover.out"])
		if err != nil {
			t.Fatal(err)
		}
		found, err := goFunctions("a.go", []byte(files["a.go"]), func(first, last int) bool {
			return slices.ContainsFunc(covered["m/a.go"], func(s span) bool { return first <= s.first && s.last <= last })
		})
		if err != nil {
			t.Fatal(err)
		}
		names, err := goTests("a_test.go", []byte(files["a_test.go"]))
		if err != nil {
			t.Fatal(err)
		}
		return changes(files["a.go"], found) + fmt.Sprintln("tests:", strings.Join(names, " "))
	})
}

// interpreter returns Python, with a module if one is named, or skips the test.
func interpreter(t *testing.T, module string) string {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err == nil && module != "" {
		err = exec.CommandContext(t.Context(), program, "-c", "import "+module).Run()
	}
	if err != nil {
		t.Skipf("no Python here: %v", err)
	}
	return program
}

func TestPythonFunctions(t *testing.T) {
	program := interpreter(t, "")
	each(t, "testdata/source/python.txtar", func(t *testing.T, files map[string]string) string {
		var covered []any
		for n := range strings.Count(files["a.py"], "\n") {
			if n+1 != 3 { // the function there does not run
				covered = append(covered, []any{"a.py", n + 1})
			}
		}
		found, err := askPython(t.Context(), program, map[string]any{"root": unpack(t, files), "files": []string{"a.py", "broken.py"}, "covered": covered})
		if err != nil {
			t.Fatal(err)
		}
		return changes(files["a.py"], found)
	})
}

func TestBracedFunctions(t *testing.T) {
	for name, l := range map[string]*bracedLanguage{"java": &javaCode, "rust": &rustCode} {
		each(t, "testdata/source/"+name+".txtar", func(t *testing.T, files map[string]string) string {
			var b strings.Builder
			for _, file := range slices.Sorted(maps.Keys(files)) {
				b.WriteString(changes(files[file], l.functions(file, files[file])))
			}
			return b.String()
		})
	}
}

// TestTypeScriptFunctions needs the package typescript, in the folder that a variable names.
func TestTypeScriptFunctions(t *testing.T) {
	compiler := os.Getenv("TYPESCRIPT")
	if compiler == "" {
		t.Skip("TYPESCRIPT names no folder of the package typescript")
	}
	each(t, "testdata/source/typescript.txtar", func(t *testing.T, files map[string]string) string {
		lines := map[string][]int{}
		for n := range strings.Count(files["a.ts"], "\n") {
			if n+1 != 3 {
				lines["a.ts"] = append(lines["a.ts"], n+1)
			}
		}
		question := map[string]any{"root": unpack(t, files), "files": []string{"a.ts"}, "typescript": compiler, "covered": lines}
		found, err := askFunctions(t.Context(), "node", []string{"--input-type=module", "-e", typescriptFunctions}, question)
		if err != nil {
			t.Fatal(err)
		}
		return changes(files["a.ts"], found)
	})
}

// listed writes tests in order, each after a word.
func listed(lists map[string]map[test]bool) string {
	var lines []string
	for word, list := range lists {
		for one := range list {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %v %s", word, one, one.Home)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func TestReadSurefire(t *testing.T) {
	each(t, "testdata/surefire.txtar", func(t *testing.T, files map[string]string) string {
		byClass := map[string]string{"a.OneTest": "src/test/java/a/OneTest.java", "a.BaseTest": "src/test/java/a/BaseTest.java"}
		passed, failed := map[test]bool{}, map[test]bool{}
		if err := readSurefire([]byte(files["junit.xml"]), unpack(t, files), byClass, passed, failed); err != nil {
			t.Fatal(err)
		}
		return listed(map[string]map[test]bool{"passed": passed, "failed": failed})
	})
}

func TestReadCargo(t *testing.T) {
	each(t, "testdata/cargo.txtar", func(t *testing.T, files map[string]string) string {
		s := &suite{files: strings.Fields(files["files"])}
		passed, failed, built, err := cargo{}.read(s, []byte(files["said"]))
		if err != nil || !built {
			t.Fatal(built, err)
		}
		if _, _, built, err := (cargo{}).read(s, []byte(files["broken"])); err != nil || built {
			t.Errorf("what cannot be compiled is built: %v, %v", built, err)
		}
		return listed(map[string]map[test]bool{"passed": passed, "failed": failed})
	})
}

func TestReadNode(t *testing.T) {
	each(t, "testdata/node.txtar", func(t *testing.T, files map[string]string) string {
		var out string
		for _, runner := range nodeRunners[1:] {
			r, err := runner.read([]byte(files[runner.name+".json"]), "/r")
			if err != nil {
				t.Fatal(err)
			}
			out += fmt.Sprintf("%s unloaded %v\n", runner.name, r.unloaded) + listed(map[string]map[test]bool{"passed": r.passed, "failed": r.failed})
			if _, err := runner.read([]byte("{"), "/r"); err == nil {
				t.Errorf("%s: a report that is cut is read", runner.name)
			}
		}
		return out
	})
}

func TestReadGo(t *testing.T) {
	each(t, "testdata/gotest.txtar", func(t *testing.T, files map[string]string) string {
		r, err := readGo([]byte(files["events"]))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, list := range []struct {
			name string
			of   map[goTest]bool
		}{{"passed", r.passed}, {"failed", r.failed}} {
			for _, one := range slices.SortedFunc(maps.Keys(list.of), func(a, b goTest) int { return strings.Compare(a.pkg+a.name, b.pkg+b.name) }) {
				fmt.Fprintln(&b, list.name, one.pkg, one.name)
			}
		}
		fmt.Fprintln(&b, "broken", slices.Sorted(maps.Keys(r.broken)))
		fmt.Fprintln(&b, "fell", slices.Sorted(maps.Keys(r.fell)))
		return b.String()
	})
	if _, err := readGo([]byte("{\"Action\":")); err == nil {
		t.Error("an output that is cut is read")
	}
}

func TestReadJUnit(t *testing.T) {
	each(t, "testdata/junit.txtar", func(t *testing.T, files map[string]string) string {
		r, err := readJUnit([]byte(files["junit.xml"]), strings.Fields(files["files"]))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for c := range r.passed {
			lines = append(lines, fmt.Sprintf("passed %v %s %s", c.test, c.id, c.Home))
		}
		for c := range r.failed {
			lines = append(lines, fmt.Sprintf("failed %v %s %s", c.test, c.id, c.Home))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n") + fmt.Sprintf("\nunloaded %v\n", r.unloaded)
	})
	if _, err := readJUnit([]byte("<testsuites>"), nil); err == nil {
		t.Error("a report that is cut is read")
	}
}

// TestCompare holds answers to outcomes: each archive has the tests that passed, and for each
// mutant what failed and what the answer was.
func TestCompare(t *testing.T) {
	each(t, "testdata/compare/*.txtar", func(t *testing.T, files map[string]string) string {
		var passed []test
		read := func(text string) (list []test) {
			for line := range strings.FieldsSeq(text) {
				file, name, _ := strings.Cut(line, ":")
				name, home, _ := strings.Cut(name, "@")
				list = append(list, test{file, name, home})
			}
			return list
		}
		passed = read(files["passed"])
		var rs results
		for _, name := range slices.Sorted(maps.Keys(files)) {
			k, is := strings.CutSuffix(name, ".json")
			if !is {
				continue
			}
			var given struct {
				Failed, Unloaded []string
				Unbuilt, Expired bool
				Answer           answer
			}
			if err := json.Unmarshal([]byte(files[name]), &given); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			k, function, _ := strings.Cut(k, "-")
			r := result{Kind: kind(k), File: "a.go", Line: 1, Function: function, Answer: given.Answer}
			r.Outcome = outcome{read(strings.Join(given.Failed, " ")), given.Unloaded, given.Unbuilt, given.Expired}
			r.compare(passed)
			rs.Mutants = append(rs.Mutants, r)
		}
		var b bytes.Buffer
		for i := range rs.Mutants {
			fmt.Fprintf(&b, "%s: %s\n", rs.Mutants[i].Function, rs.Mutants[i].summary())
		}
		b.WriteByte('\n')
		if err := rs.write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

func TestDraw(t *testing.T) {
	var functions []function
	for i := range 20 {
		f := function{Name: fmt.Sprint("f", i), Throw: &edit{Text: "throw"}, Rename: &edit{Text: "rename"}}
		if i%4 == 0 {
			f.Constants = []edit{{Text: "one"}, {Text: "two"}}
		}
		functions = append(functions, f)
	}
	functions[3].Rename = nil // as that of main
	names := func(all []mutant) (list []string) {
		for _, m := range all {
			list = append(list, fmt.Sprint(m.kind, " ", m.Name, " ", m.Text))
		}
		return list
	}
	first := names(draw(functions, shares(12), 1))
	if d := cmp.Diff(first, names(draw(functions, shares(12), 1))); d != "" {
		t.Errorf("the same lot differs: %s", d)
	}
	if cmp.Equal(first, names(draw(functions, shares(12), 2))) {
		t.Error("another seed gives the same lot")
	}
	if len(first) != 12 {
		t.Errorf("%d mutants: %q", len(first), first)
	}
	every := names(draw(functions, shares(300), 1))
	if len(every) != 20+19+5 {
		t.Errorf("%d mutants of all functions: %q", len(every), every)
	}
	// The first of a longer lot are those of a shorter one.
	longer := names(draw(functions, shares(24), 1))
	if d := cmp.Diff(first[:4], longer[:4]); d != "" {
		t.Errorf("a longer lot begins otherwise: %s", d)
	}
}

// TestExperiment breaks functions of small projects in all ways, and asks somebody who names
// nothing: what fails is then what is missed.
func TestExperiment(t *testing.T) {
	languages := map[string]func(root, scratch string) language{
		"go": func(root, scratch string) language {
			return &golang{root: root, scratch: scratch, timeout: time.Minute}
		},
		"python": func(root, scratch string) language {
			return &python{root: root, scratch: scratch, timeout: time.Minute, program: interpreter(t, "pytest")}
		},
	}
	each(t, "testdata/experiment_*.txtar", func(t *testing.T, files map[string]string) string {
		from, root := unpack(t, files), filepath.Join(t.TempDir(), "copy")
		if err := duplicate(from, root); err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(t.Name(), "experiment_")
		make := languages[name]
		if make == nil {
			t.Fatalf("there is no language %q", name)
		}
		var progress strings.Builder
		x := experiment{
			root: root, language: make(root, t.TempDir()),
			ask:    func(context.Context, string) (answer, error) { return answer{}, nil },
			report: func(format string, args ...any) { fmt.Fprintf(&progress, format, args...) },
		}
		rs, err := x.run(t.Context(), 300, 1)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, r := range rs.Mutants {
			line := fmt.Sprintf("%s %s:%d %s", r.Kind, r.File, r.Line, r.Function)
			if r.Outcome.Unbuilt {
				line += " unbuilt"
			}
			lines = append(lines, fmt.Sprintf("%s files %v tests %v", line, r.MissedFiles, r.Missed))
		}
		slices.Sort(lines)
		for name, text := range files {
			now, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil || string(now) != text {
				t.Errorf("%s is not as it was: %v", name, err)
			}
		}
		before := slices.Clone(rs.Mutants)
		x.language = nil // what failed is known
		if err := x.each(t.Context(), &rs); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(before, rs.Mutants); d != "" {
			t.Errorf("asked again: %s", d)
		}
		first, _, _ := strings.Cut(progress.String(), "\n")
		return first + "\n" + strings.Join(lines, "\n") + "\n"
	})
}
