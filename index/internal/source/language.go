package source

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Language names the language of a file by its name, its extension and the first bytes of
// its text, in this order; "" where it is not known. head may be nil: then a file is known
// by its name only, and a .h file is C.
//
// These have a grammar: bash c cpp csharp css cue dockerfile elixir elm go
// groovy hcl html java javascript kotlin lua markdown ocaml php protobuf python
// ruby rust scala sql svelte swift toml tsx typescript yaml. JSX is javascript.
func Language(name string, head []byte) string {
	base := path.Base(name)
	if l := languageByName(base); l != "" {
		return l
	}
	_, ext := cutExt(base)
	lower := strings.ToLower(ext)
	switch {
	case lower == ".h":
		return headerLanguage(head)
	case lower == ".m":
		if len(head) == 0 || objcText.Match(first(head)) {
			return "objc"
		}
		return "matlab"
	case ext == ".C" || ext == ".H":
		return "cpp"
	case lower == ".ts" && bytes.HasPrefix(head, []byte("<?xml")):
		return "xml" // a translation of Qt
	}
	if l, ok := extensions[lower]; ok {
		return l
	}
	if l := languageByShebang(head); l != "" {
		return l
	}
	if ext == "" {
		switch strings.ToUpper(base) {
		case "README", "LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CONTRIBUTORS", "CHANGELOG", "CHANGES",
			"NEWS", "TODO", "INSTALL", "PATENTS", "MAINTAINERS", "CODEOWNERS":
			return "text"
		}
	}
	return ""
}

// IsText reports whether a language is one for people, tables or styles: nothing of code is
// named in it so that it runs, and it has no control flow.
func IsText(language string) bool {
	switch language {
	case "xml", "csv", "diff", "text", "markdown", "rst", "asciidoc", "org", "tex", "css", "scss", "less", "sass", "stylus":
		return true
	}
	return false
}

// IsData reports whether a language is one of settings and data, which may name code.
func IsData(language string) bool {
	switch language {
	case "json", "yaml", "toml", "ini":
		return true
	}
	return false
}

func languageByName(base string) string {
	switch base {
	case "Dockerfile", "Containerfile", "dockerfile":
		return "dockerfile"
	case "Makefile", "makefile", "GNUmakefile", "Kbuild", "BSDmakefile":
		return "make"
	case "CMakeLists.txt":
		return "cmake"
	case "Jenkinsfile":
		return "groovy"
	case "Gemfile", "Rakefile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Appfile", "Brewfile", "Capfile", "Dangerfile", "config.ru":
		return "ruby"
	case "BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", "Tiltfile", "SConstruct", "SConscript", "wscript":
		return "python" // Starlark is close enough
	case "go.mod", "go.work":
		return "gomod"
	case "Cargo.lock", "Pipfile", "poetry.lock", "uv.lock", "Gopkg.lock":
		return "toml"
	case ".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", "PKGBUILD", "APKBUILD", "bashrc", "zshrc":
		return "bash"
	case ".clang-format", ".clang-tidy", ".clangd":
		return "yaml"
	case ".babelrc", ".eslintrc", ".prettierrc", ".swcrc", ".jshintrc", "composer.lock", ".watchmanconfig":
		return "json"
	case ".editorconfig", ".gitconfig", ".gitmodules", ".flake8", ".pylintrc", "pylintrc", ".coveragerc", ".npmrc":
		return "ini"
	case ".vimrc", "vimrc", ".gvimrc":
		return "vim"
	case ".emacs", "Cask":
		return "lisp"
	case "meson.build", "meson_options.txt":
		return "meson"
	case ".Rprofile":
		return "r"
	case "rebar.config":
		return "erlang"
	case "dune", "dune-project":
		return "lisp"
	}
	switch {
	case strings.HasPrefix(base, "Dockerfile.") || strings.HasPrefix(base, "Containerfile."):
		return "dockerfile"
	case strings.HasPrefix(base, "Jenkinsfile.") || strings.HasPrefix(base, "Jenkinsfile-"):
		return "groovy"
	case strings.HasPrefix(base, "Makefile."):
		return "make"
	}
	return ""
}

// extensions maps a lower-case extension to its language.
var extensions = map[string]string{
	".bash": "bash", ".sh": "bash", ".zsh": "bash", ".ksh": "bash", ".bats": "bash", ".ebuild": "bash", ".command": "bash",
	".c": "c", ".cl": "c",
	".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".c++": "cpp", ".hpp": "cpp", ".hh": "cpp", ".hxx": "cpp", ".h++": "cpp",
	".ipp": "cpp", ".inl": "cpp", ".tcc": "cpp", ".txx": "cpp", ".cppm": "cpp", ".ixx": "cpp", ".cu": "cpp", ".cuh": "cpp", ".ino": "cpp",
	".cs": "csharp", ".csx": "csharp", ".cake": "csharp",
	".css": "css", ".scss": "scss", ".sass": "sass", ".less": "less", ".styl": "stylus",
	".cue":        "cue",
	".dockerfile": "dockerfile", ".containerfile": "dockerfile",
	".ex": "elixir", ".exs": "elixir",
	".elm": "elm",
	".go":  "go",
	".gvy": "groovy", ".groovy": "groovy", ".gradle": "groovy", ".jenkinsfile": "groovy",
	".hcl": "hcl", ".tf": "hcl", ".tfvars": "hcl", ".nomad": "hcl", ".tofu": "hcl",
	".html": "html", ".htm": "html", ".xhtml": "html", ".gohtml": "html",
	".java": "java",
	".js":   "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".es6": "javascript",
	".kt": "kotlin", ".kts": "kotlin",
	".lua": "lua", ".luau": "lua", ".rockspec": "lua",
	".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".mdown": "markdown", ".mkd": "markdown", ".qmd": "markdown", ".rmd": "markdown",
	".ml": "ocaml", ".mli": "ocaml",
	".php": "php", ".phtml": "php", ".php3": "php", ".php4": "php", ".php5": "php", ".phps": "php",
	".proto": "protobuf",
	".py":    "python", ".pyi": "python", ".pyw": "python", ".pyx": "python", ".pxd": "python", ".bzl": "python", ".star": "python",
	".rb": "ruby", ".rake": "ruby", ".gemspec": "ruby", ".podspec": "ruby", ".ru": "ruby", ".rbi": "ruby",
	".rs": "rust",
	".sc": "scala", ".scala": "scala", ".sbt": "scala",
	".sql": "sql", ".ddl": "sql", ".dml": "sql", ".psql": "sql", ".pgsql": "sql",
	".svelte": "svelte",
	".swift":  "swift",
	".toml":   "toml",
	".ts":     "typescript", ".mts": "typescript", ".cts": "typescript",
	".tsx":  "tsx",
	".yaml": "yaml", ".yml": "yaml",

	".asm": "assembly", ".s": "assembly", ".nasm": "assembly",
	".awk": "awk", ".gawk": "awk",
	".bat": "batch", ".cmd": "batch",
	".clj": "clojure", ".cljs": "clojure", ".cljc": "clojure", ".edn": "clojure",
	".cmake": "cmake",
	".cob":   "cobol", ".cbl": "cobol", ".cpy": "cobol",
	".coffee": "coffeescript",
	".cr":     "crystal",
	".csv":    "csv", ".tsv": "csv",
	".d": "d", ".di": "d",
	".dart": "dart",
	".diff": "diff", ".patch": "diff",
	".erl": "erlang", ".hrl": "erlang",
	".f": "fortran", ".for": "fortran", ".f77": "fortran", ".f90": "fortran", ".f95": "fortran", ".f03": "fortran", ".f08": "fortran",
	".fs": "fsharp", ".fsi": "fsharp", ".fsx": "fsharp",
	".gd":      "gdscript",
	".gleam":   "gleam",
	".graphql": "graphql", ".gql": "graphql", ".graphqls": "graphql",
	".hs": "haskell", ".lhs": "haskell", ".hsc": "haskell",
	".ini": "ini", ".cfg": "ini", ".conf": "ini", ".properties": "ini", ".desktop": "ini", ".service": "ini",
	".jl":   "julia",
	".json": "json", ".jsonc": "json", ".json5": "json", ".jsonl": "json", ".ndjson": "json", ".webmanifest": "json", ".geojson": "json", ".ipynb": "json",
	".lisp": "lisp", ".lsp": "lisp", ".el": "lisp",
	".mk": "make", ".mak": "make",
	".mm":  "objc",
	".nim": "nim", ".nims": "nim",
	".nix": "nix",
	".pas": "pascal", ".dpr": "pascal",
	".pp": "puppet",
	".pl": "perl", ".pm": "perl", ".t": "perl", ".pod": "perl",
	".ps1": "powershell", ".psm1": "powershell", ".psd1": "powershell",
	".r":   "r",
	".rkt": "scheme", ".scm": "scheme", ".ss": "scheme", ".sld": "scheme",
	".rst": "rst", ".adoc": "asciidoc", ".asciidoc": "asciidoc", ".org": "org", ".tex": "tex", ".bib": "tex",
	".sol": "solidity",
	".tcl": "tcl", ".tk": "tcl",
	".thrift": "thrift",
	".txt":    "text", ".text": "text", ".log": "text",
	".v": "verilog", ".sv": "verilog", ".svh": "verilog", ".vh": "verilog", ".vhd": "vhdl", ".vhdl": "vhdl",
	".vb":  "vb",
	".vim": "vim",
	".vue": "vue", ".astro": "astro",
	".wat": "wasm", ".wast": "wasm", ".wit": "wit",
	".xml": "xml", ".xsd": "xml", ".xsl": "xml", ".xslt": "xml", ".svg": "xml", ".plist": "xml", ".csproj": "xml", ".fsproj": "xml",
	".vbproj": "xml", ".props": "xml", ".targets": "xml", ".resx": "xml", ".xaml": "xml", ".pom": "xml", ".nuspec": "xml", ".wsdl": "xml",
	".zig": "zig", ".zon": "zig",
}

// Languages returns all that Language can answer, sorted.
func Languages() []string {
	list := []string{"gomod", "matlab", "meson"} // those without an extension of their own
	for _, l := range extensions {
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	slices.Sort(list)
	return list
}

// Licences, and the settings of a library that is one header, can be long at the head of one.
const headBytes = 64 << 10

func first(head []byte) []byte { return head[:min(len(head), headBytes)] }

var (
	objcText = regexp.MustCompile(`(?m)^\s*(@interface|@implementation|@protocol|@class|@import|#import)\b`)
	cppText  = regexp.MustCompile(`(?m)^\s*(` +
		`(enum\s+)?class\s+[\w:]+(\s*<[^>]*>)?(\s+final)?\s*([:{;]|$)|` +
		`(inline\s+)?namespace(\s+[\w:]+)?\s*(\{|$)|` +
		`template\s*<|using\s+[\w:]+|(public|private|protected)\s*:|constexpr\s)` +
		`|\bstd::\w|#\s*include\s*<(algorithm|array|atomic|functional|iostream|map|memory|string|string_view|utility|vector)>`)
)

// Words without which the expressions match nothing: most headers have none, and the
// expressions, which are tried at each line, took a twentieth of building an index of C.
var (
	objcWords = []string{"@interface", "@implementation", "@protocol", "@class", "@import", "#import"}
	cppWords  = []string{"class", "namespace", "template", "using", "public", "private", "protected", "constexpr", "std::",
		"<algorithm>", "<array>", "<atomic>", "<functional>", "<iostream>", "<map>", "<memory>", "<string>", "<string_view>",
		"<utility>", "<vector>"}
)

func headerLanguage(head []byte) string {
	head = first(head)
	switch {
	case hasAny(head, objcWords) && objcText.Match(head):
		return "objc"
	case hasAny(head, cppWords) && cppText.Match(head):
		return "cpp"
	}
	return "c"
}

func hasAny(text []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
}

// languageByShebang reads the interpreter in a first line "#!...".
func languageByShebang(head []byte) string {
	line, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return ""
	}
	line, _, _ = bytes.Cut(line[:min(len(line), 256)], []byte("\n"))
	for i, word := range strings.Fields(string(line)) {
		word = path.Base(word)
		if word == "env" || i > 0 && (strings.HasPrefix(word, "-") || strings.Contains(word, "=")) {
			continue
		}
		return languageByInterpreter(strings.TrimRight(word, "0123456789.-"))
	}
	return ""
}

func languageByInterpreter(name string) string {
	switch name {
	case "sh", "bash", "zsh", "ksh", "dash", "ash", "mksh", "bats", "openrc-run":
		return "bash"
	case "python", "pypy", "ipython":
		return "python"
	case "node", "nodejs", "bun", "qjs":
		return "javascript"
	case "deno", "ts-node", "tsx":
		return "typescript"
	case "ruby", "jruby", "rake", "macruby":
		return "ruby"
	case "perl", "php", "groovy", "scala", "swift", "elixir", "ocaml", "julia", "crystal", "nim", "dart":
		return name
	case "lua", "luajit", "texlua":
		return "lua"
	case "kotlin", "kotlinc":
		return "kotlin"
	case "Rscript":
		return "r"
	case "awk", "gawk", "mawk", "nawk":
		return "awk"
	case "tclsh", "wish", "expect":
		return "tcl"
	case "make", "gmake":
		return "make"
	case "runhaskell", "runghc", "stack":
		return "haskell"
	case "escript":
		return "erlang"
	case "pwsh", "powershell":
		return "powershell"
	case "guile", "racket", "scheme":
		return "scheme"
	case "sbcl", "clisp", "emacs":
		return "lisp"
	case "clojure", "bb":
		return "clojure"
	case "nix-shell":
		return "nix"
	case "rust-script":
		return "rust"
	}
	return ""
}
