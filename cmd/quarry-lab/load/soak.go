package load

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// soakOptions are the flags of soak.
type soakOptions struct {
	rig.Served
	c      int
	memory string
	span   time.Duration
}

func newSoakCommand() *cobra.Command {
	var o soakOptions
	cmd := o.Command("soak --dir DIR,DIR", "Load one server with several projects in a memory budget", `Soak serves copies of several folders from one server with a memory budget, asks all
kinds of things of all of them while it changes two files a second, and looks at the memory
that the server takes. Answers of 503 with Retry-After are no failures.`, func(ctx context.Context, out io.Writer) error {
		if o.c < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureSoak(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
	fs.Lookup("dir").Usage = "the folders to copy and serve, with commas"
	fs.IntVarP(&o.c, "connections", "c", 4, "requests at once")
	fs.StringVar(&o.memory, "memory", "600MiB", "the budget")
	fs.DurationVar(&o.span, "for", 10*time.Minute, "how long")
	return cmd
}

const (
	editEvery = 500 * time.Millisecond
)

// soakReport is the outcome of soak.
type soakReport struct {
	Seconds  float64        `json:"seconds"`
	Memory   string         `json:"memory"`
	MaxRSS   int64          `json:"max_resident_bytes"` // of samples every 100 ms
	MeanRSS  int64          `json:"mean_resident_bytes"`
	Requests int            `json:"requests"`
	Codes    map[string]int `json:"codes"`
	Failed   int            `json:"failed"` // neither a success nor a 503 with Retry-After
	First    string         `json:"first_failure,omitempty"`
	Edits    int            `json:"edits"`
	Evicted  int64          `json:"evicted"`
	Times    rig.Summary    `json:"times"` // of successes
}

// A Soak asks one server of several projects all kinds of things, while files change.
type Soak struct {
	*rig.Server
	seed    uint64
	roots   []string
	queries [][]string // by root

	mu     sync.Mutex
	r      soakReport
	places [][]string // by root: results of searches, as path:line
	times  []time.Duration
}

// measureSoak serves copies of folders from one server with a memory budget.
func measureSoak(ctx context.Context, o soakOptions, out io.Writer) (err error) {
	tmp, err := os.MkdirTemp("", "quarry-soak-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	s := &Soak{seed: o.Seed}
	s.r.Codes, s.r.Memory = map[string]int{}, o.memory
	for i, dir := range strings.Split(o.Dir, ",") {
		root := filepath.Join(tmp, fmt.Sprintf("%d-%s", i, filepath.Base(dir)))
		if err := os.CopyFS(root, os.DirFS(dir)); err != nil {
			return fmt.Errorf("copy %s: %w", dir, err)
		}
		q, err := rig.LoadQueries(rig.Questions{Root: root, N: 500, Seed: o.Seed})
		if err != nil {
			return err
		}
		s.roots, s.queries = append(s.roots, root), append(s.queries, q)
	}
	s.places = make([][]string, len(s.roots))
	args := append([]string{"--memory", o.memory}, s.roots[1:]...)
	if s.Server, err = rig.Start(ctx, o.Program, s.roots[0], filepath.Join(tmp, "data"), args...); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, o.span)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { s.sample(timed) })
	wg.Go(func() { s.edit(timed) })
	for c := range o.c {
		wg.Go(func() { s.ask(timed, rand.New(rand.NewPCG(o.Seed, uint64(c)))) })
	}
	wg.Wait()
	s.r.Seconds = o.span.Seconds()
	s.r.Times = rig.Summarize(s.times)
	var st struct {
		Memory struct {
			Evicted int64 `json:"evicted_total"`
		} `json:"memory"`
	}
	if err := s.Get(ctx, "/status?skipped=0", &st); err != nil && !errors.Is(err, rig.ErrUnavailable) {
		return errors.Join(err, s.End())
	}
	s.r.Evicted = st.Memory.Evicted
	if err := s.End(); err != nil {
		return err
	}
	err = o.Print(out, s.r, "%d requests, %d edits in %.0f s; %v; %s\nresident: %.0f MiB at most, %.0f MiB on average, of %s; %d times a project went to disk\n%d failures %s\n",
		s.r.Requests, s.r.Edits, s.r.Seconds, s.r.Codes, s.r.Times, float64(s.r.MaxRSS)/(1<<20), float64(s.r.MeanRSS)/(1<<20), o.memory, s.r.Evicted, s.r.Failed, s.r.First)
	if s.r.Failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d requests failed", s.r.Failed))
	}
	return err
}

// sample looks at the server's memory.
func (s *Soak) sample(ctx context.Context) {
	n, sum := int64(0), int64(0)
	for ctx.Err() == nil {
		if rss := rig.ResidentBytes(s.Cmd.Process.Pid); rss > 0 {
			n, sum = n+1, sum+rss
			s.mu.Lock()
			s.r.MaxRSS, s.r.MeanRSS = max(s.r.MaxRSS, rss), sum/n
			s.mu.Unlock()
		}
		rig.Pause(ctx, rig.SampleEvery)
	}
}

// edit changes a function's worth of text in one file after the other.
func (s *Soak) edit(ctx context.Context) {
	random := rand.New(rand.NewPCG(s.seed, 1<<32))
	var files [][]string
	for _, root := range s.roots {
		var list []string
		_ = rig.Sources(root, func(path string, _ []byte) bool {
			list = append(list, path)
			return true
		})
		files = append(files, list)
	}
	for ; ctx.Err() == nil; rig.Pause(ctx, editEvery) {
		list := files[random.IntN(len(files))]
		path := list[random.IntN(len(list))]
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			continue
		}
		_, err = fmt.Fprintf(f, "%s edited %d\n", rig.Extensions[filepath.Ext(path)], random.Uint32())
		if err := errors.Join(err, f.Close()); err == nil {
			s.mu.Lock()
			s.r.Edits++
			s.mu.Unlock()
		}
	}
}

// ask sends one request after the other. One that finds no room waits as it is told.
func (s *Soak) ask(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		at := random.IntN(len(s.roots))
		path, fields := s.question(at, random)
		began := time.Now()
		code, body, after, err := s.Post(ctx, path, fields)
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		s.r.Requests++
		s.r.Codes[strconv.Itoa(code)]++
		switch {
		case err == nil && code == http.StatusOK:
			s.times = append(s.times, time.Since(began))
			s.learn(at, path, body)
		case err == nil && code == http.StatusNotFound && path != "/search": // the place was edited away
		case err == nil && code == http.StatusUnprocessableEntity: // no such graph for the language
		case err == nil && code == http.StatusServiceUnavailable && after > 0:
		default:
			s.r.Failed++
			if s.r.First == "" {
				s.r.First = fmt.Sprintf("%s %v: %d %v %.300s", path, fields, code, err, body)
			}
		}
		s.mu.Unlock()
		if code == http.StatusServiceUnavailable {
			rig.Pause(ctx, min(after, 2*time.Second))
		}
	}
}

// question draws one.
func (s *Soak) question(at int, random *rand.Rand) (path string, fields map[string]any) {
	q := s.queries[at][random.IntN(len(s.queries[at]))]
	s.mu.Lock()
	place := ""
	if n := len(s.places[at]); n > 0 {
		place = s.places[at][random.IntN(n)]
	}
	s.mu.Unlock()
	fields = map[string]any{"project": s.roots[at]}
	switch n := random.IntN(100); {
	case n < 60 || place == "":
		fields["query"] = q
		return "/search", fields
	case n < 65:
		return "/search", map[string]any{"query": q, "projects": "*"}
	case n < 70:
		fields["query"], fields["mode"] = q, "symbol"
		return "/search", fields
	}
	fields["target"] = place
	return []string{"/calls", "/impact", "/context", "/trace", "/extract"}[random.IntN(5)], fields
}

// learn keeps places to ask about.
func (s *Soak) learn(at int, path string, body []byte) {
	var a struct {
		Results []struct {
			File    string `json:"file"`
			Line    int    `json:"line"`
			Symbol  string `json:"symbol"`
			Project string `json:"project"`
		} `json:"results"`
	}
	if path != "/search" || len(s.places[at]) > 200 || json.Unmarshal(body, &a) != nil {
		return
	}
	for _, r := range a.Results {
		if r.Symbol != "" && r.Project == "" {
			s.places[at] = append(s.places[at], fmt.Sprintf("%s:%d", r.File, r.Line))
		}
	}
}

func (s *Soak) Post(ctx context.Context, path string, fields map[string]any) (code int, body []byte, after time.Duration, err error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return 0, nil, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, 0, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return resp.StatusCode, body, time.Duration(seconds) * time.Second, err
}
