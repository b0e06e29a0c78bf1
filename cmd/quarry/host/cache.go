package host

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pruneEvery is how often a server looks whether the data folder is too large.
const pruneEvery = time.Hour

// unfinished is how old a file without its final name must be to belong to nobody.
const unfinished = time.Hour

// A Cache is what all indexes of a user keep in the data folder: the folders of their
// roots and the packs.
type Cache struct {
	Data  string // the folder
	Limit int64  // bytes; 0: none
	// Claim is lock for the root whose folder has a name: see Options.Claim. It reports
	// false when the root is being served.
	Claim func(name string) (release func(), held bool, err error)
}

// Packs is the folder of the packs.
func (s *Cache) Packs() string { return filepath.Join(s.Data, "cache") }

// A stored file may be in several folders, and takes its space once.
type stored struct {
	info  fs.FileInfo
	users int
}

// An Item is what can be evicted as a whole: the folder of a root, or a pack.
type Item struct {
	Path  string
	Root  string // "" for a pack, and where it is not known
	Pack  bool
	Gone  bool // the root does not exist any more
	Used  time.Time
	files []*stored
}

// Sizes returns what an item takes alone, and what it shares with others.
func (i *Item) Sizes() (alone, shared int64) {
	for _, f := range i.files {
		if f.users > 1 {
			shared += f.info.Size()
		} else {
			alone += f.info.Size()
		}
	}
	return alone, shared
}

// Items returns all that is stored: packs first, then roots that do not exist any more,
// then the others, each of them by when they were used, which is how they are evicted;
// and what they take together.
func (s *Cache) Items() (all []*Item, total int64, err error) {
	known := map[int64][]*stored{} // by size
	enter := func(to *Item, info fs.FileInfo) {
		for _, f := range known[info.Size()] {
			if os.SameFile(f.info, info) {
				f.users++
				to.files = append(to.files, f)
				return
			}
		}
		f := &stored{info, 1}
		known[info.Size()] = append(known[info.Size()], f)
		to.files = append(to.files, f)
		total += info.Size()
	}
	folders, err := readFolder(filepath.Join(s.Data, "projects"))
	if err != nil {
		return nil, 0, err
	}
	for _, name := range folders {
		one := &Item{Path: filepath.Join(s.Data, "projects", name)}
		names, err := readFolder(one.Path)
		if err != nil {
			continue // no folder, or gone meanwhile
		}
		for _, n := range names {
			if info, err := os.Lstat(filepath.Join(one.Path, n)); err == nil && info.Mode().IsRegular() {
				enter(one, info)
			}
		}
		one.Root, one.Used = rootOf(one.Path), lastUsed(one.Path)
		_, err = os.Stat(one.Root)
		one.Gone = one.Root == "" || errors.Is(err, fs.ErrNotExist)
		all = append(all, one)
	}
	packs, err := readFolder(filepath.Join(s.Data, "cache"))
	if err != nil {
		return nil, 0, err
	}
	for _, name := range packs {
		one := &Item{Path: filepath.Join(s.Data, "cache", name), Pack: true}
		if info, err := os.Lstat(one.Path); err == nil && info.Mode().IsRegular() {
			one.Used = info.ModTime()
			enter(one, info)
			all = append(all, one)
		}
	}
	class := func(i *Item) int {
		switch {
		case i.Pack:
			return 0
		case i.Gone:
			return 1
		}
		return 2
	}
	slices.SortFunc(all, func(a, b *Item) int {
		return cmp.Or(class(a)-class(b), a.Used.Compare(b.Used), strings.Compare(a.Path, b.Path))
	})
	return all, total, nil
}

// readFolder returns the names in a folder, none where it does not exist.
func readFolder(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// Pruning says what to evict beyond what is needed to keep to the limit.
type Pruning struct {
	All   bool
	Older time.Duration // not used for so long; 0: none
	Dry   bool          // say what would be evicted
}

// Prune evicts in the order of items until the rest keeps to the limit, never a root
// that is being served. It returns what was evicted, what that gave back, and what is
// left.
func (s *Cache) Prune(p Pruning) (evicted []*Item, freed, left int64, err error) {
	all, left, err := s.Items()
	if err != nil {
		return nil, 0, 0, err
	}
	now := time.Now()
	for _, one := range all {
		tooMuch := s.Limit > 0 && left > s.Limit
		leftover := one.Pack && strings.Contains(filepath.Base(one.Path), ".tmp-") && now.Sub(one.Used) > unfinished
		if !tooMuch && !leftover && !p.All && (p.Older == 0 || now.Sub(one.Used) < p.Older) {
			continue
		}
		ok, failed := s.evict(one, p.Dry)
		err = errors.Join(err, failed)
		if !ok {
			continue
		}
		evicted = append(evicted, one)
		for _, f := range one.files {
			if f.users--; f.users == 0 {
				freed += f.info.Size()
				left -= f.info.Size()
			}
		}
	}
	return evicted, freed, left, err
}

// evict removes an item, and reports false where it is in use.
func (s *Cache) evict(one *Item, dry bool) (bool, error) {
	if one.Pack {
		if dry {
			return true, nil
		}
		err := removeIfThere(one.Path)
		return err == nil, err
	}
	release, held, err := s.Claim(filepath.Base(one.Path))
	if err != nil || !held {
		return false, err
	}
	defer release()
	if dry {
		return true, nil
	}
	err = os.RemoveAll(one.Path)
	return err == nil, err
}

// tidy keeps the data folder to its limit, now and then.
func (k *keeper) tidy() {
	if k.cache == nil || time.Since(k.tidied) < pruneEvery {
		return
	}
	k.tidied = time.Now()
	evicted, freed, left, err := k.cache.Prune(Pruning{})
	if err != nil {
		k.log.Warn("the data folder was not tidied", "err", err)
	}
	if len(evicted) > 0 {
		k.log.Info("evicted from the data folder", "indexes and packs", len(evicted), "bytes", freed, "left", left)
	}
}
