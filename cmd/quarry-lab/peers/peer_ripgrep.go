package peers

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/measure"
)

// ripgrepPeer looks through all files each time. For questions it stands for what is done
// without an index: the words in any order, files with more different words first, then
// those with more lines.
func ripgrepPeer() peer {
	rg := func(p place, args ...string) step {
		return step{args: append(append([]string{"rg", "--no-config", "--no-heading", "-n", "--color=never"}, args...), p.root), none: 1}
	}
	return peer{
		name: "ripgrep", from: "ripgrep (crates.io, Debian)", programs: []string{"rg"}, version: []string{"--version"},
		remark: "no index: nothing to build, nothing to keep",
		search: func(p place, q query) step {
			if q.word {
				return rg(p, "-w", "-F", "-e", q.text)
			}
			return rg(p, "-e", q.text)
		},
		lines: lineCount,
		define: func(p place, name string) step {
			return rg(p, "-e", `\b(func|def|class|fn|function|type|struct)\b.*\b`+name+`\b`)
		},
		callers: func(p place, _, _, symbol string) step { return rg(p, "-e", `\b`+lastName(symbol)+`\(`) },
		called:  lineCallers,
		ask: func(p place, question string) step {
			args := []string{"-i", "-o", "-w"}
			for _, w := range questionWords(question) {
				args = append(args, "-e", w)
			}
			return rg(p, args...)
		},
		answer: rankedByWords,
	}
}

// questionWords are the words of a question that are longer than two letters, without
// those that say nothing.
func questionWords(question string) []string {
	words := strings.FieldsFunc(question, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 128
	})
	var all []string
	for _, w := range words {
		if len(w) > 2 && !slices.Contains([]string{"the", "and", "for", "are", "how", "where", "what", "does", "with", "from", "that"}, strings.ToLower(w)) {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return words
	}
	return all
}

// rankedByWords reads path:line:word.
func rankedByWords(p place, _ string, out []byte) []measure.Hit {
	type file struct {
		words map[string]int
		lines int
		first int
	}
	files := map[string]*file{}
	for line := range strings.Lines(string(out)) {
		path, n, word, ok := splitLine(strings.TrimRight(line, "\r\n"))
		if !ok {
			continue
		}
		f := files[path]
		if f == nil {
			f = &file{words: map[string]int{}, first: n}
			files[path] = f
		}
		f.words[strings.ToLower(word)]++
		f.lines++
	}
	names := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		x, y := files[a], files[b]
		return cmp.Or(len(y.words)-len(x.words), y.lines-x.lines, strings.Compare(a, b))
	})
	var hits []measure.Hit
	for _, name := range names[:min(len(names), measure.Depth)] {
		// It names a file, not a place in it: all its lines count.
		hits = append(hits, measure.Hit{File: p.relative(name), Line: 1, End: 1 << 30})
	}
	return hits
}

// splitLine takes path:line:rest apart.
func splitLine(line string) (path string, n int, rest string, ok bool) {
	path, rest, ok = strings.Cut(line, ":")
	if !ok {
		return "", 0, "", false
	}
	number, rest, ok := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	return path, n, rest, ok && err == nil
}
