// Package catalogue keeps, in PostgreSQL, which repositories are indexed for everybody, what
// is known of each, and the queue of the work on them:
//
//	Add, Index, Seen ---> a job in River's tables ---> a worker: Begin, then Done or Failed
//
// A row and its job are written in one transaction. A repository has at most one job of a
// kind that is not over, so that asking twice is as good as asking once; what is asked for
// while its job runs has that run again.
package catalogue

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// ErrNone says that there is no such repository.
var ErrNone = errors.New("there is no such repository in the catalogue")

// connectWithin is how long Prepare waits for the database.
const connectWithin = 10 * time.Second

//go:embed migrations
var migrations embed.FS

// A Catalogue is open until Close. It is safe for concurrent use.
type Catalogue struct {
	pool  *pgxpool.Pool
	queue *river.Client[pgx.Tx] // it inserts only

	mu       sync.Mutex
	prepared bool
}

// Open is New and Prepare.
func Open(ctx context.Context, url string) (*Catalogue, error) {
	c, err := New(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := c.Prepare(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// New returns the catalogue in the database that a URL names, which is not asked yet. No error of
// a Catalogue has the URL in it, which may hold a password.
func New(ctx context.Context, url string) (*Catalogue, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the address of the database is none, such as postgres://user@host/name")
	}
	config.ConnConfig.ConnectTimeout = connectWithin
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "quarry"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, said(err)
	}
	c := &Catalogue{pool: pool}
	if c.queue, err = river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)}); err != nil {
		pool.Close()
		return nil, err
	}
	return c, nil
}

// Prepare brings the tables up to date, unless it has done so before. Until then there may be
// none.
func (c *Catalogue) Prepare(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prepared {
		return nil
	}
	if err := c.migrate(ctx); err != nil {
		return fmt.Errorf("the tables of the database cannot be brought up to date: %w", said(err))
	}
	c.prepared = true
	return nil
}

// Close gives the connections up.
func (c *Catalogue) Close() { c.pool.Close() }

// Pool returns the connections, for a worker's client of the queue.
func (c *Catalogue) Pool() *pgxpool.Pool { return c.pool }

// migrate makes the tables, or those that are new. Of several programs at once one does, and
// the others wait.
func (c *Catalogue) migrate(ctx context.Context) error {
	queue, err := rivermigrate.New(riverpgxv5.New(c.pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // one look a second
	if err != nil {
		return err
	}
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(c.pool)
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	defer func() { _ = locker.SessionUnlock(context.WithoutCancel(ctx), conn) }()
	own, err := goose.NewProvider(goose.DialectPostgres, db, folder, goose.WithTableName("quarry_migrations"), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	if _, err := own.Up(ctx); err != nil {
		return err
	}
	_, err = queue.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// said is an error of the database in one line, without where that is.
func said(err error) error {
	var refused *pgconn.ConnectError
	var of *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &of):
		return fmt.Errorf("the database says: %s (%s)", strings.Join(strings.Fields(of.Message), " "), of.Code)
	case errors.As(err, &refused):
		return fmt.Errorf("the database cannot be reached: %w", cause(refused.Unwrap()))
	}
	return err
}

// cause returns the innermost error: those around it name the address.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) > 0 {
			inner = joined.Unwrap()[0]
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}
