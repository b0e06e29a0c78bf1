package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// EditOptions are the flags of edits.
type EditOptions struct {
	rig.Output
	URL, Dir string
	n        int
	Seed     uint64
}

func newEditCommand() *cobra.Command {
	var o EditOptions
	cmd := o.Command("edits --dir DIR", "Measure how soon a running server finds what is written", `Edits makes, changes, renames and deletes n files of its own below a folder of the
served root, one after the other, and measures the time until /search sees each change. It
asks every two milliseconds, so its times are that much too long.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureEdits(ctx, o, out)
	})
	fs := cmd.Flags()
	fs.StringVar(&o.URL, "url", "http://localhost:3456", "the server")
	fs.StringVar(&o.Dir, "dir", "", "a folder of the served root, to write in")
	fs.IntVarP(&o.n, "number", "n", 2000, "files")
	fs.Uint64Var(&o.Seed, "seed", 1, "of the choice of words")
	return cmd
}

const (
	giveUp = 15 * time.Second // after this a change counts as never seen
	models = 50               // files whose text the edited files are copies of
)

// steps are what is done to each file, in this order.
var steps = []string{"create", "edit", "rename", "delete"}

// editReport is the outcome of edits.
type editReport struct {
	Files  int                    `json:"files"`
	Missed int                    `json:"missed"` // changes not seen in time
	Times  map[string]rig.Summary `json:"times"`  // by step, and "all"
}

// An editor changes files below dir and asks the server for them.
type editor struct {
	rig.Caller
	dir    string // absolute
	prefix string // of dir in the served root, with slashes
	random *rand.Rand
}

func measureEdits(ctx context.Context, o EditOptions, out io.Writer) (err error) {
	e, err := NewEditor(ctx, o)
	if err != nil {
		return err
	}
	defer e.HTTP.CloseIdleConnections()
	type source struct {
		ext  string
		text []byte
	}
	var texts []source
	err = rig.Sources(e.dir, func(path string, text []byte) bool {
		texts = append(texts, source{filepath.Ext(path), text})
		return len(texts) < models
	})
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		texts = []source{{".go", []byte("package scratch\n\nfunc Scratch() int { return 1 }\n")}}
	}

	r := editReport{Files: o.n, Times: map[string]rig.Summary{}}
	times := map[string][]time.Duration{}
	for i := range o.n {
		s := texts[i%len(texts)]
		took, err := e.Cycle(ctx, s.ext, s.text)
		if err != nil {
			return err
		}
		for step, t := range took {
			if t > giveUp {
				r.Missed++
			}
			times[step] = append(times[step], t)
			times["all"] = append(times["all"], t)
		}
	}
	for step, t := range times {
		r.Times[step] = rig.Summarize(t)
	}
	if o.JSON {
		err = json.NewEncoder(out).Encode(r)
	} else {
		for _, step := range append(steps, "all") {
			fmt.Fprintf(out, "%-7s %4d  %s\n", step, r.Times[step].Count, r.Times[step])
		}
		fmt.Fprintf(out, "%d changes were not seen within %s\n", r.Missed, giveUp)
	}
	if r.Missed > 0 {
		err = errors.Join(err, fmt.Errorf("%d changes were not seen", r.Missed))
	}
	return err
}

// NewEditor makes sure that dir is inside the root that the server serves.
func NewEditor(ctx context.Context, o EditOptions) (*editor, error) {
	e := &editor{Caller: rig.NewCaller(o.URL, 1), random: rand.New(rand.NewPCG(o.Seed, uint64(time.Now().UnixNano())))}
	text, err := e.Call(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return nil, err
	}
	var health struct{ Root string }
	if err := json.Unmarshal(text, &health); err != nil {
		return nil, fmt.Errorf("/health: %w", err)
	}
	if e.dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	if e.dir, err = filepath.EvalSymlinks(e.dir); err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(health.Root, e.dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("%s is not inside the served root %s", e.dir, health.Root)
	}
	e.prefix = filepath.ToSlash(rel)
	return e, nil
}

// Cycle takes one file of its own through all steps, and says how long each
// took to be seen. The file is gone at the end, whatever happens.
func (e *editor) Cycle(ctx context.Context, ext string, model []byte) (map[string]time.Duration, error) {
	first, second := e.word(), e.word()
	name, renamed := "load_"+first+ext, "load_"+second+"_moved"+ext
	path, moved := filepath.Join(e.dir, name), filepath.Join(e.dir, renamed)
	defer os.Remove(path)
	defer os.Remove(moved)
	// The words stand where every cut of the file into chunks has them.
	write := func(word string) error {
		text := fmt.Appendf(nil, "%s %s\n%s", rig.Extensions[ext], word, model)
		return os.WriteFile(path, text, 0o644)
	}
	took := map[string]time.Duration{}
	for _, step := range []struct {
		name, word, file string
		found            bool
		change           func() error
	}{
		{"create", first, name, true, func() error { return write(first) }},
		{"edit", second, name, true, func() error { return write(second) }},
		{"rename", second, renamed, true, func() error { return os.Rename(path, moved) }},
		{"delete", second, renamed, false, func() error { return os.Remove(moved) }},
	} {
		if err := step.change(); err != nil {
			return nil, err
		}
		t, err := e.await(ctx, step.word, step.file, step.found)
		if err != nil {
			return nil, err
		}
		took[step.name] = t
	}
	return took, nil
}

// await asks for the word until the file is among the results, or no longer.
func (e *editor) await(ctx context.Context, word, file string, found bool) (time.Duration, error) {
	if e.prefix != "." {
		file = e.prefix + "/" + file
	}
	body := fmt.Appendf(nil, `{"query":%q,"mode":"lexical","limit":20}`, word)
	start := time.Now()
	for {
		text, err := e.Call(ctx, http.MethodPost, "/search", body)
		took := time.Since(start)
		if err != nil {
			return 0, err
		}
		var answer struct{ Results []struct{ File string } }
		if err := json.Unmarshal(text, &answer); err != nil {
			return 0, fmt.Errorf("/search: %w", err)
		}
		there := false
		for _, r := range answer.Results {
			there = there || r.File == file
		}
		if there == found || took > giveUp {
			return took, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(rig.AskEvery):
		}
	}
}

// word returns a word that no file has and that no tokenizer splits.
func (e *editor) word() string {
	var b strings.Builder
	for range 14 {
		b.WriteByte("bcdfghjklmnpqrstvwxz"[e.random.IntN(20)])
	}
	return b.String()
}
