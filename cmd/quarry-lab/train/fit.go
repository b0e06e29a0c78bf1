package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/quarry-search/quarry/embed"
)

// Settings are what the training depends on, besides the pairs.
type Settings struct {
	Seed       uint64          // of everything that is drawn
	Epochs     int             // passes over the pairs; default 2
	Dim        int             // length of a vector, a multiple of 16; default 256
	Vocabulary int             // words at most, at most 65,536; default 60,000
	Batch      int             // pairs, even; default 256
	Rate       float64         // of Adagrad, falling linearly to a fiftieth; default 0.08
	Scale      float64         // of the cosines before the softmax; default 12
	Hard       float64         // share of the half batches that come from one repository, 0 to 1; default 1
	Kinds      []Kind          // that are trained; default all
	Repeat     int             // how often a pair of QuestionPair is trained in an epoch; default 8
	Fields     [fields]float64 // weights of the fields, to begin with; default 1, 0 and 1
	Learn      bool            // learn the weights of the fields that are not 0
	Words      embed.Embedder  // whose vectors of the words are the first rows; nil: they are drawn at random
	Start      float64         // length of a first row over the word's idf; 0: 0.1 at random, 0.3 from an encoder
}

// DefaultSettings are those of the seed model.
func DefaultSettings() Settings {
	return Settings{
		Seed: 1, Epochs: 2, Dim: 256, Vocabulary: 60000, Batch: 256, Rate: 0.08, Scale: 12, Hard: 1,
		Kinds: []Kind{DocComment, RemarkPair, CommitPair, FilePair, NamePair, QuestionPair}, Fields: [fields]float64{1, 0, 1}, Repeat: 8,
	}
}

func (s Settings) check() error {
	switch {
	case s.Epochs < 0:
		return errors.New("there cannot be fewer than 0 epochs")
	case s.Dim < 16 || s.Dim > 4096 || s.Dim%16 != 0:
		return errors.New("the dimension must be a multiple of 16 up to 4096")
	case s.Vocabulary < 1 || s.Vocabulary > math.MaxUint16+1:
		return errors.New("the vocabulary must have 1 to 65536 words")
	case s.Batch < 4 || s.Batch%2 != 0 || s.Batch > 4096:
		return errors.New("a batch must have an even number of pairs, 4 to 4096")
	case !(s.Rate > 0) || !(s.Scale > 0) || s.Scale > 80:
		return errors.New("the learning rate and the scale must be above 0, and the scale at most 80")
	case !(s.Hard >= 0 && s.Hard <= 1):
		return errors.New("the share of hard halves must be between 0 and 1")
	case !(s.Start >= 0) || s.Start > 1000:
		return errors.New("the length of the first rows must be 0 to 1000")
	case s.Repeat < 1 || s.Repeat > 1000:
		return errors.New("questions must be trained once to 1000 times an epoch")
	case len(s.Kinds) == 0:
		return errors.New("at least one kind of pairs is needed")
	case s.Fields[TextField] <= 0 || s.Fields[PathField] < 0 || s.Fields[NamesField] < 0:
		return errors.New("the weight of the text must be above 0, those of the other fields not below")
	}
	return nil
}

// Lengths of the first rows over the word's idf. A first step of Adagrad moves each number of
// a row by about the learning rate, so that little of a short start is left; of what an
// encoder knows, more should be.
const (
	randomStart = 0.1
	wordsStart  = 0.3
)

const (
	lastRate   = 0.02 // of the learning rate, at the end
	reportStep = 500  // batches
)

// start returns the model that training begins with. Its rows are longer where the word is
// rarer. Without an encoder they are drawn at random: such a vector is nearly orthogonal to
// all others, so that training begins with the overlap of words, weighted by idf. With one,
// words that mean the same begin near each other.
func start(ctx context.Context, v *vocabulary, s Settings, workers int) (*model, error) {
	m := &model{dim: s.Dim, rows: make([]float32, len(v.words)*s.Dim), fields: s.Fields}
	if s.Words != nil {
		vectors, err := encodeWords(ctx, s.Words, v.words, workers)
		if err != nil {
			return nil, err
		}
		if m.rows, err = reduce(vectors, s.Words.Info().Dim, s.Dim); err != nil {
			return nil, err
		}
		for i, idf := range v.idf {
			blas32.Scal(float32(float64(idf)*s.Start), vector(m.row(uint16(i))))
		}
		return m, nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	for i, idf := range v.idf {
		scale := float64(idf) * s.Start / math.Sqrt(float64(s.Dim))
		row := m.row(uint16(i))
		for k := range row {
			row[k] = float32(rng.NormFloat64() * scale)
		}
	}
	return m, nil
}

// fit trains a model from its start. The result depends on the dataset and the settings only.
func fit(ctx context.Context, m *model, d *dataset, s Settings, log func(string, ...any)) error {
	rng := rand.New(rand.NewPCG(s.Seed, 2))
	b, u := newBatch(m, s.Batch, s.Scale), newUpdater(m)
	total, step := 0, 0
	for epoch := range s.Epochs {
		batches := plan(d.train, s.Batch, s.Hard, rng)
		if len(batches) == 0 {
			return errors.New("too few pairs for a batch")
		}
		if total == 0 {
			total = s.Epochs * len(batches)
		}
		began, loss, hits, seen := time.Now(), 0.0, 0, 0
		for n, list := range batches {
			if err := ctx.Err(); err != nil {
				return err
			}
			for i, k := range list {
				b.examples[i] = &d.train[k]
			}
			u.gather(b)
			b.forward()
			b.backward(s.Learn)
			u.apply(b, s.Rate*(max(0, 1-float64(step)/float64(total))+lastRate), s.Learn)
			step++
			for i := range list {
				loss += b.loss[i]
				if b.hit[i] {
					hits++
				}
			}
			if seen += len(list); (n+1)%reportStep == 0 || n == len(batches)-1 {
				log("train: epoch %d, batch %d of %d: loss %.4f, first %.3f, fields %.3g, %.0f s", epoch+1, n+1, len(batches),
					loss/float64(seen), float64(hits)/float64(seen), m.fields, time.Since(began).Seconds())
				loss, hits, seen = 0, 0, 0
			}
		}
	}
	return nil
}

// plan returns the batches of one epoch: indexes into examples, size of them in
// each. A batch has two halves. The share hard of the halves come from one
// repository each, so that most negatives are code of the same project, which
// are the ones that a search must tell apart; the rest is drawn from all. What
// fills no half of its own is drawn with the rest, and what fills no batch is
// left out of this epoch.
func plan(examples []example, size int, hard float64, rng *rand.Rand) [][]int32 {
	half := size / 2
	var halves [][]int32
	var rest []int32
	cut := func(list []int32) []int32 {
		for len(list) >= half {
			halves = append(halves, list[:half:half])
			list = list[half:]
		}
		return list
	}
	for from := 0; from < len(examples); {
		to := from
		for to < len(examples) && examples[to].repository == examples[from].repository {
			to++
		}
		list := make([]int32, to-from)
		for i := range list {
			list[i] = int32(from + i)
		}
		shuffle(list, rng)
		own := int(float64(len(list)) * hard)
		rest = append(append(rest, cut(list[:own])...), list[own:]...)
		from = to
	}
	shuffle(rest, rng)
	cut(rest)
	shuffle(halves, rng)
	var batches [][]int32
	for i := 0; i+1 < len(halves); i += 2 {
		batches = append(batches, append(append(make([]int32, 0, size), halves[i]...), halves[i+1]...))
	}
	return batches
}

func shuffle[T any](list []T, rng *rand.Rand) {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
