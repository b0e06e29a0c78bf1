package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	builtin "github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// card describes a model.
type card struct {
	settings     Settings
	repositories []Repository
	leftOut      int
	excluded     int
	data         *dataset
	held         HoldOut
	words        int
	fields       [fields]float64
	onnx, vocab  []byte
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// json is the card that package embed/model reads. How much each part of a
// document counts is not trained: it is what the present model has.
func (c *card) json() ([]byte, error) {
	type tokens struct {
		Rules         int `json:"rules"`
		QueryLimit    int `json:"query_limit"`
		DocumentLimit int `json:"document_limit"`
	}
	present, err := builtin.ReadCard()
	if err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(struct {
		Name   string            `json:"name"`
		Dim    int               `json:"dim"`
		Tokens tokens            `json:"tokens"`
		Fields builtin.Weights   `json:"fields"`
		SHA256 map[string]string `json:"sha256"`
	}{
		"quarry-static-" + sum(c.onnx)[:8], c.settings.Dim,
		tokens{tokenizer.Rules, tokenizer.QueryLimit, tokenizer.TextLimit},
		present.Fields,
		map[string]string{"model.onnx": sum(c.onnx), "vocab.txt": sum(c.vocab)},
	}, "", "  ")
	return append(b, '\n'), err
}

// markdown is the card for people.
func (c *card) markdown() []byte {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# A static model for code search\n\n")
	p("Written by `quarry-lab train model`; the same command with the same clones gives the same bytes.\n")
	p("A text is a bag of sub-words (`embed/tokenizer`, rules %d); its vector is the sum of their rows, brought\nto unit length. In training a document is one text; in use it is four, whose vectors are added with the weights\nin model.json (`embed/model`).\n\n", tokenizer.Rules)
	p("| file | bytes | sha256 |\n|---|---|---|\n")
	p("| model.onnx | %d | `%s` |\n| vocab.txt | %d | `%s` |\n\n", len(c.onnx), sum(c.onnx), len(c.vocab), sum(c.vocab))
	p("## Settings\n\n")
	s := c.settings
	p("| setting | value |\n|---|---|\n")
	p("| words | %d |\n| dimensions | %d, int8 with a float32 scale a row |\n", c.words, s.Dim)
	p("| seed | %d |\n| epochs | %d |\n| batch | %d pairs, %.0f %% of the halves from one repository |\n", s.Seed, s.Epochs, s.Batch, 100*s.Hard)
	p("| loss | symmetric InfoNCE, cosines times %g; pairs of one file or question are no negatives |\n", s.Scale)
	p("| optimizer | Adagrad, %g falling linearly to %g |\n", s.Rate, s.Rate*lastRate)
	p("| pairs | %s |\n", strings.Join(names(s.Kinds), ", "))
	if slices.Contains(s.Kinds, QuestionPair) {
		p("| questions | each %d times an epoch |\n", s.Repeat)
	}
	if s.Words != nil {
		info := s.Words.Info()
		p("| first rows | vectors of the words by an encoder of %d dimensions (sha256 `%s`), less their mean, the first %d principal components, of length %g times idf |\n", info.Dim, info.SHA256, s.Dim, s.Start)
	}
	how := "fixed"
	if s.Learn {
		how = "learned"
	}
	for f, w := range c.fields {
		p("| weight of the %s | %.4g, %s |\n", Fields[f], w, how)
	}
	p("\n## Data\n\n%d repositories at fixed revisions; %d are excluded, because models are measured on them. One question\nin %d is held out with all its answers; of those of the kind question, all about one\nrepository in %d.\n\n", len(c.repositories), c.excluded, holdEvery, holdAsked)
	if c.leftOut > 0 {
		p("Repositories left out of the list, so that a ranking can be fitted on code that the model has not seen: %d.\n\n", c.leftOut)
	}
	c.counts(p)
	p("\n## On held-out pairs\n\nA question chooses among the documents of %d pairs. In mixed pools they are drawn from all repositories, in near\nones they are of the same repository or its neighbours in the list. The rows by kind and language are near pools.\n\n", poolSize)
	p("| held-out pairs | questions | first | MRR |\n|---|---|---|---|\n")
	row := func(name string, f Figures) {
		if f.Pairs > 0 {
			p("| %s | %d | %.4f | %.4f |\n", name, f.Pairs, f.First, f.MRR)
		}
	}
	row("mixed pools", c.held.Mixed)
	row("near pools", c.held.Near)
	for k, f := range c.held.Kinds {
		row(Kinds[k], f)
	}
	for _, name := range slices.Sorted(maps.Keys(c.held.Languages)) {
		row(name, c.held.Languages[name])
	}
	p("\n## Repositories\n\n")
	for _, r := range c.repositories {
		p("- %s %.12s\n", r.Name, r.Revision)
	}
	return []byte(b.String())
}

// counts prints the trained pairs by language and kind.
func (c *card) counts(p func(string, ...any)) {
	type count [kinds]int
	by, total := map[string]count{}, count{}
	for _, e := range c.data.train {
		n := by[c.data.languages[e.language]]
		n[e.kind]++
		total[e.kind]++
		by[c.data.languages[e.language]] = n
	}
	for name, n := range by { // a question is as many examples as it is trained
		n[QuestionPair] /= c.settings.Repeat
		by[name] = n
	}
	total[QuestionPair] /= c.settings.Repeat
	p("| trained pairs | %s | all |\n|---|%s---|\n", strings.Join(Kinds[:], " | "), strings.Repeat("---|", int(kinds)))
	row := func(name string, n count) {
		p("| %s |", name)
		all := 0
		for _, k := range n {
			p(" %d |", k)
			all += k
		}
		p(" %d |\n", all)
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		row(name, by[name])
	}
	row("all", total)
}

func names(list []Kind) []string {
	out := make([]string, len(list))
	for i, k := range list {
		out[i] = k.String()
	}
	return out
}
