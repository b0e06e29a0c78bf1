package catalogue

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Queues of work. Looking at remotes waits for the network, building takes processors.
const (
	BuildQueue = "build"
	LookQueue  = "look"
)

// Tries is how often a job is tried before it is set aside.
const Tries = 5

// IndexArgs have a repository indexed.
type IndexArgs struct {
	Repository string `json:"repository"`
}

// LookArgs have a remote asked for its newest commit.
type LookArgs struct {
	Repository string `json:"repository"`
}

// RemoveArgs have all that is kept of a repository removed.
type RemoveArgs struct {
	Repository string `json:"repository"`
}

func (IndexArgs) Kind() string  { return "index" }
func (LookArgs) Kind() string   { return "look" }
func (RemoveArgs) Kind() string { return "remove" }

func (IndexArgs) InsertOpts() river.InsertOpts  { return once(BuildQueue, Tries) }
func (LookArgs) InsertOpts() river.InsertOpts   { return once(LookQueue, 1) } // the next look is soon
func (RemoveArgs) InsertOpts() river.InsertOpts { return once(LookQueue, 100) }

// once has a job inserted unless there is one that is not over.
func once(queue string, tries int) river.InsertOpts {
	return river.InsertOpts{Queue: queue, MaxAttempts: tries, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

// enqueue has a repository indexed: now, where its job waits to be tried again.
func (c *Catalogue) enqueue(ctx context.Context, tx pgx.Tx, name string) error {
	if _, err := tx.Exec(ctx, `update repositories set requests = requests + 1 where name = $1`, name); err != nil {
		return err
	}
	in, err := c.queue.InsertTx(ctx, tx, IndexArgs{name}, nil)
	if err != nil {
		return err
	}
	if in.UniqueSkippedAsDuplicate && in.Job.State == rivertype.JobStateRetryable {
		_, err = c.queue.JobRetryTx(ctx, tx, in.Job.ID)
	}
	return err
}

// Look has all remotes asked for their newest commits, those first that were asked longest ago.
func (c *Catalogue) Look(ctx context.Context) error {
	rows, err := c.pool.Query(ctx, `select name from repositories where not removing order by seen_at nulls first`)
	if err != nil {
		return said(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return said(err)
	}
	const most = 1000 // of an insert
	for len(names) > 0 {
		n := min(most, len(names))
		batch := make([]river.InsertManyParams, n)
		for i, name := range names[:n] {
			batch[i].Args = LookArgs{name}
		}
		if _, err := c.queue.InsertMany(ctx, batch); err != nil {
			return said(err)
		}
		names = names[n:]
	}
	return nil
}

// LookAt has the remote of a repository asked for its newest commit, unless it is about to be.
func (c *Catalogue) LookAt(ctx context.Context, name string) error {
	_, err := c.queue.Insert(ctx, LookArgs{name}, nil)
	return said(err)
}

// A Jobs is how many jobs of a kind and a state there are.
type Jobs struct {
	Kind, State string
	Count       int
}

// Jobs counts those that are not over.
func (c *Catalogue) Jobs(ctx context.Context) ([]Jobs, error) {
	rows, err := c.pool.Query(ctx, `select kind, state::text, count(*) from river_job where finalized_at is null group by 1, 2 order by 1, 2`)
	if err != nil {
		return nil, said(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Jobs])
	return all, said(err)
}

// Left counts the jobs that can run now, and those that run.
func (c *Catalogue) Left(ctx context.Context) (n int, err error) {
	err = c.pool.QueryRow(ctx, `select count(*) from river_job where state in ('available', 'pending', 'running') or state = 'scheduled' and scheduled_at <= now()`).Scan(&n)
	return n, said(err)
}
