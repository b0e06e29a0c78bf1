package ingest

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/vector"
	"github.com/quarry-search/quarry/index/oserror"
)

// committer is the one owner of every change to the table during an ingest. It
// runs at normal priority: searches wait for its lock.
type committer struct {
	index    *Writer
	kept     *packs
	behind   *backlog
	report   *Report
	progress func(Progress)
	total    int             // files
	done     int             // jobs
	parsed   chan<- struct{} // closed once all files are committed
	shown    time.Time
}

func (c *committer) run(ctx context.Context, out <-chan prepared, vectors <-chan embedded) error {
	defer c.behind.close()
	batch := make([]prepared, 0, commitFiles)
	for out != nil || vectors != nil {
		batch = batch[:0]
		select {
		case <-ctx.Done():
			return ctx.Err()
		case v, ok := <-vectors:
			if !ok {
				vectors = nil
				continue
			}
			c.giveWay(ctx)
			if err := c.vectors(v); err != nil {
				return err
			}
		case p, ok := <-out:
			if !ok {
				out = nil
				c.behind.close()
				close(c.parsed)
				continue
			}
			batch = c.gather(append(batch, p), out)
			if err := c.files(ctx, batch); err != nil {
				return err
			}
			c.done += len(batch)
			c.index.Counters.Done.Store(int64(c.done))
		}
		c.show(out == nil)
	}
	for c.purge(ctx) && ctx.Err() == nil {
	}
	// It visits all words, so most of the files must be new.
	for c.total >= max(manyFiles, len(c.index.Table.Files)/2) && c.compact(ctx) && ctx.Err() == nil {
	}
	return ctx.Err()
}

// gather adds what is ready without waiting.
func (c *committer) gather(batch []prepared, out <-chan prepared) []prepared {
	for len(batch) < commitFiles {
		select {
		case p, ok := <-out:
			if !ok {
				return batch
			}
			batch = append(batch, p)
		default:
			return batch
		}
	}
	return batch
}

func (c *committer) show(parsed bool) {
	now := time.Now()
	if now.Sub(c.shown) < 100*time.Millisecond {
		return
	}
	c.shown = now
	p := Progress{
		Phase: "files", FilesDone: min(c.done, c.total), FilesTotal: c.total,
		ChunksDone: int(c.index.Counters.Embedded.Load()), ChunksTotal: int(c.index.Counters.Chunks.Load()),
	}
	if parsed {
		p.Phase, p.FilesDone = "vectors", c.total
	}
	c.progress(p)
}

// giveWay waits for the end of the answers that are being made, for the least time that
// work does: a commit takes less than a fifth of it.
func (c *committer) giveWay(ctx context.Context) {
	c.index.Opt.Throttle.Worker().Wait(ctx.Done(), true)
}

// files commits a batch of prepared files. It lets searches in between two of them when
// it has held the lock for a while.
func (c *committer) files(ctx context.Context, batch []prepared) error {
	for len(batch) > 0 {
		c.giveWay(ctx)
		n, err := c.some(batch, time.Now().Add(commitFor))
		if err != nil {
			return err
		}
		batch = batch[n:]
		c.purge(ctx)
	}
	return nil
}

// purge has the table give back for a while what removed files had. It reports whether
// there is more.
func (c *committer) purge(ctx context.Context) (more bool) {
	t := c.index.Table
	if !t.Purgeable() {
		return false
	}
	c.giveWay(ctx)
	defer c.index.LockTable()()
	began := time.Now()
	t.Purge(func() bool { return time.Since(began) > commitFor })
	return t.Words.Purging()
}

// compact has the words take less memory for a while. It reports whether there is more.
func (c *committer) compact(ctx context.Context) (more bool) {
	c.giveWay(ctx)
	defer c.index.LockTable()()
	began := time.Now()
	return !c.index.Table.Words.Compact(func() bool { return time.Since(began) > commitFor })
}

// some commits files under one lock, at least one and those that are begun until some
// time, and returns how many.
func (c *committer) some(batch []prepared, until time.Time) (n int, err error) {
	x := c.index
	defer x.LockTable()()
	var changes []string
	for ; n < len(batch) && (n == 0 || time.Now().Before(until)); n++ {
		p := &batch[n]
		changed, err := c.file(p)
		if err != nil {
			return n, fmt.Errorf("index: %s: %w", p.path, err)
		}
		if changed {
			changes = append(changes, p.path)
		}
	}
	if len(changes) > 0 {
		x.Publish(changes)
	}
	return n, nil
}

func (c *committer) file(p *prepared) (changed bool, err error) {
	x, t := c.index, c.index.Table
	x.Retries.committed(p.path, p.soon)
	if p.same {
		// The same content under a new time stamp.
		p.old.ModTime = p.file.ModTime
		p.old.ReadAt.Store(time.Now().UnixNano())
		c.report.Unchanged++
		return false, nil
	}
	if p.pending {
		x.retryLater(false, p.skip.Detail, p.path)
		if p.soon {
			x.Retries.within(oserror.First)
		}
		c.report.Pending++
		if p.old != nil {
			return false, nil
		}
	}
	vectors := map[uint64]vector.Code{} // of old chunks with the same text
	if p.old != nil {
		if t.Vectors != nil && p.record != nil {
			for i := range p.old.Chunks {
				if v := t.Vectors.AppendCode(nil, p.old.Chunks[i].ID); v != nil {
					vectors[p.old.Chunks[i].Hash] = v
				}
			}
		}
		c.kept.keep(p.old, t.Vectors)
		x.Counters.Embedded.Add(-int64(p.old.Ready))
		t.Remove(p.old, p.drop)
	}
	_, skipped := t.Skips[p.path]
	delete(t.Skips, p.path)
	if p.record == nil {
		if p.skip != nil {
			t.Skips[p.path] = *p.skip
		}
		if p.old != nil {
			c.report.Removed++
			if len(p.old.Lowered) > 0 || graph.IsConfig(p.path) {
				x.Graph.Note(callgraph.Change{Path: p.path})
			}
		}
		return p.old != nil || skipped != (p.skip != nil), nil
	}
	if err := t.Add(p.record, p.docs); err != nil {
		return false, err
	}
	if p.config != nil || !sameCalls(p.old, p.record) {
		change := callgraph.Change{Path: p.path, File: p.lowered, Config: p.config, Late: p.late, Now: p.record.Lowered}
		if p.old != nil && p.old.Lang == p.record.Lang && p.config == nil {
			change.Was = p.old.Lowered
		}
		x.Graph.Note(change)
	}
	c.report.Chunks += len(p.record.Chunks)
	if p.old != nil {
		c.report.Changed++
	} else {
		c.report.Added++
	}
	if t.Vectors == nil {
		return true, nil
	}
	var left []missing
	for i := range p.record.Chunks {
		piece := &p.record.Chunks[i]
		v, ok := vectors[piece.Hash]
		if !ok && p.codes != nil {
			v, ok = p.codes[i], p.codes[i] != nil
		}
		if !ok {
			left = append(left, missing{record: p.record, piece: uint32(i)})
			continue
		}
		if err := t.Vectors.AddCode(piece.ID, v); err != nil {
			return false, err
		}
		p.record.Ready++
		if x.refinesAll() && t.Vectors.IsPlain(piece.ID) {
			left = append(left, missing{record: p.record, piece: uint32(i), again: true})
		}
	}
	t.Sum(p.record)
	x.CountPlain()
	x.Counters.Embedded.Add(int64(p.record.Ready))
	c.behind.add(left)
	return true, nil
}

// sameCalls reports whether the call graph of a file is the same, to the last position:
// a change of prose or at the end of a file costs it nothing. The old one may be nil.
func sameCalls(old, now *store.Record) bool {
	if old == nil {
		return len(now.Lowered) == 0
	}
	return old.Lang == now.Lang && bytes.Equal(old.Lowered, now.Lowered)
}

// vectors commits a batch of vectors.
func (c *committer) vectors(v embedded) error {
	x := c.index
	defer x.LockTable()()
	x.Counters.Computed.Add(uint64(len(v.items)))
	c.report.Embedded += len(v.items)
	return x.enter(v)
}

// enter puts vectors in their places, but for those of files that have been replaced since.
// The caller holds the token and the lock.
func (x *Writer) enter(v embedded) error {
	t, more := x.Table, int64(0)
	for i, m := range v.items {
		if t.Files[m.record.Path] != m.record {
			continue
		}
		if err := t.Vectors.AddCode(m.record.Chunks[m.piece].ID, v.codes[i]); err != nil {
			return fmt.Errorf("index: %s: %w", m.record.Path, err)
		}
		if !m.again {
			m.record.Ready++
			more++
		}
		if i+1 == len(v.items) || v.items[i+1].record != m.record {
			t.Sum(m.record)
		}
	}
	x.CountPlain()
	x.Counters.Embedded.Add(more)
	x.Publish(nil)
	return nil
}
