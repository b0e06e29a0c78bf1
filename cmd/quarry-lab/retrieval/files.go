package retrieval

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/suite"
)

// wholeFiles are the files of a repository for a reader who searches them for the words of
// a question, as grep does, and reads the best ones whole.
type wholeFiles struct {
	repository suite.Repository
	files      []wholeFile
	count      func(text string) int
}

type wholeFile struct {
	path   string
	text   []byte
	tokens int // 0: not counted yet
}

// readWhole reads the files that an index has.
func readWhole(ctx context.Context, x *index.Index, r suite.Repository, count func(string) int) (*wholeFiles, error) {
	w := &wholeFiles{repository: r, count: count}
	all, err := x.Structure(ctx, outline.StructureQuery{Limit: 1 << 30, Kind: []string{"module"}})
	if err != nil {
		return nil, err
	}
	for _, f := range all.Files {
		text, err := os.ReadFile(filepath.Join(x.Root(), filepath.FromSlash(f.File)))
		if err != nil {
			return nil, err
		}
		w.files = append(w.files, wholeFile{path: f.File, text: text})
	}
	return w, nil
}

// ask reads whole files for a question, those with most of its words first, then those with
// most matches: until one with a target is read, and until there is as much of them as the
// packs have.
func (w *wholeFiles) ask(q suite.Query, o *packOutcome) {
	h := newHunt(w.repository, q)
	spent := 0
	o.first.files.tokens = measure.MissTokens
	o.files = packed{measure.MissTokens, 0}
	enough := o.quarry.recall == 0
	if enough {
		o.files.tokens = 0
	}
	for _, i := range w.order(q.Text) {
		f := &w.files[i]
		if f.tokens == 0 {
			f.tokens = max(w.count(string(f.text)), 1)
		}
		spent += f.tokens
		before := h.recall()
		h.see(f.path, 1, 1<<30)
		now := h.recall()
		if before == 0 && now > 0 {
			o.first.files = packed{spent, 1}
		}
		for b, budget := range measure.Budgets {
			if spent <= budget {
				o.recall[b] = now
			}
		}
		within := spent <= measure.MissTokens
		if within {
			o.files.recall = now
		}
		if !enough {
			o.all = packed{spent, now}
			if enough = now >= o.quarry.recall; enough && within {
				o.files.tokens = spent
			}
		}
		if enough && now > 0 {
			break
		}
	}
}

// order returns the files that have a word of the question.
func (w *wholeFiles) order(question string) []int {
	var patterns []*regexp.Regexp
	for _, word := range keywords(question) {
		patterns = append(patterns, regexp.MustCompile("(?i)"+regexp.QuoteMeta(word)))
	}
	type match struct{ file, words, times int }
	var all []match
	for i := range w.files {
		m := match{file: i}
		for _, p := range patterns {
			if n := len(p.FindAllIndex(w.files[i].text, -1)); n > 0 {
				m.words++
				m.times += n
			}
		}
		if m.words > 0 {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.times, a.times), cmp.Compare(w.files[a.file].path, w.files[b.file].path))
	})
	order := make([]int, len(all))
	for i, m := range all {
		order[i] = m.file
	}
	return order
}

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// stopWords are words of questions that nobody would search for.
const stopWords = " a an and are as at be by can do does for from how in into is it its of on or that the their them they this to used uses using was what when where which who why with work works you your "

// keywords returns the words of a question to search for, each once.
func keywords(question string) []string {
	var words []string
	for _, w := range wordPattern.FindAllString(question, -1) {
		w = strings.ToLower(w)
		if len(w) > 1 && !strings.Contains(stopWords, " "+w+" ") && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}
