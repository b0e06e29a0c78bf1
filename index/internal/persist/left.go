package persist

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Bounds of the texts of files that are not indexed, in bytes: of one, and of all together.
const (
	mostLeftOut    = 8 << 20
	mostAllLeftOut = 64 << 20
)

// leftOut returns the texts of files that the index leaves out for their form, by path, as far as there is room; nil
// where there are none, or none are wanted.
func leftOut(x *store.View, opt SaveOptions) []byte {
	if !opt.LeftOut {
		return nil
	}
	var left []source.Skip
	for _, s := range x.Table.Skips {
		if s.Reason.Form() {
			left = append(left, s)
		}
	}
	slices.SortFunc(left, func(a, b source.Skip) int { return strings.Compare(a.Path, b.Path) })
	var list snapshot.Encoder
	n, room := 0, mostAllLeftOut
	for _, s := range left {
		text, _, skip, err := x.Tree.Text(s.Path)
		if err != nil || skip != nil && skip.Reason != s.Reason || len(text) > min(room, mostLeftOut) {
			continue
		}
		room -= len(text)
		n++
		list.String(s.Path)
		if list.Bool(skip == nil); skip == nil { // else there is no text, whoever asks
			list.Len(len(text))
			list.Raw(text)
		}
	}
	if n == 0 {
		return nil
	}
	var all snapshot.Encoder
	all.Len(n)
	all.Raw(list.Bytes())
	return all.Bytes()
}

// leftOut takes over the texts of files that are not indexed, for an index that cannot read them.
func (r *Restored) leftOut(f *snapshot.File) error {
	if !f.Has(SecLeftOut) {
		return nil
	}
	return Section(f, SecLeftOut, func(d *snapshot.Decoder) {
		room, before := mostAllLeftOut, ""
		for range d.Len(2) {
			p := d.String()
			var text []byte
			has := d.Bool()
			if has {
				text = d.Raw(d.Len(1))
			}
			room -= len(text)
			if s, ok := r.table.Skips[p]; !ok || !s.Reason.Form() || strings.Compare(p, before) <= 0 || room < 0 || len(text) > mostLeftOut {
				d.Fail("the text of %q, which is not left out", p)
				return
			}
			before = p
			r.table.KeepLeftOut(p, text, has)
		}
	})
}
