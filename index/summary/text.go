package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// asItIs is the number of tokens below which a text is not summarised unless a level
	// was named.
	asItIs = 500
	// chunkSize is the number of tokens above which a text is taken in chunks of that
	// size.
	chunkSize = 5000
)

// Options say how a text is summarised. The zero value works.
type Options struct {
	Level     Level            // "": L1, but texts below 500 tokens are taken as they are; a level that is named is obeyed
	MaxTokens int              // of the summary; 0: the level's Budget, for L3 as many as there are
	Count     func(string) int // tokens of a text; nil: a quarter of the characters, rounded up
	// Embed returns the vectors of sentences, all of one length; nil, or where it
	// returns nil, their words are counted.
	Embed func(sentences []string) [][]float32
}

// A Result is the summary of a text.
type Result struct {
	Text      string
	Level     Level    // never Auto; L3 for a text that is taken as it is
	TokensIn  int      // of the input, whole
	TokensOut int      // of Text
	Truncated bool     // there was more at this level than MaxTokens allows
	Chunks    int      // chunks that the input was taken in; 1 unless it has more than 5,000 tokens
	Files     []string // that the input names, in its order
}

// Text summarises any text: it chooses some of its sentences and keeps their order. The
// same input, options and vectors give the same summary.
//
//   - L0 is the files that the text names, "Files: a.py, b.ts"; "" if it names none.
//   - L1 is a line for each file, "- auth.py: ...", where the text goes through files;
//     else two or three sentences: what is worked on, how far it is, what was decided.
//   - L2 is bullets: goal and focus, decisions and details, blockers and hypotheses, what
//     comes next, and the files and functions that are named.
//   - L3 is the text.
//
// A text without anything but white space comes to "". A summary at L1 and L2 is never
// longer than its text, and below L3 never longer than its budget; what it takes, it takes whole, unless
// the budget has not even room for one sentence.
func Text(content string, o Options) Result {
	content = strings.ToValidUTF8(content, "\uFFFD")
	t := &texter{Options: o, content: content}
	if t.Count == nil {
		t.Count = quarter
	}
	if strings.TrimSpace(content) == "" {
		return Result{Level: named(o.Level), TokensIn: t.Count(content), Chunks: 1}
	}
	r := Result{TokensIn: t.Count(content), Level: o.Level, Chunks: 1, Files: filesIn(content)}
	switch {
	case o.Level == Auto:
		r.Level = Choose(r.TokensIn)
	case o.Level == "" && r.TokensIn < asItIs:
		r.Level = L3
	case o.Level == "":
		r.Level = L1
	}
	if r.Level == L3 && o.Level != L3 && o.MaxTokens > 0 && r.TokensIn > o.MaxTokens {
		r.Level = L1 // as it is, it is too long: its beginning alone would say less
	}
	t.budget = cmp.Or(o.MaxTokens, r.Level.Budget())
	t.tokens, t.files = r.TokensIn, r.Files
	switch r.Level {
	case L0:
		r.Text, r.Truncated = t.listFiles("Files: ", r.Files)
	case L3:
		r.Text = content
		if o.MaxTokens > 0 && r.TokensIn > o.MaxTokens {
			r.Text, r.Truncated = Truncate(content, o.MaxTokens, t.Count), true
		}
	default:
		r.Text, r.Truncated, r.Chunks = t.summarize(r.Level)
		if whole := strings.TrimSpace(content); t.Count(r.Text) >= t.Count(whole) && t.Count(whole) <= t.budget {
			r.Text, r.Truncated = whole, false
		}
	}
	r.TokensOut = t.Count(r.Text)
	return r
}

// named is a level for what has none.
func named(l Level) Level {
	if l == "" || l == Auto {
		return L3
	}
	return l
}

// quarter is the estimate of the package tokens, which this one does not import: it would
// bring the encodings with it.
func quarter(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// A texter summarises one text.
type texter struct {
	Options
	content string
	tokens  int      // of content
	budget  int      // of the summary
	files   []string // that content names
}

func (t *texter) fits(text string) bool { return t.Count(text) <= t.budget }

// summarize makes the summary of the levels that choose, L1 and L2.
func (t *texter) summarize(level Level) (text string, truncated bool, chunks int) {
	if plain, ok := flatten(t.content); ok {
		t.content = plain
	}
	units, sections := unitsOf(t.content)
	if len(units) == 0 { // code without a definition, marks alone
		for line := range strings.Lines(t.content) {
			if line = strings.TrimSpace(line); line != "" {
				for _, chunk := range splitLong(line, longestUnit) {
					units = append(units, unit{text: chunk, form: prose, passage: -1, times: 1})
				}
			}
		}
	}
	all := rank(units)
	candidates, chunks := t.candidates(all)
	if by := byFile(candidates, sections, t.content); by != nil {
		text, truncated = t.aboutFiles(by, level)
	} else if level == L1 {
		text, truncated = t.sentences(candidates)
	} else {
		text, truncated = t.bullets(candidates)
	}
	return text, truncated, chunks
}

// candidates scores the units of a text. Those of a long one compete within its chunks
// first, and the best of each chunk with each other.
func (t *texter) candidates(all []ranked) ([]ranked, int) {
	if t.tokens <= chunkSize {
		center(all, t.Embed)
		return all, 1
	}
	size := chunkSize * len(t.content) / t.tokens // bytes
	var best []ranked
	chunks := 0
	for start := 0; start < len(all); chunks++ {
		// A chunk ends between two paragraphs, unless one alone is too long.
		end, paragraph := start+1, 0
		for end < len(all) && all[end].at-all[start].at < size {
			if all[end].part != all[end-1].part {
				paragraph = end
			}
			end++
		}
		if end < len(all) && paragraph > 0 {
			end = paragraph
		}
		chunk := slices.Clone(all[start:end])
		center(chunk, t.Embed)
		c := newChoice(chunk)
		for range candidatesOfChunk {
			i := c.best(func(*ranked) bool { return true })
			if i < 0 {
				break
			}
			best = append(best, chunk[i])
		}
		start = end
	}
	slices.SortFunc(best, func(a, b ranked) int { return a.order - b.order })
	center(best, t.Embed)
	return best, chunks
}

// candidatesOfChunk is how many units of a chunk compete with those of others.
const candidatesOfChunk = 16

// sentences chooses two or three: what is worked on, how far it is, what was decided.
func (t *texter) sentences(units []ranked) (string, bool) {
	c := newChoice(units)
	of := func(topics ...topic) func(*ranked) bool {
		return func(r *ranked) bool { return says(r) && slices.Contains(topics, r.topic) && r.worth > 0 }
	}
	var chosen []*ranked
	truncated := false
	for _, may := range []func(*ranked) bool{of(goal), of(focus, blocker), of(decision), of(next), says, says, says} {
		if len(chosen) == 3 {
			break
		}
		i := c.best(may)
		if i < 0 {
			continue
		}
		if with := append(slices.Clone(chosen), &units[i]); t.fits(joined(with)) {
			chosen = with
		} else {
			truncated = true
		}
	}
	if len(chosen) == 0 {
		return t.cutBest(units, "")
	}
	return joined(chosen), truncated
}

func plain(r *ranked) bool { return r.form != heading }

// says reports whether a unit is more than a title or a word of thanks.
func says(r *ranked) bool { return plain(r) && r.worth > -0.3 }

// joined puts sentences into the order of the text, on one line.
func joined(units []*ranked) string {
	units = slices.Clone(units)
	slices.SortFunc(units, func(a, b *ranked) int { return a.order - b.order })
	var b strings.Builder
	for i, u := range units {
		text := u.shown()
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
		if last, _ := utf8.DecodeLastRuneInString(text); i < len(units)-1 && !strings.ContainsRune(".!?…:;。！？", last) {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// cutBest cuts the best unit to the budget, where no unit fits it.
func (t *texter) cutBest(units []ranked, before string) (string, bool) {
	i := newChoice(units).best(func(*ranked) bool { return true })
	if i < 0 {
		return "", false
	}
	return before + cutWords(units[i].text, t.budget-t.Count(before), t.Count), true
}
