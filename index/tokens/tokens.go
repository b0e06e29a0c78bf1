// Package tokens says how many tokens a text costs a model: by an estimate that needs no
// data, or by one of two encodings, which are embedded in the program.
package tokens

import (
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// The encodings, by the names that requests give them.
const (
	CL100K = "cl100k" // cl100k_base, which published figures use
	O200K  = "o200k"  // o200k_base
)

// Estimate returns a quarter of the characters of a text, rounded up, so that an
// estimate that is off errs on the side of too many.
func Estimate(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// A Counter counts the tokens of one encoding. It is safe for concurrent use.
type Counter struct{ encoding *tiktoken.Tiktoken }

// Encoding returns the counter of an encoding, CL100K or O200K. The first call for each
// loads it from the program itself, which takes some tenths of a second and 30 to 60 MB;
// nothing is fetched.
func Encoding(name string) (Counter, error) {
	load := cl100k
	switch name {
	case CL100K:
	case O200K:
		load = o200k
	default:
		return Counter{}, fmt.Errorf("tokens: there is no encoding %q", name)
	}
	encoding, err := load()
	if err != nil {
		return Counter{}, fmt.Errorf("tokens: the encoding %s: %w", name, err)
	}
	return Counter{encoding}, nil
}

var (
	// offline sets the library's loader, which is a variable of the whole program,
	// once. Without it the library would fetch an encoding.
	offline = sync.OnceFunc(func() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) })
	cl100k  = sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
		offline()
		return tiktoken.GetEncoding(tiktoken.MODEL_CL100K_BASE)
	})
	o200k = sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
		offline()
		return tiktoken.GetEncoding(tiktoken.MODEL_O200K_BASE)
	})
)

const (
	// longestRun is how many characters in a row may have no white space between
	// them, or be nothing else, before they are cut: the library's time grows with
	// the square of such a run, and a megabyte of one letter takes hours. A cut adds
	// one token at most.
	longestRun = 512
	// partSize is how many characters are counted at once, more or less. The library
	// makes a list of all runes of what it is given.
	partSize = 16 << 10
)

// Count returns the number of tokens of a text. It is exact, but for runs of more than 512
// characters without white space, or of white space alone: for each 512 of those it can be
// one too many. A megabyte takes one or two seconds, whatever it contains.
func (c Counter) Count(text string) int {
	n, start, run := 0, 0, 0
	blank := false
	for i, r := range text {
		space := unicode.IsSpace(r)
		switch {
		case i > start && space && !blank && i-start >= partSize:
			// White space belongs to the word after it in both encodings.
			n += c.count(text[start:i])
			start, run = i, 0
		case space != blank:
			run = 0
		case run >= longestRun:
			n += c.count(text[start:i])
			start, run = i, 0
		}
		blank = space
		run++
	}
	return n + c.count(text[start:])
}

func (c Counter) count(text string) int { return len(c.encoding.EncodeOrdinary(text)) }
