package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// States of a repository.
const (
	Queued   = "queued"    // its job waits
	Running  = "running"   // its job runs
	Indexed  = "indexed"   // there is a snapshot of it, and no job
	SetAside = "set aside" // its job has failed too often: it is tried again at the next commit, or when it is asked for
	Removing = "removing"  // what is kept of it is being removed
)

// A Repository is what the catalogue says of one. Commits are "" where none is known.
type Repository struct {
	Name    string    `json:"name"`
	Address string    `json:"address"`
	Branch  string    `json:"branch"` // as it was asked for; "": the one that the remote begins with
	Added   time.Time `json:"added_at"`
	State   string    `json:"state"`

	Seen        string     `json:"seen"` // the commit of the branch when the remote was looked at
	SeenAt      *time.Time `json:"seen_at"`
	Unreachable string     `json:"unreachable,omitempty"` // why the last look found nothing

	Commit    string     `json:"commit"` // of the snapshot
	Trunk     string     `json:"snapshot_branch"`
	Snapshot  string     `json:"snapshot"` // its SHA-256
	Bytes     int64      `json:"bytes"`
	Files     int        `json:"files"`
	Chunks    int        `json:"chunks"`
	Note      string     `json:"note,omitempty"` // what the snapshot lacks
	IndexedAt *time.Time `json:"indexed_at"`

	Failure  string     `json:"failure,omitempty"` // why the last job failed
	FailedAt *time.Time `json:"failed_at,omitempty"`

	Requests int64 `json:"-"` // how often it was asked for to be indexed
	Used     int64 `json:"-"` // how often gateways were asked about it
}

// selection has the columns in the order of the fields. The jobs are read once for all
// repositories: gateways ask for all every few seconds.
const selection = `select name, address, branch, added, case
	when removing then 'removing'
	when job.running then 'running'
	when job.repository is not null then 'queued'
	when failure <> '' then 'set aside'
	else 'indexed' end,
	seen, seen_at, unreachable, commit, trunk, snapshot, bytes, files, chunks, note, indexed_at, failure, failed_at, requests, used
from repositories left join (
	select args ->> 'repository' as repository, bool_or(state = 'running') as running from river_job
	where kind = 'index' and state in ('available', 'pending', 'retryable', 'running', 'scheduled') group by 1
) job on job.repository = name`

// List returns all, by name.
func (c *Catalogue) List(ctx context.Context) ([]Repository, error) {
	rows, err := c.pool.Query(ctx, selection+` order by name`)
	if err != nil {
		return nil, said(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Repository])
	return all, said(err)
}

// Get returns one, or ErrNone.
func (c *Catalogue) Get(ctx context.Context, name string) (Repository, error) {
	rows, err := c.pool.Query(ctx, selection+` where name = $1`, name)
	if err != nil {
		return Repository{}, said(err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Repository])
	if errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("%w: %s", ErrNone, name)
	}
	return r, said(err)
}

// Add takes a repository into the catalogue, or changes its address and branch, and has it
// indexed.
func (c *Catalogue) Add(ctx context.Context, name, address, branch string) error {
	return c.change(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into repositories (name, address, branch) values ($1, $2, $3)
			on conflict (name) do update set address = excluded.address, branch = excluded.branch where not repositories.removing`, name, address, branch)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("%s is being removed: add it when that is done", name)
		}
		return c.enqueue(ctx, tx, name)
	})
}

// Index has a repository indexed now, whether there is a new commit or not.
func (c *Catalogue) Index(ctx context.Context, name string) error {
	return c.change(ctx, func(tx pgx.Tx) error {
		var removing bool
		err := tx.QueryRow(ctx, `select removing from repositories where name = $1 for update`, name).Scan(&removing)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fmt.Errorf("%w: %s", ErrNone, name)
		case err != nil:
			return err
		case removing:
			return fmt.Errorf("%s is being removed", name)
		}
		return c.enqueue(ctx, tx, name)
	})
}

// Remove has all that is kept of a repository removed, the row at the end.
func (c *Catalogue) Remove(ctx context.Context, name string) error {
	return c.change(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update repositories set removing = true where name = $1`, name)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("%w: %s", ErrNone, name)
		}
		_, err = c.queue.InsertTx(ctx, tx, RemoveArgs{name}, nil)
		return err
	})
}

// change runs some statements as one.
func (c *Catalogue) change(ctx context.Context, do func(tx pgx.Tx) error) error {
	return said(pgx.BeginFunc(ctx, c.pool, do))
}
