package watcher

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/quarry-search/quarry/index/oserror"
)

// A loop is one Run. One goroutine owns the tree and the debouncer:
//
//	kernel -> source.Events ----> loop -> tree -> debouncer -> handle
//	          source.Errors -> pump -^                           |
//	                                 ^---- done, failed ---------'
//
// handle runs in a goroutine of its own, so that the kernel's queue is emptied
// meanwhile. Errors have a goroutine of their own because fsnotify may hold its
// lock while it sends one, and the loop may be waiting for that lock in Add.
type loop struct {
	*Watcher
	handle func(context.Context, Batch) error
	prefix string // of the absolute paths below the root

	src      source
	noSource string // why src is nil
	tree     *tree
	missing  bool // the root is gone
	stale    bool // the tree must be walked again before the next batch

	queue    debouncer
	busy     bool // handle runs
	done     chan error
	overflow chan struct{}

	flushAt time.Time // when flush fires; zero: not set
	flush   *time.Timer
	polling bool // poll is set
	poll    *time.Timer
	round   round

	waiting  bool // again is set
	again    *time.Timer
	backoff  oserror.Backoff
	unopened bool // src is nil for an error that passes

	wait sync.WaitGroup
}

func newLoop(w *Watcher, handle func(context.Context, Batch) error) *loop {
	l := &loop{
		Watcher:  w,
		handle:   handle,
		prefix:   strings.TrimSuffix(w.opt.Root, string(filepath.Separator)) + string(filepath.Separator),
		queue:    debouncer{quiet: w.opt.Debounce, delay: w.opt.MaxDelay, limit: w.opt.MaxBatch},
		done:     make(chan error, 1),
		overflow: make(chan struct{}, 1),
		flush:    stoppedTimer(),
		poll:     stoppedTimer(),
		again:    stoppedTimer(),
	}
	if w.opt.Poll {
		l.noSource = "polling was asked for"
	} else if err := l.begin(); err != nil {
		l.noSource = err.Error()
		l.fail(err)
	}
	l.tree = newTree(w.opt.Root, w.opt.Ignore, l.src)
	l.tree.changed = l.changed
	l.tree.fail = l.fail
	l.tree.fault = w.fault
	return l
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// close waits for all that the loop started.
func (l *loop) close() {
	l.flush.Stop()
	l.poll.Stop()
	l.again.Stop()
	if l.busy {
		<-l.done
	}
	if l.src != nil {
		if err := l.src.Close(); err != nil {
			l.fail(fmt.Errorf("stop kernel notifications: %w", err))
		}
	}
	l.wait.Wait()
}

// pump takes errors from the source until it is closed.
func (l *loop) pump() {
	defer l.wait.Done()
	for err := range l.src.Errors() {
		if !errors.Is(err, fsnotify.ErrEventOverflow) {
			l.fail(fmt.Errorf("kernel notifications: %w", err))
			continue
		}
		l.update(func(s *Status) { s.Overflows++ })
		select {
		case l.overflow <- struct{}{}:
		default: // one is pending
		}
	}
}

func (l *loop) run(ctx context.Context) {
	var events <-chan fsnotify.Event
	if l.src != nil {
		events = l.src.Events()
	}
	l.checkRoot(ctx)
	l.report()
	if ctx.Err() == nil {
		close(l.ready)
	}
	for {
		l.setTimers(ctx)
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events:
			if ok {
				l.event(ctx, ev)
				break
			}
			events = nil
			l.giveUp(ctx)
		case <-l.overflow:
			l.fail(fsnotify.ErrEventOverflow)
			l.stale = true
			l.queue.lose(time.Now())
		case <-l.rescan:
			l.stale = true
			l.queue.lose(time.Now())
		case <-l.flush.C:
			l.flushAt = time.Time{}
		case <-l.poll.C:
			l.polled(ctx)
		case <-l.again.C:
			if l.tryAgain(ctx) {
				events = l.src.Events()
			}
		case err := <-l.done:
			l.handled(ctx, err)
		}
	}
}

// event takes one notice of the kernel.
func (l *loop) event(ctx context.Context, ev fsnotify.Event) {
	p, ok := l.relative(ev.Name)
	if !ok {
		return
	}
	t := l.tree
	gone := ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)
	switch {
	case p == top:
		if gone { // of this root or one before it
			l.loseRoot("the root is gone")
			l.checkRoot(ctx)
		}
	case gone && t.folders[p] != nil:
		// A new folder of that name may be there already, even with the same
		// inode, but it is not the one that is watched.
		t.forget(p)
		l.changed(p)
		info, err := t.stat(p)
		if t.later(p, err); err == nil && info.IsDir() {
			t.grow(ctx, p, true)
		}
	case ev.Has(fsnotify.Create):
		info, err := t.stat(p)
		if t.later(p, err); err == nil && info.IsDir() {
			known := t.folders[p] != nil
			t.grow(ctx, p, true)
			if !known && t.folders[p] != nil {
				// Who was told of an earlier folder of that name may have
				// seen files of this one before it was watched.
				l.changed(p)
			}
		} else if !t.ignore(p, false) {
			l.changed(p)
		}
	case gone:
		delete(t.denied, p)
		if !t.ignore(p, false) {
			l.changed(p)
		}
	case ev.Has(fsnotify.Write):
		if t.folders[p] == nil && !t.ignore(p, false) {
			l.changed(p)
		}
	default: // a change of mode
		if _, ok := t.denied[p]; ok {
			t.grow(ctx, p, true)
		}
	}
}

// relative turns a path of the source into one of ours.
func (l *loop) relative(name string) (string, bool) {
	name = filepath.Clean(name)
	if name == l.opt.Root {
		return top, true
	}
	rel, ok := strings.CutPrefix(name, l.prefix)
	return filepath.ToSlash(rel), ok
}

// changed notes one change.
func (l *loop) changed(p string) {
	now := time.Now()
	l.queue.add(p, now)
	l.update(func(s *Status) {
		s.Events++
		s.LastEvent = now
	})
}

// loseRoot forgets everything below a root that is gone or has been replaced.
func (l *loop) loseRoot(why string) {
	l.tree.forget(top)
	if l.missing {
		return
	}
	l.missing = true
	l.round = round{}
	l.fail(fmt.Errorf("%s: %s", why, l.opt.Root))
	l.queue.lose(time.Now())
}

// checkRoot makes sure that the tree is that of the folder which is now at the
// root's path, and takes in one that is new. No notice tells of a move of a
// folder above the root, so this is asked before each batch as well.
func (l *loop) checkRoot(ctx context.Context) {
	info, err := l.tree.stat(top)
	known := l.tree.folders[top]
	switch {
	case oserror.Transient(err) && known != nil: // it is asked again before the next batch
		return
	case err != nil:
		l.loseRoot(fmt.Sprintf("the root is gone (%v)", err))
		return
	case !info.IsDir():
		l.loseRoot("the root is not a folder")
		return
	case known != nil && known.id == identify(info):
		return
	case known != nil:
		l.loseRoot("the root is another folder now")
	}
	l.tree.grow(ctx, top, false)
	if ctx.Err() != nil {
		return
	}
	if l.tree.folders[top] == nil {
		l.loseRoot("the root cannot be read")
		return
	}
	if l.missing {
		l.missing = false
		l.opt.Logger.Info("the root is back", "root", l.opt.Root)
		l.queue.lose(time.Now())
	}
}

// polled does what is due by the poll timer: it looks for a missing root, or at
// one slice of the polled folders.
func (l *loop) polled(ctx context.Context) {
	l.polling = false
	l.checkRoot(ctx)
	if l.missing {
		return
	}
	if len(l.round.todo) == 0 {
		l.round = l.tree.begin()
	}
	cost := l.tree.step(ctx, &l.round)
	if len(l.round.todo) > 0 {
		l.setPoll(cost) // half of the time is left for the rest of us
		return
	}
	l.tree.promote(ctx)
	l.tree.readmit(ctx)
	l.setPoll(max(l.opt.PollInterval, rest*l.round.cost))
}

func (l *loop) setPoll(after time.Duration) {
	l.polling = true
	l.poll.Reset(after)
}

// setTimers hands over a batch if one is due, and sets the timers that are
// needed and no others.
func (l *loop) setTimers(ctx context.Context) {
	l.send(ctx)
	switch needed := l.missing || len(l.tree.polled) > 0; {
	case needed && !l.polling:
		l.setPoll(l.opt.PollInterval)
	case !needed && l.polling:
		l.polling = false
		l.poll.Stop()
	}
	switch needed := l.unopened || len(l.tree.unread) > 0; {
	case needed && !l.waiting:
		l.waiting = true
		l.again.Reset(l.backoff.Next())
	case !needed:
		l.backoff.Reset()
	}
	l.report()
}

// send hands over a batch if one is due and handle is free; else it sets the
// timer for it. The timer is left alone if it fires too early, as it does while
// changes come in: it is cheaper to look again than to set it for each.
func (l *loop) send(ctx context.Context) {
	if l.busy {
		return
	}
	now := time.Now()
	at, ok := l.queue.due()
	if !ok {
		return
	}
	if now.Before(at) {
		if l.flushAt.IsZero() || at.Before(l.flushAt) {
			l.flushAt = at
			l.flush.Reset(at.Sub(now))
		}
		return
	}
	if !l.queue.join(now) {
		l.send(ctx) // what failed has joined; it is due later
		return
	}
	l.checkRoot(ctx)
	if l.stale && !l.missing {
		l.tree.renew(ctx)
	}
	l.stale = false
	b := l.queue.take()
	l.busy = true
	l.update(func(s *Status) { s.Batches++ })
	go func() { l.done <- l.handle(ctx, b) }()
}

// handled sees to the result of handle.
func (l *loop) handled(ctx context.Context, err error) {
	l.busy = false
	if err == nil || ctx.Err() != nil {
		return
	}
	dropped := l.queue.failed(time.Now())
	l.opt.Logger.Error("handling changes", "root", l.opt.Root, "err", err, "dropped", dropped, "retry", retryDelay)
	l.update(func(s *Status) {
		s.Failures++
		s.LastError = err.Error()
	})
}

// report brings the status up to date.
func (l *loop) report() {
	l.update(func(s *Status) {
		s.Watches, s.Polled = l.tree.watches, len(l.tree.polled)
		switch {
		case l.tree.src == nil:
			s.Mode, s.Reason = ModePoll, l.noSource
		case l.missing:
			s.Mode, s.Reason = ModePoll, "the root is gone; its return is awaited"
		case s.Polled == 0:
			s.Mode, s.Reason = ModeNotify, ""
		case s.Watches == 0:
			s.Mode, s.Reason = ModePoll, l.tree.reason
		default:
			s.Mode, s.Reason = ModeMixed, l.tree.reason
		}
	})
}
