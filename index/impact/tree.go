package impact

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A tree is the files of the index, as far as they tell which runner a project has.
type tree struct{ view *store.View }

func (t tree) record(file string) *store.Record {
	t.view.Mu.RLock()
	defer t.view.Mu.RUnlock()
	return t.view.Table.Files[file]
}

// classes are the outermost of a file.
func (t tree) classes(file string) (names []string) {
	if r := t.record(file); r != nil {
		for i := range r.Symbols {
			if s := &r.Symbols[i]; s.Parent == "" && s.Kind() == syntax.Class {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// has reports whether the tree has a file, in the index or left out of it.
func (t tree) has(file string) bool {
	t.view.Mu.RLock()
	defer t.view.Mu.RUnlock()
	_, skipped := t.view.Table.Skips[file]
	return skipped || t.view.Table.Files[file] != nil
}

// says reports whether a file of the index has a text.
func (t tree) says(file, text string) bool {
	r := t.record(file)
	return r != nil && strings.Contains(string(r.Text.All()), text)
}

// up gives the folders from that of a file to the root, "", until one is it.
func up(file string, is func(dir string) bool) (dir string, found bool) {
	for dir = file; dir != ""; {
		if dir = path.Dir(dir); dir == "." {
			dir = ""
		}
		if is(dir) {
			return dir, true
		}
	}
	return "", false
}

// runner says what runs the tests of a file.
func (t tree) runner(file, lang string) runner {
	switch lang {
	case "go":
		return t.goTest(file)
	case "python":
		return t.pytest(file)
	case "rust":
		if dir, ok := up(file, func(dir string) bool { return t.has(path.Join(dir, "Cargo.toml")) }); ok {
			return runner{name: "cargo", dir: dir}
		}
		return runner{unknown: "there is no Cargo.toml above it"}
	case "java", "kotlin":
		return t.build(file)
	case "javascript", "typescript", "tsx", "jsx":
		return t.node(file)
	}
	return runner{unknown: "no runner is known for " + cmp.Or(lang, "its language")}
}

func (t tree) goTest(file string) runner {
	dir, ok := up(file, func(dir string) bool { return t.has(path.Join(dir, "go.mod")) })
	if !ok {
		return runner{unknown: "there is no go.mod above it"}
	}
	if t.says(file, "\n//go:build ") || t.says(file, "// +build ") {
		return runner{unknown: "it has a build constraint, and which tags to set is not known"}
	}
	if r := t.record(file); r != nil && strings.HasPrefix(string(r.Text.All()), "//go:build ") {
		return runner{unknown: "it has a build constraint, and which tags to set is not known"}
	}
	of := "."
	if pkg := path.Dir(file); pkg != "." && pkg != dir {
		of = "./" + strings.TrimPrefix(strings.TrimPrefix(pkg, dir), "/")
	}
	return runner{name: "go", dir: dir, of: of}
}

func (t tree) pytest(file string) runner {
	if strings.Contains(file, "::") || strings.Contains(file, "[") {
		return runner{unknown: "its path cannot be told from the name of a test"}
	}
	configured := func(dir string) bool {
		in := func(name string) string { return path.Join(dir, name) }
		return t.has(in("pytest.ini")) || t.says(in("pyproject.toml"), "pytest") || t.says(in("setup.cfg"), "pytest") || t.says(in("tox.ini"), "pytest")
	}
	dir, ok := up(file, configured)
	if !ok {
		if _, ok := up(file, func(dir string) bool { return t.has(path.Join(dir, "conftest.py")) }); !ok && !t.says(file, "import pytest") && !t.says(file, "from pytest") {
			return runner{unknown: "nothing says that the project uses pytest"}
		}
	}
	named := slices.ContainsFunc([]string{"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"}, func(name string) bool { return t.says(path.Join(dir, name), "python_files") })
	if !named && !collected.MatchString(path.Base(file)) {
		return runner{unknown: "pytest collects only test_*.py and *_test.py"}
	}
	return runner{name: "pytest", dir: dir}
}

// collected matches the names of files in which pytest finds tests where no setting says others,
// and of those that matter to all tests of their folder.
var collected = regexp.MustCompile(`^(?:test_.*|.*_test|conftest)\.py$`)

// build finds what builds a file of Java or Kotlin: the nearest build file, and the highest of its
// kind above it, from which modules are named.
func (t tree) build(file string) runner {
	for _, tool := range []struct {
		name, wrapper string
		files         []string
	}{{"maven", "mvnw", []string{"pom.xml"}}, {"gradle", "gradlew", []string{"build.gradle", "build.gradle.kts"}}} {
		here := func(dir string) bool {
			return slices.ContainsFunc(tool.files, func(name string) bool { return t.has(path.Join(dir, name)) })
		}
		module, ok := up(file, here)
		if !ok {
			continue
		}
		other := "pom.xml"
		if tool.name == "maven" {
			other = "build.gradle"
		}
		if t.has(path.Join(module, other)) || tool.name == "maven" && t.has(path.Join(module, "build.gradle.kts")) {
			return runner{unknown: "both Maven and Gradle build it"}
		}
		top := module
		up(path.Join(module, "x"), func(dir string) bool {
			if here(dir) || tool.name == "gradle" && (t.has(path.Join(dir, "settings.gradle")) || t.has(path.Join(dir, "settings.gradle.kts"))) {
				top = dir
			}
			return false
		})
		r := runner{name: tool.name, dir: top, wrapper: t.has(path.Join(top, tool.wrapper))}
		if module != top {
			r.of = strings.TrimPrefix(strings.TrimPrefix(module, top), "/")
		}
		return r
	}
	return runner{unknown: "there is neither a pom.xml nor a build.gradle above it"}
}

// node finds the nearest package that names a runner: a configuration of it, or its name in
// package.json.
func (t tree) node(file string) runner {
	var tools []string
	dir, ok := up(file, func(dir string) bool {
		for _, tool := range []string{"vitest", "jest", "mocha"} {
			if t.uses(dir, tool) {
				tools = append(tools, tool)
			}
		}
		return len(tools) > 0
	})
	if !ok {
		dir, ok = up(file, func(dir string) bool { return t.says(path.Join(dir, "package.json"), "node --test") })
		tools = []string{"node"}
	}
	switch {
	case !ok:
		return runner{unknown: "no package.json above it names vitest, jest, mocha or node --test"}
	case len(tools) > 1:
		return runner{unknown: "its package names both " + tools[0] + " and " + tools[1]}
	case !t.tests(file):
		return runner{unknown: "it has no tests of its own for " + tools[0]}
	case tools[0] == "node" && !plainScript.MatchString(file):
		return runner{unknown: "what its package has node read TypeScript with is not known"}
	}
	return runner{name: tools[0], dir: dir}
}

var (
	plainScript = regexp.MustCompile(`\.[cm]?jsx?$`)
	// notRun matches the names of benchmarks, and of tests of types, which no run of tests has.
	notRun = regexp.MustCompile(`\.(?:bench|bench-d|test-d|spec-d|d)\.[cm]?[jt]sx?$`)
	// testCall matches a call that makes a test, or a group of them. A group may have another name,
	// such as that of a method of an object of the runner.
	testCall = regexp.MustCompile(`(?m)(?:^|[^\w$.])(?:it|test|describe|suite|context|specify)(?:\.[\w.]+|<[^>\n]*>)*(?:\(|` + "`" + `)`)
)

// tests reports whether a file of JavaScript makes tests, and is no helper of those that do.
func (t tree) tests(file string) bool {
	r := t.record(file)
	return r != nil && !notRun.MatchString(file) && testCall.Match(r.Text.All())
}

// uses reports whether a package has a runner of JavaScript.
func (t tree) uses(dir, tool string) bool {
	for _, ext := range []string{"js", "ts", "mjs", "mts", "cjs", "cts", "json", "yaml", "yml"} {
		if t.has(path.Join(dir, tool+".config."+ext)) || t.has(path.Join(dir, "."+tool+"rc."+ext)) {
			return true
		}
	}
	return t.says(path.Join(dir, "package.json"), `"`+tool+`"`)
}
