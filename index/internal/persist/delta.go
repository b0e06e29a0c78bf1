package persist

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// SecGone is the section that only a delta has.
//
// A delta is what an index has beyond a snapshot, its base: a file of the same kind,
// with sections of its own. The base stays as it is, so that several roots can have
// links to one file, and a small change needs a small write.
//
//	meta     JSON, as in a snapshot: of the index as a whole; base: the ID of the base
//	gone     how many files of the base are not in the index any more, or are not as
//	         they were; then the number of each in the base, from the one before it
//	files    the files that are not in the base, as in a snapshot; then all that are
//	         left out
//	text     their texts, as in a snapshot
//	vectors  their vectors, as in a snapshot
//	graph    as in a snapshot; where it is absent and the files are not those of the
//	         base, the base's graph is an old one
//	stat     as in a snapshot, of all files of the index
//
// The words of its files are made of their texts again, which is cheap for so few.
const SecGone = "gone"

// What SaveDelta takes for a small difference. The next start makes the words of the
// files in it again, and those of the files in their place: with 900 of the 9,916 files
// of the Go distribution it takes 0.5 s longer, on two cores.
const (
	deltaShare    = 0.1      // of the files of the base
	DeltaFiles    = 16       // or so many, where the base is small
	deltaBytes    = 20 << 20 // of texts, before they are compressed
	deltaBorrowed = 3        // times as much from the base of another root, which takes no space
)

// A Base is the snapshot on the disk of which the index knows what it holds.
type Base struct {
	id    snapshot.ID
	own   bool // it was made of this root
	files []based
	facts *scip.Facts // what SCIP indexes say, which a delta has not
}

type based struct {
	path  string
	hash  uint64
	full  bool // it has all of its vectors
	plain int  // of these, those that are to be replaced
	bad   bool // its text is not what its hash says
}

// newBase returns the base of some records, of which that of a snapshot has the text bad,
// so that a delta has to bring it.
func newBase(id snapshot.ID, own bool, t *store.Table, records []*store.Record, bad map[*store.Record]bool) *Base {
	b := &Base{id: id, own: own, files: make([]based, len(records))}
	for i, r := range records {
		b.files[i] = based{r.Path, r.Hash, r.Full(), t.PlainIn(r), bad[r]}
	}
	return b
}

// diff compares the records of an index, by path, with the base. It returns the numbers
// of the files in the base that are not in the index as they are there, and the records
// that are not in the base.
func (b *Base) diff(t *store.Table, records []*store.Record) (gone []int, fresh []*store.Record) {
	i := 0
	for _, r := range records {
		for i < len(b.files) && b.files[i].path < r.Path {
			gone = append(gone, i)
			i++
		}
		if i == len(b.files) || b.files[i].path != r.Path {
			fresh = append(fresh, r)
			continue
		}
		// What is made of a file depends on its path and its content alone.
		if f := &b.files[i]; f.bad || f.hash != r.Hash || t.Vectors != nil && !(f.full && r.Full() && f.plain == t.PlainIn(r)) {
			gone, fresh = append(gone, i), append(fresh, r)
		}
		i++
	}
	for ; i < len(b.files); i++ {
		gone = append(gone, i)
	}
	return gone, fresh
}

// WriteDelta writes to a file what encode says of the difference from the snapshot at base.
// It reports false, and writes nothing, where that cannot be used or encode says nothing.
func WriteDelta(path, base string, encode func(id snapshot.ID) ([]Encoded, error)) (bool, error) {
	f, err := snapshot.Open(base)
	if err != nil {
		return false, nil // there is none, or none that can be used
	}
	id := f.ID()
	if err := f.Close(); err != nil {
		return false, fmt.Errorf("index: %w", err)
	}
	parts, err := encode(id)
	if parts == nil || err != nil {
		return false, err
	}
	w, err := snapshot.Create(path)
	if err != nil {
		return false, fmt.Errorf("index: %w", err)
	}
	for _, p := range parts {
		if p.pack {
			w.Pack(p.name, p.bytes)
		} else {
			w.Add(p.name, p.bytes)
		}
	}
	if err := w.Commit(); err != nil {
		return false, fmt.Errorf("index: %w", err)
	}
	return true, nil
}

// Encoded is a section before it is written.
type Encoded struct {
	name  string
	bytes []byte
	pack  bool
}

// Difference encodes what an index has beyond a base, which must be the snapshot of some
// ID; nothing where it is not, or where that is no small difference. The caller holds the
// writer's token.
func Difference(x *store.View, base *Base, id snapshot.ID, calls bool) ([]Encoded, error) {
	if !x.Counters.Built.Load() {
		return nil, errors.New("index: there is no complete index to save")
	}
	if base == nil || base.id != id || base.facts != x.Facts.Load() {
		return nil, nil
	}
	t := x.Table
	records := t.Below("")
	gone, fresh := base.diff(t, records)
	var size int64
	for _, r := range fresh {
		size += r.Size
	}
	times := 1
	if !base.own {
		times = deltaBorrowed
	}
	if most := times * max(DeltaFiles, int(deltaShare*float64(len(base.files)))); max(len(gone), len(fresh)) > most || size > int64(times)*deltaBytes {
		return nil, nil
	}

	a := About(x)
	a.holds(x, len(records), t.Words.Len())
	if commit := x.Counters.Commit.Load(); commit != nil {
		a.Commit = *commit
	}
	a.Root, a.Base, a.Made = x.Tree.Root(), base.id.String(), time.Now().Unix()
	meta, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	var numbers, files, text snapshot.Encoder
	numbers.Len(len(gone))
	before := 0
	for _, n := range gone {
		numbers.Len(n - before)
		before = n
	}
	files.Len(len(fresh))
	var ids []uint32
	for _, r := range fresh {
		saveRecord(r, &files, &text)
		for i := range r.Chunks {
			ids = append(ids, r.Chunks[i].ID)
		}
	}
	saveSkips(t, &files)
	parts := []Encoded{
		{SecMeta, append(meta, '\n'), false}, {SecGone, numbers.Bytes(), true}, {SecFiles, files.Bytes(), true},
		{SecText, text.Bytes(), false}, {SecStat, statBytes(x, records), true},
	}
	if t.Vectors != nil {
		parts = append(parts, Encoded{SecVectors, VectorBytes(t.Vectors, ids), false})
	}
	if calls && base.own && len(gone)+len(fresh) > 0 {
		if b := x.Graph.Bytes(); b != nil {
			parts = append(parts, Encoded{SecGraph, b, true})
		}
	}
	return parts, nil
}

// apply brings what was read of a base in line with a delta.
func apply(x *store.View, r *Restored, f *snapshot.File) error {
	before := len(r.records)
	r.about, r.delta = about{}, true
	if err := Fits(x, f, r); err != nil {
		return err
	}
	if want := r.base.id.String(); r.about.Base != want {
		return fmt.Errorf("%w: it belongs to the snapshot %q, not to %s", snapshot.ErrVersion, r.about.Base, want)
	}
	gone, err := r.gone(f)
	if err != nil {
		return err
	}
	if err := r.remove(gone, x.Opt.Workers); err != nil {
		return err
	}
	fresh, err := r.fresh(f)
	if err != nil {
		return err
	}
	if err := r.add(fresh, f, x.Opt.Workers, &x.Vectors); err != nil {
		return err
	}
	switch {
	case len(gone)+len(fresh) == 0:
	case f.Has(SecGraph):
		if err := r.calls(f); err != nil {
			return err
		}
	default:
		r.graphOld = true
	}
	t := r.table
	if t.Purgeable() {
		t.Purge(nil)
	}
	r.records = t.Below("")
	if n := before - len(gone) + len(fresh); len(r.records) != n || n != r.about.Files || t.Words.Len() != r.about.Chunks {
		return fmt.Errorf("%w: %d files and %d chunks; there should be %d and %d", snapshot.ErrDamaged, len(r.records), t.Words.Len(), r.about.Files, r.about.Chunks)
	}
	return r.stat(f, x.Tree.Root())
}

// gone returns the files of the base that the delta does not take over.
func (r *Restored) gone(f *snapshot.File) (records []*store.Record, err error) {
	err = Section(f, SecGone, func(d *snapshot.Decoder) {
		at := uint64(0)
		for i := range d.Len(1) {
			step := d.Below(uint64(len(r.records)))
			at += step
			if d.Err() != nil || i > 0 && step == 0 || at >= uint64(len(r.records)) {
				d.Fail("no file has the number %d", at)
				return
			}
			records = append(records, r.records[at])
		}
	})
	return records, err
}

func (r *Restored) remove(records []*store.Record, workers int) error {
	var bad []*store.Record
	bad, records = r.split(records)
	r.drop(bad)
	docs, err := documents(records, workers)
	if err != nil {
		return err
	}
	for i, one := range records {
		r.embedded -= int64(one.Ready)
		r.table.Remove(one, docs[i])
	}
	return nil
}

// fresh returns the files of the delta. What the base left out gives way to what the
// index did.
func (r *Restored) fresh(f *snapshot.File) (records []*store.Record, err error) {
	text, err := f.Section(SecText)
	if err != nil {
		return nil, err
	}
	blocks := snapshot.NewDecoder(text)
	t := r.table
	err = Section(f, SecFiles, func(d *snapshot.Decoder) {
		in := Interned{}
		before := ""
		for range d.Len(20) {
			one := restoreRecord(d, blocks, in)
			if d.Err() != nil {
				return
			}
			if one.Path <= before || t.Files[one.Path] != nil {
				d.Fail("file %q comes twice", one.Path)
				return
			}
			before = one.Path
			records = append(records, one)
		}
		clear(t.Skips)
		restoreSkips(t, d, in)
	})
	return records, errors.Join(err, blocks.End())
}

func (r *Restored) add(records []*store.Record, f *snapshot.File, workers int, opt *vector.Options) error {
	docs, err := documents(records, workers)
	if err != nil {
		return err
	}
	var ids []uint32
	for i, one := range records {
		if err := r.table.Add(one, docs[i]); err != nil {
			return fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
		}
		for i := range one.Chunks {
			ids = append(ids, one.Chunks[i].ID)
		}
	}
	if opt.Dim > 0 {
		err = Section(f, SecVectors, func(d *snapshot.Decoder) {
			for i, code := range RestoreCodes(d, len(ids), opt) {
				addCode(r.table, d, ids[i], code)
			}
		})
	}
	r.count(records)
	return err
}

// documents are those of the pieces of some records, whose texts must be what their
// hashes say.
func documents(records []*store.Record, workers int) ([][]lexical.Doc, error) {
	docs := make([][]lexical.Doc, len(records))
	var group fault.ErrGroup
	var next atomic.Int64
	for range min(workers, len(records)) {
		group.Go(func() error {
			var builder lexical.Builder
			for {
				i := int(next.Add(1)) - 1
				if i >= len(records) {
					return nil
				}
				r := records[i]
				src, err := r.Proved(nil)
				if err != nil {
					return fmt.Errorf("%w: file %q: %w", snapshot.ErrDamaged, r.Path, err)
				}
				docs[i] = Documents(r, &builder, src)
			}
		})
	}
	return docs, group.Wait()
}

// Documents are what lexical sees of the pieces.
func Documents(r *store.Record, b *lexical.Builder, src []byte) []lexical.Doc {
	docs := make([]lexical.Doc, len(r.Chunks))
	for i := range r.Chunks {
		docs[i] = r.Document(b, &r.Chunks[i], src)
	}
	return docs
}
