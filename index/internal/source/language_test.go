package source

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"a.go", "", "go"}, {"A.GO", "", "go"}, {"x/y.py", "", "python"}, {"a.pyi", "", "python"},
		{"a.js", "", "javascript"}, {"a.jsx", "", "javascript"}, {"a.mjs", "", "javascript"}, {"a.cjs", "", "javascript"},
		{"a.ts", "", "typescript"}, {"a.mts", "", "typescript"}, {"a.d.cts", "", "typescript"}, {"a.tsx", "", "tsx"},
		{"de.ts", "<?xml version=\"1.0\"?>", "xml"},
		{"a.c", "", "c"}, {"a.cc", "", "cpp"}, {"a.hpp", "", "cpp"}, {"a.C", "", "cpp"}, {"a.cs", "", "csharp"},
		{"a.h", "", "c"},
		{"a.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n/* a class of\n class things */\n", "c"},
		{"a.h", "class Foo;\n", "cpp"}, {"a.h", "class Foo : public Bar {\n", "cpp"}, {"a.h", "#pragma once\nnamespace a::b {\n", "cpp"},
		{"a.h", "template <typename T>\nT f();\n", "cpp"}, {"a.h", "void f(std::string s);\n", "cpp"}, {"a.h", "#include <vector>\n", "cpp"},
		{"a.h", "#import <Foundation/Foundation.h>\n@interface A\n", "objc"},
		{"a.m", "#import \"A.h\"\n", "objc"}, {"a.m", "function y = f(x)\n", "matlab"}, {"a.mm", "", "objc"},
		{"a.rs", "", "rust"}, {"a.java", "", "java"}, {"a.kt", "", "kotlin"}, {"build.gradle.kts", "", "kotlin"},
		{"build.gradle", "", "groovy"}, {"Jenkinsfile", "", "groovy"}, {"a.groovy", "", "groovy"},
		{"a.scala", "", "scala"}, {"build.sbt", "", "scala"}, {"a.swift", "", "swift"}, {"a.php", "", "php"}, {"a.rb", "", "ruby"},
		{"Gemfile", "", "ruby"}, {"Rakefile", "", "ruby"}, {"a.ex", "", "elixir"}, {"a.exs", "", "elixir"}, {"a.elm", "", "elm"},
		{"a.ml", "", "ocaml"}, {"a.mli", "", "ocaml"}, {"a.lua", "", "lua"}, {"a.sql", "", "sql"}, {"a.proto", "", "protobuf"},
		{"main.tf", "", "hcl"}, {"a.cue", "", "cue"}, {"a.svelte", "", "svelte"}, {"a.html", "", "html"}, {"a.css", "", "css"},
		{"a.md", "", "markdown"}, {"a.yml", "", "yaml"}, {"a.toml", "", "toml"}, {"a.sh", "", "bash"}, {"a.bats", "", "bash"},
		{"Dockerfile", "", "dockerfile"}, {"Dockerfile.dev", "", "dockerfile"}, {"x.dockerfile", "", "dockerfile"},
		{"a.hs", "", "haskell"}, {"a.zig", "", "zig"}, {"a.dart", "", "dart"}, {"a.pl", "", "perl"}, {"a.R", "", "r"}, {"a.jl", "", "julia"},
		{"a.json", "", "json"}, {"a.vue", "", "vue"}, {"a.nim", "", "nim"}, {"a.erl", "", "erlang"}, {"a.clj", "", "clojure"}, {"a.fs", "", "fsharp"},
		{"a.ps1", "", "powershell"}, {"Makefile", "", "make"}, {"a.mk", "", "make"}, {"CMakeLists.txt", "", "cmake"}, {"a.cmake", "", "cmake"},
		{"a.xml", "", "xml"}, {"a.graphql", "", "graphql"}, {"a.S", "", "assembly"}, {"a.s", "", "assembly"}, {"a.asm", "", "assembly"},
		{"a.f90", "", "fortran"}, {"a.pas", "", "pascal"}, {"a.d", "", "d"}, {"a.cr", "", "crystal"}, {"a.sol", "", "solidity"}, {"a.vim", "", "vim"},
		{"a.lisp", "", "lisp"}, {"a.el", "", "lisp"}, {"a.scm", "", "scheme"}, {"a.tcl", "", "tcl"}, {"a.awk", "", "awk"}, {"a.rst", "", "rst"},
		{"a.txt", "", "text"}, {"README", "", "text"}, {"LICENSE", "", "text"},
		{"run", "#!/bin/sh\n", "bash"}, {"run", "#!/usr/bin/env python3\n", "python"}, {"run", "#!/usr/bin/env -S node --x\n", "javascript"},
		{"run", "#! /usr/bin/python3.11 -u\n", "python"}, {"run", "#!/usr/bin/env A=1 ruby", "ruby"}, {"run", "#!/usr/bin/perl\n", "perl"},
		{"run", "#!/opt/thing\n", ""}, {"run", "#!\n", ""}, {"run", "text\n", ""}, {"run", "", ""}, {"a.unknown", "", ""}, {"a.go", "#!/bin/sh\n", "go"},
		{".bashrc", "", "bash"}, {"go.mod", "", "gomod"}, {"", "", ""},
	} {
		if got := Language(c.name, []byte(c.head)); got != c.want {
			t.Errorf("Language(%q, %q) = %q, want %q", c.name, c.head, got, c.want)
		}
	}
}

func TestRoleOf(t *testing.T) {
	for want, names := range map[Role][]string{
		Test: {
			"a_test.go", "x/testdata/a.go", "test_a.py", "a_test.py", "conftest.py", "tests/helpers.py", "test/a.c", "spec/a.rb",
			"src/__tests__/a.js", "e2e/login.ts", "a.test.ts", "a.spec.tsx", "a.cy.js", "src/test/java/A.java", "FooTest.java", "FooTests.cs",
			"FooIT.java", "TestFoo.java", "FooSpec.scala", "foo_spec.rb", "test_foo.rb", "a.bats", "a_test.exs", "foo_test.cc", "foo_unittest.cc",
			"FooTest.php", "FooTests.swift", "FooSpec.hs", "foo_SUITE.erl", "a.t", "foo_test.dart", "tests.rs", "runtests.jl",
			"app/src/androidTest/A.kt", "Company.Product.Tests/A.cs", "tests/config.yaml", "foo_spec.lua", "Foo.Tests.ps1",
		},
		Config: {
			"a.json", "a.yaml", ".github/workflows/ci.yml", "a.toml", "a.ini", "Dockerfile", "Makefile", "CMakeLists.txt", "a.cmake",
			"build.gradle", "build.gradle.kts", "settings.gradle", "pom.xml", "App.csproj", "go.mod", "package.json", "tsconfig.json", "vite.config.ts",
			".eslintrc.js", ".eslintrc", "setup.py", "requirements.txt", "Gemfile", "a.gemspec", "Jenkinsfile", ".gitignore", ".editorconfig",
			"BUILD.bazel", "build.sbt", "terraform.tfvars", "Cargo.toml", "nginx.conf", "application.properties", "meson.build",
		},
		"": {
			"a.go", "testing/a.go", "latest.ts", "contest.py", "Contest.java", "attest_a.go", "Testimony.java", "Latest.java", "protest.rb", "inspector.js",
			"config.go", "config.py", "README.md", "main.tf", "a.sh", "a.kt", "a.html", "test.go", "greatest/a.go", "Rakefile", "a.svg", "testify/a.go",
		},
	} {
		for _, name := range names {
			if got := RoleOf(name); got != want {
				t.Errorf("RoleOf(%q) = %q, want %q", name, got, want)
			}
		}
	}
}

func TestTraitsOf(t *testing.T) {
	for name, want := range map[string]Traits{
		"a.go":                              {},
		"a_test.go":                         {Test: true},
		"tests/fixtures.yaml":               {Test: true, Config: true},
		"README.md":                         {Doc: true},
		"docs/guide.html":                   {Doc: true},
		"docs/conf.py":                      {},
		"NOTES.txt":                         {Doc: true},
		"requirements.txt":                  {Config: true},
		"examples/a.go":                     {Example: true},
		"docs_src/a.py":                     {Example: true},
		"example_test.go":                   {Test: true, Example: true},
		"vendor/github.com/x/y.go":          {Vendored: true},
		"third_party/x.c":                   {Vendored: true},
		"node_modules/x/index.js":           {Vendored: true, Barrel: true},
		"node_modules/x/index.d.ts":         {Vendored: true, Declaration: true},
		"pkg/__init__.py":                   {Barrel: true},
		"src/index.ts":                      {Barrel: true},
		"src/net/mod.rs":                    {Barrel: true},
		"src/lib.rs":                        {},
		"com/x/package-info.java":           {Barrel: true},
		"types/a.d.ts":                      {Declaration: true},
		"stubs/a.pyi":                       {Declaration: true},
		"src/compat/a.py":                   {Legacy: true},
		"src/legacy_api.py":                 {},
		"src/api_compat.py":                 {Legacy: true},
		"src/deprecated.go":                 {Legacy: true},
		"src/compatible.go":                 {},
		"vendor/x/examples/legacy/index.js": {Vendored: true, Example: true, Legacy: true, Barrel: true},
	} {
		if d := cmp.Diff(want, TraitsOf(name)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestHeaderWords: a text without the words is not matched by the expression that they
// stand before, whichever of its parts is looked at.
func TestHeaderWords(t *testing.T) {
	for _, tt := range []struct {
		re    *regexp.Regexp
		words []string
		lines []string
	}{
		{objcText, objcWords, []string{"@interface A", " @implementation A", "@protocol P;", "@class B;", "\t@import C;", "#import <a.h>"}},
		{cppText, cppWords, []string{
			"class A {", " enum class E : int", "class A<T> final", "namespace a {", "inline namespace b", "template <class T>", "template<>",
			"using a", "public:", "private :", "protected:", "constexpr int x", "  x = std::move(y);",
			"#include <algorithm>", "# include <array>", "#include<atomic>", "#include <functional>", "#include <iostream>", "#include <map>",
			"#include <memory>", "#include <string>", "#include <string_view>", "#include <utility>", "#include <vector>",
		}},
	} {
		used := map[string]bool{}
		for _, line := range tt.lines {
			text := []byte("/* a header */\n" + line + "\nint f(void);\n")
			if !tt.re.Match(text) || !hasAny(text, tt.words) {
				t.Errorf("%q: match %v, words %v", line, tt.re.Match(text), hasAny(text, tt.words))
			}
			for _, w := range tt.words {
				rest := bytes.ReplaceAll(text, []byte(w), nil)
				if !hasAny(rest, tt.words) {
					used[w] = true
					if tt.re.Match(rest) {
						t.Errorf("%q is matched without any of the words", rest)
					}
				}
			}
		}
		if len(used) != len(tt.words) {
			t.Errorf("%d of %d words decide in a line: %v", len(used), len(tt.words), used)
		}
	}
}
