package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Query is what a question asks for, read from its words.
type Query struct {
	Text string
	// Symbol is the name asked for when the question is nothing but a name
	// (parseConfig, Sinatra::Base, Foo.bar), without its qualifier; else "".
	Symbol string
	// Qualifier is what stands before Symbol: "Sinatra" of Sinatra::Base.
	Qualifier string
	// Identifiers are names inside a sentence: those with an inner capital, an
	// underscore or a qualifier.
	Identifiers []string
	// Keywords are the words that carry meaning, folded, each once.
	Keywords []string
	// Sentence is 0..1: how much it says what some code does ("escape colons so that they are
	// not taken for a filter"), which a function answers, and does not name a topic
	// ("escaping of filters", "how filters are escaped"), which a file answers.
	Sentence float64
	// Kinds of files that count less unless the question is about them.
	Tests, Examples, Docs, Legacy, Declarations, Config bool
}

// stop holds the words that say nothing about code. (An own, short list: the
// usual English ones hold words like "not" and "before" that do.)
var stop = set(`a an and are as at be been being by can could did do does doing for from had has have how i if
	in into is it its me my of on or our should so some such than that the their them then there these they this those to
	was we were what when where which while who why will with would you your code file files find function functions
	implementation implemented implements class method methods work works working used using use happen happens show`)

// inSentences are words that stand in sentences about what happens and seldom in topics, and
// manyInSentence how many of them make a sentence for certain. Chosen on the questions that
// the weights are fitted on.
var inSentences = set(`a after already an any before but does each every first given has if instead is it its no not
	once one ones only same so still than that the their them then there they this until was when which while whose without yet are be`)

const manyInSentence = 3

// sentence returns how much some words are a sentence.
func sentence(words []string) float64 {
	n := 0
	for i, w := range words {
		w = strings.ToLower(strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }))
		if i == 0 && w == "how" {
			return 0
		}
		if inSentences[w] {
			n++
		}
	}
	return float64(min(n, manyInSentence)) / manyInSentence
}

// PerFile returns how many chunks of one file may answer: several where functions do.
func (q Query) PerFile() int {
	if q.Sentence > 1.0/manyInSentence {
		return 3
	}
	return 1
}

var (
	aboutTests        = set("test tests testing tested spec specs unittest fixture fixtures mock mocks benchmark benchmarks")
	aboutExamples     = set("example examples sample samples demo demos tutorial")
	aboutDocs         = set("doc docs documentation readme changelog guide")
	aboutLegacy       = set("legacy compat compatibility deprecated deprecation backwards backward")
	aboutConfig       = set("yaml toml makefile dockerfile manifest")
	aboutDeclarations = set("declaration declarations typing typings types dts")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Parse reads a question.
func Parse(text string) Query {
	q := Query{Text: strings.TrimSpace(text)}
	fields := strings.Fields(q.Text)
	if len(fields) == 1 {
		if name, qualifier, ok := symbol(fields[0]); ok {
			q.Symbol, q.Qualifier = name, qualifier
		}
	}
	q.Sentence = sentence(fields)
	seen := map[string]bool{}
	for _, field := range fields {
		bare := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
		if bare == "" {
			continue
		}
		if len(fields) > 1 {
			if name, _, ok := symbol(bare); ok && !sentenceCase(bare) {
				q.Identifiers = append(q.Identifiers, name)
			}
		} else if q.Symbol == "" && utf8.RuneCountInString(bare) > 2 {
			// One plain word may be a name too.
			q.Identifiers = append(q.Identifiers, bare)
		}
		for _, word := range strings.FieldsFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			for _, part := range splitCase(word) {
				part = strings.ToLower(part)
				q.Tests = q.Tests || aboutTests[part]
				q.Examples = q.Examples || aboutExamples[part]
				q.Docs = q.Docs || aboutDocs[part]
				q.Legacy = q.Legacy || aboutLegacy[part]
				q.Config = q.Config || aboutConfig[part]
				q.Declarations = q.Declarations || aboutDeclarations[part]
				if len(part) > 2 && !stop[part] && !seen[part] {
					seen[part] = true
					q.Keywords = append(q.Keywords, part)
				}
			}
		}
	}
	return q
}

// StopWord reports whether a folded word says nothing about code.
func StopWord(word string) bool { return stop[word] }

// symbol takes a word apart into a name and its qualifier, and reports whether
// the word looks like a name at all.
func symbol(word string) (name, qualifier string, ok bool) {
	word = strings.TrimSuffix(strings.TrimRight(word, ".,;:?!"), "()")
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.:\\->#$?!/", r) {
			return "", "", false
		}
	}
	if strings.Contains(word, "/") {
		return "", "", false // a path
	}
	cut := -1
	for _, separator := range []string{"::", "->", "\\", ".", "#"} {
		if i := strings.LastIndex(word, separator); i > 0 && i+len(separator) < len(word) && i+len(separator) > cut {
			cut = i + len(separator)
			qualifier = word[:i]
		}
	}
	if cut >= 0 {
		return word[cut:], qualifier, true
	}
	if strings.HasPrefix(word, "_") || strings.Contains(word, "_") {
		return word, "", true
	}
	for _, r := range word {
		if unicode.IsUpper(r) {
			return word, "", true
		}
	}
	return "", "", false
}

// sentenceCase reports whether a word looks like a name only because it begins
// a sentence, is an abbreviation, or is the name of a thing: Where, HTTP, I.
// Names worth looking up inside a sentence have an inner boundary.
func sentenceCase(word string) bool {
	return !strings.ContainsAny(word, "_.:\\#-") && len(splitCase(word)) < 2
}

// splitCase cuts a word at its camelCase boundaries.
func splitCase(word string) []string {
	var parts []string
	runes := []rune(word)
	start := 0
	for i := 1; i < len(runes); i++ {
		up := unicode.IsUpper(runes[i])
		if up && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	return append(parts, string(runes[start:]))
}
