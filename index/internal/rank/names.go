package rank

import (
	"path"
	"strings"
	"unicode/utf8"
)

// nameWords returns the folded parts of a name.
func nameWords(name string) []string {
	var words []string
	for part := range nameParts(name) {
		words = append(words, strings.ToLower(part))
	}
	return words
}

// nameParts calls yield for the parts of a name as they stand there: what lies
// between underscores, hyphens, dots, blanks, slashes and colons, cut at its
// camelCase boundaries. It allocates nothing for names in ASCII.
func nameParts(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(name) > 0 {
			run := name
			if i := strings.IndexAny(name, "_-. /:"); i >= 0 {
				run, name = name[:i], name[i+1:]
			} else {
				name = ""
			}
			for len(run) > 0 {
				n := caseEnd(run)
				if !yield(run[:n]) {
					return
				}
				run = run[n:]
			}
		}
	}
}

// caseEnd returns where the first part of a word ends: before a capital that
// follows a small letter, or that a small letter follows.
func caseEnd(word string) int {
	for i := 1; i < len(word); i++ {
		c := word[i]
		if c >= utf8.RuneSelf {
			return firstCase(word)
		}
		if isUpper(c) && (!isUpper(word[i-1]) || i+1 < len(word) && word[i+1] >= 'a' && word[i+1] <= 'z') {
			if strings.IndexFunc(word[:min(i+2, len(word))], func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
				return firstCase(word)
			}
			return i
		}
	}
	return len(word)
}

// firstCase is caseEnd of a word with other letters. What is not UTF-8, which only a
// damaged snapshot has, grows when it is cut.
func firstCase(word string) int { return min(len(splitCase(word)[0]), len(word)) }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// alike reports whether a folded word and part of a name are the same, whatever
// the part's case, or one begins the other over at least three letters.
func alike(word, part string) bool {
	n := min(len(word), len(part))
	if n < 3 && len(word) != len(part) {
		return false
	}
	for i := range n {
		c := part[i]
		if c >= utf8.RuneSelf {
			part = strings.ToLower(part)
			return word == part || n >= 3 && (strings.HasPrefix(word, part) || strings.HasPrefix(part, word))
		}
		if isUpper(c) {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// bears reports whether a part of a name is like a folded word.
func bears(name, word string) bool {
	for part := range nameParts(name) {
		if alike(word, part) {
			return true
		}
	}
	return false
}

// PathParts returns the name of a file without its extension, and its folders.
func PathParts(file string) (name, folders string) {
	if dir := path.Dir(file); dir != "." && dir != "/" {
		folders = dir
	}
	return stem(file), folders
}

// stem returns a file's name without folder and extension.
func stem(file string) string {
	base := path.Base(file)
	if i := strings.IndexByte(base, '.'); i > 0 {
		return base[:i]
	}
	return base
}

// unjoined takes out what joins the words of a name.
var unjoined = strings.NewReplacer("_", "", "-", "")

// sameName reports whether a file's stem is the name, by any convention:
// json_parser and JsonParser, user and users.
func sameName(stem, name string) bool {
	fold := func(s string) string {
		s = strings.ToLower(s)
		return strings.TrimSuffix(unjoined.Replace(s), "s")
	}
	return stem != "" && name != "" && fold(stem) == fold(name)
}

// DefinitionStrength returns how surely, in (0,1], a symbol is the one that a
// name means: types and functions before methods before the rest, the exact
// case before a folded one, exported before hidden, and, where the name was
// qualified, the right parent before any other.
func DefinitionStrength(kind string, exact, exported bool, qualifier, parent string) float64 {
	s := 1.0
	switch kind {
	case "class", "struct", "interface", "trait", "enum", "type", "module", "namespace", "function", "macro":
	case "method", "constructor":
		s = 0.9
	case "constant", "variable":
		s = 0.8
	default:
		s = 0.5
	}
	if !exact {
		s *= 0.85
	}
	if !exported {
		s *= 0.95
	}
	if qualifier != "" {
		if !qualifies(parent, qualifier) {
			s *= 0.7
		}
	}
	return s
}

// qualifies reports whether a symbol's parents end in the qualifier's last part.
func qualifies(parent, qualifier string) bool {
	last := func(s string) string {
		if i := strings.LastIndexAny(s, ".:\\>#"); i >= 0 {
			s = s[i+1:]
		}
		return strings.ToLower(s)
	}
	return parent != "" && last(parent) == last(qualifier)
}
