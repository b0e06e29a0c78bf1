package code

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxLine bounds a line of what a symbol does, in characters.
const maxLine = 120

// whenUsed compiles an expression when it is first asked for: most starts of the program
// are of commands that ask for none.
func whenUsed(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// What comments hold besides prose.
var (
	seeTag    = whenUsed(`<(?:see|paramref|typeparamref|seealso)\s+\w+="(?:[A-Z]:)?([^"]*)"\s*/?>`)
	markTag   = whenUsed(`</?[a-zA-Z][^<>]{0,60}>`)
	linkTag   = whenUsed(`\{@\w+\s+([^}]*)\}`)
	linkMark  = whenUsed(`\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])?`)
	role      = whenUsed(":[a-z:]+:`~?([^`]*)`")
	inlineTag = whenUsed(` [@\\](?:sa|see|param|return|returns|throws|since|deprecated|note|ref)\b`)
	picture   = whenUsed(`\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\]\([^)]*\))?`)
	rule      = whenUsed(`^[\s\-=*#_~+/\\.|<>]*$`)
	tagLine   = whenUsed(`^\s*(?:[@\\](?:param|return|throws|see|since|author|version|deprecated|internal|template|type|` +
		`private|public|module|file|ingroup|overload|name|memberof|class|function|method|static|api|var|` +
		`package|copyright|license|link|pre|post|invariant|attention|warning|exception|note|remarks?|par|complexity|liveexample|sa)|:(?:param|return|type|raise|rtype)|Args:|Arguments:|Returns:|` +
		`(?:Original )?[Dd]efinitions by:|Authors?:|Maintainers?:|Raises:|Parameters:?\s*$|Examples?\b:?|Notes?:|Usage:|Since:|#{2,} )`)
	aside = whenUsed(`^\s*[@\\](?:param|returns?|throws|see|since|deprecated|internal|private|template|pre|post|invariant|exception|warning|note|remarks?)\b`)
	// What callers have to do is no description of what they call.
	duty    = whenUsed(`(?i)^(?:the )?caller (?:owns|must|is responsible|has to|should)\b`)
	section = whenUsed(`(?i)^(?:#+\s*)?(?:safety|panics|errors|examples?|cancel safety|compatibility|notes?|usage)\s*:?$`)
	// What is returned says what is done where nothing else does.
	returnTag = whenUsed(`^[@\\]returns?\s+(?:\{[^}]*\}|\[[^\]]*\]|Boolean|String|Integer|Hash|Array)?\s*`)
	legal     = whenUsed(`(?i)copyright|licen[sc]ed? |\blicense\b|spdx-|all rights reserved|permission is hereby|redistributions? (?:and|of|in) |public domain|` +
		`without (?:any )?warrant|(?:implied|express|no) warrant|neither the names? |this software is provided|in no event shall|(?:bsd|mit|gpl|apache)[\w .-]{0,12} terms|` +
		`gnu (?:lesser |affero )?general public|may not use this file|terms of use|provided that the following`)
	// What tells its readers some news, or addresses them, does not describe.
	news = whenUsed(`(?i)\b(?:(?:has|have) (?:been )?moved (?:to|as|into)|no longer (?:maintained|supported|developed)|(?:is|are) (?:deprecated|unmaintained|archived)|` +
		`looking for (?:\w+ )?(?:maintainers|contributors|sponsors)|sponsored by|sponsors?hip|we(?:'re| are) hiring|in maintenance mode|` +
		`(?:has|have) (?:just |now )?been released|join (?:us|our)\b|star this|follow us|pull requests? (?:are )?welcome|` +
		`announcing|under construction|experimental and|click here|read the docs\b|thanks? to\b)`)
	remarked = whenUsed(`(?i)^(?:notice|announcement|news|attention|warning|important|caution|hint|note|tip)\s*:\s*|^n\.? ?b\.?:?\s+`)
	modeLine = whenUsed(`-\*-.*?-\*-|\b(?:vim?|ex):\s*(?:set\b|\w+=|tw\b|ts\b|sw\b).*$`)
	issue    = whenUsed(`^(?:(?:fix(?:e[sd])?|close[sd]?|see|issue|gh)[ -]?)?[(\[]?#\d+[)\]]?:?\s+`)
	machine  = whenUsed(`(?i)^(?:/?(?:usr|bin)/|@?__\w+__$|[@#]__pure__|\$\w+:|mode: |(?:v8|c8|istanbul) ignore|(?:dev|development|test|internal|ssr|debug|node)[ -]only$|` +
		`see[: ]+(?:issue |pr )?#?\d|see:? \[?https?:|(?:obtained|taken|borrowed|copied|adapted|derived) from:? <?https?:|\[?(?:derive|cfg_attr|allow|must_use)\(|cfg\(|safety:|@preserve|@jsx|@flow|use strict|todo|fixme|xxx|hack|nolint|eslint|jshint|jslint|tslint|prettier-ignore|@ts-|` +
		`ts-ignore|noinspection|pylint|flake8|noqa|type:|vim:|vi:|-\*-|!/|go:|\+build|\[[^\]]+\]:|#pragma|` +
		`pragma|region|endregion|generated|code generated|do not edit|istanbul|c8 ignore|swiftlint|rubocop|` +
		`frozen_string_literal|encoding:|coding[:=]|shellcheck|luacheck|clang-format|nodoc|:nodoc:|` +
		`overload(?:ed)?(?: #?\d+\b|:|$)|inheritdoc|@(?:diagnostic|alias|class|field|type|meta|module|generic|overload|enum|cast|nodoc)\b|` +
		`\{@inheritdoc\}|@inheritdoc|deprecated\b|see also|see [\w#.:]+$|see above|see below|same as above|` +
		`ditto|suppress|bad option|(?:safety|panics|errors|examples?|notes?|usage|returns?|internal|private|` +
		`public|description|summary|overview|introduction|synopsis)$)`)
	lead = whenUsed(`(?i)^(?:(?:this|the) (?:\w+ )?(?:function|method|class|struct|type|interface|module|file|package|` +
		`macro|enum|constant|procedure|command|helper|object|trait|component|property|` +
		`attribute)(?: \w+)?? (?:is used to |is responsible for |is meant to |is |are |can be used to |` +
		`provides? |contains? )?|(?:it|this) (?:is used to|is responsible for|is) |(?:command|` +
		`package) (?-i:[a-z])[\w/.]* (?:is |provides |contains )?|module [\w/.]+ (?:is |provides |contains )|(?:used to|` +
		`helper (?:function )?to|utility (?:function )?to|function to|method to|convenience (?:method|` +
		`function|initializer) to) )`)
)

// marks are those of Markdown and HTML inside of sentences.
var marks = strings.NewReplacer("`", "", "**", "", "&lt;", "<", "&gt;", ">", "&amp;", "&", "\"", "'")

// stops end a sentence without ending it.
var stops = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "al.", "approx.", "incl.", "resp.", "no.", "fig.", "viz.", "Mr.", "Dr.", "ca."}

// Sentence returns the first sentence of a comment that says something, on one line and
// without the names that are said to be described, or "" where there is none: licences,
// instructions to tools, decorations and what only repeats the names count for nothing.
func Sentence(doc string, names ...string) string {
	for _, part := range paragraphs(doc) {
		if text := firstOf(part, names); text != "" && !duty().MatchString(text) {
			return text
		}
	}
	return ""
}

// paragraphs cuts a comment where blank lines, decorations and tags are. Licences end it.
func paragraphs(doc string) []string {
	var all []string
	var part []string
	flush := func() {
		if len(part) > 0 {
			all = append(all, strings.Join(part, " "))
			part = nil
		}
	}
	fenced, skip := false, false // skip: of a section that describes something else
	tagged := false              // a tag's text, which may have several lines
	for line := range strings.Lines(doc) {
		if line = strings.TrimSpace(line); strings.Contains(line, "-*-") || strings.Contains(line, "vi") {
			line = strings.TrimSpace(modeLine().ReplaceAllString(line, ""))
		}
		if strings.Contains(line, "![") {
			line = strings.TrimSpace(picture().ReplaceAllString(line, ""))
		}
		bare := strings.Trim(line, "*#/ \t=~-")
		switch {
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			flush()
			fenced = !fenced
		case fenced || skip:
		case bare == "" || rule().MatchString(line):
			flush()
			tagged = false
		case tagged && !strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "\\"): // more of what a tag says
		case badge(line):
		case legal().MatchString(line):
			// The rest of a licence goes with the paragraph that it begins in.
			part = append(part, "\x00")
		case section().MatchString(line):
			if flush(); len(all) > 0 {
				return all
			}
			skip = true
		case machine().MatchString(bare):
			flush()
		case len(all) == 0 && len(part) == 0 && returnTag().MatchString(line):
			part = append(part, "returns "+lowerFirst(strings.TrimPrefix(returnTag().ReplaceAllString(line, ""), "Returns ")))
		case tagLine().MatchString(line):
			if flush(); len(all) > 0 {
				return all
			}
			tagged = aside().MatchString(line)
		case strings.Contains(line, ":: "): // a list of RDoc
			flush()
			part = append(part, line)
			flush()
		default:
			for _, mark := range []string{"@brief ", "\\brief ", "@description ", "@brief ", "@tag ", "@fileoverview ", "@fileOverview ", "@summary ", "# ", "* ", "! ", "| ", "> "} {
				line = strings.TrimPrefix(line, mark)
			}
			part = append(part, line)
		}
	}
	flush()
	return all
}

// badge reports whether a line has nothing but links, as the rows of badges and of a table
// of contents do.
func badge(line string) bool {
	if !strings.HasPrefix(line, "[") || !strings.Contains(line, "](") {
		return false
	}
	rest := linkMark().ReplaceAllString(line, "")
	return strings.IndexFunc(rest, unicode.IsLetter) < 0 && strings.Count(line, "](") > 1
}

// firstOf returns the first sentence of a paragraph, or "".
func firstOf(text string, names []string) string {
	if strings.Contains(text, "\x00") {
		return ""
	}
	text = seeTag().ReplaceAllString(text, "$1")
	text = linkTag().ReplaceAllString(text, "$1")
	text = role().ReplaceAllString(text, "$1")
	if strings.Contains(text, "<") {
		text = markTag().ReplaceAllString(text, " ")
	}
	text = linkMark().ReplaceAllString(text, "$1")
	if text = marks.Replace(text); remarked().MatchString(trimSigns(text)) {
		return ""
	}
	text = strings.Join(strings.Fields(text), " ")
	if at := inlineTag().FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	for text != "" {
		one := cutSentence(text)
		text = strings.TrimLeft(text[len(one):], ".!? ")
		one = issue().ReplaceAllString(trimSigns(one), "")
		if machine().MatchString(one) || news().MatchString(one) {
			continue // the next one may say it
		}
		if one = withoutName(one, names); machine().MatchString(one) {
			return ""
		}
		if m := lead().FindString(one); m != "" && len(one)-len(m) > 8 {
			one = one[len(m):]
		}
		if repeats(one, names) || !strings.Contains(one, " ") && script(one) {
			return ""
		}
		return lowerFirst(one)
	}
	return ""
}

// script reports whether the words of a text have blanks between them: a single one says
// nothing then.
func script(text string) bool { return utf8.RuneCountInString(text) == len(text) }

// trimSigns leaves out the marks around a sentence: those of punctuation, and pictures.
func trimSigns(text string) string {
	return strings.TrimFunc(text, func(c rune) bool {
		return strings.ContainsRune(" .:;,-*=>~|", c) || unicode.Is(unicode.So, c) || c == '\uFE0F' || c == '\u200D'
	})
}

// cutSentence ends a text after its first sentence.
func cutSentence(text string) string {
	for i := 0; i+1 < len(text); i++ {
		if c := text[i]; c != '.' && c != '!' && c != '?' || text[i+1] != ' ' {
			continue
		}
		word := text[strings.LastIndexByte(text[:i], ' ')+1 : i+1]
		abbreviated := len(word) == 2 && unicode.IsUpper(rune(word[0])) || strings.Trim(word, ".") == "" // a path
		for _, s := range stops {
			abbreviated = abbreviated || strings.EqualFold(strings.TrimLeft(word, "("), s)
		}
		if !abbreviated {
			return text[:i]
		}
	}
	return text
}

// says are the verbs that are no actions of code.
var says = set(`is are was can may will has have should must does lets contains represents describes`)

// withoutName leaves out the name that a sentence begins with, as in "Foo is a ...".
func withoutName(text string, names []string) string {
	for _, name := range names {
		if name == "" {
			continue
		}
		for _, article := range []string{"A ", "An ", "The "} {
			if rest, ok := strings.CutPrefix(text, article); ok && strings.HasPrefix(rest, name+" ") {
				text = rest // An Index holds
			}
		}
		if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
			continue
		}
		rest := text[len(name):]
		rest = strings.TrimPrefix(rest, "()")
		if inner, after, ok := strings.Cut(strings.TrimPrefix(rest, " ("), ") "); ok && strings.HasPrefix(rest, " (") && !strings.Contains(inner, " ") {
			return after // Render (XML) writes
		}
		if rest == "" || !strings.ContainsAny(rest[:1], " :,-") {
			continue
		}
		plain := rest[0] == ' ' && rest[1:2] != "-"
		rest = strings.TrimLeft(rest, " :,-–")
		// An identifier is no word of a sentence.
		plain = plain && !(text[:len(name)] == name && strings.IndexFunc(name[1:], func(c rune) bool { return unicode.IsUpper(c) || c == '_' }) >= 0)
		if next, _, _ := strings.Cut(rest, " "); plain && !verbs[stemVerb(next)] && !says[strings.ToLower(next)] && !machine().MatchString(rest) {
			return text // the word, not the name: Thread management
		}
		for _, is := range []string{"is ", "are "} {
			if after, ok := strings.CutPrefix(rest, is); ok {
				rest = after
			}
		}
		return rest
	}
	return text
}

// filler are words that say nothing besides a name.
var filler = set(`a an the of for this that is are it its to and or function method class struct type interface constructor
	object instance value default new create creates make makes get gets set sets return returns given specified current
	field property constant enum module getter setter helper`)

// repeats reports whether a text says no word that is not in the names.
func repeats(text string, names []string) bool {
	known := map[string]bool{}
	for _, n := range names {
		for _, w := range nameWords(n) {
			known[stemOf(w)] = true
		}
	}
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		for _, part := range nameWords(w) {
			if part = strings.ToLower(part); !filler[part] && !known[stemOf(part)] {
				return false
			}
		}
	}
	return true
}

// stemOf makes singular and plural, infinitive and third person alike.
func stemOf(word string) string {
	word = strings.ToLower(word)
	if len(word) > 3 {
		word = strings.TrimSuffix(strings.TrimSuffix(word, "s"), "e")
	}
	return word
}

// lowerFirst writes a word small that is only large because a sentence begins with it.
func lowerFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	word, rest, _ := strings.Cut(text, " ")
	next, _, _ := strings.Cut(rest, " ")
	if len(word) > 2 && isCapitalized(next) && !verbs[stemVerb(word)] && !particles[strings.ToLower(word)] {
		return text // a name of two words
	}
	if !unicode.IsUpper(first) || strings.IndexFunc(word[size:], func(c rune) bool { return !unicode.IsLower(c) && c != ',' && c != '\'' && c != '-' }) >= 0 {
		return text
	}
	if size == len(word) && word != "A" {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// isCapitalized reports whether a word begins with a capital and goes on in small letters.
func isCapitalized(word string) bool {
	letters := []rune(word)
	return len(letters) > 2 && unicode.IsUpper(letters[0]) && unicode.IsLower(letters[1]) && strings.ToLower(word[1:]) == word[1:]
}

// stemVerb is a verb in the third person as its infinitive, about.
func stemVerb(word string) string {
	word = strings.ToLower(word)
	if verbs[word] {
		return word
	}
	if base := strings.TrimSuffix(word, "s"); verbs[base] {
		return base
	}
	return strings.TrimSuffix(word, "es")
}

// shorten cuts a text to at most so many characters, before a word, or better before a
// part of the sentence, and says so by three dots.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	cut := string(runes[:max(most-3, 0)])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/3 {
		cut = cut[:i]
	}
	for _, mark := range []string{"; ", " (", ", "} {
		if i := strings.LastIndex(cut, mark); i > 2*len(cut)/3 {
			cut = cut[:i]
			break
		}
	}
	return strings.TrimRight(cut, " ,;:(-.") + "..."
}
