package quarry_test

import (
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// solverFolder has what computes the call graph; what knows of languages is in unlistedFolder
// below it, and in the folder resolve of each language.
const (
	solverFolder   = "index/internal/graph/"
	unlistedFolder = solverFolder + "lang/"
	languageFolder = "index/internal/lang/"
)

// languageNames are names of languages and of their families.
var languageNames = []string{
	"bash", "c", "cpp", "csharp", "elixir", "go", "groovy", "java", "javascript", "jvm", "kotlin", "php", "python", "ruby", "rust", "scala",
	"svelte", "swift", "tsx", "typescript", "vue",
}

// mayName are the files of the solver that may have names of languages in identifiers, with
// the reason.
var mayName = map[string]string{
	solverFolder + "claims.go": "other projects are asked by package manager what they import",
}

// TestSolverKnowsNoLanguage finds names of languages in the solver: texts that are one, and
// identifiers that have one among their words.
func TestSolverKnowsNoLanguage(t *testing.T) {
	found, languages := 0, 0
	for path := range production(t) {
		switch {
		case strings.HasPrefix(path, unlistedFolder), strings.HasPrefix(path, languageFolder) && strings.Contains(path, "/resolve/"):
			languages++
			continue
		case !strings.HasPrefix(path, solverFolder):
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range namedLanguages(path, text) {
			t.Errorf("%s says %s: ask the Language, or a trait of it", path, name)
		}
		found++
	}
	if found < 50 || languages < 10 {
		t.Errorf("only %d files of the solver and %d of languages", found, languages)
	}
	planted := namedLanguages("x.go", []byte("package x\n\nfunc isKotlin(l string) bool { return l == \"python\" || goLibrary(cell) }\n"))
	if want := []string{"isKotlin", `"python"`}; !slices.Equal(planted, want) {
		t.Errorf("found %q, want %q", planted, want)
	}
}

// namedLanguages returns what names a language in a file. "go" and "c" are other words, too:
// as texts they are names.
func namedLanguages(path string, text []byte) (found []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile(path, -1, len(text)), text, nil, 0)
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return found
		case token.STRING:
			if word, err := strconv.Unquote(lit); err == nil && slices.Contains(languageNames, word) {
				found = append(found, lit)
			}
		case token.IDENT:
			if mayName[path] == "" && slices.ContainsFunc(strings.Fields(splitName(lit)), func(word string) bool {
				return len(word) > 2 && slices.Contains(languageNames, word)
			}) {
				found = append(found, lit)
			}
		}
	}
}
