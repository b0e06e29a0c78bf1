package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/git"
)

// Roots share what they have in common. A root's folder has a snapshot, its base, and a
// delta: what has changed since. A root that comes new takes a link to the base of the root
// that is most like it, as worktrees of one repository are, and writes only its delta. A
// base never changes: a full save gives the name to another file.

// deltaName is the name of a root's delta, next to its snapshot.
const deltaName = "index.delta"

const (
	borrowFrom = 100 // roots that a new one is compared with: those used last
	borrowLike = 0.5 // share of files that the two must have in common
)

// restoreKept takes over a root's snapshot and the delta next to it. A delta that cannot
// be used is left out: the next build finds its changes.
func restoreKept(x *index.Index, log *slog.Logger, path string) error {
	delta := filepath.Join(filepath.Dir(path), deltaName)
	if _, err := os.Lstat(delta); err != nil || filepath.Base(path) != snapshotName {
		return x.Restore(path)
	}
	failed := x.RestoreDelta(path, delta)
	if !errors.Is(failed, index.ErrSnapshot) {
		return failed
	}
	if err := x.Restore(path); err != nil {
		return err
	}
	log.Warn("the latest changes are looked for again", "err", failed)
	return nil
}

// write saves the index: what differs from the base, or all of it where that is much.
// At the last time the call graph is in the delta, so that the next start has it.
func (k *keeper) write(ctx context.Context, last bool) error {
	delta := filepath.Join(filepath.Dir(k.path), deltaName)
	ok, err := k.x.SaveDelta(ctx, delta, k.path, last)
	if ok || err != nil {
		k.owes = ok && !last
		return err
	}
	return k.whole(ctx)
}

// whole saves all of the index, in place of what is there.
func (k *keeper) whole(ctx context.Context) error {
	// It needs twice the snapshot's size, and then nothing for long. On top of what a build
	// has left lying it would be the most that the server ever takes.
	debug.FreeOSMemory()
	defer debug.FreeOSMemory()
	if err := k.x.Save(ctx, k.path, false); err != nil {
		return err
	}
	k.owes = false
	delta := filepath.Join(filepath.Dir(k.path), deltaName)
	if err := os.Remove(delta); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// borrow gives a root that has no snapshot it can use a link to the one of the root that
// is most like it, if there is one.
func (k *keeper) borrow() {
	if _, err := k.x.Similar(k.path); err == nil {
		return
	}
	began := time.Now()
	best, share := "", 0.0
	for _, path := range k.candidates() {
		if s, err := k.x.Similar(path); err == nil && s >= borrowLike && s > share {
			best, share = path, s
		}
		if share == 1 {
			break
		}
	}
	if best == "" {
		return
	}
	if err := errors.Join(removeIfThere(filepath.Join(filepath.Dir(k.path), deltaName)), linkFile(best, k.path)); err != nil {
		k.log.Warn("the index of another root is not used", "err", err)
		return
	}
	k.owes = true // the times of its files are not known, so that the next start would read all
	k.log.Info("the index begins with that of another root", "snapshot", best, "alike", share, "seconds", time.Since(began).Seconds())
}

// candidates are the snapshots of other roots, each file once: first those of the same
// repository, then those used last.
func (k *keeper) candidates() []string {
	type candidate struct {
		path string
		info fs.FileInfo
		used time.Time
		kin  int // 0: of the same repository
	}
	own := filepath.Dir(k.path)
	folders, err := os.ReadDir(filepath.Dir(own))
	if err != nil {
		k.log.Warn("the indexes of other roots are not used", "err", err)
		return nil
	}
	repo := git.Common(k.x.Root())
	var all []candidate
	for _, f := range folders {
		dir := filepath.Join(filepath.Dir(own), f.Name())
		c := candidate{path: filepath.Join(dir, snapshotName), kin: 1}
		if c.info, err = os.Stat(c.path); err != nil || dir == own {
			continue
		}
		c.used = lastUsed(dir)
		if root := rootOf(dir); repo != "" && root != "" && git.Common(root) == repo {
			c.kin = 0
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Or(a.kin-b.kin, b.used.Compare(a.used)) })
	var paths []string
	var seen []fs.FileInfo
	for _, c := range all[:min(borrowFrom, len(all))] {
		if !slices.ContainsFunc(seen, func(i fs.FileInfo) bool { return os.SameFile(i, c.info) }) {
			seen, paths = append(seen, c.info), append(paths, c.path)
		}
	}
	return paths
}

// rootOf returns whose folder of snapshots it is; "" where that is not known.
func rootOf(dir string) string {
	text, err := os.ReadFile(rootFile(dir))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// lastUsed is when a server last began with the folder of snapshots, or saved there.
func lastUsed(dir string) (last time.Time) {
	// Not the snapshot's own time, which all that share it have.
	for _, name := range []string{"root", deltaName} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// linkFile gives a file a second name, in place of what has it; where the system has no
// such links, the second name is that of a copy.
func linkFile(from, to string) error {
	tmp := fmt.Sprintf("%s.tmp-%d", to, os.Getpid()) // as the snapshots that are being written
	if err := removeIfThere(tmp); err != nil {
		return err
	}
	err := os.Link(from, tmp)
	if err != nil {
		err = copyFile(from, tmp)
	}
	if err == nil {
		err = os.Rename(tmp, to)
	}
	return errors.Join(err, removeIfThere(tmp))
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
