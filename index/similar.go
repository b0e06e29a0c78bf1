package index

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
)

// sketchFiles is how many files of a tree its sketch has: those with the smallest hashes
// of their paths, which is as good as chance. The share of equal files that they show
// is off by 7 points, as a rule, where it is a half.
const sketchFiles = 48

// sketch is the section of a snapshot by which Similar knows its tree: paths, sizes and
// hashes of some of its files.
func sketch(records []*record) []byte {
	type sampled struct {
		key uint64
		*record
	}
	all := make([]sampled, len(records))
	for i, r := range records {
		all[i] = sampled{xxhash.Sum64String(r.path), r}
	}
	slices.SortFunc(all, func(a, b sampled) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.path, b.path)) })
	all = all[:min(sketchFiles, len(all))]
	var e snapshot.Encoder
	e.Len(len(all))
	for _, s := range all {
		e.String(s.path)
		e.Int(s.size)
		e.Uint64(s.hash)
	}
	return e.Bytes()
}

// Similar estimates how many of the files in a snapshot the root has, with the same
// content: their share, 0 to 1. It reads 48 files of the root at most, and little of the
// snapshot: 2 ms where the root has them all, 0.2 ms where it has none. A snapshot that
// could not be restored gives ErrSnapshot, one that does not exist fs.ErrNotExist.
func (x *View) Similar(path string) (share float64, err error) {
	f, err := snapshot.Open(path)
	if err != nil {
		return 0, unusable(err)
	}
	defer f.Close()
	var r restored
	err = x.fits(f, &r)
	var all []record
	if err == nil {
		err = section(f, secSketch, func(d *snapshot.Decoder) {
			all = make([]record, d.Len(10))
			for i := range all {
				all[i] = record{path: d.String(), size: d.Int(), hash: d.Uint64()}
			}
		})
	}
	if err != nil {
		return 0, unusable(fmt.Errorf("%s: %w", path, err))
	}
	equal := 0
	for i := range all {
		one := &all[i]
		src, skip, err := x.tree.Read(source.File{Path: one.path})
		if err == nil && skip == nil && int64(len(src)) == one.size && xxhash.Sum64(src) == one.hash {
			equal++
		}
	}
	return float64(equal) / float64(max(len(all), 1)), nil
}
