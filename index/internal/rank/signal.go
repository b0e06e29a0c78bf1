package rank

import (
	"math"
	"slices"
)

// The signals, by position in Values.
const (
	bestWords = iota
	topWords
	coverage
	bestMeaning
	topMeaning
	fileMeaning
	stemWords
	pathWords
	symbolWords
	definition
	namedFile
	identifier
	test
	example
	document
	declaration
	legacy
	barrel
	config
	abstract
	code
	logShare // not part of a score, made from all of them: counts in the chance only
	signals
)

// names are the signals' names, as weights.txt and explained answers use them.
var names = [signals]string{
	bestWords:   "words",        // BM25 of the best chunk, by the best of all files
	topWords:    "words_top3",   // mean BM25 of the three best chunks, as above
	coverage:    "coverage",     // share of the question's words in one chunk, weighted by rarity
	bestMeaning: "meaning",      // cosine of the best chunk
	topMeaning:  "meaning_top3", // mean cosine of the three best chunks
	fileMeaning: "file_meaning", // cosine of the whole file's vector
	stemWords:   "file_name",    // how much the file's name and the question have in common
	pathWords:   "path",         // share of the question in the file's path
	symbolWords: "symbol_names", // how much one symbol's name and the question have in common, at best
	definition:  "definition",   // defines the name that was asked for
	namedFile:   "named_file",   // bears the name that was asked for
	identifier:  "identifier",   // defines a name that occurs in the question
	test:        "test",         // a test, and the question is not about tests; so with the following
	example:     "example",
	document:    "document",
	declaration: "declaration",
	legacy:      "legacy",
	barrel:      "barrel", // mostly re-exports
	config:      "config",
	abstract:    "abstract", // share of interfaces among the types of a file without much code
	code:        "code",     // how much code its functions hold, logarithmic
	logShare:    "share",    // logarithm of the share among all candidates' scores
}

// The signals of a chunk, which are added to those of its file, by position in
// ChunkValues.
const (
	chunkWords = iota
	chunkCoverage
	chunkMeaning
	chunkAlike
	chunkNames
	chunkNamesAlike
	chunkLate
	chunkDefinition
	chunkIdentifier
	chunkFunction
	chunkSize
	chunkHead
	chunkSignals
)

// chunkPrefix is what the names of a chunk's signals begin with.
const chunkPrefix = "chunk."

var chunkSignalNames = [chunkSignals]string{
	chunkWords:      "words",       // BM25, by the best of all files
	chunkCoverage:   "coverage",    // share of the question's words, weighted by rarity
	chunkMeaning:    "meaning",     // cosine
	chunkAlike:      "alike",       // mean cosine of the question's words and the nearest word of the chunk, weighted by rarity; 0 of all but the best chunks
	chunkNamesAlike: "names_alike", // as above, of its names
	chunkLate:       "late",        // late interaction: mean product of the vectors of the question's tokens and the nearest token of the chunk, by their lengths; 0 of all but the best chunks, where they are not refined, and of topics
	chunkNames:      "names",       // how much one symbol's name and the question have in common, at best
	chunkDefinition: "definition",  // defines the name that was asked for
	chunkIdentifier: "identifier",  // defines a name that occurs in the question
	chunkFunction:   "function",    // it leads with a function, or lies in one
	chunkSize:       "size",        // bytes, logarithmic
	chunkHead:       "head",        // licence and imports
}

// without says which signals of a chunk do not count where one of a file does not.
var without = map[int]int{
	bestWords: chunkWords, coverage: chunkCoverage, bestMeaning: chunkMeaning, symbolWords: chunkNames, definition: chunkDefinition, identifier: chunkIdentifier,
}

// ChunkValues are one chunk's signals.
type ChunkValues [chunkSignals]float64

func (v *ChunkValues) sum(weights *ChunkValues) float64 {
	s := 0.0
	for i := range v {
		s += v[i] * weights[i]
	}
	return s
}

// Each calls yield for every signal of v with its weight, in a fixed order.
func (v *ChunkValues) Each(w *Weights, yield func(name string, value, weight float64)) {
	for i, n := range chunkSignalNames {
		yield(chunkPrefix+n, v[i], w.chunk[i])
	}
}

// Values are one file's signals.
type Values [signals]float64

// Set is a set of signals: those of files from bit 0 on, those of chunks from firstChunk.
type Set uint64

const firstChunk = 32

// Has reports whether a signal is in the set.
func (s Set) Has(signal int) bool { return s>>signal&1 == 1 }

// With returns the set with one more signal, by name. ok is false for an unknown name.
func (s Set) With(name string) (_ Set, ok bool) {
	for i, n := range names[:logShare] {
		if n == name {
			return s | 1<<i, true
		}
	}
	for i, n := range chunkSignalNames {
		if chunkPrefix+n == name {
			return s | 1<<(firstChunk+i), true
		}
	}
	return s, false
}

// Meaning returns the signals that come from vectors.
func Meaning() Set {
	s := Set(1<<bestMeaning | 1<<topMeaning | 1<<fileMeaning)
	for _, own := range []int{chunkMeaning, chunkAlike, chunkNamesAlike, chunkLate} {
		s |= 1 << (firstChunk + own)
	}
	return s
}

// Names returns the names of the signals that make up a score: a file's, then a chunk's.
func Names() []string {
	all := slices.Clone(names[:logShare])
	for _, n := range chunkSignalNames {
		all = append(all, chunkPrefix+n)
	}
	return all
}

// Each calls yield for every signal of v with its weight, in a fixed order. The
// last, named "share", is no part of the score; its weight is 0.
func (v *Values) Each(w *Weights, yield func(name string, value, weight float64)) {
	for i, n := range names {
		yield(n, v[i], w.file[i])
	}
}

func (v *Values) sum(weights *Values) float64 {
	s := 0.0
	for i := range v {
		s += v[i] * weights[i]
	}
	return s
}

// chance is the probability that a file is right, by logistic regression.
func (v *Values) chance() float64 {
	z := fitted.bias + v.sum(&fitted.chance.file)
	return 1 / (1 + math.Exp(-z))
}
