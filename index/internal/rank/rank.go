// Package rank puts candidates in order. Its functions are pure: what they know
// of a candidate is in its evidence, so that every figure in a ranking can be
// explained, and the same evidence always gives the same order.
//
// The rules are those that the published engines share, as the ablations in
// their documentation bear them out: reciprocal rank fusion of words and
// vectors (Cormack, Clarke and Büttcher, SIGIR 2009), a large boost for the
// definition of a name that was asked for, a boost for files whose name and
// folder repeat the question, one for files of which several chunks match, and
// penalties for tests, examples and re-exporting files, which lift when the
// question is about them.
package rank

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
)

// Evidence is what is known of a chunk.
type Evidence struct {
	ID   uint32
	File int // position in the files given to Rank
	Line int // 1-based, to break ties

	Lexical      float64 // BM25, 0: no word matches
	LexicalRank  int     // 1-based among the candidates, 0: not among them
	Semantic     float64 // cosine, 0: unknown
	SemanticRank int     // 1-based among the candidates, 0: not among them
	Definition   float64 // 0..1: how surely it defines the Symbol asked for
	Identifier   float64 // 0..1: likewise for one of the Identifiers
	Head         bool    // licence and imports
}

// File is what is known of a file.
type File struct {
	Path                                            string
	Words                                           []string // PathWords(Path)
	Test, Example, Doc, Barrel, Declaration, Legacy bool
}

// Scored is a chunk with its final score.
type Scored struct {
	Evidence
	Score float64 // comparable within one ranking only
}

// The weights. Boosts are in units of the best fused score, penalties multiply.
const (
	rrf             = 60
	semanticName    = 0.3 // the vectors' share when a name is asked for
	semanticText    = 0.5 // and for sentences
	coherence       = 0.2
	definition      = 3.0
	stemEqual       = 1.5 // times definition, when the file bears the name
	pathWords       = 1.0
	identifier      = 1.5
	penaltyTest     = 0.3
	penaltyLegacy   = 0.3
	penaltyExample  = 0.3
	penaltyBarrel   = 0.5
	penaltyDeclared = 0.7
	penaltyDoc      = 0.6
	penaltyHead     = 0.9
)

// Rank orders chunks by how well they answer the query: by score, then path,
// then line. It writes them to dst, whose memory is used when it is long enough.
func Rank(dst []Scored, q Query, chunks []Evidence, files []File, semanticOnly bool) []Scored {
	out := slices.Grow(dst[:0], len(chunks))[:len(chunks)]
	share := semanticText
	if q.Symbol != "" {
		share = semanticName
	}
	if semanticOnly {
		share = 1
	}
	best := 0.0
	sums := make([]float64, len(files))
	for i, c := range chunks {
		s := 0.0
		if c.SemanticRank > 0 {
			s += share / float64(rrf+c.SemanticRank)
		}
		if c.LexicalRank > 0 {
			s += (1 - share) / float64(rrf+c.LexicalRank)
		}
		out[i] = Scored{c, s}
		best = max(best, s)
		sums[c.File] += s
	}
	if best == 0 {
		best = 1.0 / (rrf + 1) // definitions only
	}
	if !semanticOnly {
		boost(q, out, files, sums, best)
	}
	slices.SortFunc(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(files[a.File].Path, files[b.File].Path), cmp.Compare(a.Line, b.Line))
	})
	return out
}

func boost(q Query, chunks []Scored, files []File, sums []float64, best float64) {
	top := make([]int, len(files)) // the best chunk of each file, plus one
	for i, c := range chunks {
		t := &top[c.File]
		if *t == 0 || c.Score > chunks[*t-1].Score || c.Score == chunks[*t-1].Score && c.Line < chunks[*t-1].Line {
			*t = i + 1
		}
	}
	most := slices.Max(append(slices.Clone(sums), math.SmallestNonzeroFloat64))
	for f, t := range top {
		if t > 0 {
			chunks[t-1].Score += coherence * best * sums[f] / most
		}
	}
	words := make([]float64, len(files))
	for f := range files {
		if top[f] > 0 && q.Symbol == "" {
			words[f] = PathMatch(q.Keywords, files[f].Words)
		}
	}
	for i := range chunks {
		c := &chunks[i]
		f := &files[c.File]
		if c.Definition > 0 {
			weight := definition * c.Definition
			if sameName(stem(f.Path), q.Symbol) {
				weight *= stemEqual
			}
			c.Score += weight * best
		}
		if c.Identifier > 0 {
			c.Score += identifier * best * c.Identifier
		}
		if w := words[c.File]; w >= 0.1 {
			c.Score += pathWords * best * w
		}
		c.Score *= Penalty(q, f)
		if c.Head && c.Definition == 0 {
			c.Score *= penaltyHead
		}
	}
}

// Penalty returns the factor, at most 1, for what kind of file it is.
func Penalty(q Query, f *File) float64 {
	p := 1.0
	if f.Test && !q.Tests {
		p *= penaltyTest
	}
	if f.Legacy && !q.Legacy {
		p *= penaltyLegacy
	}
	if f.Example && !q.Examples {
		p *= penaltyExample
	}
	if f.Barrel {
		p *= penaltyBarrel
	}
	if f.Declaration && !q.Declarations {
		p *= penaltyDeclared
	}
	if f.Doc && !q.Docs {
		p *= penaltyDoc
	}
	return p
}

// PathMatch returns the share of the keywords, 0..1, that occur among the words
// of a path. A word matches one that it begins, or that begins it, over at least
// three letters.
func PathMatch(keywords, parts []string) float64 {
	if len(keywords) == 0 {
		return 0
	}
	n := 0
	for _, k := range keywords {
		if slices.ContainsFunc(parts, func(p string) bool { return alike(k, p) }) {
			n++
		}
	}
	return float64(n) / float64(len(keywords))
}

// PathWords returns the folded words of a file's name, without its extension,
// and of its folder's.
func PathWords(file string) []string {
	words := nameWords(stem(file))
	if dir := path.Base(path.Dir(file)); dir != "." && dir != "/" {
		words = append(words, nameWords(dir)...)
	}
	return words
}

// nameWords returns the folded parts of a name.
func nameWords(name string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-. /:", r) }) {
		for _, p := range splitCase(w) {
			words = append(words, strings.ToLower(p))
		}
	}
	return words
}

func alike(a, b string) bool {
	if a == b {
		return true
	}
	return min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// stem returns a file's name without folder and extension.
func stem(file string) string {
	base := path.Base(file)
	if i := strings.IndexByte(base, '.'); i > 0 {
		return base[:i]
	}
	return base
}

// sameName reports whether a file's stem is the name, by any convention:
// json_parser and JsonParser, user and users.
func sameName(stem, name string) bool {
	fold := func(s string) string {
		s = strings.ToLower(s)
		return strings.TrimSuffix(strings.NewReplacer("_", "", "-", "").Replace(s), "s")
	}
	return stem != "" && name != "" && fold(stem) == fold(name)
}

// Confidence turns a ranking's evidence into a figure in (0,1): how far the
// best chunk can be trusted. It depends on what was found, not on the other
// results, so that a question about something that is not there gets a low
// figure: the share of the question's words that occur, weighted by how rare
// they are, the cosine, and whether a definition was found.
func Confidence(c Evidence, covered float64) float64 {
	words := 0.0
	if c.Lexical > 0 {
		words = covered
	}
	meaning := min(max((c.Semantic-0.15)/0.55, 0), 1)
	p := 0.05 + 0.4*words + 0.45*meaning
	found := max(c.Definition, 0.6*c.Identifier)
	p += (0.97 - p) * 0.9 * found
	return min(max(p, 0.01), 0.99)
}

// DefinitionStrength returns how surely, in (0,1], a symbol is the one that a
// name means: types and functions before methods before the rest, the exact
// case before a folded one, exported before hidden, and, where the name was
// qualified, the right parent before any other.
func DefinitionStrength(kind string, exact, exported bool, qualifier, parent string) float64 {
	s := 1.0
	switch kind {
	case "class", "struct", "interface", "trait", "enum", "type", "module", "namespace", "function", "macro":
	case "method", "constructor":
		s = 0.9
	case "constant", "variable":
		s = 0.8
	default:
		s = 0.5
	}
	if !exact {
		s *= 0.85
	}
	if !exported {
		s *= 0.95
	}
	if qualifier != "" {
		if !qualifies(parent, qualifier) {
			s *= 0.7
		}
	}
	return s
}

// qualifies reports whether a symbol's parents end in the qualifier's last part.
func qualifies(parent, qualifier string) bool {
	last := func(s string) string {
		if i := strings.LastIndexAny(s, ".:\\>#"); i >= 0 {
			s = s[i+1:]
		}
		return strings.ToLower(s)
	}
	return parent != "" && last(parent) == last(qualifier)
}
