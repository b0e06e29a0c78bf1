package service

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/session"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// A Call is one request on its way through the service: how it wants its answer, and what it
// leaves for its transport, the log and the metrics. It goes from hand to hand, and is
// used by one goroutine at a time. Close must be called when the answer has been sent.
type Call struct {
	ID         string // of the request
	Endpoint   string // such as "/search"
	Host       string // by which name the server was asked
	Session    string // who asks, as the transport knows; "": the request says it
	Agent      string
	Inside     bool // it comes from another endpoint, or by another way than HTTP
	Plain      bool // the transport wants plain text, where the request says nothing
	Form       Form
	Raw        RawWriter           // takes what is sent as it is found
	Extend     func(time.Duration) // gives the answer more time to be sent; nil: it has any
	Clamped    []string            // fields that were lowered to their maximum
	Ignored    []string            // fields that the request does not have
	Waited     time.Duration       // for slots
	Worked     time.Duration       // in slots
	Class      slot.Class          // of its slot; "": it needed none
	HadSlot    bool                // it had one
	Lasts      bool                // it takes as long as its client likes, or as it was told to
	Project    string              // the name of the one that it is about
	Plan       func() answer.Plan  // what it has used of the index; nil: nobody asks
	JSON       *bytes.Buffer       // the answer as it is sent; nil: it was not needed
	Text       string              // the answer, where it is a text of its own; see IsText
	IsText     bool                // Text is the answer
	Cut        bool                // the answer leaves something out
	Matches    int                 // how much there is, of the endpoints of the envelope
	Counted    bool                // Matches is known
	Missing    string              // of a raw answer: what was not looked at; "": nothing is to be said
	Generation uint64              // of the index that has answered
	Generated  bool                // Generation is known
	Broken     error               // why an answer of which a part is out was broken off

	words  string // that a search is for
	reader *session.Reader
	sum    *session.Bill
	cmd    string // of the envelope
	event  *te.Event
	start  time.Time
}

// A Form is how an answer is to be written.
type Form struct {
	Text   bool   // as text for a model, not as JSON
	Query  string // what the text says was looked for, where nothing was found
	Osgrep bool   // in the shape of osgrep's server
	TE     bool   // as text of the envelope
	Raw    bool   // as the command itself would
	Rag    bool   // a search in the form of the envelope
	Base   string // the folder that paths are relative to
	Limit  int    // rows of an answer of the envelope; 0: any
}

// Cost returns what the answer costs its reader, and what the files that it names would;
// false: nobody counted.
func (c *Call) Cost() (tokens, raw int, ok bool) {
	if c.sum == nil {
		return 0, 0, false
	}
	return c.sum.Tokens, c.sum.Raw, true
}

// Delivered notes in the reader's session that the answer has reached it, or is about to,
// and lets the session's next request go on.
func (c *Call) Delivered() {
	if c.sum != nil {
		c.reader.Record(c.sum)
	}
	c.reader.Release()
}

// Close gives back what the call holds.
func (c *Call) Close() {
	c.reader.Release()
	if c.JSON != nil {
		Release(c.JSON)
		c.JSON = nil
	}
}

// A job is what the endpoints that answer from one project have in common.
type job struct {
	scope     wire.Scope
	timeout   int // in milliseconds
	overlay   []wire.OverlayFile
	fresh     bool
	class     slot.Class
	farther   bool // where there are many files, it is heavy
	remembers bool // what the session was sent matters
}

// A view is what a request is answered from: an index, with the request's overlay, for a
// reader.
type view struct {
	Index
	clamped []string
	overlay *overlay // nil: none
	reader  *session.Reader
}

// fill gives a request that no transport has read its defaults.
func (s *Service) fill(c *Call, request any) {
	c.Clamped = append(c.Clamped, fields.Fill(request, &s.bounds)...)
}

// answer does the work of a request, in a slot and in time, and returns what fits.
func (s *Service) answer(ctx context.Context, c *Call, j job, work func(ctx context.Context, v *view) (response, answer.State, error)) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(j.timeout)*time.Millisecond)
	defer cancel()
	p, done, err := s.project(ctx, c, j.scope.Project)
	if err != nil {
		return nil, err
	}
	defer done()
	v := &view{Index: p.Index, clamped: c.Clamped, overlay: overlayOf(j.overlay)}
	roots := map[string]string{}
	if j.remembers {
		roots[""] = p.Index.Root()
	}
	if v.reader, err = s.sessions.Reader(ctx, j.scope.SessionID, j.fresh, roots); err != nil {
		return nil, err
	}
	c.reader = v.reader
	if v.overlay != nil || j.farther && p.Index.State().Files > heavyFiles {
		j.class = slot.Heavy
	}
	var d response
	var state answer.State
	err = s.inSlot(ctx, c, j.class, func() error {
		x, done, err := v.overlay.see(ctx, p.Index)
		if err != nil {
			return err
		}
		defer done()
		v.Index = x
		d, state, err = work(ctx, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.made(c, d, state.Generation)
}

// made finishes an answer of a generation.
func (s *Service) made(c *Call, d response, generation uint64) (any, error) {
	c.Generation, c.Generated = generation, true
	body, err := s.fit(c, d)
	if err == nil {
		s.saw(c, d)
	}
	return body, err
}

// as gives an answer its type.
func as[T any](body any, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return body.(*T), nil
}

// resolve replaces a request's path by the index's form of it.
func resolve(x Index, path *string) error {
	if *path == "" {
		return nil
	}
	if err := fields.CheckPath(*path); err != nil {
		return err
	}
	rel, err := x.Resolve(*path)
	switch {
	case err == nil:
		*path = filepath.ToSlash(rel)
		if rel == "." {
			*path = ""
		}
		return nil
	case errors.Is(err, index.ErrOutside):
		return wire.Problemf(wire.CodeInvalidPath, "the path %q is outside the root", *path)
	case errors.Is(err, fs.ErrNotExist):
		return wire.Problemf(wire.CodeNotFound, "the path %q does not exist", *path)
	case errors.Is(err, answer.ErrClosed):
		return err
	}
	return wire.Problemf(wire.CodeInvalidPath, "the path %q cannot be resolved", *path)
}

// unindexed reports whether the index knows nothing at or below a path, and fails
// when there is none.
func unindexed(x Index, path string) (bool, error) {
	if path == "" || x.Knows(path) {
		return false, nil
	}
	if !x.Exists(path) {
		return true, wire.Problemf(wire.CodeNotFound, "the path %q does not exist", path)
	}
	return true, nil
}

// From where on a request is heavy that else is cheap.
const (
	heavySearches = 4         // searches of one request: its queries times its projects
	heavyFiles    = 2000      // files of a project whose call graph /impact goes through
	heavyText     = 128 << 10 // bytes of a text to be summarised
)

// heavyIf is the class of what is heavy if something is so.
func heavyIf(so bool) slot.Class {
	if so {
		return slot.Heavy
	}
	return slot.Cheap
}

// inSlot does some work when a slot of its class is free.
func (s *Service) inSlot(ctx context.Context, c *Call, class slot.Class, work func() error) error {
	slots := s.slots[class]
	c.Class = class
	start := time.Now()
	err := slots.Acquire(ctx)
	waited := time.Since(start)
	c.Waited += waited
	if err != nil {
		return err
	}
	c.HadSlot = true
	began := time.Now()
	defer func() { // also after a panic
		held := time.Since(began)
		slots.Release(held)
		c.Worked += held
	}()
	return work()
}

// An overlay is the files that a request brings along as nobody has saved them, and the
// view of the index that is made of them.
type overlay struct {
	files []index.Overlay
	view  *index.Overlaid // nil: not yet
}

// overlayOf reads the overlay of a request; nil: there is none.
func overlayOf(list []wire.OverlayFile) *overlay {
	if len(list) == 0 {
		return nil // no file is other than it is saved
	}
	o := &overlay{}
	for _, f := range list {
		one := index.Overlay{Path: f.Path, Deleted: f.Content == nil}
		if f.Content != nil {
			one.Content = *f.Content
		}
		o.files = append(o.files, one)
	}
	return o
}

// problemAt says of which element a problem is.
func problemAt(i int, err error) error {
	return wire.Problemf(Classify(err).Code, "overlay[%d]: %v", i, err)
}

// see returns the index that a request is to be answered from: the one given, or a view of
// it with the request's overlay. done must be called.
func (o *overlay) see(ctx context.Context, x Index) (seen Index, done func(), err error) {
	if o == nil {
		return x, func() {}, nil
	}
	for i := range o.files {
		if err := resolve(x, &o.files[i].Path); err != nil {
			return nil, nil, problemAt(i, err)
		}
	}
	v, err := x.With(ctx, o.files)
	if err != nil {
		return nil, nil, err
	}
	o.view = v
	return v.Index, v.Release, nil
}

// meta is what an answer says of the overlay, once the index has been asked; nil: there
// is none.
func (o *overlay) meta(cmd string) *wire.OverlayMeta {
	if o == nil || o.view == nil {
		return nil
	}
	v := o.view
	m := &wire.OverlayMeta{Files: v.Files, LeftOut: Each(v.LeftOut, func(f *answer.SkippedFile) wire.OverlayLeftOut {
		return wire.OverlayLeftOut{Path: f.Path, Reason: f.Reason, Detail: f.Detail}
	})}
	switch cmd {
	case "calls", "impact", "references", "context", "trace", "extract", "startup", "dead", "arch", "slice", "flows", "graph", "map": // they read the call graph
		m.GraphBehind = v.GraphOld()
	}
	return m
}

// deleted reports whether a path is one that the overlay says is gone.
func (o *overlay) deleted(path string) bool {
	if o == nil {
		return false
	}
	for i := range o.files {
		if f := &o.files[i]; f.Deleted && f.Path == path {
			return true
		}
	}
	return false
}
