package diagnostics

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// An importer says what is wrong with an import of a language: "" where it leads to something of the
// index, or need not.
type importer func(p *project, s *text, f *ir.File, i *ir.ImportInfo) string

// importers are those of the languages whose imports are looked at.
var importers = map[string]importer{
	"c":          includes,
	"cpp":        includes,
	"go":         importsGo,
	"java":       importsNamed,
	"javascript": importsScript,
	"kotlin":     importsNamed,
	"php":        importsPHP,
	"python":     importsPython,
	"ruby":       importsRuby,
	"rust":       importsRust,
	"tsx":        importsScript,
	"typescript": importsScript,
}

// imports returns the imports of a file that should lead to something of the index, and do not.
func (l *look) imports(s *text) (found []Finding) {
	find := importers[s.record.Lang]
	f := l.project().lowered(s.record.Path)
	if f == nil {
		return nil
	}
	said := map[string]bool{}
	for i := 1; i < len(f.Imports); i++ {
		info := &f.Imports[i]
		why := find(l.project(), s, f, info)
		at := s.offset(info.Pos)
		if key := fmt.Sprint(info.Pos.Line(), why); why == "" || said[key] || s.excused(at) {
			continue
		} else {
			said[key] = true
		}
		end := at
		for end < len(s.src) && s.src[end] != '\n' {
			end++
		}
		found = append(found, s.finding(UnresolvedImport, Error, Likely, at, end, "%s", why))
	}
	return found
}

// expected is in lines that go on where an import or a name fails.
var expected = regexp.MustCompile(`(?i)throws?\b|raises?\b|reject|expect|assert|mock|suppress|\btry\b|rescue|file_exists|is_file|is_readable|\bexists?\b|defined\(|has_include|eslint-disable|@ts-|type: *ignore|noqa|pragma|nolint`)

// asks is in conditions that ask whether something is there.
var asks = regexp.MustCompile(`(?i)import|exist|is_file|defined|require|module|errors?\b|exception`)

// remark is in lines before those that a tool shall not report.
var remark = regexp.MustCompile(`@ts-|eslint-disable|noqa|nolint|@phpstan|@psalm`)

// excused reports whether what stands at an offset may fail: in a block that handles errors, below a
// condition that asks whether it is there, in a test of what happens then.
func (s *text) excused(at int) bool {
	line := s.line(at)
	if n, _ := s.place(at); expected.Match(line) || n > 1 && remark.Match(s.line(s.lines[n-2])) {
		return true
	}
	for _, n := range s.above(at) {
		start, end := s.tree.Start(n), s.tree.End(n)
		head := s.src[start:min(end, start+200)]
		switch kind := s.tree.Kind(n); kind {
		case "try_statement", "try_expression", "catch_clause", "begin", "rescue", "with_statement", "rescue_modifier", "rescue_body":
			return true
		case "if_statement", "if", "unless", "if_modifier", "unless_modifier", "conditional_expression", "ternary_expression":
			cond := s.src[start:at]
			if brace := strings.IndexAny(string(head), "{\n"); brace > 0 && start+brace < at && kind != "if_modifier" {
				cond = head[:brace]
			}
			if kind == "if_modifier" || kind == "unless_modifier" {
				cond = s.src[at:end]
			}
			if asks.Match(cond) || s.record.Lang == "ruby" || s.record.Lang == "php" {
				return true
			}
		case "call_expression", "call", "function_call_expression", "macro_invocation":
			if open := strings.IndexByte(string(head), '('); open > 0 && expected.Match(head[:open]) {
				return true
			}
		case "preproc_if", "preproc_ifdef", "preproc_elif", "preproc_else", "preproc_elifdef":
			if start > 0 && !s.guards(n) {
				return true
			}
		}
	}
	return false
}

// guards reports whether a condition of the preprocessor only keeps a header from being read twice.
func (s *text) guards(n syntax.Node) bool {
	name := s.tree.Text(s.tree.Child(n, "name"))
	return name != "" && strings.HasPrefix(string(s.src[s.tree.Start(n):]), "#ifndef") &&
		regexp.MustCompile(`(?m)^\s*#\s*define\s+`+regexp.QuoteMeta(name)+`\s*(1\s*)?$`).Match(s.src[s.tree.Start(n):s.tree.End(n)])
}

// above returns the nodes around an offset, the root first.
func (s *text) above(at int) (list []syntax.Node) {
	n := s.tree.Root()
	for n != 0 {
		list = append(list, n)
		next := syntax.Node(0)
		for c := range s.tree.Children(n) {
			if s.tree.Start(c) <= at && at < s.tree.End(c) {
				next = c
				break
			}
		}
		n = next
	}
	return list
}

// line returns the line that an offset is in.
func (s *text) line(at int) []byte {
	n, _ := s.place(at)
	end := len(s.src)
	if n < len(s.lines) {
		end = s.lines[n]
	}
	return s.src[s.lines[n-1]:end]
}

// offset is where a place of the lowered form is in the text.
func (s *text) offset(p ir.Pos) int {
	s.place(0)
	if n := p.Line(); n >= 1 && n <= len(s.lines) {
		return min(s.lines[n-1]+max(p.Column(), 1)-1, max(len(s.src)-1, 0))
	}
	return 0
}

// importsScript looks at what begins with a dot, and at names that its module does not export.
func importsScript(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	spec := f.String(i.Module)
	if !strings.HasPrefix(spec, "./") && !strings.HasPrefix(spec, "../") && spec != "." && spec != ".." || strings.ContainsAny(spec, "!*$<>{") {
		return ""
	}
	plain, _, _ := strings.Cut(spec, "?")
	at := path.Join(source.Dir(s.record.Path), plain)
	if at == ".." || strings.HasPrefix(at, "../") {
		return ""
	}
	target := p.script(at)
	if target == "" && !p.scriptThere(at) {
		if bundled.Match(s.src) || p.makes("rootDirs") { // modules in one file, with names of their own
			return ""
		}
		return fmt.Sprintf("there is no file for the import of %q", spec)
	}
	name := f.String(i.Name)
	if target == "" || plain != spec || name == "" || name == "*" || name == "=" {
		return ""
	}
	if has, known := p.scriptExports(target, name, 0); has || !known {
		return ""
	}
	if name == "default" {
		return fmt.Sprintf("%s has no default export", target)
	}
	return fmt.Sprintf("%s does not export %s", target, name)
}

// script is the file of JavaScript or TypeScript that the path of an import means, "": none is known.
func (p *project) script(at string) string {
	found := graph.ScriptAt("", at, func(q string) bool { return p.files[q] != nil })
	if r := p.files[found]; r == nil || !scripts[r.Lang] {
		return ""
	}
	return found
}

var scripts = map[string]bool{"javascript": true, "tsx": true, "typescript": true}

// scriptThere reports whether the path of an import may mean something.
func (p *project) scriptThere(at string) bool {
	dir, base := source.Dir(at), path.Base(at)
	if p.folder(at) && at != "" {
		if p.begins(at, "index.") || p.begins(at, "package.json") {
			return true
		}
	} else if p.there(at) {
		return true
	}
	if p.begins(dir, base+".") {
		return true
	}
	if ext := path.Ext(base); writtenFor[ext] && p.begins(dir, strings.TrimSuffix(base, ext)+".") {
		return true
	}
	for _, ext := range []string{".js", ".ts", ".json", ".d.ts", ".mjs"} {
		if q := at + ext; p.view.Exists(q) || p.view.Ignored(q, false) {
			return true
		}
	}
	return p.makes(strings.Trim(path.Join(path.Base(dir), base), "./"))
}

// writtenFor are the ends of paths of imports that may be written for a file with another one.
var writtenFor = words(".js .jsx .mjs .cjs .ts .css .scss .less .json .vue .svelte")

var bundled = regexp.MustCompile(`\bfunction\s*\w*\(\s*(_dereq_|require)\b|\(\s*(_dereq_|require)\s*,|\brequire\s*=|\bfunction\s+require\b`)

// openScript finds modules whose exports are not all known.
var openScript = regexp.MustCompile(`\bmodule\.exports\b|\bexports[.\[]|\bdefine\(|\bexport\s*=|\bexport\s+as\s+namespace\b|\bexport\s+import\b|\bdeclare\s+module\b|@flow\b|\bObject\.defineProperty\(exports`)

// scriptExports reports whether a module exports a name, and whether all of its exports are known.
func (p *project) scriptExports(at, name string, depth int) (has, known bool) {
	u := p.unit(at)
	if u == nil || depth > 12 {
		return false, false
	}
	if u.exports[name] {
		return true, true
	}
	r := p.files[at]
	if p.once("open script "+at, func() bool { return openScript.Match(r.Text.All()) }) || len(u.exports) == 0 && !strings.Contains(string(r.Text.All()), "export") || r.Traits.Declaration {
		return false, false
	}
	if regexp.MustCompile(`\bexport\b[^;]*?[\s{,]` + regexp.QuoteMeta(name) + `\b`).Match(r.Text.All()) {
		return true, true
	}
	if name == "default" {
		return false, true
	}
	for _, spec := range u.stars {
		next := ""
		if strings.HasPrefix(spec, ".") {
			next = p.script(path.Join(source.Dir(at), spec))
		}
		if next == "" {
			return false, false
		}
		if has, known := p.scriptExports(next, name, depth+1); has || !known {
			return has, known
		}
	}
	return false, true
}

// importsRuby looks at require_relative.
func importsRuby(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	spec := f.String(i.Module)
	if !strings.HasPrefix(spec, ".") || !strings.Contains(string(s.line(s.offset(i.Pos))), "require_relative") {
		return ""
	}
	at := path.Join(source.Dir(s.record.Path), spec)
	if strings.HasPrefix(at, "..") || p.there(at) && !p.folder(at) || p.view.Exists(at+".rb") || p.begins(source.Dir(at), path.Base(at)+".") ||
		p.view.Ignored(at+".rb", false) || p.makes(path.Base(at)) {
		return ""
	}
	return fmt.Sprintf("there is no file for require_relative %q", strings.TrimPrefix(spec, "./"))
}

var beside = regexp.MustCompile(`__DIR__|__FILE__`)

// importsPHP looks at files that are included next to a file, and at classes of namespaces of the
// index.
func importsPHP(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	if i.Flags&ir.Include == 0 {
		return importsNamed(p, s, f, i)
	}
	spec := f.String(i.Module)
	at := path.Join(source.Dir(s.record.Path), spec)
	line := s.line(s.offset(i.Pos))
	if strings.HasPrefix(at, "..") || strings.Contains("/"+spec, "/vendor/") || strings.ContainsRune(string(line), '@') {
		return ""
	}
	if p.there(at) || p.makes(path.Base(at)) || !beside.Match(line) && p.bases[path.Base(at)] {
		return ""
	}
	return fmt.Sprintf("there is no file for the include of %q", strings.TrimPrefix(spec, "./"))
}

// includes looks at what is included in quotes: some file must have its name.
func includes(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	spec := f.String(i.Module)
	if i.Flags&ir.Include == 0 || i.Flags&ir.System != 0 || strings.HasPrefix(spec, "/") {
		return ""
	}
	base := path.Base(spec)
	stem := strings.TrimSuffix(base, path.Ext(base))
	at := path.Join(source.Dir(s.record.Path), spec)
	if p.bases[base] || strings.HasPrefix(at, "..") || p.there(at) || libraryHeaders[base] || system.MatchString(s.record.Path) {
		return ""
	}
	if dir := source.Dir(strings.TrimLeft(path.Clean(spec), "./")); dir != "" { // that of a library is not in the index
		if !p.headers(dir) {
			return ""
		}
	}
	for name := range p.bases { // config.h.in, parser.y
		if ext, ok := strings.CutPrefix(name, stem); ok && len(ext) > 0 && ext[0] == '.' && !sources[ext] || strings.HasPrefix(name, base+".") {
			return ""
		}
	}
	if p.makes(base) || p.makes(stem) && !p.makes(stem+".c") && !p.makes(stem+".cc") && !p.makes(stem+".cpp") && !p.makes(stem+".o") {
		return ""
	}
	return fmt.Sprintf("no file is called as the include of %q", spec)
}

// system finds files that only some system compiles, whose headers are not in the index.
var system = regexp.MustCompile(`(?i)win(32|64|dows|nt|ce)?[_.\-/]|[_\-/]win|msvc|mingw|cygwin|macos|darwin|osx|solaris|android|symbian|compat/`)

// headers reports whether a folder whose path ends with another one has headers.
func (p *project) headers(dir string) bool {
	for at, names := range p.folders {
		if (at == dir || strings.HasSuffix(at, "/"+dir)) && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(path.Ext(name), ".h") }) {
			return true
		}
	}
	return false
}

// sources are the ends of files of C and C++ that nothing is made of.
var sources = map[string]bool{".c": true, ".cc": true, ".cpp": true, ".cxx": true, ".h": true, ".hh": true, ".hpp": true, ".m": true, ".mm": true, ".o": true, ".md": true, ".txt": true, ".rst": true, ".adoc": true}

// libraryHeaders are headers of systems and libraries that are often written in quotes.
var libraryHeaders = words(`
alloca.h arpa/inet.h assert.h ctype.h curl.h curses.h dirent.h dlfcn.h errno.h fcntl.h float.h getopt.h glob.h iconv.h inttypes.h limits.h locale.h
lua.h lauxlib.h lualib.h lua.hpp luaconf.h malloc.h math.h memory.h ncurses.h netdb.h poll.h pthread.h pwd.h regex.h sched.h setjmp.h signal.h
stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h syslog.h termios.h time.h unistd.h utime.h wchar.h wctype.h windows.h winsock2.h
Python.h jni.h jvmti.h ruby.h php.h perl.h EXTERN.h XSUB.h node.h nan.h v8.h uv.h zlib.h bzlib.h lzma.h zstd.h lz4.h png.h jpeglib.h sqlite3.h expat.h openssl.h
SDL.h GL.h glew.h glfw3.h vulkan.h cuda.h cuda_runtime.h mpi.h omp.h gtest.h gmock.h catch.hpp doctest.h unity.h CUnit.h check.h benchmark.h yaml.h json.h event.h ev.h
config.h version.h Arduino.h FreeRTOS.h stm32f4xx.h resource.h targetver.h stdafx.h pch.h`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
