package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// restartOptions are the flags of restart.
type restartOptions struct {
	rig.Served
	n int
}

func newRestartCommand() *cobra.Command {
	var o restartOptions
	cmd := o.Command("restart --dir DIR", "Measure how soon the next server of a root answers", `Restart serves a copy of a folder, ends the server, appends an empty line to n of the
files, and measures how soon the next server answers, and how soon it has caught up, in
seconds from its start.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureRestart(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
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
	if err := os.CopyFS(root, os.DirFS(o.Dir)); err != nil {
		return fmt.Errorf("copy %s: %w", o.Dir, err)
	}
	var r restartReport
	p, err := rig.Start(ctx, o.Program, root, data)
	if err != nil {
		return err
	}
	if err := errors.Join(p.Until(ctx, p.Ready), r.ask(ctx, p)); err != nil {
		return errors.Join(err, p.End())
	}
	r.Cold = time.Since(p.Began).Seconds()
	if err := p.End(); err != nil {
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
	if p, err = rig.Start(ctx, o.Program, root, data); err != nil {
		return err
	}
	for _, step := range []struct {
		at   *float64
		when func(context.Context) (bool, error)
	}{{&r.First, p.Answers}, {&r.CaughtUp, p.Ready}, {&r.Calls, p.Resolved}} {
		if err := p.Until(ctx, step.when); err != nil {
			return errors.Join(err, p.End())
		}
		*step.at = time.Since(p.Began).Seconds()
	}
	if err := p.End(); err != nil {
		return err
	}
	return o.Print(out, r, `%d files, %.1f MB; snapshot %.1f MB, %.2f of the source
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
		if err == nil && d.Type().IsRegular() && rig.Extensions[filepath.Ext(path)] != "" {
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

// ask has the server say how many files there are, and how large.
func (r *restartReport) ask(ctx context.Context, p *rig.Server) error {
	var s rig.IndexStatus
	err := p.Get(ctx, "/status", &s)
	r.Files, r.SourceBytes = s.Index.Files, s.Index.SourceBytes
	return err
}
