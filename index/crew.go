package index

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/fault"
)

// A crew is an errgroup.Group of which a panic is an error, *fault.Error: a fault
// in a goroutine that one request has started must not take the process with it. Where
// there are no errors, a fault.Group hands panics on to the goroutine that waits.
type crew struct{ errgroup.Group }

// newCrew is errgroup.WithContext.
func newCrew(ctx context.Context) (*errgroupCrew, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	return &errgroupCrew{g}, ctx
}

// Go starts a goroutine.
func (c *crew) Go(f func() error) { c.Group.Go(func() error { return caught(f) }) }

// An errgroupCrew is a crew with a context, which a panic ends.
type errgroupCrew struct{ *errgroup.Group }

// Go starts a goroutine.
func (c *errgroupCrew) Go(f func() error) { c.Group.Go(func() error { return caught(f) }) }

// caught calls f, and makes a panic an error.
func caught(f func() error) error {
	var err error
	panicked := fault.Try(func() { err = f() })
	return cmp.Or(panicked, err)
}
