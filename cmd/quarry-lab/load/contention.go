package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// contentionOptions are the flags of contention.
type contentionOptions struct {
	rig.Served
	n           int
	span, pause time.Duration
}

func newContentionCommand() *cobra.Command {
	var o contentionOptions
	cmd := o.Command("contention --dir DIR", "Compare answers at rest with answers while everything is indexed", `Contention serves a copy of a folder and compares how fast it answers at rest with how
fast while it indexes all files again and makes the call graph of them, for one client and
for five. The two take turns, n times. DIR should hold 256 files of source or more: with
fewer the call graph is moved, not made.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureContention(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
	fs.IntVarP(&o.n, "number", "n", 3, "rounds")
	fs.DurationVar(&o.span, "for", 10*time.Second, "how long each look at a server at rest is")
	fs.DurationVar(&o.pause, "pause", 20*time.Millisecond, "between an answer and the next request of a connection, on average")
	return cmd
}

const (
	// phaseEvery is how often contention asks what the server is at. It asks while the
	// server is at rest, too, so that both sides of a ratio bear it.
	phaseEvery = 50 * time.Millisecond
	// warmFor is how long a server is asked before anything is measured.
	warmFor = 3 * time.Second
)

// What a server is at, while contention asks it.
const (
	atRest int32 = iota
	indexing
	solving
	phases
)

// contentionReport is the outcome of contention.
type contentionReport struct {
	Files  int             `json:"files"` // that are changed, all at once
	Rounds int             `json:"rounds"`
	Rows   []contentionRow `json:"rows"`
	Codes  map[string]int  `json:"codes"`
}

// A contentionRow is what so many clients saw.
type contentionRow struct {
	Clients       int         `json:"clients"`
	Rest          rig.Summary `json:"rest"`
	Indexing      rig.Summary `json:"indexing"`
	Solving       rig.Summary `json:"solving"`         // the call graph; no count: that took too little time
	IndexingRatio float64     `json:"indexing_ratio"`  // of the p95 to that at rest
	SolvingRatio  float64     `json:"solving_ratio"`   // as above; 0: not known
	Settled       float64     `json:"settled_seconds"` // from the change of all files until nothing is pending, on average
}

// measureContention serves a copy of a folder, and compares how fast it answers at rest and
// while it indexes all files again and makes the call graph of them.
func measureContention(ctx context.Context, o contentionOptions, out io.Writer) (err error) {
	tmp, root, remove, err := rig.Copy(o.Dir, "contention")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	queries, err := rig.LoadQueries(rig.Questions{Root: root, N: 500, Seed: o.Seed})
	if err != nil {
		return err
	}
	s := &Soak{seed: o.Seed, roots: []string{root}, queries: [][]string{queries}, places: make([][]string, 1)}
	if s.Server, err = rig.Start(ctx, o.Program, root, filepath.Join(tmp, "data"), "--cache-size", "0"); err != nil {
		return err
	}
	m := &contention{Soak: s, o: o, r: contentionReport{Rounds: o.n, Codes: map[string]int{}}}
	if err := errors.Join(m.run(ctx), s.End()); err != nil {
		return err
	}
	return o.Print(out, m.r, "%d files changed at once, %d rounds; %v\n%s", m.r.Files, m.r.Rounds, m.r.Codes, m.lines())
}

// contention asks a server while it is at rest and while it works.
type contention struct {
	*Soak
	o     contentionOptions
	phase atomic.Int32

	mu    sync.Mutex
	r     contentionReport
	times [phases][]time.Duration
}

func (m *contention) run(ctx context.Context) error {
	if err := errors.Join(m.Until(ctx, m.Ready), m.Until(ctx, m.Resolved)); err != nil {
		return err
	}
	if err := m.during(ctx, 1, true, func(ctx context.Context) error { rig.Pause(ctx, warmFor); return nil }); err != nil {
		return err
	}
	for _, clients := range []int{1, 5} {
		m.times = [phases][]time.Duration{}
		var took time.Duration
		for range m.o.n {
			// The two take turns, so that what else the machine does bears on both.
			err := m.during(ctx, clients, false, func(ctx context.Context) error { rig.Pause(ctx, m.o.span); return nil })
			if err != nil {
				return err
			}
			if err := m.during(ctx, clients, false, func(ctx context.Context) error {
				began := time.Now()
				defer func() { took += time.Since(began) }()
				return m.upset(ctx)
			}); err != nil {
				return err
			}
		}
		row := contentionRow{
			Clients: clients, Rest: rig.Summarize(m.times[atRest]), Indexing: rig.Summarize(m.times[indexing]), Solving: rig.Summarize(m.times[solving]),
			Settled: took.Seconds() / float64(m.o.n),
		}
		if row.Rest.P95 > 0 {
			row.IndexingRatio, row.SolvingRatio = row.Indexing.P95/row.Rest.P95, row.Solving.P95/row.Rest.P95
		}
		m.r.Rows = append(m.r.Rows, row)
	}
	return ctx.Err()
}

// during has some clients ask until work has returned.
func (m *contention) during(ctx context.Context, clients int, warm bool, work func(context.Context) error) error {
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	m.phase.Store(atRest)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() { m.ask(timed, rand.New(rand.NewPCG(m.o.Seed, uint64(c))), warm) })
	}
	wg.Go(func() { m.look(timed) })
	err := work(timed)
	cancel()
	wg.Wait()
	return err
}

// look asks what costs the server nothing.
func (m *contention) look(ctx context.Context) {
	for ; ctx.Err() == nil; rig.Pause(ctx, phaseEvery) {
		_, _ = m.Server.Ready(ctx)
	}
}

// ask sends one request after the other, and files its time under what the server was
// at when it was sent.
func (m *contention) ask(ctx context.Context, random *rand.Rand, warm bool) {
	for ; ctx.Err() == nil; rig.Pause(ctx, time.Duration(random.Int64N(int64(2*m.o.pause)+1))) {
		path, fields := m.question(0, random)
		delete(fields, "project")
		delete(fields, "projects")
		phase, began := m.phase.Load(), time.Now()
		code, body, _, err := m.Post(ctx, path, fields)
		if ctx.Err() != nil {
			return
		}
		took := time.Since(began)
		m.mu.Lock()
		switch {
		case err != nil:
			m.r.Codes["no answer"]++
		default:
			m.r.Codes[fmt.Sprint(code)]++
		}
		switch {
		case err != nil || code != http.StatusOK:
		case warm:
			m.learn(0, path, body)
		default:
			m.times[phase] = append(m.times[phase], took)
		}
		m.mu.Unlock()
	}
}

// upset changes every file of source, and waits until the server has caught up.
func (m *contention) upset(ctx context.Context) (err error) {
	defer m.phase.Store(atRest)
	if m.r.Files, err = shift(m.roots[0]); err != nil {
		return err
	}
	stale := func(ctx context.Context) (bool, error) {
		ok, err := m.Ready(ctx)
		return !ok, err
	}
	if err := m.Until(ctx, stale); err != nil {
		return err
	}
	m.phase.Store(indexing)
	if err := m.Until(ctx, m.Ready); err != nil {
		return err
	}
	m.phase.Store(solving)
	return m.Until(ctx, m.Resolved)
}

// shift puts an empty line below the first one of every file of source, so that every
// place in it is another one.
func shift(root string) (n int, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || rig.Extensions[filepath.Ext(path)] == "" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		first, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok {
			return nil
		}
		n++
		return os.WriteFile(path, bytes.Join([][]byte{first, nil, rest}, []byte("\n")), 0o600)
	})
	if err == nil && n == 0 {
		err = errors.New("no files of source to change")
	}
	return n, err
}

// lines are the rows as text.
func (m *contention) lines() string {
	var b strings.Builder
	for _, r := range m.r.Rows {
		fmt.Fprintf(&b, "%d clients, settled after %.1f s\n", r.Clients, r.Settled)
		for _, p := range []struct {
			name  string
			times rig.Summary
			ratio float64
		}{{"at rest", r.Rest, 1}, {"indexing", r.Indexing, r.IndexingRatio}, {"solving", r.Solving, r.SolvingRatio}} {
			if p.times.Count > 0 {
				fmt.Fprintf(&b, "  %-8s %6d  %s  p95 x%.2f\n", p.name, p.times.Count, p.times, p.ratio)
			}
		}
	}
	return b.String()
}
