package index

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/quarry-search/quarry/index/internal/graph"
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
			c.index.state.done.Store(int64(c.done))
		}
		c.show(out == nil)
	}
	for c.purge(ctx) && ctx.Err() == nil {
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
		ChunksDone: int(c.index.state.embedded.Load()), ChunksTotal: int(c.index.state.chunks.Load()),
	}
	if parsed {
		p.Phase, p.FilesDone = "vectors", c.total
	}
	c.progress(p)
}

// giveWay waits for the end of the answers that are being made, for the least time that
// work does: a commit takes less than a fifth of it.
func (c *committer) giveWay(ctx context.Context) {
	c.index.opt.Throttle.Worker().Wait(ctx.Done(), true)
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
	t := c.index.table
	if !t.purgeable() {
		return false
	}
	c.giveWay(ctx)
	defer c.index.lockTable()()
	began := time.Now()
	t.purge(func() bool { return time.Since(began) > commitFor })
	return t.words.Purging()
}

// some commits files under one lock, at least one and those that are begun until some
// time, and returns how many.
func (c *committer) some(batch []prepared, until time.Time) (n int, err error) {
	x := c.index
	defer x.lockTable()()
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
		x.publish(changes)
	}
	return n, nil
}

func (c *committer) file(p *prepared) (changed bool, err error) {
	x, t := c.index, c.index.table
	x.retries.committed(p.path, p.soon)
	if p.same {
		// The same content under a new time stamp.
		p.old.modTime = p.file.ModTime
		p.old.readAt.Store(time.Now().UnixNano())
		c.report.Unchanged++
		return false, nil
	}
	if p.pending {
		x.retryLater(false, p.skip.Detail, p.path)
		if p.soon {
			x.retries.within(oserror.First)
		}
		c.report.Pending++
		if p.old != nil {
			return false, nil
		}
	}
	vectors := map[uint64]vector.Code{} // of old chunks with the same text
	if p.old != nil {
		if t.vectors != nil && p.record != nil {
			for i := range p.old.pieces {
				if v := t.vectors.AppendCode(nil, p.old.pieces[i].id); v != nil {
					vectors[p.old.pieces[i].hash] = v
				}
			}
		}
		c.kept.keep(p.old, t.vectors)
		x.state.embedded.Add(-int64(p.old.ready))
		t.remove(p.old, p.drop)
	}
	_, skipped := t.skips[p.path]
	delete(t.skips, p.path)
	if p.record == nil {
		if p.skip != nil {
			t.skips[p.path] = *p.skip
		}
		if p.old != nil {
			c.report.Removed++
			if len(p.old.lowered) > 0 || graph.IsConfig(p.path) {
				x.calls.note(graphChange{path: p.path})
			}
		}
		return p.old != nil || skipped != (p.skip != nil), nil
	}
	if err := t.add(p.record, p.docs); err != nil {
		return false, err
	}
	if p.config != nil || !sameCalls(p.old, p.record) {
		change := graphChange{path: p.path, file: p.lowered, config: p.config, late: p.late, now: p.record.lowered}
		if p.old != nil && p.old.lang == p.record.lang && p.config == nil {
			change.was = p.old.lowered
		}
		x.calls.note(change)
	}
	c.report.Chunks += len(p.record.pieces)
	if p.old != nil {
		c.report.Changed++
	} else {
		c.report.Added++
	}
	if t.vectors == nil {
		return true, nil
	}
	var missing []uint32
	for i := range p.record.pieces {
		piece := &p.record.pieces[i]
		v, ok := vectors[piece.hash]
		if !ok && p.codes != nil {
			v, ok = p.codes[i], p.codes[i] != nil
		}
		if !ok {
			missing = append(missing, uint32(i))
			continue
		}
		if err := t.vectors.AddCode(piece.id, v); err != nil {
			return false, err
		}
		p.record.ready++
	}
	t.sum(p.record)
	x.state.embedded.Add(int64(p.record.ready))
	c.behind.add(p.record, missing)
	return true, nil
}

// sameCalls reports whether the call graph of a file is the same, to the last position:
// a change of prose or at the end of a file costs it nothing. The old one may be nil.
func sameCalls(old, now *record) bool {
	if old == nil {
		return len(now.lowered) == 0
	}
	return old.lang == now.lang && bytes.Equal(old.lowered, now.lowered)
}

// vectors commits a batch of vectors.
func (c *committer) vectors(v embedded) error {
	x := c.index
	defer x.lockTable()()
	for i, m := range v.items {
		if err := x.table.vectors.AddCode(m.record.pieces[m.piece].id, v.codes[i]); err != nil {
			return fmt.Errorf("index: %s: %w", m.record.path, err)
		}
		m.record.ready++
		x.table.sum(m.record)
	}
	x.state.embedded.Add(int64(len(v.items)))
	x.state.computed.Add(uint64(len(v.items)))
	c.report.Embedded += len(v.items)
	x.publish(nil)
	return nil
}
