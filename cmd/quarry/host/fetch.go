package host

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"

	"github.com/quarry-search/quarry/index"
)

// Fetch writes the newest snapshot that others have made of a root to a new file, and says
// what it is and from where. It returns within a bounded time; its error is a sentence. nil:
// there is no place for such snapshots.
type Fetch func(root, to string) (what string, err error)

// takeFetched takes over what Fetch gets, by way of a file next to own, which is the root's own
// snapshot. It may be anybody's; what cannot be used is an error, and leaves the index empty.
func takeFetched(x *index.Index, fetch Fetch, own string, keys []ed25519.PublicKey) (what string, err error) {
	to := fmt.Sprintf("%s.fetched-%d", own, os.Getpid()) // newKeeper removes what a killed process leaves
	if err := removeIfThere(to); err != nil {
		return "", err
	}
	if what, err = fetch(x.Root(), to); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, removeIfThere(to)) }()
	if err := x.RestoreWith(to, index.RestoreOptions{Foreign: true, Keys: keys}); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return what, nil
}

// fetch takes over a snapshot that others have made, if there is one that can be used.
func (h *Host) fetch(x *index.Index, own string) bool {
	if h.opt.Fetch == nil {
		return false
	}
	resume := h.opt.Collector.Stop()
	what, err := takeFetched(x, h.opt.Fetch, own, h.opt.SnapshotKeys)
	resume()
	if err != nil {
		h.log.Warn("the index is built from scratch", "err", err)
		return false
	}
	h.log.Info("a snapshot was fetched", "snapshot", what)
	return true
}
