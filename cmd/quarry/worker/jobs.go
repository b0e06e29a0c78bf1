package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

// partlyIndexed is the exit code of the command that has made a snapshot without some files
// that belong into it.
const partlyIndexed = 3

// indexing does the jobs of the kind index.
type indexing struct {
	river.WorkerDefaults[catalogue.IndexArgs]
	*worker
}

// Work indexes a repository. What a second try will not mend is not tried again.
func (w *indexing) Work(ctx context.Context, job *river.Job[catalogue.IndexArgs]) error {
	name := job.Args.Repository
	began := time.Now()
	r, err := w.Catalogue.Begin(ctx, name)
	if gone(err) {
		w.meters.ran(ranRemoved)
		return w.clear(ctx, name)
	}
	if err != nil {
		w.meters.ran(ranFailed)
		return err
	}
	made, err := w.index(ctx, r)
	if err != nil {
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			err = fmt.Errorf("it took more than %s", w.Options.Timeout)
		case ctx.Err() != nil:
			w.meters.ran(ranEnded)
			return river.JobSnooze(0) // another one takes it, and this was no try
		}
		w.meters.ran(failed(err, job.Attempt >= job.MaxAttempts))
		after := context.WithoutCancel(ctx)
		if noted := w.Catalogue.Failed(after, name, err.Error()); noted != nil {
			return noted
		}
		w.Log.Warn("a repository is not indexed", "repository", name, "error", err, "try", job.Attempt, "of", job.MaxAttempts)
		if errors.Is(err, errRefused) {
			return river.JobCancel(err)
		}
		return err
	}
	again, err := w.Catalogue.Done(ctx, r, *made)
	switch {
	case gone(err):
		w.meters.ran(ranRemoved)
		return w.clear(ctx, name)
	case err != nil:
		w.meters.ran(ranFailed)
		return err
	}
	w.meters.ran(ranIndexed)
	w.meters.seconds.Observe(time.Since(began).Seconds())
	w.meters.bytes.Add(float64(made.Bytes))
	if again {
		return river.JobSnooze(0)
	}
	w.Log.Info("indexed", "repository", name, "commit", made.Commit, "files", made.Files, "chunks", made.Chunks, "bytes", made.Bytes, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// index makes the snapshot of a repository's newest commit and puts it where others begin
// from it.
func (w *indexing) index(ctx context.Context, r catalogue.Repository) (*catalogue.Result, error) {
	dir, err := os.MkdirTemp(w.folder, "job-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := clone{folder: filepath.Join(dir, "tree"), address: r.Address, protocols: w.Protocols, most: w.MaxBytes}
	head, err := c.make(ctx, r.Branch)
	if err != nil {
		return nil, err
	}
	if err := w.Catalogue.Tried(ctx, r.Name, head.commit); err != nil {
		return nil, err
	}
	args := append(w.Index[1:len(w.Index):len(w.Index)], "--json", "--words", strconv.Itoa(catalogue.MaxWords), "--put", "--left-out", "--snapshots-name", r.Name, "--snapshots-branch", head.branch, "--data-dir", filepath.Join(dir, "data"), c.folder)
	cmd := exec.CommandContext(ctx, w.Index[0], args...)
	var said, report bytes.Buffer
	cmd.Stdout, cmd.Stderr = &report, &bounded{to: &said, left: 64 << 10}
	cmd.Env = append(os.Environ(), w.Variables...)
	cmd.WaitDelay = 10 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err = run(cmd)
	partly := cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == partlyIndexed
	if err != nil && !partly {
		if last := invocation.Complaint(said.String()); last != "" {
			err = fmt.Errorf("%.500s", last)
		}
		return nil, fmt.Errorf("the index was not built: %w", err)
	}
	var out struct {
		Files  int              `json:"files"`
		Chunks int              `json:"chunks"`
		Words  []catalogue.Word `json:"words"`
		Put    struct {
			SHA256 string `json:"sha256"`
			Bytes  int64  `json:"bytes"`
			Latest bool   `json:"latest"`
		} `json:"put"`
	}
	if err := json.Unmarshal(report.Bytes(), &out); err != nil || out.Put.SHA256 == "" {
		return nil, errors.New("the index was not built: its report cannot be read")
	}
	var notes []string
	if partly {
		notes = append(notes, "some files could not be read or parsed")
	}
	if head.submodules > 0 {
		notes = append(notes, fmt.Sprintf("%d submodules are not fetched", head.submodules))
	}
	if !out.Put.Latest {
		notes = append(notes, "the snapshot of a newer commit stays the latest")
	}
	return &catalogue.Result{
		Commit: head.commit, Branch: head.branch, Snapshot: out.Put.SHA256, Bytes: out.Put.Bytes,
		Files: out.Files, Chunks: out.Chunks, Note: strings.Join(notes, "; "), Words: out.Words,
	}, nil
}

// bounded keeps the first bytes of what is written.
type bounded struct {
	to   io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	_, err := b.to.Write(p[:n])
	return len(p), err
}

// looking does the jobs of the kind look.
type looking struct {
	river.WorkerDefaults[catalogue.LookArgs]
	*worker
}

func (w *looking) Timeout(*river.Job[catalogue.LookArgs]) time.Duration { return lookWithin }

// Work asks a remote for its newest commit. That it cannot be asked is no failure of the job:
// the next look is soon.
func (w *looking) Work(ctx context.Context, job *river.Job[catalogue.LookArgs]) error {
	r, err := w.Catalogue.Begin(ctx, job.Args.Repository)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	c := clone{address: r.Address, protocols: w.Protocols}
	head, err := c.head(ctx, r.Branch)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("it did not answer within %s", lookWithin)
		}
		return w.Catalogue.Unreachable(context.WithoutCancel(ctx), r.Name, err.Error())
	}
	return w.Catalogue.Seen(ctx, r.Name, head.commit)
}

// removing does the jobs of the kind remove.
type removing struct {
	river.WorkerDefaults[catalogue.RemoveArgs]
	*worker
}

func (w *removing) Timeout(*river.Job[catalogue.RemoveArgs]) time.Duration { return purgeWithin }

func (w *removing) Work(ctx context.Context, job *river.Job[catalogue.RemoveArgs]) error {
	if err := w.clear(ctx, job.Args.Repository); err != nil {
		w.Log.Warn("a repository's snapshots are not removed", "repository", job.Args.Repository, "error", err)
		return err
	}
	if err := w.Catalogue.Gone(ctx, job.Args.Repository); err != nil {
		return err
	}
	w.Log.Info("removed", "repository", job.Args.Repository)
	return nil
}

// clear removes all snapshots of a repository.
func (w *worker) clear(ctx context.Context, name string) error {
	d, err := w.Depot(name)
	if err != nil {
		return err
	}
	return d.Clear(ctx)
}
