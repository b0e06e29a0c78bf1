package persist

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// sketchFiles is how many files of a tree its sketch has: those with the smallest hashes
// of their paths, which is as good as chance. The share of equal files that they show
// is off by 7 points, as a rule, where it is a half.
const sketchFiles = 48

// sketch is the section of a snapshot by which Similar knows its tree: paths, sizes and
// hashes of some of its files.
func sketch(records []*store.Record) []byte {
	type sampled struct {
		key uint64
		*store.Record
	}
	all := make([]sampled, len(records))
	for i, r := range records {
		all[i] = sampled{xxhash.Sum64String(r.Path), r}
	}
	slices.SortFunc(all, func(a, b sampled) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Path, b.Path)) })
	all = all[:min(sketchFiles, len(all))]
	var e snapshot.Encoder
	e.Len(len(all))
	for _, s := range all {
		e.String(s.Path)
		e.Int(s.Size)
		e.Uint64(s.Hash)
	}
	return e.Bytes()
}

// Similar estimates how many of the files in a snapshot the root has, with the same
// content: their share, 0 to 1. It reads 48 files of the root at most, and little of the
// snapshot: 2 ms where the root has them all, 0.2 ms where it has none. A snapshot that
// could not be restored gives ErrSnapshot, one that does not exist fs.ErrNotExist.
func Similar(x *store.View, path string) (share float64, err error) {
	f, err := snapshot.Open(path)
	if err != nil {
		return 0, unusable(err)
	}
	defer f.Close()
	var r Restored
	err = Fits(x, f, &r)
	var all []store.Record
	if err == nil {
		err = Section(f, SecSketch, func(d *snapshot.Decoder) {
			all = make([]store.Record, d.Len(10))
			for i := range all {
				all[i] = store.Record{Path: d.String(), Size: d.Int(), Hash: d.Uint64()}
			}
		})
	}
	if err != nil {
		return 0, unusable(fmt.Errorf("%s: %w", path, err))
	}
	equal := 0
	for i := range all {
		one := &all[i]
		src, skip, err := x.Tree.Read(source.File{Path: one.Path})
		if err == nil && skip == nil && int64(len(src)) == one.Size && xxhash.Sum64(src) == one.Hash {
			equal++
		}
	}
	return float64(equal) / float64(max(len(all), 1)), nil
}
