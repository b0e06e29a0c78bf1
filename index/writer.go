package index

import (
	"context"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/oserror"
	"time"
)

// A Writer brings a View in line with its root. One goroutine at a time has its token.
type Writer struct {
	*View
	token   chan struct{} // holds one; whoever has put it in may commit
	queue   queue
	retries retries
}

// openWriter is Open; with a base it is for a copy of that with an overlay, whose forms it has.
func openWriter(root string, opt Options, base *View) (*Writer, error) {
	s, err := openView(root, opt, base)
	if err != nil {
		return nil, err
	}
	w := &Writer{View: s, token: make(chan struct{}, 1)}
	w.queue.wake = make(chan struct{}, 1)
	w.retries.unread = &s.state.unread
	return w, nil
}

// acquire takes the right to commit.
func (x *Writer) acquire(ctx context.Context) error {
	select {
	case x.token <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		<-x.token
		return ErrClosed
	}
	return nil
}

func (x *Writer) release() { <-x.token }

// Close releases everything. Run must have returned.
func (x *Writer) Close() error {
	x.token <- struct{}{}
	defer x.release()
	return x.View.close()
}

// outcome records how a build or update ended, for State. One that was
// cancelled says nothing about the index.
func (x *Writer) outcome(ctx context.Context, err error) {
	switch {
	case err == nil:
		x.state.failure.Store(nil)
	case ctx.Err() == nil && !oserror.Transient(err): // which is tried again
		text := err.Error()
		x.state.failure.Store(&text)
	}
}

// newParser returns a parser for what goes into the index. An update of one that is served
// does not wait long for a file, see retries.
func (x *Writer) newParser() *syntax.Parser {
	o := &x.opt
	if o.Parsers == nil || !o.Background || x.over != nil || !x.state.built.Load() {
		return o.newParser(o.Background)
	}
	return o.told(syntax.NewRemoteParser(o.Parsers.pool.Impatient(o.Background, patience, func() {
		x.retries.within(0)
		x.signal()
	})))
}

// patience is how long an update waits for the tree of one file: whoever saves another file
// meanwhile waits as long. Real files take some milliseconds.
const patience = 100 * time.Millisecond
