// Package hostile writes texts that parsers of source code do not survive, or not well:
// that end the process, run without end, leak memory, overflow a stack, or are no sense
// from end to end. It knows faults of the grammars that the server has, and the kinds of
// text that such faults are found with.
//
// A text is a function of its number and the seed. None holds a word of more than three
// letters that a query may ask for.
package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Text is one hostile file.
type Text struct {
	Name string // with the extension of its language, unique by number
	Kind string // crash, leak, hang, depth or noise
	Body []byte
}

// A maker writes a body.
type maker struct {
	kind, extension string
	make            func(r *rand.Rand) []byte
}

// makers are the faults that are known. They are of grammars' scanners, which are C.
var makers = []maker{
	{"crash", "rb", func(r *rand.Rand) []byte { // a heredoc's word: an assertion
		word := strings.Repeat("Q", 256+r.IntN(700))
		return []byte("x = <<" + word + "\ny\n" + word + "\n")
	}},
	{"crash", "kt", func(r *rand.Rand) []byte { // open strings: abort
		return []byte("val x = " + strings.Repeat(`"${`, 1025+r.IntN(500)))
	}},
	{"crash", "java", func(r *rand.Rand) []byte { // depth: an overflow of the stack, where time allows
		return bytes.Repeat([]byte("{[("), 100_000+r.IntN(30_000))
	}},
	{"leak", "sql", func(r *rand.Rand) []byte { // the tag of a string, at each token inside
		tag := "$" + strings.Repeat("q", 200+r.IntN(800)) + "$"
		return fmt.Appendf(nil, "DO %s BEGIN\n%sEND %s;\n", tag, strings.Repeat("SELECT a, b FROM t;\n", 2000+r.IntN(12_000)), tag)
	}},
	{"hang", "sh", func(r *rand.Rand) []byte { // a heredoc of long lines
		return []byte("cat <<Q\n" + strings.Repeat(strings.Repeat("a", 19_000)+"\n", 5+r.IntN(60)) + "Q\n")
	}},
	{"crash", "sh", func(r *rand.Rand) []byte { // a heredoc's word: past the end of a buffer
		word := strings.Repeat("Q", 1000+r.IntN(100))
		return []byte("cat <<" + word + "\nx\n" + word + "\n")
	}},
}

// extensions are those of the languages with a grammar.
var extensions = []string{
	"sh", "c", "cpp", "cs", "css", "cue", "ex", "elm", "go", "groovy", "hcl", "java", "js", "kt", "lua", "ml", "php",
	"proto", "py", "rb", "rs", "scala", "sql", "svelte", "swift", "toml", "tsx", "ts", "vue", "yaml", "html", "md",
}

// opening are what texts nest.
var opening = []string{"(", "[", "{", "<", "\"${", "`${", "#{", "((", "{{", "/*", "<!--", "if (", "[[", "$(", "'", "\"", "<a>", "> ", "- ", "fn(", "=>(", "begin ", "do ", "<<"}

// tokens are what noise is made of.
var tokens = []string{
	"(", ")", "[", "]", "{", "}", "<", ">", ";", ",", ".", ":", "::", "=>", "->", "=", "==", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", "@", "#", "$", "\\",
	"\"", "'", "`", "\"\"\"", "'''", "/*", "*/", "//", "--", "<<Q\n", "\n", "\n\t", "\t", " ", "  ", "\r\n", "0", "1e9", "0x", "a", "b", "if ", "do ", "end ", "fn ", "def ", "é", "\u2028", "𝒳", "\x01", "$$", "#{", "${", "<?php ", "?>", "<%", "%>", "&&", "||",
}

// New returns the text of a number.
func New(seed uint64, number int) Text {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	t := Text{}
	extension := ""
	switch n := number % 20; {
	case n < 6:
		m := makers[n]
		t.Kind, extension, t.Body = m.kind, m.extension, m.make(r)
	case n < 12:
		t.Kind, extension, t.Body = "depth", extensions[r.IntN(len(extensions))], nested(r)
	default:
		t.Kind, extension, t.Body = "noise", extensions[r.IntN(len(extensions))], noise(r)
	}
	// No two are the same: what is remembered of one must not serve another.
	t.Body = fmt.Appendf(t.Body, "\n%d", number)
	t.Name = fmt.Sprintf("%s%d.%s", t.Kind, number, extension)
	return t
}

// nested opens something many times, sometimes in turns, and sometimes closes it.
func nested(r *rand.Rand) []byte {
	open := opening[r.IntN(len(opening))]
	if r.IntN(2) == 0 {
		open += opening[r.IntN(len(opening))]
	}
	times := []int{300, 3000, 30_000}[r.IntN(3)]
	text := strings.Repeat(open, times)
	if r.IntN(3) == 0 {
		text += strings.Repeat(")]}", times/3)
	}
	if r.IntN(3) == 0 {
		text = strings.ReplaceAll(text, open, open+"\n")
	}
	return []byte(text)
}

// noise is a text of tokens, some of them repeated.
func noise(r *rand.Rand) []byte {
	var b []byte
	few := slices.Clone(tokens)
	r.Shuffle(len(few), func(i, j int) { few[i], few[j] = few[j], few[i] })
	few = few[:2+r.IntN(len(few)-2)]
	size := []int{200, 2000, 20_000, 60_000}[r.IntN(4)]
	for len(b) < size {
		one := few[r.IntN(len(few))]
		for range 1 + r.IntN(1+r.IntN(20)) {
			b = append(b, one...)
		}
		if r.IntN(12) == 0 {
			b = append(b, '\n')
		}
	}
	return b
}
