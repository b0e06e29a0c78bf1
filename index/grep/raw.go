package grep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// RawOptions say how GrepRaw writes. The zero value works.
type RawOptions struct {
	Name  func(path string) string // what a path is written as; nil: as it is
	Limit int                      // lines of output at most; 0: all
	Form  Form
}

// Printed says what a GrepRaw has looked through and found.
type Printed struct {
	Matches  int // lines that are selected; with Form.With and Form.Without, files with one
	Files    int // with a match
	Unread   int // files that could not be read
	Searched int // files that were looked through, or ruled out by what their filters say
	Out      Unsearched
	State    answer.State
}

// errEnough ends a GrepRaw that has written as much as it should.
var errEnough = errors.New("enough")

// GrepRaw writes every line that matches to w, in the form that o says, by path and line, and
// returns how many those are. Nothing is ranked; see Grep for what is searched and for
// the errors, to which those of w are added, and that of ctx whatever ended it. Nothing
// has been written when the error is about the query.
func GrepRaw(ctx context.Context, x *store.View, q GrepQuery, o RawOptions, w io.Writer) (Printed, error) {
	s, err := newGrepSearch(ctx, x, q)
	if err != nil {
		return Printed{}, err
	}
	pattern := s.Pattern
	if o.Form.whole() {
		if s.Pattern, err = line.Compile(""); err != nil { // no file is ruled out
			return Printed{}, err
		}
	}
	if o.Name == nil {
		o.Name = func(path string) string { return path }
	}
	s.Look()
	out := grepWriter{search: s, pattern: pattern, opt: o, to: bufio.NewWriterSize(w, 64<<10), ready: make([]*grepBlock, len(s.Left))}
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
			return out.printed(), out.err
		}
	}
	if out.err == nil && out.next < len(s.Left) {
		out.err = ctx.Err()
	}
	return out.printed(), out.err
}

func (o *grepWriter) printed() Printed {
	s := o.search
	return Printed{Matches: o.matches, Files: o.files, Unread: s.Unread + o.unread, Searched: len(s.Files) - o.unread, Out: s.out, State: s.state}
}

// aheadBytes bounds how much text waits for its turn.
const aheadBytes = 8 << 20

// A grepBlock is what one file adds to the output.
type grepBlock struct {
	text    []byte
	rows    int // lines of text
	matches int
	groups  int // of lines, between which there are marks; 0: there are none
	unread  bool
}

// A grepWriter puts the blocks of files in order.
type grepWriter struct {
	search  *grepSearch
	pattern *line.Pattern // what is printed, whatever is read
	opt     RawOptions

	mu      sync.Mutex
	turn    sync.Cond // the next file has been written
	ready   []*grepBlock
	next    int // file to write, of those that are left
	waiting int // bytes
	rows    int
	matches int
	files   int
	unread  int
	grouped bool // a group of lines was written
	to      *bufio.Writer
	err     error
}

func (o *grepWriter) work(ctx context.Context) error {
	s := o.search
	w := texts.Reader{Src: texts.Take()}
	defer func() { texts.Give(w.Src) }()
	stop := func() bool { return ctx.Err() != nil }
	search := o.pattern.Searcher()
	if s.Pattern == o.pattern {
		w.Search = search
	}
	for !stop() {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.Left) {
			return nil
		}
		b := &grepBlock{}
		var found texts.Head
		if s.Text(&w, int(s.Left[n]), &found) {
			p := printer{form: &o.opt.Form, name: o.opt.Name(s.file(n).Path), src: w.Src, search: search, stop: stop, out: b}
			p.print(o.opt.Limit)
		}
		b.unread = found.Unread
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
	if b.unread {
		o.unread++
	}
	if b.matches > 0 {
		o.files++
	}
	if b.groups > 0 {
		if o.grouped { // by those of another file
			b.text = append([]byte("--\n"), b.text...)
			b.rows++
		}
		o.grouped = true
	}
	if left := o.opt.Limit - o.rows; o.opt.Limit > 0 && b.rows > left {
		at := 0
		for range left {
			at += bytes.IndexByte(b.text[at:], '\n') + 1
		}
		if b.matches == b.rows {
			b.matches = left
		}
		b.text, b.rows = b.text[:at], left
	}
	o.rows += b.rows
	o.matches += b.matches
	if _, err := o.to.Write(b.text); err != nil {
		return err
	}
	if o.rows == o.opt.Limit && o.rows > 0 {
		return errEnough
	}
	return nil
}
