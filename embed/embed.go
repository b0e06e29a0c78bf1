// Package embed turns text into vectors.
//
// It holds only the contract between the index, which asks for vectors, and the engines
// that compute them: embed/onnx runs a model on ONNX Runtime, embed/static evaluates the
// built-in model in plain Go. Both give the same vectors for the built-in model (to 1e-4,
// by test). Package embed/contextual adds to them those of a slower model, with ONNX Runtime
// only: vectors of a space of its own, with another Info.
package embed

import "context"

// A Document is a chunk of a file, to be found by a query. All parts of it contribute to
// its vector: the built-in model gives each its own weight (see embed/model), a transformer
// reads them one after the other.
type Document struct {
	Path  string // slash-separated, relative to the root
	Names string // of the symbols in the chunk, with their parents, separated by spaces; may be empty
	Text  string
}

// Info describes the model behind an Embedder.
type Info struct {
	Name    string // the model's name, "builtin" or the folder it was read from
	Dim     int    // length of every vector
	Backend string // "onnxruntime" or "go"
	Reason  string // why this backend: the library's path, or what was missing
	SHA256  string // of the model file, or of what stands for all files of a model, in hexadecimal
}

// An Embedder computes vectors of unit length. It is safe for concurrent use.
type Embedder interface {
	// Info never changes during the life of an Embedder.
	Info() Info

	// Query returns the vector of a question, of length Info().Dim. A text
	// without a single known token has the zero vector.
	Query(ctx context.Context, text string) ([]float32, error)

	// Documents writes the vector of docs[i] to dst[i*Dim:(i+1)*Dim]. The length
	// of dst must be len(docs)*Dim. A document without a single known token
	// gets the zero vector.
	Documents(ctx context.Context, docs []Document, dst []float32) error

	// Close releases the model. No call may follow it.
	Close() error
}

// A Refiner is an Embedder with better vectors of documents than those of Documents, for
// hundreds of times the work: an index is searched with the others until it has these. Both are
// of one space: the vector of a question is compared with either. It may have vectors of single
// tokens, too, of questions and of documents: each of the one is compared with the nearest of
// the other (late interaction).
type Refiner interface {
	Embedder

	// Refine writes the better vector of docs[i] to dst[i*Dim:(i+1)*Dim], as Documents does.
	// It is the zero vector where that of Documents is. It writes the vectors of those of its
	// tokens that count most, one after the other, to tokens[i*n:(i+1)*n], where n is
	// Tokens().Numbers(), and zeros after them.
	Refine(ctx context.Context, docs []Document, dst, tokens []float32) error

	// Tokens never changes during the life of a Refiner.
	Tokens() Tokens

	// QueryTokens returns the vector of a question, as Query does, and those of its tokens, one
	// after the other, of Tokens().Dim numbers each. There may be none.
	QueryTokens(ctx context.Context, text string) (vector, tokens []float32, err error)

	// Plain returns the number of leading places that the vectors of Documents use: all
	// places from there on are 0 in them, and some are not in those of Refine.
	Plain() int

	// PlainQuery returns the vector of a question that is to be compared with the leading
	// places alone, of unit length and Plain long. It takes microseconds.
	PlainQuery(ctx context.Context, text string) ([]float32, error)
}

// Tokens says which vectors of tokens a Refiner has. The length of one, 0 to 1, is how much the
// token counts.
type Tokens struct {
	Count int // of a document, at most; 0: the Refiner has none
	Dim   int // length of each; 0: as above
}

// Numbers returns how many numbers those of a document are.
func (t Tokens) Numbers() int { return t.Count * t.Dim }

// A Comparer is an Embedder that can compare words one by one, which tells more of a short
// question than the direction of all its words together.
type Comparer interface {
	// Compare begins a comparison with a question. weight says how much a word, in lower
	// case, counts; 0: not at all. Close must be called in the end.
	Compare(question string, weight func(word string) float64) Comparison
}

// A Comparison compares one question with texts. It is used by one goroutine.
type Comparison interface {
	// With returns the weighted mean over the words of the question of the cosine with
	// the nearest word, of some names and of these and a text together: 1 where they have
	// them all, 0 where either has no known word.
	With(names string, text []byte) (named, both float64)
	Close()
}
