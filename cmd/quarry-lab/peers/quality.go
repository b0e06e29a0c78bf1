package peers

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
)

// A quality is how good the answers of a peer are: means over repositories of the means
// over their questions.
type quality struct {
	repositories, questions int
	ndcg, recall            float64
	median                  float64 // milliseconds of a question
}

// measureQuality asks a peer all questions of a suite.
func measureQuality(ctx context.Context, f *foundPeer, all suite.Suite, corpus, dir string) (q quality, err error) {
	var took []float64
	for i, r := range all {
		figures, times, err := f.repository(ctx, r, corpus, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return q, fmt.Errorf("%s: %w", r.Name, err)
		}
		n := float64(len(figures))
		for _, m := range figures {
			q.ndcg += m.NDCG / n
			q.recall += m.Recall10 / n
		}
		q.questions += len(figures)
		took = append(took, times...)
	}
	q.repositories = len(all)
	q.ndcg /= float64(len(all))
	q.recall /= float64(len(all))
	q.median = median(took)
	return q, nil
}

// repository asks the questions about a copy of one repository.
func (f *foundPeer) repository(ctx context.Context, r suite.Repository, corpus, dir string) (all []measure.Figures, took []float64, err error) {
	p, err := newPlace(filepath.Join(corpus, filepath.FromSlash(r.Name), filepath.FromSlash(r.Root)), dir)
	if err != nil {
		return nil, nil, err
	}
	if f.index != nil && !f.builds {
		if _, _, err := f.do(ctx, f.index(p)); err != nil {
			return nil, nil, err
		}
	}
	var s *server
	if f.overAsk != nil {
		if s, err = f.start(ctx, p); err != nil {
			return nil, nil, err
		}
		defer s.stop()
	}
	for _, q := range r.Queries {
		var out []byte
		var ms float64
		if s != nil {
			text, wall, err := s.repeat(ctx, 1, f.overAsk(q.Text))
			if err != nil {
				return nil, nil, err
			}
			out, ms = text, wall.Seconds()*1e3
		} else {
			text, c, err := f.do(ctx, f.ask(p, q.Text))
			if err != nil {
				return nil, nil, err
			}
			out, ms = text, c.wall.Seconds()*1e3
		}
		hits := f.answer(p, q.Text, out)
		for i := range hits {
			hits[i].File = path.Join(r.Root, hits[i].File)
		}
		all = append(all, measure.Measure(q.Targets, hits))
		took = append(took, ms)
	}
	return all, took, nil
}
