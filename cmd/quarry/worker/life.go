package worker

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// reapEvery is how often the jobs of dead workers are looked for.
const reapEvery = 5 * time.Second

// life is the lock in the database that says that a worker lives: PostgreSQL frees it when
// the connection ends, however that is.
type life struct {
	id   string
	conn *pgxpool.Conn
}

// key is the number of a worker's lock.
const key = `hashtextextended('quarry worker ' || $1, 0)`

// live takes the lock.
func (w *worker) live(ctx context.Context) (*life, error) {
	conn, err := w.Catalogue.Pool().Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `select pg_advisory_lock(`+key+`)`, w.id); err != nil {
		conn.Release()
		return nil, err
	}
	return &life{w.id, conn}, nil
}

// end gives the lock back.
func (l *life) end() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := l.conn.Exec(ctx, `select pg_advisory_unlock(`+key+`)`, l.id); err != nil {
		_ = l.conn.Hijack().Close(ctx) // with which the lock ends
		return
	}
	l.conn.Release()
}

// reap has the jobs of workers that have ended without a word done by others. One that was
// tried as often as may be is discarded: it may be what ends workers. An error is of the
// connection.
func (l *life) reap(ctx context.Context) error {
	rows, err := l.conn.Query(ctx, `select distinct attempted_by[array_upper(attempted_by, 1)] from river_job where state = 'running' and attempted_by is not null`)
	if err != nil {
		return err
	}
	owners, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if owner == l.id {
			continue
		}
		var dead bool
		if err := l.conn.QueryRow(ctx, `select pg_try_advisory_lock(`+key+`)`, owner).Scan(&dead); err != nil {
			return err
		}
		if !dead {
			continue
		}
		_, err := l.conn.Exec(ctx, `with taken as (
				update river_job set
					state = case when attempt >= max_attempts then 'discarded' else 'available' end::river_job_state,
					finalized_at = case when attempt >= max_attempts then now() end,
					scheduled_at = now()
				where state = 'running' and attempted_by[array_upper(attempted_by, 1)] = $1
				returning args ->> 'repository' as name, kind, state)
			update repositories r set failure = 'the worker ended while it worked on it', failed_at = now()
			from taken where taken.name = r.name and taken.kind = 'index' and taken.state = 'discarded'`, owner)
		if err != nil {
			return err
		}
		if _, err := l.conn.Exec(ctx, `select pg_advisory_unlock(`+key+`)`, owner); err != nil {
			return err
		}
	}
	return nil
}
