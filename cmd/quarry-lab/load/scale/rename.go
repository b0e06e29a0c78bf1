package scale

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minRenamed = 5    // bytes of a name that may be renamed: shorter ones mean too many things
	wordPool   = 3000 // words of the first copy that renames; the k-th has sqrt(k) times as many
)

// defining are the words after which a name is defined, in all of the languages of
// extensions. What they miss keeps its name, which does no harm.
var defining = map[string]bool{
	"func": true, "def": true, "class": true, "struct": true, "interface": true, "type": true, "fn": true, "trait": true, "enum": true,
	"module": true, "object": true, "namespace": true, "fun": true, "function": true, "defmodule": true, "defp": true, "mod": true,
	"package": true, "data": true, "newtype": true, "val": true, "const": true,
}

// definitions calls yield with the names that a text defines.
func definitions(text []byte, yield func(name []byte)) {
	after := "" // the word, if nothing but space has come since
	for len(text) > 0 {
		n := identifierLength(text)
		switch {
		case n > 0 && after != "" && (text[0] < '0' || text[0] > '9'):
			yield(text[:n])
			after = ""
		case n > 0:
			if after = ""; defining[string(text[:n])] {
				after = string(text[:n])
			}
		case text[0] == '(' && after == "func": // a receiver
			end := bytes.IndexByte(text, ')')
			if n = max(end, 0); end < 0 || end > 80 {
				after = ""
			}
		case text[0] != ' ' && text[0] != '\t' && text[0] != ')':
			after = ""
		}
		text = text[max(n, 1):]
	}
}

// kept are names that no copy renames although a source may define them: those that a
// language or a tool gives a meaning, and packages of standard libraries.
var kept = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		append async await bytes classmethod close config const constructor context default delete encoding
		errors event exports export false final finally float float32 float64 function functools global hello http
		implements import index index_test inline input instance int16 int32 int64 interface internal iterator kotlin
		length lambda local logging match method module mutable namespace native object operator optional option
		override package package_info panic param params parse print printf private property protected protocol
		prototype public range reflect regex regexp require result return runtime sealed select self setup slice sort
		source static string strings struct super switch symbol sync testing tests this thread throw throws time
		token trait tuple type types typeof typing uint16 uint32 uint64 uint8 undefined unicode union unsafe using utils value
		values vector version virtual void volatile where while write yield error print println number boolean promise
		array buffer stream process console window document queue static_cast sizeof typedef typename template char
		double short signed unsigned extern register include define ifdef ifndef endif undef pragma`) {
		m[w] = true
	}
	return m
}()

// A renamer gives the names of one source their names in one copy.
type renamer struct {
	names map[string]string
	base  string // the source's own name, folded: it is the module's, the crate's or the package's
	mark  string // what is appended to that
}

// newRenamer makes the vocabulary of a copy; that of the first, 0, renames nothing.
func newRenamer(s *treeSource, seed uint64, number int, heaps float64) *renamer {
	r := &renamer{names: map[string]string{}}
	if number == 0 {
		return r
	}
	random := rand.New(rand.NewPCG(seed, uint64(number)<<32|uint64(len(s.defined))))
	k := float64(number + 1)
	share := math.Pow(k, heaps) - math.Pow(k-1, heaps)
	pool := int(wordPool * math.Sqrt(k))
	for _, name := range s.defined {
		if random.Float64() >= share {
			continue
		}
		r.names[name] = exchange(name, word(seed, random.IntN(pool)), random.IntN(1<<16))
	}
	base, _, _ := strings.Cut(strings.TrimSuffix(s.name, filepath.Ext(s.name)), "-")
	if r.base = strings.ToLower(base); len(r.base) < 3 || kept[r.base] {
		r.base = ""
	}
	r.mark = word(seed, number)
	return r
}

// word returns one of the invented words: two to four syllables.
func word(seed uint64, n int) string {
	const (
		first = "bdfgklmnprstvwz"
		then  = "aeiou"
		last  = "lmnrsx"
	)
	random := rand.New(rand.NewPCG(seed^0x9e3779b97f4a7c15, uint64(n)))
	var b []byte
	for range 2 + random.IntN(3) {
		b = append(b, first[random.IntN(len(first))], then[random.IntN(len(then))])
	}
	return string(append(b, last[random.IntN(len(last))]))
}

// exchange puts a word in the place of a part of a name, in the way in which the name is
// written: parseRequest becomes parseVolum or volumRequest.
func exchange(name, word string, choice int) string {
	starts := []int{0}
	for i := 1; i < len(name); i++ {
		if c, p := name[i], name[i-1]; p == '_' && c != '_' || isUpper(c) && !isUpper(p) && p != '_' {
			starts = append(starts, i)
		}
	}
	n := choice % len(starts)
	from, to := starts[n], len(name)
	if n+1 < len(starts) {
		to = starts[n+1]
	}
	part := strings.TrimRight(name[from:to], "_")
	if part == "" || part[0] == '_' {
		return name + "_" + word
	}
	switch {
	case len(part) > 1 && part == strings.ToUpper(part) && part != strings.ToLower(part):
		word = strings.ToUpper(word)
	case isUpper(part[0]):
		word = strings.ToUpper(word[:1]) + word[1:]
	}
	return name[:from] + word + name[from+len(part):]
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// rename appends a text to dst in which the names are exchanged, and calls note, which
// may be nil, with each identifier that it wrote.
func (r *renamer) rename(dst, text []byte, note func([]byte)) []byte {
	for len(text) > 0 {
		n := identifierLength(text)
		if n == 0 {
			_, n = utf8.DecodeRune(text)
			dst, text = append(dst, text[:n]...), text[n:]
			continue
		}
		from := len(dst)
		if to, ok := r.names[string(text[:n])]; ok {
			dst = append(dst, to...)
		} else if dst = append(dst, text[:n]...); r.base != "" && strings.EqualFold(string(text[:n]), r.base) {
			dst = append(dst, r.mark...)
		}
		if note != nil {
			note(dst[from:])
		}
		text = text[n:]
	}
	return dst
}

// identifierLength returns how many bytes of the identifier that text begins with there
// are, or of the number, which is none but is not to be split; 0: it begins otherwise.
func identifierLength(text []byte) int {
	n := 0
	for n < len(text) {
		c := text[n]
		switch {
		case c == '_' || 'a' <= c && c <= 'z' || isUpper(c) || '0' <= c && c <= '9':
			n++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[n:])
			if !unicode.IsLetter(r) {
				return n
			}
			n += size
		default:
			return n
		}
	}
	return n
}
