package ingest

import (
	"context"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/oserror"
)

// A Writer brings a View in line with its root. One goroutine at a time has its token.
type Writer struct {
	*store.View
	Token   chan struct{} // holds one; whoever has put it in may commit
	queue   queue
	Retries Retries

	refinable chan struct{} // holds one token while there may be vectors to replace
}

// Open is Open; with a base it is for a copy of that with an overlay, whose forms it has.
func Open(root string, opt store.Options, base *store.View) (*Writer, error) {
	s, err := store.OpenView(root, opt, base)
	if err != nil {
		return nil, err
	}
	w := &Writer{View: s, Token: make(chan struct{}, 1), refinable: make(chan struct{}, 1)}
	w.queue.wake = make(chan struct{}, 1)
	w.Retries.unread = &s.Counters.Unread
	return w, nil
}

// Acquire takes the right to commit.
func (x *Writer) Acquire(ctx context.Context) error {
	select {
	case x.Token <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		<-x.Token
		return answer.ErrClosed
	}
	return nil
}

func (x *Writer) Release() { <-x.Token }

// Close releases everything. Run must have returned.
func (x *Writer) Close() error {
	x.Token <- struct{}{}
	defer x.Release()
	return x.View.Close()
}

// outcome records how a build or update ended, for State. One that was
// cancelled says nothing about the index.
func (x *Writer) outcome(ctx context.Context, err error) {
	switch {
	case err == nil:
		x.Counters.Failure.Store(nil)
	case ctx.Err() == nil && !oserror.Transient(err): // which is tried again
		text := err.Error()
		x.Counters.Failure.Store(&text)
	}
}

// newParser returns a parser for what goes into the index. An update of one that is served
// does not wait long for a file, see retries.
func (x *Writer) newParser() *syntax.Parser {
	o := &x.Opt
	if o.Parsers == nil || !o.Background || x.Over != nil || !x.Counters.Built.Load() {
		return o.NewParser(o.Background)
	}
	return o.Told(lang.All().NewRemoteParser(o.Parsers.Pool.Impatient(o.Background, patience, func() {
		x.Retries.within(0)
		x.signal()
	})))
}

// patience is how long an update waits for the tree of one file: whoever saves another file
// meanwhile waits as long. Real files take some milliseconds.
const patience = 100 * time.Millisecond
