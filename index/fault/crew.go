package fault

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"
)

// A ErrGroup is an errgroup.Group of which a panic is an error, *fault.Error: a fault
// in a goroutine that one request has started must not take the process with it. Where
// there are no errors, a fault.Group hands panics on to the goroutine that waits.
type ErrGroup struct{ errgroup.Group }

// WithContext is errgroup.WithContext.
func WithContext(ctx context.Context) (*withContext, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	return &withContext{g}, ctx
}

// Go starts a goroutine.
func (c *ErrGroup) Go(f func() error) { c.Group.Go(func() error { return Caught(f) }) }

// An withContext is a crew with a context, which a panic ends.
type withContext struct{ *errgroup.Group }

// Go starts a goroutine.
func (c *withContext) Go(f func() error) { c.Group.Go(func() error { return Caught(f) }) }

// Caught calls f, and makes a panic an error.
func Caught(f func() error) error {
	var err error
	panicked := Try(func() { err = f() })
	return cmp.Or(panicked, err)
}
