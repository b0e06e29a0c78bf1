package mixed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// mixedOptions are the flags of mixed.
type mixedOptions struct {
	rig.Served
	c             int
	rate          float64
	span, visible time.Duration
	hostile       bool
	serve         string
}

func newMixedCommand() *cobra.Command {
	var o mixedOptions
	cmd := o.Command("mixed --dir DIR", "Ask all kinds of things at a fixed rate, and check every answer", `Mixed serves a copy of a folder to clients that send requests of all kinds at a fixed
rate, whatever the answers take: what waits for an answer before it waits on the clock.
Meanwhile files of its own are changed in all ways that files are, everything is indexed
again half way, and clients that read slowly, hang up or say nothing come and go. It knows
what every answer may say and prints those that say anything else; see the package model.
With --hostile, files that parsers do not survive are saved all the time, and what the
processes that parse take counts as memory. It ends with 1 where an answer was wrong, a 5xx
came, the 99th percentile is 50 ms or more, or the server holds more memory, goroutines or
descriptors than before.`, func(ctx context.Context, out io.Writer) error {
		if o.c < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		if !(o.rate > 0) {
			return errors.New("rate must be more than 0")
		}
		return measureMixed(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
	fs.IntVar(&o.c, "clients", 5, "clients with a connection each")
	fs.Float64Var(&o.rate, "rate", 200, "requests per second, of all clients together")
	fs.DurationVar(&o.span, "for", 30*time.Minute, "how long")
	fs.BoolVar(&o.hostile, "hostile", false, "save files that parsers do not survive, one a second")
	fs.DurationVar(&o.visible, "visible", 2*time.Second, "after this a change must be seen")
	fs.StringVar(&o.serve, "serve", "", "more flags of quarry serve, with spaces between them")
	return cmd
}

const (
	mixedEdits  = time.Second      // between two edits
	mixedSample = time.Second      // between two looks at the memory
	mixedSays   = 10 * time.Second // between two lines of progress
	mixedWarm   = 5 * time.Second  // of load, before it is counted what the server holds
	warmDrafts  = 10               // overlays before that
	mixedRests  = 10 * time.Second // after the load
)

// mixed is a load of all kinds of requests by clients that behave and clients that do not,
// while files change, with every answer compared with a model of the files.
type mixed struct {
	*rig.Server
	*planter
	o        mixedOptions
	log      io.Writer
	socket   string
	queries  []string
	patterns []string          // names of the tree
	skipped  map[string]string // files that are not indexed, with the reason
	indexed  int               // files that never change and are
	doc      *openapi3.T
	refused  []question
	fixed    map[fixedKey]map[string][]string // lines of files that never change
	extra    map[string]int                   // lines of files of which the model knows nothing, by pattern

	mu         sync.Mutex
	started    time.Time
	r          mixedReport
	ends       map[string]*endpoint
	wrongs     map[string]int
	generation int // of the newest answer
	answers    int
	handles    [][2]string // with the patterns that they are of
	tag        *remembered
}

// measureMixed serves a copy of a folder under a mixed load.
func measureMixed(ctx context.Context, o mixedOptions, out io.Writer) (err error) {
	tmp, root, remove, err := rig.Copy(o.Dir, "mixed")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	// The repository's own history is no part of the load.
	if err := os.RemoveAll(filepath.Join(root, ".git")); err != nil {
		return err
	}
	m := &mixed{o: o, log: out, refused: refusals(), socket: filepath.Join(tmp, "quarry.sock"), ends: map[string]*endpoint{}, wrongs: map[string]int{}}
	if o.JSON {
		m.log = io.Discard
	}
	m.r.Rude = map[string]int{}
	if m.queries, err = rig.LoadQueries(rig.Questions{Root: root, N: 500, Seed: o.Seed}); err != nil {
		return err
	}
	for _, q := range m.queries {
		if rig.Identifier.FindString(q) == q && len(m.patterns) < 200 {
			m.patterns = append(m.patterns, q)
		}
	}
	if m.planter, err = newPlanter(ctx, root, o.Seed); err != nil {
		return err
	}
	if m.Server, err = rig.Start(ctx, o.Program, root, filepath.Join(tmp, "data"), append([]string{"--socket", m.socket}, strings.Fields(o.serve)...)...); err != nil {
		return err
	}
	if err := errors.Join(m.run(ctx), m.End()); err != nil {
		return err
	}
	return errors.Join(o.Print(out, &m.r, "%s", &m.r), m.r.broken())
}

func (m *mixed) run(ctx context.Context) error {
	if err := errors.Join(m.Until(ctx, m.Ready), m.Until(ctx, m.Resolved), m.loadSchema(ctx), m.learnSkipped(ctx)); err != nil {
		return err
	}
	counter := &load.Agents{Soak: &load.Soak{Server: m.Server}}
	// What is made once, such as the copies of the index in which overlays are, which have
	// the root open for some minutes, is made in a short load that does not count.
	random := rand.New(rand.NewPCG(m.o.Seed, 1<<35))
	for range warmDrafts {
		if _, err := m.ask(ctx, http.DefaultClient, m.overlay(random)); err != nil {
			return err
		}
	}
	if err := m.load(ctx, mixedWarm, false); err != nil {
		return err
	}
	rig.Pause(ctx, mixedRests)
	var err error
	if m.r.Before, err = counter.Holds(ctx); err != nil {
		return err
	}
	m.r.Open = descriptors(m.Cmd.Process.Pid)
	m.mu.Lock()
	m.ends, m.r.Rude = map[string]*endpoint{}, map[string]int{}
	m.mu.Unlock()
	if err := m.load(ctx, m.o.span, true); err != nil {
		return err
	}
	counter.Report.Before = m.r.Before
	rig.Pause(ctx, mixedRests)
	if err := counter.Settle(ctx); err != nil {
		return err
	}
	m.r.After = counter.Report.After
	for what, n := range descriptors(m.Cmd.Process.Pid) {
		if m.r.Open[what] -= n; m.r.Open[what] == 0 {
			delete(m.r.Open, what)
		} else {
			m.r.Open[what] *= -1
		}
	}
	m.finish()
	return nil
}

// descriptors are what a process has open, and how often; none where the system does not
// say. Sockets and pipes are told by their kind.
func descriptors(pid int) map[string]int {
	open := map[string]int{}
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	list, err := os.ReadDir(dir)
	if err != nil {
		return open
	}
	for _, one := range list {
		if what, err := os.Readlink(filepath.Join(dir, one.Name())); err == nil {
			kind, _, _ := strings.Cut(what, ":[")
			open[kind]++
		}
	}
	return open
}

// finish makes the report.
func (m *mixed) finish() {
	all := &endpoint{codes: map[int]int{}}
	m.r.Ends = map[string]endpointReport{}
	for name, e := range m.ends {
		for code, n := range e.codes {
			all.codes[code] += n
			m.r.Requests += n
		}
		all.times, all.service = append(all.times, e.times...), append(all.service, e.service...)
		m.r.Ends[name] = e.report()
	}
	m.r.All, m.r.ByEnd, m.r.Edits = all.report(), m.wrongs, m.done
	m.r.PerS = float64(m.r.Requests) / m.r.Seconds
	m.r.judge(m.o.rate)
}

// learnSkipped asks which files are not indexed.
func (m *mixed) learnSkipped(ctx context.Context) error {
	var s struct {
		Coverage struct {
			Files []struct{ Path, Reason string }
		}
	}
	if err := m.Get(ctx, "/status?skipped=10000", &s); err != nil {
		return err
	}
	m.skipped = map[string]string{}
	for _, f := range s.Coverage.Files {
		m.skipped[f.Path] = f.Reason
	}
	for file := range m.tree.Fixed() {
		if m.skipped[file] == "" {
			m.indexed++
		}
	}
	m.learnFixed(m.patterns)
	return nil
}

// load is a load for so long. A whole one has a rebuild in the middle, and its memory is
// looked at.
func (m *mixed) load(ctx context.Context, span time.Duration, whole bool) error {
	defer http.DefaultClient.CloseIdleConnections()
	timed, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	m.mu.Lock()
	m.started = time.Now()
	m.mu.Unlock()
	var wg sync.WaitGroup
	failed := make(chan error, 8)
	start := func(f func(context.Context) error) {
		wg.Go(func() {
			if err := f(timed); err != nil && timed.Err() == nil {
				failed <- err
				cancel()
			}
		})
	}
	for c := range m.o.c {
		wg.Go(func() { m.client(timed, c, m.started) })
	}
	start(m.edit)
	start(m.rude)
	if m.o.hostile {
		start(m.saveHostile)
	}
	for i, name := range []string{"socket", "mcp"} {
		start(func(ctx context.Context) error { return m.other(ctx, name, uint64(1000+i)) })
	}
	var samples []sampled
	if whole {
		start(func(ctx context.Context) error { return m.rebuild(ctx, span/2) })
		wg.Go(func() { samples = m.remember(timed) })
	}
	wg.Wait()
	close(failed)
	var err error
	for one := range failed {
		err = errors.Join(err, one)
	}
	m.r.Seconds = time.Since(m.started).Seconds()
	m.r.Memory = summarizeMemory(samples, span)
	return errors.Join(err, ctx.Err())
}

// edit changes files. Now and then it has the server promise that it has seen a change,
// from when on no answer may be without it.
func (m *mixed) edit(ctx context.Context) error {
	c := &http.Client{Timeout: load.AskTimeout}
	defer c.CloseIdleConnections()
	n := 0
	return pace(ctx, mixedEdits, func() error {
		paths, err := m.step(ctx)
		if err != nil {
			return err
		}
		if n++; n%3 != 0 {
			return nil
		}
		r, err := m.ask(context.WithoutCancel(ctx), c, post("invalidate", "/invalidate", map[string]any{"paths": paths, "wait": true}, nil))
		if err != nil {
			return err
		}
		m.note("invalidate", r.code, r.answered.Sub(r.sent), r.answered.Sub(r.sent))
		if r.code == http.StatusOK {
			m.tree.Confirm(paths, r.sent, r.answered)
		} else if !honest(r) {
			m.wrong(question{name: "invalidate", path: "/invalidate"}, r, []string{"it is not 200"})
		}
		return nil
	})
}

// rebuild has everything read and parsed again, after some time.
func (m *mixed) rebuild(ctx context.Context, after time.Duration) error {
	if rig.Pause(ctx, after); ctx.Err() != nil {
		return nil
	}
	c := &http.Client{Timeout: load.AskTimeout}
	defer c.CloseIdleConnections()
	q := post("reindex", "/reindex", map[string]any{"reset": true}, nil)
	r, err := m.ask(ctx, c, q)
	if err == nil && r.code != http.StatusAccepted {
		m.wrong(q, r, []string{"it is not 202"})
	}
	return err
}

// remember looks at the memory of the server, and says from time to time how it is going.
func (m *mixed) remember(ctx context.Context) (samples []sampled) {
	said := time.Duration(0)
	_ = pace(ctx, mixedSample, func() error {
		rss, at := rig.ResidentBytes(m.Cmd.Process.Pid), time.Since(m.started)
		for _, child := range rig.Children(m.Cmd.Process.Pid) {
			rss += rig.PrivateBytes(child)
		}
		samples = append(samples, sampled{at, rss})
		if at-said >= mixedSays {
			said = at
			m.mu.Lock()
			n, wrong := m.answers, m.r.Wrong
			m.mu.Unlock()
			fmt.Fprintf(m.log, "%5.0f s  resident %s  next collection at %s  %d answers  %d wrong\n", at.Seconds(), mib(rss), mib(m.nextCollection(ctx)), n, wrong)
		}
		return nil
	})
	return samples
}

// nextCollection is the size of the heap at which the server collects next, about twice
// what is alive; 0: it does not say.
func (m *mixed) nextCollection(ctx context.Context) int64 {
	r, err := m.ask(ctx, http.DefaultClient, fetch("", "/metrics", nil, nil))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(r.body)) {
		if value, ok := strings.CutPrefix(line, "go_memstats_next_gc_bytes "); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return int64(n)
		}
	}
	return 0
}

// other asks for planted functions over another way than HTTP, twice a second.
func (m *mixed) other(ctx context.Context, name string, seed uint64) (err error) {
	random := rand.New(rand.NewPCG(m.o.Seed, seed))
	a := &load.Agents{Soak: &load.Soak{Server: m.Server}, Socket: m.socket}
	w, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return pace(ctx, 500*time.Millisecond, func() error {
		word, _ := m.drawFunc(random)
		sent := time.Now()
		got, err := w.Ask(context.WithoutCancel(ctx), "/context", map[string]any{"target": word})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		answered := time.Now()
		code := http.StatusOK
		if got.Code == "not_found" {
			code = http.StatusNotFound
		}
		r := &reply{code: code, body: got.Text, sent: sent, answered: answered, window: model.Window{From: sent.Add(-m.o.visible), To: answered, Sent: sent}}
		m.note(name, code, answered.Sub(sent), answered.Sub(sent))
		if why := m.mentions(word, got, r); why != nil {
			m.wrong(question{name: name, path: word}, r, why)
		}
		return nil
	})
}
