// Package rank puts candidates in order. Its functions are pure: everything they know of a
// candidate is in its evidence, so that every figure in a ranking can be explained, and the
// same evidence always gives the same order.
//
// Files are ranked, by a weighted sum of signals: how well words and vectors of their
// chunks match, alone and together, whether their names and the names of their symbols
// repeat the question, whether they define the name that was asked for, and what kind of
// file they are. The weights are in weights.txt, fitted by quarry-lab train on questions
// about repositories that no figure is measured on; docs/ranking.md says what each signal
// is worth. The chunk that is shown of a file is the one that matches best by itself.
package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Evidence is what is known of a chunk.
type Evidence struct {
	ID   uint32
	File int // position in the files given to Rank
	Nth  int // position among the chunks of the file
	Line int // 1-based, to break ties

	Words      float64 // BM25, 0: no word matches
	Coverage   float64 // 0..1: share of the question's words that occur, weighted by how rare they are
	Meaning    float64 // cosine, 0: unknown
	Definition float64 // 0..1: how surely it defines the Symbol asked for
	Identifier float64 // 0..1: as above for one of the Identifiers
	Names      float64 // 0..1: how much a name of a symbol in it has in common with the question; Rank fills it in
	Alike      float64 // 0..1: how near the words of the question are to the nearest of its own, 0: unknown; see Options.Look
	NamesAlike float64 // as above, to those of its names
	Late       float64 // how near the tokens of the question are to the nearest of its own, by an encoder; 0: unknown
	Symbol     int     // position after that of the symbol in it that is nearest, 0: unknown
	Function   bool    // it leads with a function, or lies in one
	Size       int     // bytes
	Head       bool    // licence and imports
	Near       bool    // Meaning is not the cosine but within Options.Within of it
	Proposed   bool    // words, vectors or symbols put it forward, not only its file
}

// File is what is known of a file besides its chunks.
type File struct {
	Path    string
	Meaning float64 // cosine of the file's own vector, 0: unknown
	Words   Words   // of its path and of its symbols

	Code     int     // bytes in functions of three lines and more
	Abstract float64 // 0..1: share of interfaces and traits among its types

	Test, Example, Doc, Barrel, Declaration, Legacy, Config bool
}

// Scored is a chunk with its file's score.
type Scored struct {
	Evidence
	Score   float64 // comparable within one ranking only
	Chance  float64 // 0..1: the probability that the file is right; of a chunk that is not its best, less by the ratio of their shares of the soft maximum
	Values  *Values // of the file's signals; valid until the next Rank
	Chunk   ChunkValues
	Another int // how many chunks of its file are before it
}

// fillPerFile is how many chunks of one file may fill places that no other file
// takes.
const fillPerFile = 5

// AnotherOfFile is what the second chunk of a file adds to the score that it has by itself,
// the third twice that, where nobody says how many of one file there may be: a file that
// answers a question often has the right function and some that are about the same.
const AnotherOfFile = -0.8

// Options of Rank.
type Options struct {
	PerFile int      // chunks of one file in the result at most; 0: Query.PerFile, and more of the same files where there are fewer than Limit
	Limit   int      // chunks that will be used
	Without Set      // signals that shall not count
	Matcher *Matcher // compares names with the question, nil: they do not count

	// Exact fills in the cosine of a chunk that is Near. It is called for those of which it may
	// decide something: the signals of its file, whether it is looked at or is the best, and all
	// that are given; the order and all values are those that all cosines would give.
	Exact  func(*Evidence)
	Within float64

	// Look reads a chunk and fills in Alike, NamesAlike and Late. It is called for the LookAt
	// best of all chunks; nil: they do not count.
	Look   func(*Evidence)
	LookAt int
}

// A Ranker ranks. It keeps its memory from one use to the next and is not safe
// for concurrent use.
type Ranker struct {
	values  []Values
	scores  []float64 // of each file: of its signals, then with those of its best chunk
	totals  []float64 // of each chunk, with those of its file
	order   []int
	picks   []pick
	scored  []Scored
	highest highest
	spans   []span // of each file's chunks
	weights Weights
	found   int
}

// span is where the chunks of a file are; to is 0 for none.
type span struct{ from, to int }

// Rank orders files by how well they answer the query: by score, then path. Of
// each it gives the best chunk and, if the options say so, the best few of those
// that were put forward and are no head, which come where their own evidence puts them; those that
// only fill places come after all files. Chunks of one file must come one after
// the other, in the order of their places. The result is valid until the next call.
func (r *Ranker) Rank(q Query, chunks []Evidence, files []File, opt Options) []Scored {
	r.values = append(r.values[:0], make([]Values, len(files))...)
	r.measure(q, chunks, files, &opt)
	r.weights = WeightsOf(q, opt.Without)
	r.scores = slices.Grow(r.scores[:0], len(files))[:len(files)]
	for f := range r.values {
		r.scores[f] = r.values[f].sum(&r.weights.file)
	}
	r.add(chunks, &opt)
	r.share()
	perFile, fill, further := opt.PerFile, false, 0.0
	several := q.PerFile()
	if perFile == 0 {
		if perFile, fill = several, len(files) < opt.Limit; fill {
			perFile = fillPerFile
		}
		further = AnotherOfFile
	}
	r.choose(chunks, perFile, opt.PerFile == 0)
	for i := range r.picks {
		p := &r.picks[i]
		p.score = r.totals[p.chunk] + further*float64(p.another)
	}
	slices.SortFunc(r.picks, func(a, b pick) int {
		if a, b := a.filling(several), b.filling(several); fill && a != b {
			if a {
				return 1
			}
			return -1
		}
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		x, y := &chunks[a.chunk], &chunks[b.chunk]
		return cmp.Or(strings.Compare(files[x.File].Path, files[y.File].Path), cmp.Compare(x.Line, y.Line))
	})
	r.scored = r.scored[:0]
	least := 1.0
	for _, p := range r.picks {
		c := &chunks[p.chunk]
		values := &r.values[c.File]
		chance := values.chance()
		if p.another == 0 {
			least = min(least, chance)
		} else {
			chance *= math.Exp(max(r.totals[p.chunk]-r.scores[c.File], leastLog))
		}
		r.scored = append(r.scored, Scored{Evidence: *c, Score: p.score, Chance: min(least, chance), Values: values, Chunk: r.chunk(c), Another: p.another})
	}
	// A later result is never more likely right than an earlier one.
	for i := len(r.scored) - 2; i >= 0; i-- {
		r.scored[i].Chance = max(r.scored[i].Chance, r.scored[i+1].Chance)
	}
	return r.scored
}

// Found returns how many chunks the last Rank would have given without a bound for those of one
// file.
func (r *Ranker) Found() int { return r.found }

// Weights returns those of the last Rank.
func (r *Ranker) Weights() *Weights { return &r.weights }

// someCode is what a short function holds, in bytes.
const someCode = 200

// highest is the most that any file has: what the others are compared with.
type highest struct{ words, wordsTop float64 }

// measure fills in the values of all files.
func (r *Ranker) measure(q Query, chunks []Evidence, files []File, opt *Options) {
	m := opt.Matcher
	r.highest = highest{}
	r.spans = append(r.spans[:0], make([]span, len(files))...)
	for i := range chunks {
		s := &r.spans[chunks[i].File]
		if s.to == 0 {
			s.from = i
		}
		s.to = i + 1
	}
	for f, s := range r.spans {
		v := &r.values[f]
		var words, meaning top3
		for i := s.from; i < s.to; i++ {
			c := &chunks[i]
			words.add(c.Words)
			if c.Meaning != 0 {
				meaning.add(c.Meaning)
			}
			v[coverage] = max(v[coverage], c.Coverage)
			v[definition] = max(v[definition], c.Definition)
			v[identifier] = max(v[identifier], c.Identifier)
		}
		if opt.Within > 0 {
			meaning = opt.nearest(chunks[s.from:s.to], meaning)
		}
		v[bestWords], v[topWords] = words.best(), words.sum()/3
		v[bestMeaning], v[topMeaning] = meaning.best(), meaning.mean()
		r.highest.words = max(r.highest.words, v[bestWords])
		r.highest.wordsTop = max(r.highest.wordsTop, v[topWords])
	}
	for f := range files {
		v, file := &r.values[f], &files[f]
		if r.highest.words > 0 {
			v[bestWords] /= r.highest.words
			v[topWords] /= r.highest.wordsTop
		}
		v[fileMeaning] = file.Meaning
		v[code] = math.Log(1 + float64(file.Code)/someCode)
		if file.Code < 3*someCode {
			v[abstract] = file.Abstract
		}
		if m != nil {
			of := chunks[r.spans[f].from:r.spans[f].to]
			v[stemWords], v[pathWords], v[symbolWords] = m.compare(&file.Words, func(nth int, likeness float64) {
				if i := nthOf(of, nth); i >= 0 {
					of[i].Names = max(of[i].Names, likeness)
				}
			})
		}
		if q.Symbol != "" && sameName(stem(file.Path), q.Symbol) {
			v[namedFile] = 1
		}
		for _, kind := range []struct {
			signal int
			is     bool
		}{
			{test, file.Test && !q.Tests},
			{example, file.Example && !q.Examples},
			{document, file.Doc && !q.Docs},
			{declaration, file.Declaration && !q.Declarations},
			{legacy, file.Legacy && !q.Legacy},
			{barrel, file.Barrel},
			{config, file.Config && !q.Config},
		} {
			if kind.is {
				v[kind.signal] = 1
			}
		}
	}
}

// leastLog is the least logarithm of a share, or of a ratio of two.
const leastLog = -20

// share gives each file the logarithm of its share of the soft maximum of all
// scores: how much it stands out.
func (r *Ranker) share() {
	if len(r.scores) == 0 {
		return
	}
	most := slices.Max(r.scores)
	sum := 0.0
	for _, s := range r.scores {
		sum += math.Exp(s - most)
	}
	for f, s := range r.scores {
		r.values[f][logShare] = max(s-most-math.Log(sum), leastLog)
	}
}

// nthOf returns the position of a chunk among the evidence of a file, in order of their
// places, -1 for none.
func nthOf(chunks []Evidence, nth int) int {
	if nth < len(chunks) && chunks[nth].Nth == nth { // mostly there are all
		return nth
	}
	i, ok := slices.BinarySearchFunc(chunks, nth, func(c Evidence, nth int) int { return cmp.Compare(c.Nth, nth) })
	if !ok {
		return -1
	}
	return i
}

// chunk returns a chunk's own signals.
func (r *Ranker) chunk(c *Evidence) (v ChunkValues) {
	v[chunkDefinition], v[chunkIdentifier], v[chunkNames] = c.Definition, c.Identifier, c.Names
	if r.highest.words > 0 {
		v[chunkWords] = c.Words / r.highest.words
	}
	v[chunkCoverage], v[chunkMeaning] = c.Coverage, c.Meaning
	v[chunkAlike], v[chunkNamesAlike], v[chunkLate] = c.Alike, c.NamesAlike, c.Late
	if c.Head && c.Definition == 0 {
		v[chunkHead] = 1
	}
	if c.Function {
		v[chunkFunction] = 1
	}
	v[chunkSize] = logSize(c.Size)
	return v
}

// logSize is the size of a chunk as its signal has it.
func logSize(bytes int) float64 {
	if bytes >= 0 && bytes < len(logSizes) {
		return logSizes[bytes]
	}
	return math.Log(1 + float64(bytes)/someCode)
}

// logSizes are the logarithms for most chunks: thousands a question are a third of its ranking.
// They take 0.1 ms when the program starts.
var logSizes = func() (sizes [4096]float64) {
	for bytes := range sizes {
		sizes[bytes] = math.Log(1 + float64(bytes)/someCode)
	}
	return sizes
}()
