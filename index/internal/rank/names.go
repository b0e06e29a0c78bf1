package rank

import (
	"path"
	"strings"
)

// nameWords returns the folded parts of a name.
func nameWords(name string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-. /:", r) }) {
		for _, p := range splitCase(w) {
			words = append(words, strings.ToLower(p))
		}
	}
	return words
}

func alike(a, b string) bool {
	if a == b {
		return true
	}
	return min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
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

// sameName reports whether a file's stem is the name, by any convention:
// json_parser and JsonParser, user and users.
func sameName(stem, name string) bool {
	fold := func(s string) string {
		s = strings.ToLower(s)
		return strings.TrimSuffix(strings.NewReplacer("_", "", "-", "").Replace(s), "s")
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
