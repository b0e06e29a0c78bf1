// Package fault keeps a panic in one goroutine from ending the process: as an error, or
// handed to the goroutine that waits.
package fault

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// An Error is a panic that was caught.
type Error struct {
	Value any    // of the panic
	Stack []byte // where it was
}

// Error returns the value and the stack.
func (e *Error) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Unwrap returns the value, if it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Try calls f. It returns nil, or an *Error where f has panicked.
func Try(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{p, debug.Stack()}
		}
	}()
	f()
	return nil
}

// A Group runs functions in goroutines, and panics in the one that waits with the *Error of
// the first of them that has panicked. The zero value is ready.
type Group struct {
	running sync.WaitGroup
	once    sync.Once
	first   error
}

// Go calls f in a goroutine of its own.
func (g *Group) Go(f func()) {
	g.running.Go(func() {
		if err := Try(f); err != nil {
			g.once.Do(func() { g.first = err })
		}
	})
}

// Wait waits until all functions have returned.
func (g *Group) Wait() {
	g.running.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
