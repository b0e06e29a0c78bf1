package index

import (
	"context"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/verify"
)

// Save writes a snapshot of the index to a file, in place of what has its name. It
// waits for a running build or update, and holds up the next one; searches go on. A
// portable one says nothing of this machine: the same tree gives the same bytes.
// Before the first build is complete there is nothing to save, which is an error.
func (x *Index) Save(ctx context.Context, path string, portable bool) error {
	return x.SaveWith(ctx, path, SaveOptions{Portable: portable})
}

// SaveWith is Save with more to say. Of one tree, the same options give the same bytes.
func (x *Index) SaveWith(ctx context.Context, path string, opt SaveOptions) error {
	if err := x.Acquire(ctx); err != nil {
		return err
	}
	defer x.Release()
	b, err := persist.Save(x.Writer.View, path, opt)
	if b != nil {
		x.base = b
	}
	return err
}

// SaveDelta writes to a file how the index differs from the snapshot at base, for
// RestoreDelta. It reports false, and writes nothing, where that is not the snapshot
// that the index was restored from or last saved as, or the difference is no small one.
// Unlike Save it holds up builds and updates for some milliseconds only. With calls the
// call graph is written, too, where it is not the base's, and the base was made of this
// root: a base of another root is there to save space.
func (x *Index) SaveDelta(ctx context.Context, path, base string, calls bool) (bool, error) {
	return persist.WriteDelta(path, base, func(id snapshot.ID) ([]persist.Encoded, error) {
		if err := x.Acquire(ctx); err != nil {
			return nil, err
		}
		defer x.Release()
		return persist.Difference(x.Writer.View, x.base, id, calls)
	})
}

// Restore takes over a snapshot, at once and as it is; the index must be empty, and
// counts as stale until the next Build has compared it with the root. A file that
// does not exist gives fs.ErrNotExist, one that does not fit ErrSnapshot.
//
// All that is read is compared with the snapshot's hashes, and each text with the hash of
// its file. Where only that does not fit, the file is left out, as if it were new, and the
// next Build reads it: see Origin. So are those files of which a snapshot says
// what no file can be. What it says of a file beyond its text is believed: Verify
// proves it.
func (x *Index) Restore(path string) error { return x.RestoreWith(path, RestoreOptions{}) }

// RestoreDelta is Restore of a snapshot together with what SaveDelta has written of
// the difference from it; "" for none. A delta that belongs to another snapshot gives
// ErrSnapshot, too.
func (x *Index) RestoreDelta(path, delta string) error {
	return x.RestoreWith(path, RestoreOptions{Delta: delta})
}

// RestoreWith is Restore of a snapshot that has to prove something. With Keys, one that
// is not signed by one of them, or is not what was signed, gives ErrUntrusted.
func (x *Index) RestoreWith(path string, opt RestoreOptions) error {
	b, err := persist.Restore(x.Writer.View, path, opt)
	if err == nil {
		x.base = b
	}
	return err
}

// Memory returns how much that is, as of the last commit, without taking a lock.
func (x *Index) Memory() answer.Memory {
	if m := x.Counters.Memory.Load(); m != nil {
		sum := *m
		sum.Graph = x.Graph.Weight.Load()
		sum.Words += x.Counters.Filters.Load() + x.Counters.Calls.Load()
		sum.Drafts = x.drafts.bytes.Load()
		return sum
	}
	return answer.Memory{}
}

// Overlays returns how many overlays are kept for the next request with them, without
// taking a lock.
func (x *Index) Overlays() int { return int(x.drafts.kept.Load()) }

// Shrink lets go of what only updates of the call graph need, if nothing has changed for
// some time, and reports whether there was something: about half of what an index takes.
// Answers stay as they are. The next change has the call graph of its family of languages
// made again, in the background with Options.Background; until then the answers from it say
// that it is old.
func (x *Index) Shrink(rest time.Duration) bool {
	x.drafts.sweep(rest)
	if !x.Counters.Built.Load() || time.Since(time.Unix(0, x.Counters.IndexedAt.Load())) < rest {
		return false
	}
	return x.Graph.Shrink()
}

// Verify builds the index, or of a sample of its files their part, once more from the
// root and compares the two: files, symbols, chunks, every posting, every vector bit
// for bit (those of ONNX Runtime, and of a snapshot, but for what backends and batches
// sum otherwise), and, unless it is a sample, all nodes, edges and sites of the call graph.
// The index is not changed, and what differs not put right: Invalidate does that.
//
// A file that changes meanwhile is no difference: Verify waits until the index has seen
// it, and leaves out what goes on changing. A change that the index does not see, though
// nothing is pending, is one.
//
// Everything needs the memory of a second index while it runs, and the time of a build.
// Searches go on. Updates wait for the comparison alone: of the Go distribution, 9,916
// files, that takes 1.6 s of 32. When ctx ends, its error is returned.
func (x *Index) Verify(ctx context.Context, opt verify.VerifyOptions) (verify.Verification, error) {
	if x.Tree.Sealed() {
		return verify.Verification{}, ErrNoFolder
	}
	return verify.Verify(ctx, x.Writer, opt)
}
