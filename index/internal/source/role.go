package source

import (
	"path"
	"strings"
)

// A Role is what a whole file is for, judged by its path.
type Role string

// The roles. A test of the configuration is a test.
const (
	Test   Role = "test"
	Config Role = "config"
)

// RoleOf returns the role of a file, or "".
func RoleOf(name string) Role {
	switch {
	case isTest(name):
		return Test
	case isConfig(name):
		return Config
	}
	return ""
}

// Traits are what the path of a file says about it that matters for ranking.
type Traits struct {
	Test        bool
	Config      bool // also where it is a test
	Doc         bool // text for people
	Example     bool // a sample, a demo, code that belongs to the documentation
	Vendored    bool // somebody else's, copied in
	Barrel      bool // usually holds only re-exports: __init__.py, index.ts
	Declaration bool // only declares: .d.ts, .pyi
	Legacy      bool // kept for compatibility
}

// TraitsOf returns the traits of a file.
func TraitsOf(name string) Traits {
	dir, base := split(name)
	t := Traits{
		Test:        isTest(name),
		Config:      isConfig(name),
		Doc:         isDoc(name),
		Barrel:      isBarrel(base),
		Declaration: isDeclaration(base),
		Legacy:      isLegacyName(base),
		Example:     isExampleName(base),
	}
	for elem := range strings.SplitSeq(strings.ToLower(dir), "/") {
		switch elem {
		case "example", "examples", "_example", "_examples", "sample", "samples", "demo", "demos", "docs_src", "tutorial", "tutorials", "playground", "cookbook":
			t.Example = true
		case "vendor", "vendored", "_vendor", "third_party", "third-party", "thirdparty", "3rdparty", "node_modules",
			"bower_components", "jspm_packages", "godeps", "pods", "carthage", "site-packages", "dist-packages":
			t.Vendored = true
		case "compat", "_compat", "legacy", "_legacy", "deprecated", "obsolete":
			t.Legacy = true
		}
	}
	return t
}

// isTest goes by the conventions of the languages' own test tools.
func isTest(name string) bool {
	dir, base := split(name)
	for elem := range strings.SplitSeq(dir, "/") {
		if testFolder(elem) {
			return true
		}
	}
	stem, ext := cutExt(base)
	language := Language(base, nil)
	prefix := func(p string) bool { return strings.HasPrefix(stem, p) && len(stem) > len(p) }
	suffix := func(ss ...string) bool {
		for _, s := range ss {
			if strings.HasSuffix(stem, s) && len(stem) > len(s) {
				return true
			}
		}
		return false
	}
	switch language {
	case "go":
		return suffix("_test")
	case "python":
		return prefix("test_") || suffix("_test", "_tests") || stem == "conftest" || stem == "tests" || stem == "test"
	case "javascript", "typescript", "tsx", "vue", "svelte", "coffeescript":
		return suffix(".test", ".spec", ".e2e", ".cy", "-test", "-spec", "_test", "_spec", ".test-d") ||
			stem == "test" || stem == "tests"
	case "java":
		return suffix("Test", "Tests", "TestCase", "IT", "ITCase") || camelTest(stem)
	case "kotlin", "scala", "groovy":
		return suffix("Test", "Tests", "TestCase", "Spec", "Suite", "IT") || camelTest(stem)
	case "csharp", "swift", "php", "fsharp", "vb", "objc", "dart", "elm":
		return suffix("Test", "Tests", "TestCase", "Spec", "_test", ".Tests")
	case "ruby":
		return suffix("_spec", "_test") || prefix("test_") || stem == "spec_helper" || stem == "rails_helper" || stem == "test_helper"
	case "rust":
		return suffix("_test", "_tests") || prefix("test_") || stem == "tests" || stem == "test"
	case "c", "cpp":
		return suffix("_test", "_tests", "_unittest", "Test", "Tests", "-test", ".test") || prefix("test_") || prefix("test-")
	case "elixir":
		return ext == ".exs" && (suffix("_test") || stem == "test_helper")
	case "erlang":
		return suffix("_SUITE", "_tests", "_test")
	case "haskell":
		return suffix("Spec", "Test", "Tests")
	case "bash":
		return ext == ".bats" || suffix("_test", "-test", ".test") || prefix("test_") || prefix("test-")
	case "perl":
		return ext == ".t"
	case "julia":
		return stem == "runtests" || prefix("test_")
	case "lua":
		return suffix("_spec", "_test") || prefix("test_")
	case "clojure", "ocaml", "crystal", "nim", "zig", "d", "r", "gdscript", "gleam":
		return suffix("_test", "_spec") || prefix("test_") || prefix("test-")
	case "powershell":
		return suffix(".Tests")
	case "solidity":
		return suffix(".t")
	}
	return false
}

func testFolder(elem string) bool {
	switch strings.ToLower(elem) {
	case "test", "tests", "spec", "specs", "__tests__", "__test__", "__mocks__", "__snapshots__", "__fixtures__",
		"testdata", "test-data", "test_data", "e2e", "test-fixtures", "test_fixtures", "cypress",
		"integration_test", "integration_tests", "integration-tests", "unittest", "unittests", "unit_tests", "unit-tests",
		"functional_tests", "functional-tests", "test_utils", "test-utils":
		return true
	}
	// androidTest, jvmTest, testFixtures; Company.Product.Tests
	return strings.HasSuffix(elem, "Test") || strings.HasSuffix(elem, "Tests") || elem == "testFixtures"
}

// camelTest says whether a class name begins with the word Test, as TestParser
// and not Testimony does.
func camelTest(stem string) bool {
	rest, ok := strings.CutPrefix(stem, "Test")
	return ok && (rest == "" || 'A' <= rest[0] && rest[0] <= 'Z')
}

func isConfig(name string) bool {
	_, base := split(name)
	stem, ext := cutExt(base)
	switch Language(base, nil) {
	case "yaml", "toml", "json", "ini", "dockerfile", "make", "cmake", "gomod", "meson":
		return true
	case "hcl":
		return ext != ".tf" && ext != ".tofu" // Terraform's source is the program there
	case "groovy":
		return ext == ".gradle" || strings.HasPrefix(base, "Jenkinsfile")
	case "kotlin":
		return strings.HasSuffix(base, ".gradle.kts")
	case "scala":
		return ext == ".sbt"
	case "xml":
		return ext != ".svg" && ext != ".xsl" && ext != ".xslt" && ext != ".xaml"
	case "javascript", "typescript":
		return strings.HasSuffix(stem, ".config") || strings.HasSuffix(stem, ".conf") || strings.HasSuffix(stem, "rc") && strings.HasPrefix(base, ".") ||
			stem == "Gruntfile" || stem == "gulpfile"
	case "ruby":
		return ext == "" && base != "Rakefile" || ext == ".gemspec" || ext == ".podspec"
	case "python":
		return languageByName(base) != "" || base == "setup.py"
	case "text":
		return strings.HasPrefix(base, "requirements") || strings.HasPrefix(base, "constraints")
	}
	if strings.HasPrefix(base, ".") {
		return strings.HasSuffix(base, "ignore") || strings.HasSuffix(base, "rc") || strings.HasSuffix(base, "-version") ||
			base == ".gitattributes" || base == ".gitmodules" || base == ".browserslist" || base == ".nvmrc"
	}
	switch base {
	case "Procfile", "CODEOWNERS", "Caddyfile", "Brewfile", "Justfile", "justfile", "mix.exs", "rebar.config", "MANIFEST.in", "flake.nix":
		return true
	}
	return ext == ".config" || ext == ".lock" || ext == ".gn" || ext == ".gni"
}

func isDoc(name string) bool {
	switch Language(path.Base(name), nil) {
	case "markdown", "rst", "asciidoc", "org", "tex":
		return true
	case "text":
		return !isConfig(name)
	case "html", "":
		if path.Ext(name) == ".apt" { // Almost Plain Text, of Maven's sites
			return true
		}
		for elem := range strings.SplitSeq(strings.ToLower(path.Dir(name)), "/") {
			if elem == "doc" || elem == "docs" || elem == "documentation" || elem == "javadoc" {
				return true
			}
		}
	}
	return false
}

func isBarrel(base string) bool {
	switch base {
	case "__init__.py", "__init__.pyi", "mod.rs", "package-info.java", "module-info.java", "init.lua":
		return true
	}
	stem, ext := cutExt(base)
	if stem != "index" {
		return false
	}
	switch ext {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs":
		return true
	}
	return false
}

func isDeclaration(base string) bool {
	for _, end := range []string{".d.ts", ".d.mts", ".d.cts", ".pyi"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}

func isLegacyName(base string) bool {
	stem, _ := cutExt(strings.ToLower(base))
	for _, word := range []string{"compat", "legacy", "deprecated"} {
		rest, ok := strings.CutSuffix(stem, word)
		if ok && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "._-")) {
			return true
		}
	}
	return false
}

func isExampleName(base string) bool {
	stem, _ := cutExt(strings.ToLower(base))
	return stem == "example" || strings.HasPrefix(stem, "example_") || strings.HasSuffix(stem, "_example") ||
		strings.HasSuffix(stem, ".example") || strings.HasPrefix(stem, "demo_")
}
