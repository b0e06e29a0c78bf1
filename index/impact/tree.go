package impact

import (
	"cmp"
	"path"
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
	if dir, ok := up(file, configured); ok {
		return runner{name: "pytest", dir: dir}
	}
	if _, ok := up(file, func(dir string) bool { return t.has(path.Join(dir, "conftest.py")) }); ok || t.says(file, "import pytest") || t.says(file, "from pytest") {
		return runner{name: "pytest"}
	}
	return runner{unknown: "nothing says that the project uses pytest"}
}

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
	switch {
	case !ok:
		return runner{unknown: "no package.json above it names vitest, jest or mocha"}
	case len(tools) > 1:
		return runner{unknown: "its package names both " + tools[0] + " and " + tools[1]}
	}
	return runner{name: tools[0], dir: dir}
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
