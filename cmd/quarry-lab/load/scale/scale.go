package scale

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// scaleOptions are the flags of scale.
type scaleOptions struct {
	rig.Served
	grow       growOptions
	sizes, csv string
}

func newScaleCommand() *cobra.Command {
	var o scaleOptions
	cmd := o.Command("scale --from DIR,DIR --dir DIR", "Measure how everything grows with the size of a tree", `Scale grows a tree of each of some sizes below --dir, serves it, and measures how long
the index takes to build and in how much memory, how soon the next server answers, and how
long questions of each kind take, one after the other. It adds a line to a CSV file for each
size; laws reads it.`, func(ctx context.Context, out io.Writer) error {
		if o.grow.from == "" {
			return errors.New("scale needs --from")
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureScale(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Served.Bind(fs)
	o.grow.bind(fs)
	fs.Lookup("dir").Usage = "the folder below which the trees are made, and removed again"
	fs.StringVar(&o.sizes, "sizes", "1000,3000,10000,30000,100000", "numbers of files, with commas")
	fs.StringVar(&o.csv, "csv", "scale.csv", "the file to add figures to")
	return cmd
}

// scaleAsked is how many questions of each kind scale asks, one after the other.
const scaleAsked = 200

// scaleReport is what scale finds out about a tree of one size: the fields of a line of
// its CSV file, whose head are the names here.
type scaleReport struct {
	Files       int     `csv:"files"`        // that were made
	Indexed     int     `csv:"indexed"`      // of them
	Bytes       int64   `csv:"source_bytes"` // of those
	Folders     int     `csv:"folders"`
	Identifiers int     `csv:"identifiers"` // different ones
	Symbols     int     `csv:"symbols"`
	Chunks      int     `csv:"chunks"`
	Found       float64 `csv:"found_seconds"`     // from the start of the server until everything can be found
	FoundCPU    float64 `csv:"found_cpu_seconds"` // that it took until then
	Ready       float64 `csv:"ready_seconds"`     // until the call graph is solved, too
	ReadyCPU    float64 `csv:"ready_cpu_seconds"`
	PeakRSS     int64   `csv:"peak_rss_bytes"` // until the snapshot is written
	RSS         int64   `csv:"rss_bytes"`      // then
	Snapshot    int64   `csv:"snapshot_bytes"`
	Restart     float64 `csv:"restart_seconds"` // until the next server answers in full
	RestartRSS  int64   `csv:"restart_rss_bytes"`
	Hybrid50    float64 `csv:"hybrid_p50_ms"`
	Hybrid95    float64 `csv:"hybrid_p95_ms"`
	HybridCPU   float64 `csv:"hybrid_cpu_ms"`
	Folder50    float64 `csv:"folder_p50_ms"` // hybrid, below one folder
	Folder95    float64 `csv:"folder_p95_ms"`
	FolderCPU   float64 `csv:"folder_cpu_ms"`
	Symbol50    float64 `csv:"symbol_p50_ms"`
	Symbol95    float64 `csv:"symbol_p95_ms"`
	SymbolCPU   float64 `csv:"symbol_cpu_ms"`
	Regex50     float64 `csv:"regex_p50_ms"` // a rare word
	Regex95     float64 `csv:"regex_p95_ms"`
	RegexCPU    float64 `csv:"regex_cpu_ms"`
	Grep50      float64 `csv:"grep_p50_ms"` // as above
	Grep95      float64 `csv:"grep_p95_ms"`
	GrepCPU     float64 `csv:"grep_cpu_ms"`
	Impact50    float64 `csv:"impact_p50_ms"`
	Impact95    float64 `csv:"impact_p95_ms"`
	ImpactCPU   float64 `csv:"impact_cpu_ms"`
	Edit50      float64 `csv:"edit_p50_ms"` // from a change on disk until a search sees it
	Edit95      float64 `csv:"edit_p95_ms"`
	Load        float64 `csv:"load_average"` // of the machine meanwhile
}

// measureScale makes trees of the sizes that were asked for, serves each, and adds a line
// to a CSV file after each.
func measureScale(ctx context.Context, o scaleOptions, out io.Writer) error {
	for _, field := range strings.Split(o.sizes, ",") {
		size, err := strconv.Atoi(field)
		if err != nil || size < 1 {
			return fmt.Errorf("a size must be a number of files, not %q", field)
		}
		r, err := measureSize(ctx, o, size)
		if err != nil {
			return fmt.Errorf("%d files: %w", size, err)
		}
		if err := appendScale(o.csv, r); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d files, %.0f MB: found after %.0f s (%.0f s of CPU), ready after %.0f s (%.0f); resident %.0f MB at most, %.0f after; hybrid p95 %.1f ms\n",
			r.Indexed, float64(r.Bytes)/1e6, r.Found, r.FoundCPU, r.Ready, r.ReadyCPU, float64(r.PeakRSS)/1e6, float64(r.RSS)/1e6, r.Hybrid95)
	}
	return nil
}

// measureSize makes and measures one tree, and leaves nothing of it.
func measureSize(ctx context.Context, o scaleOptions, size int) (r scaleReport, err error) {
	tmp, err := os.MkdirTemp(o.Dir, "quarry-scale-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	root, data := filepath.Join(tmp, "root"), filepath.Join(tmp, "data")
	o.grow.n, o.grow.seed = size, o.Seed
	made, err := growTree(ctx, o.grow, root)
	if err != nil {
		return r, err
	}
	r.Files, r.Folders, r.Identifiers = made.Files, made.Folders, made.Identifiers
	p, err := rig.Start(ctx, o.Program, root, data)
	if err != nil {
		return r, err
	}
	if err := measureBuild(ctx, p, &r); err != nil {
		return r, errors.Join(err, p.End())
	}
	if err := measureAnswers(ctx, p, o, root, &r); err != nil {
		return r, errors.Join(err, p.End())
	}
	if err := p.End(); err != nil {
		return r, err
	}
	if r.Snapshot, err = snapshotSize(data); err != nil {
		return r, err
	}
	if p, err = rig.Start(ctx, o.Program, root, data); err != nil {
		return r, err
	}
	err = p.Until(ctx, p.Answers)
	r.Restart, r.RestartRSS = time.Since(p.Began).Seconds(), rig.ResidentBytes(p.Cmd.Process.Pid)
	return r, errors.Join(err, p.End())
}

// snapshotSize waits for no snapshot: the server that wrote it has ended.
func snapshotSize(data string) (int64, error) {
	kept, err := filepath.Glob(filepath.Join(data, "projects", "*", "index.quarry"))
	if err != nil || len(kept) != 1 {
		return 0, fmt.Errorf("the server left %d snapshots", len(kept))
	}
	info, err := os.Stat(kept[0])
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// measureBuild waits until everything is indexed, and the memory has settled.
func measureBuild(ctx context.Context, p *rig.Server, r *scaleReport) error {
	pid := p.Cmd.Process.Pid
	if err := p.Until(ctx, func(ctx context.Context) (bool, error) { return found(ctx, p) }); err != nil {
		return err
	}
	r.Found, r.FoundCPU = time.Since(p.Began).Seconds(), processorSeconds(pid)
	if err := p.Until(ctx, p.Ready); err != nil {
		return err
	}
	// Asking oftener would take a part of what is measured.
	if err := p.UntilEvery(ctx, 250*time.Millisecond, p.Resolved); err != nil {
		return err
	}
	r.Ready, r.ReadyCPU = time.Since(p.Began).Seconds(), processorSeconds(pid)
	r.Load = loadAverage()
	var s struct {
		Index struct {
			Files, Symbols, Chunks int
			SourceBytes            int64 `json:"source_bytes"`
		} `json:"index"`
	}
	if err := p.Get(ctx, "/status?skipped=0", &s); err != nil {
		return err
	}
	r.Indexed, r.Symbols, r.Chunks, r.Bytes = s.Index.Files, s.Index.Symbols, s.Index.Chunks, s.Index.SourceBytes
	// It writes the snapshot, ten seconds after the last change, and gives memory back.
	for quiet, busy := 0, processorSeconds(pid); quiet < 15 && ctx.Err() == nil; quiet++ {
		rig.Pause(ctx, time.Second)
		if now := processorSeconds(pid); now > busy+0.05 {
			quiet, busy = 0, now
		}
	}
	r.RSS, r.PeakRSS = rig.ResidentBytes(pid), peakBytes(pid)
	return ctx.Err()
}

// found reports whether words, symbols and vectors are in.
func found(ctx context.Context, p *rig.Server) (bool, error) {
	var s struct {
		Index struct {
			State    string
			Progress float64
			Vectors  float64
		}
	}
	err := p.Get(ctx, "/ready", &s)
	if errors.Is(err, rig.ErrUnavailable) {
		return false, nil
	}
	return s.Index.Vectors == 1 && (s.Index.Progress > 0.99 || s.Index.State == "ready"), err
}

// A kindOfQuestion is a kind of request that scale makes many of.
type kindOfQuestion struct {
	p50, p95 *float64
	cpu      *float64 // milliseconds that the server computes for one, on average
	method   string
	path     string
	bodies   []string // of POST, or queries of GET
}

// measureAnswers asks one question after the other, and edits files.
func measureAnswers(ctx context.Context, p *rig.Server, o scaleOptions, root string, r *scaleReport) error {
	texts, err := rig.LoadQueries(rig.Questions{Root: root, N: scaleAsked, Seed: o.Seed})
	if err != nil {
		return err
	}
	names, _, err := rig.Sample(root)
	if err != nil {
		return err
	}
	var rare []string // from all over what was sampled
	for i := range scaleAsked {
		rare = append(rare, names[i*len(names)/scaleAsked])
	}
	c := rig.NewCaller(p.URL, 1)
	defer c.HTTP.CloseIdleConnections()
	body := func(form string, texts []string) (out []string) {
		for _, t := range texts {
			quoted, _ := json.Marshal(t) // a string always can be
			out = append(out, fmt.Sprintf(form, quoted))
		}
		return out
	}
	places := targets(ctx, p, rare)
	for _, q := range []kindOfQuestion{
		{&r.Hybrid50, &r.Hybrid95, &r.HybridCPU, http.MethodPost, "/search", body(`{"query":%s,"limit":10}`, texts)},
		{&r.Folder50, &r.Folder95, &r.FolderCPU, http.MethodPost, "/search", body(`{"query":%s,"limit":10,"path":"part000"}`, texts)},
		{&r.Symbol50, &r.Symbol95, &r.SymbolCPU, http.MethodPost, "/search", body(`{"query":%s,"limit":10,"mode":"symbol"}`, rare)},
		{&r.Regex50, &r.Regex95, &r.RegexCPU, http.MethodPost, "/search", body(`{"query":%s,"limit":10,"mode":"regex"}`, rare)},
		{&r.Grep50, &r.Grep95, &r.GrepCPU, http.MethodPost, "/grep", body(`{"pattern":%s}`, rare)},
		{&r.Impact50, &r.Impact95, &r.ImpactCPU, http.MethodGet, "/impact?target=", places},
	} {
		if _, err := ask(ctx, c, q, q.bodies[:len(q.bodies)/10]); err != nil { // makes what is made at the first use
			return err
		}
		before := processorSeconds(p.Cmd.Process.Pid)
		times, err := ask(ctx, c, q, q.bodies)
		if err != nil {
			return err
		}
		*q.cpu = 1000 * (processorSeconds(p.Cmd.Process.Pid) - before) / float64(max(1, len(q.bodies)))
		s := rig.Summarize(times)
		*q.p50, *q.p95 = s.P50, s.P95
	}
	dir := filepath.Join(root, "part000", "quarry_load")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	e, err := load.NewEditor(ctx, load.EditOptions{URL: p.URL, Dir: dir, Seed: o.Seed})
	if err != nil {
		return err
	}
	defer e.HTTP.CloseIdleConnections()
	var times []time.Duration
	for range 10 {
		took, err := e.Cycle(ctx, ".go", []byte("package scratch\n\nfunc Scratch() int { return 1 }\n"))
		if err != nil {
			return err
		}
		for _, t := range took {
			times = append(times, t)
		}
	}
	s := rig.Summarize(times)
	r.Edit50, r.Edit95 = s.P50, s.P95
	return nil
}

// targets returns places of functions, for the path of a request.
func targets(ctx context.Context, p *rig.Server, names []string) (out []string) {
	for _, name := range names {
		var a struct {
			Results []struct {
				File string
				Line int
			}
		}
		if err := p.Get(ctx, "/search?mode=symbol&limit=1&kind=function&query="+url.QueryEscape(name), &a); err == nil && len(a.Results) > 0 {
			out = append(out, url.QueryEscape(fmt.Sprintf("%s:%d", a.Results[0].File, a.Results[0].Line)))
		}
	}
	return out
}

// ask makes some requests, one after the other. One that is refused is no answer, and no
// error while most are answered.
func ask(ctx context.Context, c rig.Caller, q kindOfQuestion, bodies []string) (times []time.Duration, err error) {
	for _, body := range bodies {
		path, text := q.path, []byte(body)
		if q.method == http.MethodGet {
			path, text = path+body, nil
		}
		began := time.Now()
		if _, failed := c.Call(ctx, q.method, path, text); failed != nil {
			err = failed
		} else {
			times = append(times, time.Since(began))
		}
	}
	if len(times) > len(bodies)/2 {
		err = nil
	}
	return times, errors.Join(err, ctx.Err())
}

// appendScale adds a line to the CSV file, in place of one of as many files, and keeps
// the lines in order.
func appendScale(path string, r scaleReport) error {
	rows, err := readScale(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	rows = slices.DeleteFunc(rows, func(o scaleReport) bool { return o.Files == r.Files })
	rows = append(rows, r)
	slices.SortFunc(rows, func(a, b scaleReport) int { return a.Files - b.Files })
	var b strings.Builder
	w := csv.NewWriter(&b)
	lines := [][]string{columns()}
	for i := range rows {
		lines = append(lines, rows[i].fields())
	}
	if err := w.WriteAll(lines); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
