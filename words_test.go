package quarry_test

import (
	"go/scanner"
	"go/token"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// retired are the words that this project no longer uses; docs/vocabulary.md says for each
// what became of it, and why. They are looked for in names, where "draftOf" has the words
// draft and of, and in prose: comments, texts in quotes, pages.
var retired = []struct {
	word  string
	forms string // further forms of it
	only  string // "names", "prose" or "": both
}{
	{"agenda", "", ""},
	{"anew", "", ""},
	{"beside", "", "prose"},
	{"books", "", "names"},
	{"chapter", "chapters", ""},
	{"contribution", "contributions", "names"},
	{"crew", "crews", ""},
	{"crowded", "crowd crowds uncrowd", ""},
	{"deeds", "", ""},
	{"discord", "", "names"},
	{"draft", "drafts", ""},
	{"farther", "", "names"},
	{"for who", "of who|to who|by who|from who|as who|at who|than who", "prose"},
	{"he", "his him himself", "prose"},
	{"heavily", "", "names"},
	{"insist", "insists insisted", "names"},
	{"likewise", "", ""},
	{"manners", "", ""},
	{"pace", "", "names"},
	{"piece", "pieces", "names"},
	{"sayings", "", ""},
	{"shelf", "", ""},
	{"takers", "", ""},
	{"twin", "twins", ""},
}

// excepted are the words that a folder at the top still has, in any package below it. The
// list only shrinks: a word that is not found there any more must leave it.
var excepted = map[string][]string{
	"api":   {"books", "crowded", "draft", "farther"},
	"cmd":   {"draft", "pace"},
	"index": {"agenda", "chapter", "crew", "discord", "draft", "piece", "takers", "twin"},
}

// finished are packages in which no word is excepted, whatever their folder may have. It
// only grows.
var finished = []string{
	"index/git", "index/internal/chunk", "index/internal/ignore", "index/internal/lexical", "index/internal/line", "index/internal/mention",
	"index/internal/parsing", "index/internal/rank", "index/internal/sandbox", "index/internal/secret", "index/internal/snapshot",
	"index/internal/source", "index/internal/vector", "index/measure", "index/oserror", "index/suite", "index/summary",
	"index/summary/code", "index/throttle", "index/tokens", "cmd/quarry/agent", "cmd/quarry/collector", "cmd/quarry/host",
}

// TestWords fails on words that are retired.
func TestWords(t *testing.T) {
	page, err := os.ReadFile("docs/vocabulary.md")
	if err != nil {
		t.Fatal(err)
	}
	byForm := map[string]int{}
	for i, r := range retired {
		forms := strings.Fields(r.forms)
		if strings.Contains(r.word, " ") {
			forms = strings.Split(r.forms, "|") // of two words each
		}
		for _, form := range append(forms, r.word) {
			byForm[form] = i
		}
		if !strings.Contains(string(page), "| "+r.word) {
			t.Errorf("docs/vocabulary.md does not say what became of %q", r.word)
		}
	}
	hits := map[string]map[string]bool{}
	for _, file := range tracked(t, ".go", ".md", ".yaml", ".sh", ".mk", ".c", ".h", ".lua", ".ts", ".tsx", ".mjs", ".css", "Makefile") {
		folder := path.Dir(file)
		if strings.Contains(file, "testdata/") || file == "words_test.go" || file == "docs/vocabulary.md" {
			continue // data, and what speaks about the words
		}
		room, _, _ := strings.Cut(folder, "/")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names, prose := wordsOf(file, string(text))
		for i, text := range []string{names, prose} {
			only, said := []string{"names", "prose"}[i], map[int]string{}
			last := ""
			for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
				for _, form := range []string{word, last + " " + word} {
					if at, ok := byForm[form]; ok && (retired[at].only == only || retired[at].only == "") {
						said[at] = form
					}
				}
				last = word
			}
			for at, form := range said {
				if slices.Contains(excepted[room], retired[at].word) && !slices.Contains(finished, folder) {
					if hits[room] == nil {
						hits[room] = map[string]bool{}
					}
					hits[room][retired[at].word] = true
					continue
				}
				t.Errorf("%s: %q is retired: docs/vocabulary.md says what to write instead", file, form)
			}
		}
	}
	for room, words := range excepted {
		for _, word := range words {
			if !hits[room][word] {
				t.Errorf("%q is not found in %s any more: take it off the list in words_test.go", word, room)
			}
		}
	}
	if names, prose := wordsOf("a.go", "package a\n\n// Prose about it.\nvar draftOf, theHTTPCrew = 1, `In Quotes`\n"); !strings.Contains(names, " draft of ") || !strings.Contains(names, " http crew ") || !strings.Contains(prose, "in quotes") || !strings.Contains(prose, "prose about") {
		t.Errorf("a file has the names %q and the prose %q", names, prose)
	}
}

// wordsOf returns the words of a file's names, and its prose, in lower case.
func wordsOf(file, text string) (names, said string) {
	switch {
	case strings.HasSuffix(file, ".md"):
		return "", strings.ToLower(inlineCode.ReplaceAllString(strings.Join(prose(text), "\n"), " "))
	case !strings.HasSuffix(file, ".go"):
		return "", strings.ToLower(text)
	}
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile(file, -1, len(text)), []byte(text), nil, scanner.ScanComments)
	var n, p strings.Builder
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return " " + n.String(), strings.ToLower(p.String())
		case token.IDENT:
			n.WriteString(splitName(literal))
		case token.COMMENT, token.STRING:
			p.WriteString(strings.ReplaceAll(literal, "\n// ", " ") + "\n")
		}
	}
}

// splitName returns the words of a name in lower case, with a space after each.
func splitName(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		upper := unicode.IsUpper(r)
		if i > 0 && upper && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) || r == '_' {
			b.WriteByte(' ')
		}
		if r != '_' {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String() + " "
}
