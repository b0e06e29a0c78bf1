package catalogue

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Seen notes the newest commit of a repository's branch, and has that indexed unless it is, or
// has failed to be.
func (c *Catalogue) Seen(ctx context.Context, name, commit string) error {
	return c.change(ctx, func(tx pgx.Tx) error {
		var due bool
		err := tx.QueryRow(ctx, `update repositories set seen = $2, seen_at = now(), unreachable = '' where name = $1 and not removing
			returning commit <> $2 and tried <> $2`, name, commit).Scan(&due)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && !due {
			return nil
		}
		if err != nil {
			return err
		}
		return c.enqueue(ctx, tx, name)
	})
}

// Unreachable notes why a look found nothing.
func (c *Catalogue) Unreachable(ctx context.Context, name, why string) error {
	_, err := c.pool.Exec(ctx, `update repositories set seen_at = now(), unreachable = $2 where name = $1`, name, why)
	return said(err)
}

// Begin returns a repository for a job that begins, or ErrNone where it is gone, or about to
// be.
func (c *Catalogue) Begin(ctx context.Context, name string) (Repository, error) {
	r, err := c.Get(ctx, name)
	if err == nil && r.State == Removing {
		err = fmt.Errorf("%w: %s is being removed", ErrNone, name)
	}
	return r, err
}

// Tried notes which commit a job is about.
func (c *Catalogue) Tried(ctx context.Context, name, commit string) error {
	_, err := c.pool.Exec(ctx, `update repositories set tried = $2, seen = $2, seen_at = now(), unreachable = '' where name = $1`, name, commit)
	return said(err)
}

// A Result is what a job has made.
type Result struct {
	Commit   string
	Branch   string
	Snapshot string // SHA-256
	Bytes    int64
	Files    int
	Chunks   int
	Note     string
	Words    []Word // of the chunks, by hash, those first that most have
}

// Done notes what a job has made of a repository as Begin returned it. again says that it was
// asked for meanwhile. It is ErrNone where the repository has gone: what was made has to go,
// too.
func (c *Catalogue) Done(ctx context.Context, r Repository, made Result) (again bool, err error) {
	err = c.change(ctx, func(tx pgx.Tx) error {
		var id int
		err := tx.QueryRow(ctx, `update repositories set tried = $2, commit = $2, trunk = $3, snapshot = $4, bytes = $5, files = $6, chunks = $7, note = $8,
				indexed_at = now(), failure = '', failed_at = null
			where name = $1 and not removing returning requests <> $9, id`,
			r.Name, made.Commit, made.Branch, made.Snapshot, made.Bytes, made.Files, made.Chunks, made.Note, r.Requests).Scan(&again, &id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%w: %s", ErrNone, r.Name)
		}
		if err != nil {
			return err
		}
		return putWords(ctx, tx, id, made.Words)
	})
	return again, err
}

// Failed notes why a job failed.
func (c *Catalogue) Failed(ctx context.Context, name, why string) error {
	_, err := c.pool.Exec(ctx, `update repositories set failure = $2, failed_at = now() where name = $1`, name, why)
	return said(err)
}

// Gone takes a repository out that is being removed, with the jobs that wait for it.
func (c *Catalogue) Gone(ctx context.Context, name string) error {
	return c.change(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from river_job where kind in ('index', 'look') and args ->> 'repository' = $1 and state <> 'running'`, name); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `delete from repositories where name = $1 and removing`, name)
		return err
	})
}
