// Package measure says how good ranked lists are: whether they hold what a
// suite names (Measure), what a reader pays for it in tokens (Spend), and
// whether scores mean what they say (Calibrate). Summarize puts the outcomes
// of many questions together.
//
// It knows no index and no ranking: a list is a slice of Hits.
package measure

import (
	"math"
	"slices"

	"github.com/quarry-search/quarry/index/suite"
)

// Depth is how many results count for the figures, as in published ones.
const Depth = 10

// A Hit is one result of a ranked list.
type Hit struct {
	File      string  // relative to the repository, with slashes
	Line, End int     // 1-based, inclusive
	Score     float64 // 0..1
}

// Figures say how well ranked lists answer: of one question, or means over
// questions. All but Questions are 0..1, higher is better.
type Figures struct {
	Questions int     `json:"queries"`
	NDCG      float64 `json:"ndcg@10"`
	First     float64 `json:"first"`    // share of the questions whose first result is right
	Recall1   float64 `json:"recall@1"` // share of the targets that the first result covers
	Recall5   float64 `json:"recall@5"`
	Recall10  float64 `json:"recall@10"`
	MRR       float64 `json:"mrr"` // 1 over the rank of the first right result, 0 beyond Depth
	Recall3   float64 `json:"recall@3"`
}

// Measure compares a list with the targets. A target counts at the first hit
// that holds it. The discounted cumulative gain of a target at rank r is
// 1/log2(r+1), that of an ideal list has all targets on top (Järvelin and
// Kekäläinen, 2002, with binary gain); where one hit holds several targets the
// quotient can exceed that ideal and is cut at 1.
func Measure(targets []suite.Target, hits []Hit) Figures {
	f := Figures{Questions: 1}
	hits = hits[:min(len(hits), Depth)]
	ideal, each := 0.0, 1/float64(len(targets))
	for i, t := range targets {
		ideal += 1 / math.Log2(float64(i)+2)
		at := slices.IndexFunc(hits, func(h Hit) bool { return t.Holds(h.File, h.Line, h.End) })
		if at < 0 {
			continue
		}
		f.NDCG += 1 / math.Log2(float64(at)+2)
		f.MRR = max(f.MRR, 1/float64(at+1))
		f.Recall10 += each
		if at < 3 {
			f.Recall3 += each
		}
		if at < 5 {
			f.Recall5 += each
		}
		if at == 0 {
			f.Recall1 += each
			f.First = 1
		}
	}
	if ideal > 0 {
		f.NDCG = min(f.NDCG/ideal, 1)
	}
	return f
}

// Right reports whether a hit holds any of the targets.
func Right(targets []suite.Target, h Hit) bool {
	return slices.ContainsFunc(targets, func(t suite.Target) bool { return t.Holds(h.File, h.Line, h.End) })
}

// Judge says for each of the first Depth hits whether it is right.
func Judge(targets []suite.Target, hits []Hit) []Judged {
	all := make([]Judged, 0, Depth)
	for _, h := range hits[:min(len(hits), Depth)] {
		all = append(all, Judged{h.Score, Right(targets, h)})
	}
	return all
}

// OfLines reports whether any of the targets names lines.
func OfLines(targets []suite.Target) bool {
	return slices.ContainsFunc(targets, func(t suite.Target) bool { return t.Start > 0 })
}

// Files returns the targets as whole files, each once.
func Files(targets []suite.Target) []suite.Target {
	var files []suite.Target
	for _, t := range targets {
		if whole := (suite.Target{Path: t.Path}); !slices.Contains(files, whole) {
			files = append(files, whole)
		}
	}
	return files
}
