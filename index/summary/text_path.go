package summary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// endings are those of files of source, text and settings. A name with another one is not
// taken for a path.
var endings = wordSet(`go py pyi ipynb ts tsx js jsx mjs cjs java kt kts scala rb rs c cc cpp cxx h hpp hh cs php
	swift lua pl sh bash zsh ps1 sql proto graphql html htm css scss less vue svelte md rst txt json jsonl yaml yml toml ini
	cfg conf env xml csv tf hcl cue ex exs erl hs ml zig dart mod sum lock gradle log scm groovy cmake mk bzl feature snap`)

// products are names that only look like files.
var products = wordSet(`node.js next.js vue.js react.js express.js three.js d3.js nuxt.js ember.js backbone.js angular.js
	moment.js p5.js chart.js discord.js alpine.js nest.js deno.js bun.js require.js ml.net`)

// bareFiles are files without an ending.
var bareFiles = [...]string{"Makefile", "Dockerfile", "Jenkinsfile", "Rakefile", "Gemfile"}

// longestEnding and longestPath bound what is looked at around a point, in bytes.
const (
	longestEnding = 8
	longestPath   = 512
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

var aloneCut = whenUsed("^(?:[Ff]ile(?:name)?:|//|[=#*<>\\[(`\"'\\s+-])*|[=#*<>\\])`\"':\\s-]*$")

// A found is a path in a text, and where it stands.
type found struct {
	path       string
	start, end int
}

// pathsIn finds the paths in a text, in its order. It is written by hand: a pattern for
// paths takes a second for a megabyte.
func pathsIn(text string) []found {
	var all []found
	least := 0 // where the next path can begin
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '.')
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		end := at
		for end < len(text) && end-at <= longestEnding && isPlain(text[end]) {
			end++
		}
		if !endings[strings.ToLower(text[at:end])] {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(text[end:]); isWord(next) || next == '/' || next == '\\' || next == '-' {
			continue
		}
		start := pathStart(text, max(least, i-longestPath), i)
		at, least = end, end
		// What is left of it is a name, and no address.
		name := text[start:end]
		stem := name[strings.LastIndexAny(name, `/\`)+1:]
		if len(stem) == end-i || strings.HasPrefix(name, "//") || products[strings.ToLower(name)] {
			continue
		}
		all = append(all, found{clean(name), start, end})
	}
	for _, name := range bareFiles {
		for at := 0; ; {
			i := strings.Index(text[at:], name)
			if i < 0 {
				break
			}
			end := at + i + len(name)
			next, _ := utf8.DecodeRuneInString(text[end:])
			start := pathStart(text, max(at, at+i-longestPath), at+i)
			if !isWord(next) && next != '.' && next != '/' && (start == at+i || text[at+i-1] == '/') && !strings.HasPrefix(text[start:], "//") {
				all = append(all, found{clean(text[start:end]), start, end})
			}
			at = end
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.start - b.start })
	return all
}

// pathStart returns where the path begins that has a byte at end, not before least.
func pathStart(text string, least, end int) int {
	start := end
	for start > least {
		r, n := utf8.DecodeLastRuneInString(text[least:start])
		if !isWord(r) && !strings.ContainsRune("@.~+-/\\", r) {
			break
		}
		start -= n
	}
	for start < end && (text[start] == '-' || text[start] == '+') {
		start++
	}
	return start
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// clean makes two ways to write a path one.
func clean(path string) string { return strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./") }

// filesIn returns the files that a text names, in the order in which it does. A name
// without its folders is not there next to the one path that ends in it.
func filesIn(text string) []string {
	var files []string
	seen := map[string]bool{}
	ends := map[string]int{} // paths by their last element
	for _, f := range pathsIn(text) {
		if seen[f.path] {
			continue
		}
		seen[f.path] = true
		files = append(files, f.path)
		if i := strings.LastIndexByte(f.path, '/'); i >= 0 {
			ends[f.path[i+1:]]++
		}
	}
	return slices.DeleteFunc(files, func(path string) bool { return !strings.Contains(path, "/") && ends[path] == 1 })
}

// pathAlone returns the path that a line consists of, but for what adorns it, as the
// line above a file's content does.
func pathAlone(line string) (string, bool) {
	if len(line) > 300 || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") {
		return "", false
	}
	text := aloneCut().ReplaceAllString(line, "")
	if text == "" || strings.ContainsAny(text, " \t") {
		return "", false
	}
	fs := pathsIn(text)
	if len(fs) != 1 || fs[0].start != 0 || fs[0].end != len(text) {
		return "", false
	}
	return fs[0].path, true
}

var (
	definition = whenUsed(`^[ \t+]*(?:export |default |public |private |protected |static |async |pub )*(?:def|func|function|fn)\s+(?:\([^)\n]*\)\s*)?([\p{L}_][\p{L}\p{N}_]*)\s*(?:\[[^\]\n]*\])?\(([^()\n]{0,80})\)`)
	noFunction = wordSet(`if for while switch return print println func function def fn catch super assert sizeof typeof len require
		import range string int panic and or not in is it select append make`)
)

const (
	// searchedForFunctions is how much of a text is, in bytes.
	searchedForFunctions = 256 << 10
	longestParameters    = 60 // bytes
)

// functionsIn returns the functions that the beginning of a text defines, with their
// parameters, or, where it defines none, those that it calls.
func functionsIn(text string) []string {
	text = text[:min(len(text), searchedForFunctions)]
	var out []string
	seen := map[string]bool{}
	add := func(name, parameters string) {
		if !seen[name] && !noFunction[name] && len(name) > 1 {
			seen[name] = true
			out = append(out, name+"("+strings.TrimSpace(parameters)+")")
		}
	}
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "(") || !strings.Contains(line, "f") { // of def, func and fn
			continue
		}
		if m := definition().FindStringSubmatch(line); m != nil {
			add(m[1], m[2])
		}
	}
	if len(out) > 0 {
		return out
	}
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '(')
		if i < 0 {
			return out
		}
		open := at + i
		start := open
		for start > at {
			r, n := utf8.DecodeLastRuneInString(text[at:start])
			if !isWord(r) && r != '.' {
				break
			}
			start -= n
		}
		at = open + 1
		close := strings.IndexAny(text[at:min(len(text), at+longestParameters)], "()\n")
		name := strings.TrimLeft(text[start:open], ".0123456789")
		if name == "" || close < 0 || text[at+close] != ')' || strings.Contains(name, "..") {
			continue
		}
		parameters := text[at : at+close]
		// The head of a commit, "fix(auth):", and git's "12 insertions(+)" call nothing.
		if strings.HasPrefix(text[at+close+1:], ":") || parameters == "+" || parameters == "-" {
			continue
		}
		add(name, parameters)
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
