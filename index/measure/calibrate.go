package measure

import "math"

// A Judged is the score of one result, 0..1, and whether the result is right.
type Judged struct {
	Score float64
	Right bool
}

// A Bin holds the results whose score is at least From and below To; the last
// bin has those of score 1, too.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
	Score float64 `json:"score"` // mean; 0 of an empty bin
	Right float64 `json:"right"` // share of the results that are right; 0 of an empty bin
}

// A Reliability says whether results of score s are right with probability s.
type Reliability struct {
	Count int     `json:"count"`
	Score float64 `json:"score"` // mean of all scores
	Right float64 `json:"right"` // share of all results that are right
	Error float64 `json:"expected_calibration_error"`
	Bins  [10]Bin `json:"bins"`
}

// Calibrate puts results into ten bins of equal width. The expected
// calibration error is the mean over the results of how far their bin's mean
// score is from its share of right ones (Naeini, Cooper and Hauskrecht, 2015):
// 0 is perfect, 1 the worst.
func Calibrate(results []Judged) Reliability {
	r := Reliability{Count: len(results)}
	bins := float64(len(r.Bins))
	for _, j := range results {
		b := &r.Bins[min(max(int(j.Score*bins), 0), len(r.Bins)-1)]
		b.Count++
		b.Score += j.Score
		if j.Right {
			b.Right++
		}
	}
	for i := range r.Bins {
		b := &r.Bins[i]
		b.From, b.To = float64(i)/bins, float64(i+1)/bins
		if b.Count == 0 {
			continue
		}
		r.Score += b.Score / float64(r.Count)
		r.Right += b.Right / float64(r.Count)
		b.Score /= float64(b.Count)
		b.Right /= float64(b.Count)
		r.Error += float64(b.Count) / float64(r.Count) * math.Abs(b.Score-b.Right)
	}
	return r
}
