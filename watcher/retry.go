package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/quarry-search/quarry/index/oserror"
)

// begin has the kernel give notices.
func (l *loop) begin() error {
	src, err := l.open()
	if err != nil {
		l.unopened = oserror.Transient(err)
		return err
	}
	l.src, l.unopened = src, false
	if l.opt.MaxWatches > 0 {
		l.src = bound(src, l.opt.MaxWatches)
	}
	l.wait.Add(1)
	go l.pump()
	return nil
}

// tryAgain does what could not be done before, and reports whether there are notices now.
func (l *loop) tryAgain(ctx context.Context) (notices bool) {
	l.waiting = false
	if l.unopened && l.begin() == nil {
		notices = true
		l.tree.src = l.src // what is polled is watched after the next round
		l.opt.Logger.Info("the kernel gives notices after all", "root", l.opt.Root)
	}
	l.tree.reread(ctx)
	return notices
}

// giveUp goes over to polling after the source has ended by itself.
func (l *loop) giveUp(ctx context.Context) {
	l.noSource = "the kernel's notices have ended"
	l.fail(errors.New(l.noSource))
	l.tree.forget(top)
	l.tree.src = nil
	l.checkRoot(ctx)
	l.queue.lose(time.Now())
}

func (t *tree) readDir(p string) ([]fs.DirEntry, error) {
	if t.fault != nil {
		if err := t.fault("readdir", p); err != nil {
			return nil, err
		}
	}
	return os.ReadDir(t.abs(p))
}

// later has p looked at again if err is one that passes, and reports whether it is. The
// loop sees to the root.
func (t *tree) later(p string, err error) bool {
	if !oserror.Transient(err) {
		return false
	}
	if _, known := t.unread[p]; !known && p != top {
		t.unread[p] = struct{}{}
		t.fail(fmt.Errorf("%s is looked at again: %w", p, err))
	}
	return true
}

// reread looks again at what could not be looked at.
func (t *tree) reread(ctx context.Context) {
	for _, p := range slices.Sorted(maps.Keys(t.unread)) {
		delete(t.unread, p)
		t.walk(ctx, p, true, true)
		if _, still := t.unread[p]; !still {
			t.changed(p) // for what is gone of it
		}
	}
}

// hidden reports whether p is, or is below, what could not be looked at.
func (t *tree) hidden(p string) bool {
	for ; p != top && len(t.unread) > 0; p = path.Dir(p) {
		if _, ok := t.unread[p]; ok {
			return true
		}
	}
	return false
}
