// Package fitting has the commands that train the built-in model from clones of public
// repositories, and fit the weights of the ranking; see package train.
package fitting

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
	"github.com/quarry-search/quarry/embed/onnx"
	"github.com/quarry-search/quarry/index/suite"
)

var (
	//go:embed repositories.txt
	pinned string

	// The repositories of the benchmark. They are refused by default, so that
	// nobody has to think of it.
	//
	//go:embed excluded.txt
	benchmark string

	// Questions about functions of the training list: see train.ReadQuestions.
	//
	//go:embed questions/*.tsv
	questionFiles embed.FS
)

// Command returns the command train.
func Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "train",
		Short: "Make the models that Quarry searches with",
		Args:  cobra.NoArgs,
	}
	root.AddCommand(newModelCommand(), newRankCommand(nil), newScoreCommand(nil), newCheckoutCommand(), newDrawCommand(), newFunctionsCommand(), newPairsCommand(), newCandidatesCommand(), newCardCommand())
	return root
}

// require has a command ask for flags, which are defined.
func require(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}

// modelOptions are the flags of `quarry-lab train model`.
type modelOptions struct {
	clones, repositories, exclude, cache, out string
	workers                                   int
	leaveOut                                  []string
	kinds                                     []string
	fields                                    string
	words, library                            string
	settings                                  train.Settings
}

func newModelCommand() *cobra.Command {
	o := modelOptions{settings: train.DefaultSettings()}
	s := &o.settings
	cmd := &cobra.Command{
		Use:   "model --clones DIR --out DIR",
		Short: "Train the static embedding model",
		Long: `Model trains the built-in model and writes model.onnx, vocab.txt, model.json and
the card MODEL.md. The same revisions, settings and architecture give the same
bytes. The steps, and what they cost on two cores for 120 repositories:

  extract     Pairs of a question and the code that answers it, from the files
              and the history of each clone up to the revision in the list:
              doc comments, remarks inside functions, subjects of commits, docs
              of types with the names in their file, names of functions and
              types with the code that has them, questions as people ask with
              the functions that they were written about. 12 minutes, most of it
              "git log -p"; 0.1 GB in --cache, where later runs find it.
  vocabulary  The most frequent sub-words of the pairs. Ten seconds.
  pairs       Every pair as two bags of words. Ten seconds; 0.9 GB of memory.
  words       With --words, the vector of each word by a sentence-transformer, less
              their mean, reduced to its principal components: where training
              begins, in place of vectors drawn at random. 20 seconds.
  train       Two epochs; about 90 seconds each for 1,020,000 pairs.
  held out    One question in a hundred was kept apart: the figures of the card
              say how often the model finds its answer among 256.

The list has a line "owner/name REVISION" for each repository. The clone of
owner/name is DIR/owner+name or DIR/owner/name, bare or not, with its history.
Repositories that are excluded are an error, not passed over. Those that a suite
of --leave-out asks about are passed over: what is then fitted on the suite with
this model ("quarry-lab train rank --model") is fitted on code that it has not seen.`,
		Example: `  quarry-lab train model --clones ~/clones --out model --cache pairs
  quarry-lab train model --clones ~/clones --out model --cache pairs --kinds commit --rate 0.1
  quarry-lab train model --clones ~/clones --out model --cache pairs --words ~/bge-small-en-v1.5`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.clones, "clones", "", "the folder that holds the clones")
	f.StringVar(&o.repositories, "repositories", "", "the list of repositories (default: the list in the program)")
	f.StringVar(&o.exclude, "exclude", "", "a list of owner/name that must not be used, a line each (default: the benchmark's)")
	f.StringArrayVar(&o.leaveOut, "leave-out", nil, "a suite, a JSON `file`, whose repositories are left out of the list; may be repeated")
	f.StringVar(&o.out, "out", "", "the folder for the model")
	f.StringVar(&o.cache, "cache", "", "a folder for the pairs, so that training alone can be repeated (default: none are kept)")
	f.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "repositories that are read at a time")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "of everything that is drawn")
	f.IntVar(&s.Epochs, "epochs", s.Epochs, "passes over the pairs")
	f.IntVar(&s.Dim, "dim", s.Dim, "length of a vector")
	f.IntVar(&s.Vocabulary, "vocabulary", s.Vocabulary, "words at most")
	f.IntVar(&s.Batch, "batch", s.Batch, "pairs in a batch")
	f.Float64Var(&s.Rate, "rate", s.Rate, "the learning rate, falling linearly")
	f.Float64Var(&s.Scale, "scale", s.Scale, "of the cosines in the loss")
	f.Float64Var(&s.Hard, "hard", s.Hard, "share of the half batches that come from one repository, 0 to 1")
	f.StringSliceVar(&o.kinds, "kinds", train.Kinds[:], "kinds of pairs to train with")
	f.IntVar(&s.Repeat, "repeat", s.Repeat, "how often each pair of the kind question is trained in an epoch")
	f.StringVar(&o.fields, "fields", "path=1,names=0,text=1", "weights of the fields of a document; the engines know only path and text, with 1")
	f.StringVar(&o.words, "words", "", "the `folder` of a sentence-transformer whose vectors of the words are the first rows (default: they are drawn at random)")
	f.StringVar(&o.library, "onnxruntime", "", "the ONNX Runtime `library`, or the folder that holds it, for --words")
	f.Float64Var(&s.Start, "start", s.Start, "length of a first row, over the word's inverse document frequency (default: 0.1, with --words 0.3)")
	f.BoolVar(&s.Learn, "learn-fields", false, "learn the weights that are not 0, starting from --fields")
	require(cmd, "clones", "out")
	return cmd
}

func (o *modelOptions) run(cmd *cobra.Command) error {
	questions, err := fs.Sub(questionFiles, "questions")
	if err != nil {
		return err
	}
	e := train.Extraction{Clones: o.clones, Cache: o.cache, Workers: o.workers, Questions: questions}
	list, err := open(o.repositories, pinned)
	if err != nil {
		return fmt.Errorf("cannot read the list of repositories: %w", err)
	}
	defer list.Close()
	if e.Repositories, err = train.ReadRepositories(list); err != nil {
		return fmt.Errorf("the list of repositories is malformed: %w", err)
	}
	if err := o.passOver(cmd, &e); err != nil {
		return err
	}
	excluded, err := open(o.exclude, benchmark)
	if err != nil {
		return fmt.Errorf("cannot read the list of excluded repositories: %w", err)
	}
	defer excluded.Close()
	if e.Excluded, err = train.ReadExcluded(excluded); err != nil {
		return fmt.Errorf("the list of excluded repositories is malformed: %w", err)
	}
	if o.settings.Kinds, err = parseKinds(o.kinds); err != nil {
		return err
	}
	for name, w := range parseFields(o.fields) {
		i := slices.Index(train.Fields[:], name)
		if i < 0 || w < 0 {
			return fmt.Errorf("--fields %s is not of the form path=1,names=0,text=1", o.fields)
		}
		o.settings.Fields[i] = w
	}
	if o.words != "" {
		library, _, err := onnx.FindLibrary(onnx.LibraryOptions{Explicit: o.library})
		if err != nil {
			return fmt.Errorf("--words needs ONNX Runtime: %w", err)
		}
		encoder, err := onnx.OpenDir(library, o.words, onnx.DirOptions{})
		if err != nil {
			return fmt.Errorf("cannot use the encoder of --words: %w", err)
		}
		defer encoder.Close()
		o.settings.Words = encoder
	}
	began := time.Now()
	errOut := cmd.ErrOrStderr()
	var line sync.Mutex // workers log at the same time
	e.Log = func(format string, args ...any) {
		line.Lock()
		defer line.Unlock()
		fmt.Fprintf(errOut, "%5.0f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}
	if _, err := train.Model(cmd.Context(), e, o.settings, o.out); err != nil {
		if cmd.Context().Err() != nil {
			return errors.New("interrupted")
		}
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), o.out)
	return err
}

// passOver takes the repositories of the suites out of the list: by where they
// come from or, where a suite does not say, by the folder's name.
func (o *modelOptions) passOver(cmd *cobra.Command, e *train.Extraction) error {
	if len(o.leaveOut) == 0 {
		return nil
	}
	asked, err := suite.Read(o.leaveOut...)
	if err != nil {
		return err
	}
	all := len(e.Repositories)
	e.Repositories = slices.DeleteFunc(e.Repositories, func(r train.Repository) bool {
		return slices.ContainsFunc(asked, func(s suite.Repository) bool {
			return strings.EqualFold(cmp.Or(s.Origin, s.Name), r.Name) || s.Origin == "" && strings.EqualFold(path.Base(s.Name), path.Base(r.Name))
		})
	})
	e.LeftOut = all - len(e.Repositories)
	cmd.PrintErrf("quarry-lab: left out, because the suites ask about them: %d of %d repositories\n", e.LeftOut, all)
	if len(e.Repositories) == 0 {
		return errors.New("no repository remains to train with")
	}
	return nil
}

// open opens the named file, or the text in the program when there is no name.
func open(name, text string) (io.ReadCloser, error) {
	if name == "" {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	return os.Open(name)
}

func parseKinds(names []string) ([]train.Kind, error) {
	var list []train.Kind
	for k, name := range train.Kinds {
		if slices.Contains(names, name) {
			list = append(list, train.Kind(k))
		}
	}
	if len(list) != len(names) {
		return nil, fmt.Errorf("--kinds %s: the kinds are %s, each once", strings.Join(names, ","), strings.Join(train.Kinds[:], ", "))
	}
	return list, nil
}

// parseFields reads "name=weight,...". What is no such thing has the weight -1.
func parseFields(s string) map[string]float64 {
	out := map[string]float64{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		w, err := strconv.ParseFloat(value, 64)
		if err != nil || !(w <= 1000) {
			w = -1
		}
		out[name] = w
	}
	return out
}
