package main

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
)

const (
	// phaseEvery is how often manners asks what the server is at. It asks while the
	// server is at rest, too, so that both sides of a ratio bear it.
	phaseEvery = 50 * time.Millisecond
	// warmFor is how long a server is asked before anything is measured.
	warmFor = 3 * time.Second
)

// What a server is at, while manners asks it.
const (
	atRest int32 = iota
	indexing
	solving
	phases
)

// mannersReport is the outcome of manners.
type mannersReport struct {
	Files  int            `json:"files"` // that are changed, all at once
	Rounds int            `json:"rounds"`
	Rows   []mannersRow   `json:"rows"`
	Codes  map[string]int `json:"codes"`
}

// A mannersRow is what so many clients saw.
type mannersRow struct {
	Clients       int     `json:"clients"`
	Rest          summary `json:"rest"`
	Indexing      summary `json:"indexing"`
	Solving       summary `json:"solving"`         // the call graph; no count: that took too little time
	IndexingRatio float64 `json:"indexing_ratio"`  // of the p95 to that at rest
	SolvingRatio  float64 `json:"solving_ratio"`   // as above; 0: not known
	Settled       float64 `json:"settled_seconds"` // from the change of all files until nothing is pending, on average
}

// measureManners serves a copy of a folder, and compares how fast it answers at rest and
// while it indexes all files again and makes the call graph of them.
func measureManners(ctx context.Context, o options, out io.Writer) (err error) {
	tmp, root, remove, err := copied(o.dir, "manners")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	queries, err := loadQueries(options{root: root, n: 500, seed: o.seed})
	if err != nil {
		return err
	}
	s := &soak{o: o, roots: []string{root}, queries: [][]string{queries}, places: make([][]string, 1)}
	if s.program, err = startProgram(ctx, o.program, root, filepath.Join(tmp, "data"), "--cache-size", "0"); err != nil {
		return err
	}
	m := &manners{soak: s, r: mannersReport{Rounds: o.n, Codes: map[string]int{}}}
	if err := errors.Join(m.run(ctx), s.end()); err != nil {
		return err
	}
	return o.print(out, m.r, "%d files changed at once, %d rounds; %v\n%s", m.r.Files, m.r.Rounds, m.r.Codes, m.lines())
}

// manners asks a server while it is at rest and while it works.
type manners struct {
	*soak
	phase atomic.Int32

	mu    sync.Mutex
	r     mannersReport
	times [phases][]time.Duration
}

func (m *manners) run(ctx context.Context) error {
	if err := errors.Join(m.until(ctx, (*program).ready), m.until(ctx, (*program).resolved)); err != nil {
		return err
	}
	if err := m.during(ctx, 1, true, func(ctx context.Context) error { pause(ctx, warmFor); return nil }); err != nil {
		return err
	}
	for _, clients := range []int{1, 5} {
		m.times = [phases][]time.Duration{}
		var took time.Duration
		for range m.o.n {
			// The two take turns, so that what else the machine does bears on both.
			err := m.during(ctx, clients, false, func(ctx context.Context) error { pause(ctx, m.o.span); return nil })
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
		row := mannersRow{
			Clients: clients, Rest: summarize(m.times[atRest]), Indexing: summarize(m.times[indexing]), Solving: summarize(m.times[solving]),
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
func (m *manners) during(ctx context.Context, clients int, warm bool, work func(context.Context) error) error {
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	m.phase.Store(atRest)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() { m.ask(timed, rand.New(rand.NewPCG(m.o.seed, uint64(c))), warm) })
	}
	wg.Go(func() { m.look(timed) })
	err := work(timed)
	cancel()
	wg.Wait()
	return err
}

// look asks what costs the server nothing.
func (m *manners) look(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, phaseEvery) {
		_, _ = m.program.ready(ctx)
	}
}

// ask sends one request after the other, and files its time under what the server was
// at when it was sent.
func (m *manners) ask(ctx context.Context, random *rand.Rand, warm bool) {
	for ; ctx.Err() == nil; pause(ctx, time.Duration(random.Int64N(int64(2*m.o.pause)+1))) {
		path, fields := m.question(0, random)
		delete(fields, "project")
		delete(fields, "projects")
		phase, began := m.phase.Load(), time.Now()
		code, body, _, err := m.post(ctx, path, fields)
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
func (m *manners) upset(ctx context.Context) (err error) {
	defer m.phase.Store(atRest)
	if m.r.Files, err = shift(m.roots[0]); err != nil {
		return err
	}
	stale := func(p *program, ctx context.Context) (bool, error) {
		ok, err := p.ready(ctx)
		return !ok, err
	}
	if err := m.until(ctx, stale); err != nil {
		return err
	}
	m.phase.Store(indexing)
	if err := m.until(ctx, (*program).ready); err != nil {
		return err
	}
	m.phase.Store(solving)
	return m.until(ctx, (*program).resolved)
}

// shift puts an empty line below the first one of every file of source, so that every
// place in it is another one.
func shift(root string) (n int, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || extensions[filepath.Ext(path)] == "" {
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
func (m *manners) lines() string {
	var b strings.Builder
	for _, r := range m.r.Rows {
		fmt.Fprintf(&b, "%d clients, settled after %.1f s\n", r.Clients, r.Settled)
		for _, p := range []struct {
			name  string
			times summary
			ratio float64
		}{{"at rest", r.Rest, 1}, {"indexing", r.Indexing, r.IndexingRatio}, {"solving", r.Solving, r.SolvingRatio}} {
			if p.times.Count > 0 {
				fmt.Fprintf(&b, "  %-8s %6d  %s  p95 x%.2f\n", p.name, p.times.Count, p.times, p.ratio)
			}
		}
	}
	return b.String()
}
