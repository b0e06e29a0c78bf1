package train

import (
	"regexp"
	"strings"
)

// A Kind says where a pair comes from.
type Kind uint8

// The kinds.
const (
	DocComment   Kind = iota // a doc comment -> the definition under it
	RemarkPair               // a comment inside a definition -> the code under it
	CommitPair               // the subject of a commit -> a hunk that it changed
	FilePair                 // the doc of a file or of a type in it -> its path and all its names
	NamePair                 // the words of a name -> the code that has it, without the name
	QuestionPair             // a question as people ask -> the function that answers it, with its comments
	kinds
)

// Kinds are the names of the kinds, by their values.
var Kinds = [kinds]string{"doc", "remark", "commit", "file", "name", "question"}

func (k Kind) String() string { return Kinds[k] }

// A Pair is a question and the chunk of a file that answers it.
type Pair struct {
	Kind     Kind
	Language string // of the file
	Query    string
	Path     string // of the file, relative to its repository
	Names    string // of the definitions in the chunk and of what they stand in
	Text     string // the chunk, without comments where it comes from a comment
}

// The sizes of a question.
const (
	minWords       = 3   // fewer say nothing
	minCommitWords = 4   // subjects are terser, so those that say something are longer
	maxQuery       = 220 // bytes
	minSentence    = 25  // bytes: a full stop before that is an abbreviation
)

var (
	word = regexp.MustCompile(`[A-Za-z]{2,}`)
	// Comments that speak to tools or about the file's legal state.
	noQuestion = regexp.MustCompile(`(?i)copyright|license|eslint|nolint|noqa|todo|fixme|pragma|prettier|http://|https://|generated|\bauthor\b|@ts-|clang-format|SPDX|istanbul|coding:|vim:|^region|^endregion|\{@inheritdoc|\binheritdoc\b`)
	// Commits that change everything and mean nothing.
	housekeeping = regexp.MustCompile(`(?i)bump|release|merge|typo|revert|changelog|lint|version|rubocop|prettier|format`)
	reference    = regexp.MustCompile(`\(?#\d+\)?`)
	markup       = regexp.MustCompile(`</?[A-Za-z][^<>]*>|[@\\](?:brief|description|desc|summary|internal|api|since)\b`)
	parameters   = regexp.MustCompile(`(?m)[@\\](?:param|return|throws|see)|:param|:return|^\s*(?:Args|Arguments|Parameters|Returns|Raises|Examples?|Usage)\s*:?\s*$|^\s*#+ `)
)

// question returns the first sentence of a comment as a question, and whether
// it can be one.
func question(s string) (string, bool) {
	s = markup.ReplaceAllString(s, " ")
	s = strings.TrimSpace(s)
	if at := parameters.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	if i := strings.Index(s, "\n\n"); i > 0 {
		s = s[:i]
	}
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.Index(s, ". "); i > minSentence {
		s = s[:i]
	}
	s = shorten(s, maxQuery)
	return s, enough(s, minWords)
}

// subject returns the subject of a commit as a question, and whether it can be one.
func subject(s string) (string, bool) {
	s = strings.Join(strings.Fields(reference.ReplaceAllString(s, " ")), " ")
	s = shorten(s, maxQuery)
	return s, enough(s, minCommitWords) && !housekeeping.MatchString(s)
}

func enough(s string, words int) bool {
	return len(word.FindAllStringIndex(s, words)) >= words && !noQuestion.MatchString(s)
}

// shorten cuts s to at most n bytes, at a space where there is one.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:n]
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.ToValidUTF8(s, "")
}
