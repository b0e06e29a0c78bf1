package grep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// RawOptions say how GrepRaw writes. The zero value works.
type RawOptions struct {
	Name  func(path string) string // what a path is written as; nil: as it is
	Limit int                      // lines at most; 0: all
}

// errEnough ends a GrepRaw that has written as much as it should.
var errEnough = errors.New("enough")

// GrepRaw writes every line that matches to w, as PATH:LINE:TEXT, by path and line, and
// returns how many those are. Nothing is ranked; see Grep for what is searched and for
// the errors, to which those of w are added, and that of ctx whatever ended it. Nothing
// has been written when the error is about the query.
func GrepRaw(ctx context.Context, x *store.View, q GrepQuery, o RawOptions, w io.Writer) (matches int, err error) {
	s, err := newGrepSearch(ctx, x, q)
	if err != nil {
		return 0, err
	}
	if o.Name == nil {
		o.Name = func(path string) string { return path }
	}
	s.Look()
	out := grepWriter{search: s, opt: o, to: bufio.NewWriterSize(w, 64<<10), ready: make([]*grepBlock, len(s.Left))}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out.turn.L = &out.mu
	stop := context.AfterFunc(ctx, func() { out.mu.Lock(); defer out.mu.Unlock(); out.turn.Broadcast() })
	defer stop()
	var group fault.Group
	for range min(texts.Workers(), len(s.Left)) {
		group.Go(func() {
			err := errors.New("a panic")
			defer func() {
				if err != nil { // others may wait for this one's file
					cancel()
				}
			}()
			err = out.work(ctx)
		})
	}
	group.Wait()
	s.note(ctx)
	if enough := out.err == errEnough; out.err == nil || enough {
		if out.err = out.to.Flush(); enough {
			return out.matches, out.err
		}
	}
	if out.err == nil && out.next < len(s.Left) {
		out.err = ctx.Err()
	}
	return out.matches, out.err
}

// aheadBytes bounds how much text waits for its turn.
const aheadBytes = 8 << 20

// A grepBlock is what one file adds to the output.
type grepBlock struct {
	text    []byte
	matches int
}

// A grepWriter puts the blocks of files in order.
type grepWriter struct {
	search *grepSearch
	opt    RawOptions

	mu      sync.Mutex
	turn    sync.Cond // the next file has been written
	ready   []*grepBlock
	next    int // file to write, of those that are left
	waiting int // bytes
	matches int
	to      *bufio.Writer
	err     error
}

func (o *grepWriter) work(ctx context.Context) error {
	s := o.search
	w := texts.Reader{Search: s.Pattern.Searcher(), Src: texts.Take()}
	defer func() { texts.Give(w.Src) }()
	stop := func() bool { return ctx.Err() != nil }
	for !stop() {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.Left) {
			return nil
		}
		b := &grepBlock{}
		file := s.file(n)
		var found texts.Head
		if s.Text(&w, int(s.Left[n]), &found) {
			name := o.opt.Name(file.Path)
			w.Search.Each(w.Src, stop, func(number, start, end int) bool {
				b.matches++
				b.text = append(append(b.text, name...), ':')
				b.text = append(strconv.AppendInt(b.text, int64(number), 10), ':')
				b.text = append(append(b.text, w.Src[start:end]...), '\n')
				return b.matches != o.opt.Limit
			})
		}
		if stop() {
			break
		}
		if err := o.put(ctx, n, b); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// put hands in a file's block, and writes all whose turn has come. It waits while too
// much waits, unless it is this file's turn.
func (o *grepWriter) put(ctx context.Context, n int, b *grepBlock) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.waiting > aheadBytes && n != o.next && o.err == nil && ctx.Err() == nil {
		o.turn.Wait()
	}
	o.ready[n] = b
	o.waiting += len(b.text)
	for o.err == nil && o.next < len(o.ready) && o.ready[o.next] != nil {
		block := o.ready[o.next]
		o.ready[o.next] = nil
		o.next++
		o.waiting -= len(block.text)
		o.err = o.write(block)
	}
	o.turn.Broadcast()
	return o.err
}

// write writes a block, or what the limit leaves of it.
func (o *grepWriter) write(b *grepBlock) error {
	if left := o.opt.Limit - o.matches; o.opt.Limit > 0 && b.matches > left {
		at := 0
		for range left {
			at += bytes.IndexByte(b.text[at:], '\n') + 1
		}
		b.text, b.matches = b.text[:at], left
	}
	o.matches += b.matches
	if _, err := o.to.Write(b.text); err != nil {
		return err
	}
	if o.matches == o.opt.Limit && o.matches > 0 {
		return errEnough
	}
	return nil
}
