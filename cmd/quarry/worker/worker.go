// Package worker indexes the repositories of a catalogue for everybody: it takes a job from the
// queue, clones the repository, has this program build the index in a process of its own, and
// puts the snapshot where others begin from it.
//
//	look    git ls-remote                       --> catalogue.Seen
//	index   clone, quarry index --put           --> catalogue.Done
//	remove  the snapshots, then the row         --> catalogue.Gone
//
// Whatever a job does may be done twice: snapshots are named by their content, and a row says
// what was found last. A worker that is killed loses nothing: it holds a lock in the database
// for as long as it lives, and the others take its jobs once that is free.
package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

const (
	lookers     = 8                // remotes that are asked at once
	lookWithin  = 30 * time.Second // for the answer of one
	purgeWithin = 15 * time.Minute // for the removal of one repository's snapshots
	askWithin   = time.Minute      // for an answer of the database to what the worker itself asks
)

// Options configure a worker. All are needed but Variables, Once and Metrics.
type Options struct {
	Catalogue *catalogue.Catalogue
	Depot     func(name string) (*depot.Depot, error) // where a repository's snapshots are
	Index     []string                                // the command that indexes a folder, whose path follows
	Variables []string                                // of its environment, besides those of this process
	Folder    string                                  // of the worker's own, for clones
	Protocols []string                                // by which repositories are cloned
	Jobs      int                                     // repositories that are indexed at once
	Poll      time.Duration                           // between two looks at all remotes; 0: none are looked at
	Timeout   time.Duration                           // for a repository
	MaxBytes  int64                                   // of a clone, and of the files of its commit
	Once      bool                                    // end when nothing is left that can be done now
	Metrics   string                                  // the address at which they are; "": nowhere
	Log       *slog.Logger
}

// A worker is what runs.
type worker struct {
	Options
	id        string
	folder    string // of this process, below Options.Folder
	meters    *meters
	askWithin time.Duration
}

// Run works until ctx ends, or nothing is left where Once is set. Then it waits for the jobs
// that run, which end as ctx does and are taken up by others.
func Run(ctx context.Context, opt Options) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	w := &worker{Options: opt, id: fmt.Sprintf("%.60s-%d-%.8s", host, os.Getpid(), rand.Text()), meters: newMeters(), askWithin: askWithin}
	unlock, err := w.ownFolder()
	if err != nil {
		return err
	}
	defer unlock()
	life, err := w.live(ctx)
	if err != nil {
		return err
	}
	defer life.end()
	end, err := w.tell(ctx, opt.Metrics)
	if err != nil {
		return err
	}
	defer end()

	workers := river.NewWorkers()
	river.AddWorker(workers, &indexing{worker: w})
	river.AddWorker(workers, &looking{worker: w})
	river.AddWorker(workers, &removing{worker: w})
	config := &river.Config{
		ID: w.id, Logger: slog.New(quiet{opt.Log.Handler()}), Workers: workers, SkipUnknownJobCheck: true,
		Queues: map[string]river.QueueConfig{
			catalogue.BuildQueue: {MaxWorkers: opt.Jobs},
			catalogue.LookQueue:  {MaxWorkers: lookers},
		},
		JobTimeout: opt.Timeout, RescueStuckJobsAfter: opt.Timeout + 10*time.Minute,
	}
	queue, err := river.NewClient(riverpgxv5.New(opt.Catalogue.Pool()), config)
	if err != nil {
		return err
	}
	// The jobs' own context ends with ctx, so that a stop does not wait for a build.
	if err := queue.Start(ctx); err != nil {
		return err
	}
	opt.Log.Info("working", "worker", w.id, "jobs", opt.Jobs)
	err = w.watch(ctx, life)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(err, queue.StopAndCancel(stop))
}

// watch has remotes looked at and the jobs of dead workers taken up, until it is time to end.
func (w *worker) watch(ctx context.Context, life *life) error {
	tick := time.NewTicker(reapEvery)
	defer tick.Stop()
	var looked time.Time
	for {
		if w.Poll > 0 && time.Since(looked) >= w.Poll {
			looked = time.Now()
			if err := w.within(ctx, w.Catalogue.Look); err != nil && ctx.Err() == nil {
				w.Log.Error("remotes are not looked at", "error", err)
			}
		}
		if err := w.within(ctx, life.reap); err != nil && ctx.Err() == nil {
			return fmt.Errorf("the lock by which others know that this worker lives is lost: %w", err)
		}
		if w.Once {
			var left int
			err := w.within(ctx, func(ctx context.Context) (err error) {
				left, err = w.Catalogue.Left(ctx)
				return err
			})
			if err != nil || left == 0 {
				return err
			}
		}
		wait := tick.C
		if w.Once {
			wait = time.After(200 * time.Millisecond)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-wait:
		}
	}
}

// within asks the database something. A connection that hangs, since the network does, is given up: the worker
// could not tell otherwise that others have taken its jobs.
func (w *worker) within(ctx context.Context, ask func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, w.askWithin)
	defer cancel()
	return ask(ctx)
}

// ownFolder makes the folder of this process, and removes those of processes that have ended.
func (w *worker) ownFolder() (unlock func(), err error) {
	if err := os.MkdirAll(w.Folder, 0o700); err != nil {
		return nil, err
	}
	others, err := os.ReadDir(w.Folder)
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		path := filepath.Join(w.Folder, o.Name())
		f, err := os.Open(filepath.Join(path, "lock"))
		if err != nil {
			continue
		}
		if free, err := folder.TryLock(f); free && err == nil {
			_ = os.RemoveAll(path)
		}
		f.Close()
	}
	w.folder = filepath.Join(w.Folder, w.id)
	if err := os.Mkdir(w.folder, 0o700); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(w.folder, "lock"))
	if err != nil {
		return nil, err
	}
	if free, err := folder.TryLock(f); !free || err != nil {
		f.Close()
		return nil, fmt.Errorf("the folder %s cannot be locked: %w", w.folder, err)
	}
	return func() {
		_ = os.RemoveAll(w.folder)
		f.Close()
	}, nil
}

// quiet is a log handler that takes what the queue says of its own working for details.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return q.Handler.Enabled(ctx, lower(level))
}

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lower(r.Level)
	return q.Handler.Handle(ctx, r)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }
func (q quiet) WithGroup(name string) slog.Handler       { return quiet{q.Handler.WithGroup(name)} }

// lower is the level of a message of the queue. A job that fails is told by the job.
func lower(level slog.Level) slog.Level { return min(level, slog.LevelDebug) }

// gone reports whether a repository is not in the catalogue any more.
func gone(err error) bool { return errors.Is(err, catalogue.ErrNone) }
