package convention

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Packages say what others import: what is exported there may have users outside of the index.
type Packages struct {
	of      map[string]map[string]bool // by family, and by folder: it is a library
	begins  map[string]bool            // folders of Go with a function main; a package main without one is loaded by a program
	plain   map[string]bool            // folders of Go with another package, which others can import
	started map[string]bool            // families that have something which is run
	bundles map[string]bool            // folders of Python that are imported as packages
	Made    map[string]string          // by family, the file that says that code which is made is not kept
	scripts bool                       // a file of Python that is in none of them is run
}

// application finds what Maven and Gradle build to be run.
var application = regexp.MustCompile(`<packaging>war|spring-boot-maven-plugin|\b(?:id|plugin:)\W{1,3}(?:org\.springframework\.boot|com\.android\.application|application)["'\x60]|\x60application\x60`)

// left finds the patterns of files that are made by programs among those that are not kept.
var left = regexp.MustCompile(`(?m)^[^#!\n]*(?:(?i:generated|autogen|_pb2)[\w*.-]*\.|\.(?:pb|g)\.|[._-]gen\.|_string\.)(\w+)[ \t]*\r?$`)

// extensions are the families of languages by the names of their files.
var extensions = map[string]string{"c": "c", "cc": "c", "cpp": "c", "h": "c", "hpp": "c", "cs": "csharp", "go": "go", "java": "jvm", "kt": "jvm",
	"js": "javascript", "ts": "javascript", "php": "php", "py": "python", "rb": "ruby", "rs": "rust"}

// publishes finds what has others import what Gradle builds.
var publishes = regexp.MustCompile(`maven-publish|\bmavenPublish|\bpublishing\s*\{|maven\.publish|\bjava-library\b`)

// packaged finds builds of sbt that make a program.
var packaged = regexp.MustCompile(`\bmainClass\b|AppPackaging\b|\bPlayScala\b|\bPlayJava\b|assembly\w*JarName`)

// NewPackages returns packages of which nothing has been read.
func NewPackages() *Packages {
	return &Packages{of: map[string]map[string]bool{}, begins: map[string]bool{}, plain: map[string]bool{}, started: map[string]bool{}, bundles: map[string]bool{}, Made: map[string]string{}}
}

// Read takes what a file says, be it a description of a package or code of a family. has reports whether
// the index has a file.
func (k *Packages) Read(r *store.Record, family string, has func(file string) bool) {
	dir := path.Dir(r.Path)
	switch name := path.Base(r.Path); {
	case name == ".gitignore":
		for _, m := range left.FindAllSubmatch(r.Text.All(), -1) {
			if family := extensions[string(m[1])]; k.Made[family] == "" {
				k.Made[family] = r.Path
			}
		}
	case name == "package.json":
		k.set("javascript", dir, published(r))
	case name == "pyproject.toml", name == "setup.py", name == "setup.cfg":
		text := r.Text.All()
		if is := name == "setup.py" || bytes.Contains(text, []byte("[project]")) || bytes.Contains(text, []byte("[tool.poetry]")) || bytes.Contains(text, []byte("[metadata]")); is || !k.of["python"][dir] {
			k.set("python", dir, is || k.of["python"][dir])
		}
	case name == "Cargo.toml":
		k.set("rust", dir, has(path.Join(dir, "src/lib.rs")) || bytes.Contains(r.Text.All(), []byte("[lib]")))
	case name == "pom.xml", name == "pom.xml.template", name == "build.gradle", name == "build.gradle.kts":
		text := r.Text.All()
		k.set("jvm", dir, !application.Match(text) || publishes.Match(text))
	case strings.HasSuffix(name, ".sbt"):
		if text := r.Text.All(); path.Dir(dir) == "." || !k.of["jvm"][dir] {
			k.set("jvm", dir, !packaged.Match(text))
		}
	case strings.HasSuffix(name, ".csproj"):
		text := r.Text.All()
		k.set("csharp", dir, k.of["csharp"][dir] || !bytes.Contains(text, []byte("Exe</OutputType>")) && !bytes.Contains(text, []byte("Sdk.Web")))
	case name == "composer.json":
		k.set("php", dir, !bytes.Contains(bytes.ReplaceAll(r.Text.All(), []byte(" "), nil), []byte(`"type":"project"`)))
	case strings.HasSuffix(name, ".gemspec"):
		k.set("ruby", dir, true)
	case name == "CMakeLists.txt" || name == "Makefile.am" || name == "meson.build":
		text := r.Text.All()
		if bytes.Contains(text, []byte("add_library")) || bytes.Contains(text, []byte("LTLIBRARIES")) || bytes.Contains(text, []byte("library(")) { // something is built to be linked with
			k.set("c", ".", true)
		}
	}
	if family == "python" {
		in := has(path.Join(dir, "__init__.py"))
		k.bundles[dir] = in
		k.scripts = k.scripts || !in && !r.Traits.Test && !r.Traits.Example && bytes.Contains(r.Text.All(), []byte("__main__"))
	}
	if family == "go" && !strings.HasSuffix(r.Path, "_test.go") { // next to a package may be what is built with a tag alone
		if mainPackage(r.Text.Slice(0, 8<<10)) {
			k.begins[dir] = k.begins[dir] || bytes.Contains(r.Text.All(), []byte("\nfunc main("))
		} else {
			k.plain[dir] = true
		}
	}
}

// Starts takes a symbol, which may be run.
func (k *Packages) Starts(one *Symbol) {
	if one.Flags&ir.Entry != 0 && !one.Test && !one.Record.Traits.Example && !RunByItself(one.Record.Path) {
		k.started[Family(one.Record.Lang)] = true
	}
}

func (k *Packages) set(family, dir string, library bool) {
	if k.of[family] == nil {
		k.of[family] = map[string]bool{}
	}
	k.of[family][dir] = library
}

// published reports whether a package.json says that others import the package.
func published(r *store.Record) bool {
	var about struct {
		Private                        bool
		Main, Module, Exports, Browser any
		Types, Typings                 string
	}
	if json.Unmarshal(r.Text.All(), &about) != nil {
		return true
	}
	return about.Main != nil || about.Module != nil || about.Exports != nil || about.Types != "" || about.Typings != "" || !about.Private && about.Browser != nil
}

func mainPackage(src []byte) bool {
	return bytes.HasPrefix(src, []byte("package main\n")) || bytes.Contains(src, []byte("\npackage main\n"))
}

// Library reports whether others import what a file exports.
func (k *Packages) Library(file, family string) bool {
	dir := path.Dir(file)
	if family == "go" {
		return (k.plain[dir] || !k.begins[dir]) && !strings.Contains("/"+dir+"/", "/internal/")
	}
	if family == "rust" && (path.Base(file) == "main.rs" || strings.Contains("/"+dir+"/", "/src/bin/")) {
		return false
	}
	for at := dir; ; at = path.Dir(at) {
		if is, ok := k.of[family][at]; ok {
			return is
		}
		if at == "." || at == "/" {
			break
		}
	}
	switch family {
	case "python": // what is installed is without its description
		return k.bundles[dir] && !k.scripts
	case "javascript", "ruby", "php":
		return false // a folder of scripts
	}
	return !k.started[family]
}

// Program reports whether a description says of the package of a file itself that it makes a program. One of a folder
// above may say so of another of its packages.
func (k *Packages) Program(file, family string) bool {
	for at := path.Dir(file); ; at = path.Dir(at) {
		if library, ok := k.of[family][at]; ok {
			own, _, within := strings.Cut("/"+file, "/src/")
			return !library && (family != "jvm" || !within || own == strings.TrimSuffix("/"+at, "/."))
		}
		if at == "." || at == "/" {
			return false
		}
	}
}
