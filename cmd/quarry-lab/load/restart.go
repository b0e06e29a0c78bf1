package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// restartOptions are the flags of restart.
type restartOptions struct {
	served
	n int
}

func newRestartCommand() *cobra.Command {
	var o restartOptions
	cmd := o.command("restart --dir DIR", "Measure how soon the next server of a root answers", `Restart serves a copy of a folder, ends the server, appends an empty line to n of the
files, and measures how soon the next server answers, and how soon it has caught up, in
seconds from its start.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return errNumbers
		}
		if o.dir == "" {
			return errDir
		}
		return measureRestart(ctx, o, out)
	})
	fs := cmd.Flags()
	o.bind(fs)
	fs.IntVarP(&o.n, "number", "n", 2000, "files")
	return cmd
}

// restartReport is the outcome of restart.
type restartReport struct {
	Files       int     `json:"files"`
	SourceBytes int64   `json:"source_bytes"`
	Snapshot    int64   `json:"snapshot_bytes"`
	Ratio       float64 `json:"snapshot_by_source"`
	Cold        float64 `json:"cold_seconds"`      // from exec until everything is indexed
	Changed     int     `json:"changed"`           // files, while no server ran
	First       float64 `json:"first_seconds"`     // from exec until the first answer, which must be a full one
	CaughtUp    float64 `json:"caught_up_seconds"` // from exec until nothing is pending
	Calls       float64 `json:"calls_seconds"`     // from exec until the call graph has the changes, too
}

// measureRestart serves a copy of a folder, ends the server, changes n files and
// starts it again.
func measureRestart(ctx context.Context, o restartOptions, out io.Writer) (err error) {
	tmp, err := os.MkdirTemp("", "quarry-restart-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	root, data := filepath.Join(tmp, "root"), filepath.Join(tmp, "data")
	if err := os.CopyFS(root, os.DirFS(o.dir)); err != nil {
		return fmt.Errorf("copy %s: %w", o.dir, err)
	}
	var r restartReport
	p, err := startProgram(ctx, o.program, root, data)
	if err != nil {
		return err
	}
	if err := errors.Join(p.until(ctx, (*program).ready), p.status(ctx, &r)); err != nil {
		return errors.Join(err, p.end())
	}
	r.Cold = time.Since(p.began).Seconds()
	if err := p.end(); err != nil {
		return err
	}
	kept, err := filepath.Glob(filepath.Join(data, "projects", "*", "index.quarry"))
	if err != nil || len(kept) != 1 {
		return fmt.Errorf("the server left %d snapshots", len(kept))
	}
	info, err := os.Stat(kept[0])
	if err != nil {
		return err
	}
	r.Snapshot, r.Ratio = info.Size(), float64(info.Size())/float64(max(r.SourceBytes, 1))

	if r.Changed, err = change(root, o.n); err != nil {
		return err
	}
	if p, err = startProgram(ctx, o.program, root, data); err != nil {
		return err
	}
	for _, step := range []struct {
		at   *float64
		when func(*program, context.Context) (bool, error)
	}{{&r.First, (*program).answers}, {&r.CaughtUp, (*program).ready}, {&r.Calls, (*program).resolved}} {
		if err := p.until(ctx, step.when); err != nil {
			return errors.Join(err, p.end())
		}
		*step.at = time.Since(p.began).Seconds()
	}
	if err := p.end(); err != nil {
		return err
	}
	return o.print(out, r, `%d files, %.1f MB; snapshot %.1f MB, %.2f of the source
cold start: %.2f s
restart with %d changed files: first answer %.2f s, caught up %.2f s, call graph %.2f s
`, r.Files, float64(r.SourceBytes)/1e6, float64(r.Snapshot)/1e6, r.Ratio, r.Cold, r.Changed, r.First, r.CaughtUp, r.Calls)
}

// change appends an empty line to n files of source, evenly over the tree.
func change(root string, n int) (int, error) { return changeFrom(root, n, 0) }

// changeFrom is change of other files for each number, and with other texts.
func changeFrom(root string, n, number int) (int, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && extensions[filepath.Ext(path)] != "" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		return 0, errors.Join(err, errors.New("no files of source to change"))
	}
	n = min(n, len(paths))
	for i := range n {
		f, err := os.OpenFile(paths[(i*len(paths)/n+number)%len(paths)], os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return i, err
		}
		_, err = f.WriteString(strings.Repeat("\n", number+1))
		if err = errors.Join(err, f.Close()); err != nil {
			return i, err
		}
	}
	return n, nil
}

// A program is a running quarry serve.
type program struct {
	cmd   *exec.Cmd
	url   string
	began time.Time
	rest  chan struct{} // closed when its error output has ended
}

// serving is the line with which a server says where it listens.
var serving = regexp.MustCompile(`^quarry: serving .* at (http://\S+) \(`)

// startProgram starts quarry serve with some more arguments.
func startProgram(ctx context.Context, name, root, data string, more ...string) (*program, error) {
	args := append([]string{"serve", root, "--port", "0", "--data-dir", data, "--log-level", "warn"}, more...)
	p := &program{cmd: exec.CommandContext(ctx, name, args...), rest: make(chan struct{})}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	lines, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	in := bufio.NewScanner(lines)
	var said []string
	for in.Scan() {
		if m := serving.FindStringSubmatch(in.Text()); m != nil {
			p.url = m[1]
			break
		}
		said = append(said, in.Text())
	}
	go func() {
		defer close(p.rest)
		for in.Scan() {
		}
	}()
	if p.url == "" {
		return nil, errors.Join(fmt.Errorf("%s does not serve: %s", name, strings.Join(said, "; ")), p.end())
	}
	return p, nil
}

// end asks the server to stop and waits for it.
func (p *program) end() error {
	err := p.cmd.Process.Signal(os.Interrupt)
	<-p.rest
	return errors.Join(err, p.cmd.Wait())
}

// until asks again and again.
func (p *program) until(ctx context.Context, when func(*program, context.Context) (bool, error)) error {
	return p.untilEvery(ctx, 5*askEvery, when)
}

// untilEvery is until with so long between two questions.
func (p *program) untilEvery(ctx context.Context, wait time.Duration, when func(*program, context.Context) (bool, error)) error {
	for {
		if ok, err := when(p, ctx); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (p *program) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusServiceUnavailable {
		return errUnavailable
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

var errUnavailable = errors.New("not yet")

// indexStatus is what restart needs of /ready and /status.
type indexStatus struct {
	Index struct {
		State       string  `json:"state"`
		Pending     int     `json:"pending"`
		Vectors     float64 `json:"vectors"`
		Files       int     `json:"files"`
		SourceBytes int64   `json:"source_bytes"`
	} `json:"index"`
}

func (p *program) status(ctx context.Context, r *restartReport) error {
	var s indexStatus
	err := p.get(ctx, "/status", &s)
	r.Files, r.SourceBytes = s.Index.Files, s.Index.SourceBytes
	return err
}

// ready reports whether nothing is pending. It asks what costs the server nothing.
func (p *program) ready(ctx context.Context) (bool, error) {
	var s indexStatus
	err := p.get(ctx, "/ready", &s)
	if errors.Is(err, errUnavailable) {
		return false, nil
	}
	return s.Index.State == "ready" && s.Index.Pending == 0 && s.Index.Vectors == 1, err
}

// answers reports whether a search finds something, by vectors, too.
func (p *program) answers(ctx context.Context) (bool, error) {
	var a struct {
		Results []json.RawMessage `json:"results"`
	}
	var s indexStatus
	err := errors.Join(p.get(ctx, "/search?query=read+a+file&limit=10", &a), p.get(ctx, "/ready", &s))
	return len(a.Results) == 10 && s.Index.Vectors > 0, err
}

// resolved reports whether the call graph has everything.
func (p *program) resolved(ctx context.Context) (bool, error) {
	var a struct {
		Results []struct {
			File string `json:"file"`
			Line int    `json:"line"`
		} `json:"results"`
	}
	if err := p.get(ctx, "/search?query=read+a+file&role=definition&limit=1", &a); err != nil || len(a.Results) == 0 {
		return false, err
	}
	var c struct {
		Because []string `json:"incomplete"`
	}
	if err := p.get(ctx, fmt.Sprintf("/calls?target=%s:%d", a.Results[0].File, a.Results[0].Line), &c); err != nil {
		return false, err
	}
	return !strings.Contains(strings.Join(c.Because, " "), "not in the call graph"), nil
}
