package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// worktreesOptions are the flags of worktrees.
type worktreesOptions struct {
	rig.Served
	n int
}

func newWorktreesCommand() *cobra.Command {
	var o worktreesOptions
	cmd := o.Command("worktrees --dir DIR", "Measure what many copies of one project take", `Worktrees serves n copies of a folder, one after the other and all but the first with
1 % of the files changed, as worktrees of a repository are. It measures what their indexes
take on the disk, against that of the first one alone, and how soon one more is ready,
against the cold start of the first.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureWorktrees(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
	fs.IntVarP(&o.n, "number", "n", 2000, "trees")
	return cmd
}

// worktreesReport is the outcome of worktrees.
type worktreesReport struct {
	Files     int       `json:"files"`
	Changed   int       `json:"changed"`      // in each tree but the first
	Cold      float64   `json:"cold_seconds"` // of the first tree, from exec until everything is indexed
	One       int64     `json:"one_bytes"`    // on the disk, of the first tree's index
	Trees     int       `json:"trees"`        // that were served for All, the first among them
	All       int64     `json:"all_bytes"`    // on the disk, of all these
	Disk      float64   `json:"all_by_one"`   // All / One
	Seconds   []float64 `json:"tree_seconds"` // of each tree, from exec until nothing is pending
	Last      float64   `json:"last_seconds"` // of the one after them
	LastFirst float64   `json:"last_first"`   // its first answer
	LastCalls float64   `json:"last_calls"`   // until its call graph has the changes, too
	Share     float64   `json:"last_by_cold"` // Last / Cold
}

// measureWorktrees serves a copy of a folder, then copies in which 1 % of the files
// differ, one after the other: n together, and one more.
func measureWorktrees(ctx context.Context, o worktreesOptions, out io.Writer) (err error) {
	tmp, err := os.MkdirTemp("", "quarry-worktrees-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	data := filepath.Join(tmp, "data")
	r := worktreesReport{Trees: o.n}
	for i := range o.n + 1 {
		root := filepath.Join(tmp, fmt.Sprintf("tree%d", i))
		if err := os.CopyFS(root, os.DirFS(o.Dir)); err != nil {
			return fmt.Errorf("copy %s: %w", o.Dir, err)
		}
		if i > 0 {
			if r.Changed, err = changeFrom(root, max(1, r.Files/100), i); err != nil {
				return err
			}
		}
		if i == o.n {
			if r.All, err = diskUse(data); err != nil {
				return err
			}
		}
		if err := r.serve(ctx, o.Program, root, data, i); err != nil {
			return err
		}
		if i == 0 {
			if r.One, err = diskUse(data); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(root); err != nil {
			return err
		}
	}
	r.Disk, r.Share = float64(r.All)/float64(max(r.One, 1)), r.Last/r.Cold
	return o.Print(out, r, `%d files, %d changed in each tree
cold: %.2f s, %.1f MB on the disk
%d trees: %.1f MB, %.3f of one
the next one: first answer %.2f s, ready %.2f s, %.1f %% of the cold start; call graph %.2f s
`, r.Files, r.Changed, r.Cold, float64(r.One)/1e6, r.Trees, float64(r.All)/1e6, r.Disk,
		r.LastFirst, r.Last, 100*r.Share, r.LastCalls)
}

// serve serves the tree of some number until it is ready, and ends the server.
func (r *worktreesReport) serve(ctx context.Context, name, root, data string, number int) (err error) {
	p, err := rig.Start(ctx, name, root, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.End()) }()
	since := func() float64 { return time.Since(p.Began).Seconds() }
	last := number == r.Trees
	if last {
		if err := p.Until(ctx, p.Answers); err != nil {
			return err
		}
		r.LastFirst = since()
	}
	if err := p.Until(ctx, p.Ready); err != nil {
		return err
	}
	took := since()
	if number == 0 {
		var s restartReport
		err := s.ask(ctx, p)
		r.Cold, r.Files = took, s.Files
		return err
	}
	r.Seconds = append(r.Seconds, took)
	if !last {
		return nil
	}
	r.Last = took
	if err := p.Until(ctx, p.Resolved); err != nil {
		return err
	}
	r.LastCalls = since()
	return nil
}

// diskUse returns what the files below a folder take, each once whatever its names.
func diskUse(dir string) (total int64, err error) {
	var seen []fs.FileInfo
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		for _, s := range seen {
			if os.SameFile(s, info) {
				return nil
			}
		}
		seen = append(seen, info)
		total += info.Size()
		return nil
	})
	return total, err
}
