package gateway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/depot"
)

// copies are snapshots that were taken from the store, by their hashes: files of a folder that
// anybody may remove.
type copies struct {
	folder string
	limit  int64
}

const extension = ".quarry"

func (c *copies) path(sum string) string { return filepath.Join(c.folder, sum+extension) }

func (c *copies) has(sum string) bool {
	_, err := os.Stat(c.path(sum))
	return sum != "" && err == nil
}

// add takes a snapshot from a depot unless there is a copy, and returns how many bytes came.
func (c *copies) add(ctx context.Context, d *depot.Depot, s depot.Snapshot) (n int64, err error) {
	to := c.path(s.SHA256)
	if c.has(s.SHA256) {
		now := time.Now()
		_ = os.Chtimes(to, now, now) // it is in use
		return 0, nil
	}
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp(c.folder, "new-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	tmp := filepath.Join(dir, "snapshot")
	if err := d.Fetch(ctx, s, tmp); err != nil {
		return 0, err
	}
	return s.Bytes, os.Rename(tmp, to)
}

// unfinished is how old what was begun to be taken must be to belong to nobody.
const unfinished = time.Hour

// tidy removes copies that nobody needs, and of the others those that were used longest ago,
// until they keep to the limit.
func (c *copies) tidy(needed func(sum string) bool) error {
	entries, err := os.ReadDir(c.folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the copies of snapshots: %w", err)
	}
	type file struct {
		path string
		info os.FileInfo
	}
	var kept []file
	var total int64
	for _, e := range entries {
		info, gone := e.Info()
		path := filepath.Join(c.folder, e.Name())
		sum, is := strings.CutSuffix(e.Name(), extension)
		switch {
		case gone != nil:
		case is && needed(sum):
			kept, total = append(kept, file{path, info}), total+info.Size()
		case is || time.Since(info.ModTime()) > unfinished:
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	slices.SortFunc(kept, func(a, b file) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range kept {
		if c.limit <= 0 || total <= c.limit {
			break
		}
		err = errors.Join(err, os.Remove(f.path))
		total -= f.info.Size()
	}
	return err
}
