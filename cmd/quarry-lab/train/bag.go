package train

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/embed/tokenizer"
)

// A Field is a part of a document.
type Field int

// The fields, in the order in which their tokens are taken.
const (
	PathField Field = iota
	NamesField
	TextField
	fields
)

// Fields are the names of the fields, by their values.
var Fields = [fields]string{"path", "names", "text"}

// The sizes of the bags in training, in tokens as they occur. Documents are
// larger in use; the first tokens tell most of them, and training is faster.
const (
	queryTokens = 40
	docTokens   = 260
	minQuery    = 3 // different ones
	minDoc      = 5 // as above
	holdEvery   = 100
	holdAsked   = 12 // repositories
)

// An entry is a token of a bag and how often it occurs in each field. A
// question has one field only, the first.
type entry struct {
	token  uint16
	counts [fields]uint8
}

// An example is a pair as the trainer sees it.
type example struct {
	query, doc []entry
	repository int32
	file       int32 // the same for pairs of the same file
	question   int32 // the same for pairs of one repository with the same question
	kind       Kind
	language   uint8 // index of dataset.languages
}

// dataset is all pairs.
type dataset struct {
	train, held  []example // by repository
	repositories int
	languages    []string
}

// isHeld reports whether a pair is held out: one in a hundred, by its
// repository and question, so that no other answer to the question is trained.
// Of the kind question it is all of one repository in twelve, since several
// are about one function. It depends on nothing else, so all models
// are measured on the same.
func isHeld(repository string, p *Pair) bool {
	if p.Kind == QuestionPair {
		return hash("held questions", repository)%holdAsked == 0
	}
	return hash("held", repository, p.Query)%holdEvery == 0
}

// bagger makes examples of the pairs of one repository.
type bagger struct {
	vocabulary *vocabulary
	use        [fields]bool // fields that count
	arena      []entry
	at         map[uint16]int // token -> index in the bag under construction
	bag        []entry
}

// field adds the tokens of s to the bag until it holds limit occurrences, of
// which taken are there already; it returns how many are there then.
func (b *bagger) field(f Field, s string, taken, limit int) int {
	tokenizer.Subwords(s, func(subword []byte) {
		if taken >= limit {
			return
		}
		id, ok := b.vocabulary.ids[string(subword)]
		if !ok {
			return
		}
		taken++
		i, ok := b.at[id]
		if !ok {
			i = len(b.bag)
			b.at[id] = i
			b.bag = append(b.bag, entry{token: id})
		}
		if n := &b.bag[i].counts[f]; *n < math.MaxUint8 {
			*n++
		}
	})
	return taken
}

// done returns the bag and begins the next.
func (b *bagger) done() []entry {
	from := len(b.arena)
	if from+len(b.bag) > cap(b.arena) {
		b.arena = make([]entry, 0, max(1<<16, len(b.bag)))
		from = 0
	}
	b.arena = append(b.arena, b.bag...)
	clear(b.at)
	b.bag = b.bag[:0]
	return b.arena[from:len(b.arena):len(b.arena)]
}

func (b *bagger) example(p *Pair) (example, bool) {
	b.field(0, p.Query, 0, queryTokens)
	least := minQuery
	if p.Kind == NamePair {
		least = minNameWords
	}
	if len(b.bag) < least {
		clear(b.at)
		b.bag = b.bag[:0]
		return example{}, false
	}
	query := b.done()
	n := 0
	if b.use[PathField] && p.Kind != NamePair { // see namePairs
		n = b.field(PathField, p.Path, n, docTokens)
	}
	switch {
	case b.use[NamesField]:
		n = b.field(NamesField, p.Names, n, docTokens)
	case p.Kind == FilePair:
		n = b.field(TextField, p.Names, n, docTokens) // they are all the text that it has
	}
	b.field(TextField, p.Text, n, docTokens)
	if len(b.bag) < minDoc {
		clear(b.at)
		b.bag = b.bag[:0]
		return example{}, false
	}
	return example{query: query, doc: b.done(), kind: p.Kind}, true
}

// loadPairs makes the dataset of the files, some for each repository. All kinds
// are held out; a pair is trained as often as kinds says.
func loadPairs(ctx context.Context, files [][]string, repositories []Repository, v *vocabulary, use [fields]bool, kinds [kinds]int, workers int) (*dataset, error) {
	type part struct {
		train, held      []example
		files, questions int
	}
	d := &dataset{repositories: len(files)}
	ids := map[string]uint8{}
	for _, spec := range pathspecs() {
		if l := languages[spec[1:]]; l != "" {
			if _, ok := ids[l]; !ok {
				ids[l] = uint8(len(d.languages))
				d.languages = append(d.languages, l)
			}
		}
	}
	parts := make([]part, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, workers))
	for i, names := range files {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := bagger{vocabulary: v, use: use, at: map[uint16]int{}}
			paths, questions := map[string]int32{}, map[string]int32{}
			out := &parts[i]
			add := func(p *Pair) {
				held := isHeld(repositories[i].Name, p)
				if !held && kinds[p.Kind] == 0 {
					return
				}
				e, ok := b.example(p)
				if !ok {
					return
				}
				e.repository, e.language = int32(i), ids[p.Language]
				e.file, e.question = number(paths, p.Path), number(questions, p.Query)
				if held {
					out.held = append(out.held, e)
				} else {
					for range kinds[p.Kind] {
						out.train = append(out.train, e)
					}
				}
			}
			for _, name := range names {
				if err := readPairs(name, add); err != nil {
					return err
				}
			}
			out.files, out.questions = len(paths), len(questions)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	// Numbers become unique among all repositories.
	var file, question int32
	for i := range parts {
		for _, list := range [][]example{parts[i].train, parts[i].held} {
			for k := range list {
				list[k].file += file
				list[k].question += question
			}
		}
		d.train, d.held = append(d.train, parts[i].train...), append(d.held, parts[i].held...)
		file, question = file+int32(parts[i].files), question+int32(parts[i].questions)
		parts[i] = part{}
	}
	return d, nil
}

func number(m map[string]int32, s string) int32 {
	n, ok := m[s]
	if !ok {
		n = int32(len(m))
		m[s] = n
	}
	return n
}
