package train

import (
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/embed/tokenizer"
	"github.com/quarry-search/quarry/index/outline"
)

// Limits of the pairs that are made of names.
const (
	minNameWords = 2   // of the name itself: "read" has no one answer
	minNamed     = 100 // bytes of code without the name; less is an alias or a forward
	minAccessor  = 5   // lines of a definition of two words that begins as an accessor does
	maxNamed     = 40  // pairs of one file
)

var (
	// The first words of those that hand something over and do nothing.
	accessor = map[string]bool{"get": true, "set": true, "is": true, "has": true, "with": true, "to": true, "new": true}
	// The names and paths of tests, which tell what is expected and not what is done.
	testName = regexp.MustCompile(`^([Tt]ests?|TEST|[Bb]enchmark|[Ss]hould|[Ff]uzz|Example|it)([^a-z]|$)`)
	testPath = regexp.MustCompile(`(?i)(^|[/_.-])(tests?|specs?|testdata|testing|fixtures?|benchmarks?|__tests__|mocks?)([/_.-]|$)|(Test|Tests|Spec|Suite)\.[a-z]+$`)
)

// namePairs gives the names of one file's functions and types to add, as
// questions for their code. A name is the shortest summary that programmers
// write, and people ask in such words. The name is taken out of the code, and
// neither the path nor the names go with it: the words would only be matched
// with themselves.
func namePairs(o *outline.Outliner, path string, src []byte, add func(Pair)) {
	if testPath.MatchString(path) {
		return
	}
	lang, left := language(path), maxNamed
	for _, p := range o.Outline(path, src).Parts {
		q, ok := nameQuestion(p)
		if !ok || left == 0 {
			continue
		}
		text := without(p.Text, p.Name)
		if parent := lastName(p.Parent); parent != "" {
			text = without(text, parent)
		}
		if len(text) < minNamed {
			continue
		}
		left--
		add(Pair{Kind: NamePair, Language: lang, Query: q, Path: path, Text: text})
	}
}

// nameQuestion returns the words of a definition's name, after those of what it
// stands in, and whether they can be a question.
func nameQuestion(p outline.Part) (string, bool) {
	if !isType(p.Kind) && p.Kind != "function" && p.Kind != "method" || testName.MatchString(p.Name) {
		return "", false
	}
	own := subwords(p.Name)
	if len(own) < minNameWords {
		return "", false
	}
	if len(own) == minNameWords && accessor[own[0]] && strings.Count(p.Text, "\n") < minAccessor-1 {
		return "", false
	}
	q := strings.Join(append(subwords(lastName(p.Parent)), own...), " ")
	return q, len(q) <= maxQuery
}

func subwords(s string) (list []string) {
	tokenizer.Subwords(s, func(subword []byte) { list = append(list, string(subword)) })
	return list
}

// lastName is the innermost of the containers that a Part names as its parent.
func lastName(parent string) string { return parent[strings.LastIndexByte(parent, '.')+1:] }

// without returns code without a name, which is not empty, wherever it stands
// as a whole word.
func without(code, name string) string {
	var b strings.Builder
	for {
		i := strings.Index(code, name)
		if i < 0 {
			break
		}
		end := i + len(name)
		whole := (i == 0 || !inWord(code[i-1])) && (end == len(code) || !inWord(code[end]))
		if whole {
			b.WriteString(code[:i])
		} else {
			b.WriteString(code[:end])
		}
		code = code[end:]
		// The rest of a longer word goes with it: "foofoo" does not end in "foo".
		n := 0
		for n < len(code) && inWord(code[n]) {
			n++
		}
		b.WriteString(code[:n])
		code = code[n:]
	}
	b.WriteString(code)
	return b.String()
}

// inWord is true for what an identifier may hold in most languages.
func inWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}
