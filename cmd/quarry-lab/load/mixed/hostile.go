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
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/hostile"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// hostileOptions are the flags of hostile.
type hostileOptions struct {
	rig.Served
	n             int
	memory, serve string
}

func newHostileCommand() *cobra.Command {
	var o hostileOptions
	cmd := o.Command("hostile --dir DIR", "Search while thousands of files are saved that parsers do not survive", `Hostile serves a copy of a folder to which n/2 files have been added that parsers do not
survive (package hostile), saves as many more, and searches all the time. It ends with 1
where a search fails, or the 99th percentile is 50 ms or more, a file is neither indexed nor
listed with a reason, a healthy file is not parsed that was before, or /verify does not
prove the index.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureHostile(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
	fs.IntVarP(&o.n, "number", "n", 2000, "files")
	fs.StringVar(&o.memory, "memory", "600MiB", "the budget")
	fs.StringVar(&o.serve, "serve", "", "more flags of quarry serve, with spaces between them")
	return cmd
}

const (
	hostileSave   = 20 * time.Millisecond // between two saves
	hostileP99    = 50.                   // milliseconds that a search may take, the 99th percentile
	hostileFolder = "hostile"             // below the root
)

// hostileReport is the outcome of hostile.
type hostileReport struct {
	Files    int            `json:"files"`           // hostile ones
	Healthy  int            `json:"healthy"`         // the others that are indexed
	Seconds  float64        `json:"indexed_seconds"` // until the first half was indexed
	Saved    float64        `json:"saved_seconds"`   // until the second half was
	Searches rig.Summary    `json:"searches"`
	Failed   int            `json:"failed"` // searches
	First    string         `json:"first_failure,omitempty"`
	MaxRSS   int64          `json:"max_resident_bytes"`        // of the server, samples every 100 ms
	MaxAll   int64          `json:"max_resident_bytes_of_all"` // with the processes that parse, what they share counted once
	Unparsed map[string]int `json:"unparsed"`
	Skipped  map[string]int `json:"skipped"`
	Missing  int            `json:"missing"`          // files of which the coverage says nothing
	Harmed   []string       `json:"harmed,omitempty"` // healthy files without a syntax tree that they had before
	Proved   string         `json:"not_proved,omitempty"`
}

// measureHostile serves a copy of a folder with hostile files, saves as many more, and
// searches all the time.
func measureHostile(ctx context.Context, o hostileOptions, out io.Writer) (err error) {
	tmp, root, remove, err := rig.Copy(o.Dir, "hostile")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	queries, err := rig.LoadQueries(rig.Questions{Root: root, N: 500, Seed: o.Seed})
	if err != nil {
		return err
	}
	h := &hostileLoad{o: o, root: root, queries: queries}
	if err := h.healthy(ctx, filepath.Join(tmp, "before")); err != nil {
		return err
	}
	if err := h.save(0, o.n/2, 0); err != nil {
		return err
	}
	if h.Server, err = rig.Start(ctx, o.Program, root, filepath.Join(tmp, "data"), append([]string{"--memory", o.memory}, strings.Fields(o.serve)...)...); err != nil {
		return err
	}
	if err := errors.Join(h.run(ctx), h.End()); err != nil {
		return err
	}
	r := &h.r
	err = o.Print(out, r, "%d hostile files alongside %d: indexed after %.1f s, saved after %.1f s\nsearches: %d, %s; %d failed %s\nresident: server %s, with the processes that parse %s, budget %s\nunparsed: %s; skipped: %s\nmissing %d; harmed %v; verify: %s\n",
		r.Files, r.Healthy, r.Seconds, r.Saved, r.Searches.Count, r.Searches, r.Failed, r.First, mib(r.MaxRSS), mib(r.MaxAll), o.memory, counts(r.Unparsed), counts(r.Skipped), r.Missing, r.Harmed, r.Proved)
	return errors.Join(err, r.broken(), ctx.Err())
}

// broken says what is not as it should be.
func (r *hostileReport) broken() (err error) {
	for _, f := range []struct {
		is   bool
		what string
	}{
		{r.Failed > 0, "searches failed"}, {r.Missing != 0, "files are not in the coverage"}, {len(r.Harmed) > 0, "healthy files were not parsed"},
		{r.Proved != "", "the index is not that of a fresh build"}, {r.Searches.P99 >= hostileP99, "the 99th percentile of searches is 50 ms or more"},
	} {
		if f.is {
			err = errors.Join(err, errors.New(f.what))
		}
	}
	return err
}

type hostileLoad struct {
	*rig.Server
	o       hostileOptions
	root    string
	queries []string
	at      covered           // without hostile files
	before  map[string]string // healthy files without a syntax tree, by why

	mu    sync.Mutex
	times []time.Duration
	r     hostileReport
}

// healthy asks a server of the folder as it is which files it has, and which are not
// parsed.
func (h *hostileLoad) healthy(ctx context.Context, data string) (err error) {
	if h.Server, err = rig.Start(ctx, h.o.Program, h.root, data); err != nil {
		return err
	}
	h.at, err = h.coverage(ctx)
	h.before, h.r.Healthy = h.at.listed(), h.at.Indexed
	return errors.Join(err, h.End())
}

// A covered is what a server says of its files.
type covered struct {
	Indexed  int            `json:"indexed"`
	Reasons  map[string]int `json:"reasons"`
	Unparsed map[string]int `json:"unparsed"`
	Skips    []skippedFile  `json:"files"`
	Texts    []skippedFile  `json:"unparsed_files"`
}

type skippedFile struct{ Path, Reason string }

// listed are the files that have no tree, by the reason.
func (c *covered) listed() map[string]string {
	all := map[string]string{}
	for _, f := range slices.Concat(c.Skips, c.Texts) {
		all[f.Path] = f.Reason
	}
	return all
}

// coverage waits until nothing is pending and asks for the coverage.
func (h *hostileLoad) coverage(ctx context.Context) (c covered, err error) {
	if err := h.Until(ctx, h.Ready); err != nil {
		return c, err
	}
	var s struct{ Coverage covered }
	err = h.Get(ctx, "/status?skipped=10000", &s)
	return s.Coverage, err
}

// save writes hostile files.
func (h *hostileLoad) save(from, to int, every time.Duration) error {
	for n := from; n < to; n++ {
		path := h.path(n)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, hostile.New(h.o.Seed, n).Body, 0o644); err != nil {
			return err
		}
		time.Sleep(every)
	}
	return nil
}

// path is where a hostile file is.
func (h *hostileLoad) path(n int) string {
	return filepath.Join(h.root, hostileFolder, strconv.Itoa(n%20), hostile.New(h.o.Seed, n).Name)
}

func (h *hostileLoad) run(ctx context.Context) error {
	searching, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { h.search(searching) })
	wg.Go(func() { h.sample(searching) })
	err := h.load(ctx)
	stop()
	wg.Wait()
	if err != nil {
		return err
	}
	h.r.Searches = rig.Summarize(h.times)
	h.r.Proved, err = h.Proved(ctx)
	return err
}

// load waits for the first half, saves the second and waits for that.
func (h *hostileLoad) load(ctx context.Context) error {
	if _, err := h.coverage(ctx); err != nil {
		return err
	}
	h.r.Seconds = time.Since(h.Began).Seconds()
	began := time.Now()
	if err := h.save(h.o.n/2, h.o.n, hostileSave); err != nil {
		return err
	}
	h.r.Files = h.o.n
	var c covered
	for known := -1; ; rig.Pause(ctx, time.Second) { // what the watcher has not told yet is not pending
		var err error
		if c, err = h.coverage(ctx); err != nil {
			return err
		}
		n := c.Indexed + len(c.Skips)
		if n == known {
			break
		}
		known = n
	}
	h.r.Saved = time.Since(began).Seconds()
	h.judge(c)
	return nil
}

// judge looks for files that the coverage does not have, and for harmed ones.
func (h *hostileLoad) judge(c covered) {
	h.r.Unparsed, h.r.Skipped = c.Unparsed, c.Reasons
	listed := c.listed()
	for path, why := range listed {
		if h.before[path] != why && !strings.HasPrefix(path, hostileFolder+"/") {
			h.r.Harmed = append(h.r.Harmed, path+": "+why)
		}
	}
	all := func(c covered) (n int) {
		for _, skipped := range c.Reasons {
			n += skipped
		}
		return n + c.Indexed
	}
	h.r.Missing = all(h.at) + h.o.n - all(c)
}

// search asks fifty times a second.
func (h *hostileLoad) search(ctx context.Context) {
	random := rand.New(rand.NewPCG(h.o.Seed, 1<<33))
	s := &load.Soak{Server: h.Server}
	_ = pace(ctx, 20*time.Millisecond, func() error {
		began := time.Now()
		code, body, _, err := s.Post(context.WithoutCancel(ctx), "/search", map[string]any{"query": h.queries[random.IntN(len(h.queries))]})
		took := time.Since(began)
		h.mu.Lock()
		defer h.mu.Unlock()
		if err != nil || code != http.StatusOK {
			h.r.Failed++
			h.r.First = fmt.Sprintf("%d %v %.200s", code, err, body)
			return nil
		}
		h.times = append(h.times, took)
		return nil
	})
}

// sample looks at the memory.
func (h *hostileLoad) sample(ctx context.Context) {
	pid := h.Cmd.Process.Pid
	for ; ctx.Err() == nil; rig.Pause(ctx, rig.SampleEvery) {
		own := rig.ResidentBytes(pid)
		all := own
		for _, child := range rig.Children(pid) {
			all += rig.PrivateBytes(child)
		}
		h.r.MaxRSS, h.r.MaxAll = max(h.r.MaxRSS, own), max(h.r.MaxAll, all)
	}
}

// hostileKept is how many hostile files there are at a time in a mixed load.
const hostileKept = 40

// hostile is how many hostile files there may be.
func (m *mixed) hostile() int {
	if m.o.hostile {
		return hostileKept + 1
	}
	return 0
}

// saveHostile saves a hostile file a second, and removes old ones.
func (m *mixed) saveHostile(ctx context.Context) error {
	h := &hostileLoad{o: hostileOptions{Served: m.o.Served}, root: m.root}
	n := 0
	return pace(ctx, time.Second, func() error {
		if err := h.save(n, n+1, 0); err != nil {
			return err
		}
		if n++; n > hostileKept {
			return os.Remove(h.path(n - 1 - hostileKept))
		}
		return nil
	})
}
