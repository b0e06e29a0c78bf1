package host

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/quarry-search/quarry/index"
)

// A Kept is what the data folder has of one root, for a process that serves nobody: it answers
// once. A server holds the root's lock for as long as it runs; such a process holds it only
// while it writes, so that a server can start meanwhile.
type Kept struct {
	Root, Dir string // Dir: the folder of the root's snapshot
	// Lock is Registry.Lock of the root.
	Lock  func() (release func(), held bool, err error)
	Cache *Cache
	Log   *slog.Logger
	Fetch Fetch               // as in Options
	Keys  []ed25519.PublicKey // one of which must have signed what Fetch gets; none: nobody needs to

	restored uint64 // the generation of what was taken over
	lacks    bool   // which has no call graph that answers: its server ended before that was made
}

// A Beginning says what an index begins with.
type Beginning struct {
	Kept    bool   // with what was kept
	Fetched string // with this snapshot, which others have made; "": with none
	Why     error  // none was taken over, though there is a place for them; a sentence
}

// Restore takes over what is kept of the root, where that is nothing of one that is like it, or
// else what others have made. Another process may replace what is kept meanwhile: a snapshot
// is replaced as a whole, and a delta says which snapshot it belongs to.
func (k *Kept) Restore(x *index.Index) (b Beginning) {
	if b.Kept = k.restore(x); b.Kept || k.Fetch == nil {
		return b
	}
	if b.Why = makeFolder(k.Dir, k.Root); b.Why == nil {
		b.Fetched, b.Why = takeFetched(x, k.Fetch, SnapshotOf(k.Dir), k.Keys)
	}
	return b
}

// restore takes over what is kept.
func (k *Kept) restore(x *index.Index) bool {
	path := SnapshotOf(k.Dir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := k.locked(x, func(to *keeper) error { to.borrow(); return nil }); err != nil {
			return false
		}
	}
	if err := restoreKept(x, k.Log, path); err != nil {
		k.Log.Debug("the index that was kept is not used", "err", err)
		return false
	}
	st := x.State()
	k.restored, k.lacks = st.Generation, st.GraphOld
	now := time.Now() // what was used last is evicted last
	_ = os.Chtimes(rootFile(k.Dir), now, now)
	return true
}

// Save keeps the index unless it is as it was restored. Where that cannot be, the next process
// does the work again, and of a large tree the call graph is most of it.
func (k *Kept) Save(ctx context.Context, x *index.Index) error {
	if st := x.State(); k.restored != 0 && st.Generation == k.restored && (!k.lacks || st.GraphOld) {
		return nil
	}
	return k.locked(x, func(to *keeper) error {
		save := func(ctx context.Context) error { return to.write(ctx, true) }
		if k.lacks {
			save = to.whole // a delta without files has no graph, as the snapshot below it may have none
		}
		if err := save(ctx); err != nil {
			return err
		}
		to.tidy()
		return nil
	})
}

// errServed says that another process has the lock of a root.
var errServed = errors.New("another process keeps the index of this folder")

// locked calls do while this process has the root's lock.
func (k *Kept) locked(x *index.Index, do func(to *keeper) error) error {
	release, held, err := k.Lock()
	if err != nil {
		return err
	}
	if !held {
		return errServed
	}
	defer release()
	to, err := newKeeper(k.Dir, k.Root, x, k.Log, k.Cache)
	if err != nil {
		return err
	}
	return do(to)
}
