package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Bounds of what goes with a question: those of the endpoints, less some for the question itself.
const (
	maxOverlays     = 32
	maxOverlayBytes = 900 << 10
)

// A document is a file that is open in the editor. It does not change.
type document struct {
	uri     uri.URI
	path    string // absolute
	version int32
	text    *text
	unsaved bool // it is not what the index has read, or may not be
}

// path returns the absolute path that a URI names, as the server of the root spells it.
func (c *client) path(u uri.URI) (string, error) {
	if !u.IsFile() {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is no file", u)
	}
	p := filepath.Clean(u.FsPath())
	if !filepath.IsAbs(p) {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s has no absolute path", u)
	}
	if rest, ok := strings.CutPrefix(p, c.root+string(filepath.Separator)); ok {
		p = filepath.Join(c.real, rest)
	}
	return p, nil
}

// uri is the other way: the URI of an absolute path, as the client spells it.
func (c *client) uri(path string) uri.URI {
	if rest, ok := strings.CutPrefix(path, c.real+string(filepath.Separator)); ok {
		path = filepath.Join(c.root, rest)
	}
	return uri.File(path)
}

// put keeps a document as it is now.
func (c *client) put(d *document) {
	c.mu.Lock()
	c.open[d.path] = d
	c.mu.Unlock()
}

func (c *client) document(u uri.URI) (d *document, path string, err error) {
	if path, err = c.path(u); err != nil {
		return nil, "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[path], path, nil
}

// opened takes a file from the editor.
func (r *request) opened(ctx context.Context, p *protocol.DidOpenTextDocumentParams) (any, error) {
	path, err := r.path(p.TextDocument.URI)
	if err != nil { // what is in no file is the editor's own
		return nil, nil
	}
	d := &document{uri: p.TextDocument.URI, path: path, version: p.TextDocument.Version, text: newText(p.TextDocument.Text)}
	saved, err := r.texts.read(path)
	d.unsaved = err != nil || saved.all != d.text.all
	r.put(d)
	r.diagnoseSoon(ctx, path)
	return nil, nil
}

// changed takes changes of a file, in their order.
func (r *request) changed(ctx context.Context, p *protocol.DidChangeTextDocumentParams) (any, error) {
	d, path, err := r.document(p.TextDocument.URI)
	if err != nil {
		return nil, nil
	}
	if d == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s was changed, and is not open", p.TextDocument.URI)
	}
	now := *d
	now.version, now.unsaved = p.TextDocument.Version, true
	for _, change := range p.ContentChanges {
		switch change := change.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			now.text = newText(change.Text)
		case *protocol.TextDocumentContentChangePartial:
			start, end := now.text.offset(change.Range.Start, r.encoding), now.text.offset(change.Range.End, r.encoding)
			if end < start {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "a change of %s ends before it begins", p.TextDocument.URI)
			}
			now.text = newText(now.text.all[:start] + change.Text + now.text.all[end:])
		}
	}
	r.put(&now)
	r.diagnoseSoon(ctx, path)
	return nil, nil
}

// saved has the index read a file that was written. Until it has, the text goes with questions.
func (r *request) saved(ctx context.Context, p *protocol.DidSaveTextDocumentParams) (any, error) {
	d, path, err := r.document(p.TextDocument.URI)
	if err != nil || d == nil {
		return nil, nil
	}
	r.work.Go(func() {
		// Only that it is over counts: what was not read is found by its text.
		_, _, _ = r.asker.Ask(ctx, "/invalidate", map[string]any{"paths": []string{path}, "wait": true})
		r.mu.Lock()
		defer r.mu.Unlock()
		if now := r.open[path]; now == d && ctx.Err() == nil {
			if saved, err := r.texts.read(path); err == nil && saved.all == now.text.all {
				same := *now
				same.unsaved = false
				r.open[path] = &same
			}
		}
	})
	r.diagnoseSoon(ctx, path)
	return nil, nil
}

// closed gives a file up.
func (r *request) closed(ctx context.Context, p *protocol.DidCloseTextDocumentParams) (any, error) {
	path, err := r.path(p.TextDocument.URI)
	if err != nil {
		return nil, nil
	}
	r.mu.Lock()
	_, open := r.open[path]
	delete(r.open, path)
	r.mu.Unlock()
	if open && !r.pulls { // nobody sees them any more
		return nil, r.conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{URI: p.TextDocument.URI, Diagnostics: []protocol.Diagnostic{}})
	}
	return nil, nil
}

// overlay returns the files that are open and not saved, with first in any case, as far as they go
// into a question. Those that do not are named.
func (r *request) overlay(first string) (list []map[string]any, leftOut []string) {
	size := 0
	add := func(d *document) {
		if !d.unsaved {
			return
		}
		if len(list) == maxOverlays || size+len(d.text.all) > maxOverlayBytes {
			leftOut = append(leftOut, d.path)
			return
		}
		size += len(d.text.all)
		list = append(list, map[string]any{"path": d.path, "content": d.text.all})
	}
	if d := r.documents[first]; d != nil {
		add(d)
	}
	for _, path := range sorted(maps.Keys(r.documents)) {
		if path != first && strings.HasPrefix(path, r.real+string(filepath.Separator)) {
			add(r.documents[path])
		}
	}
	return list, leftOut
}

// soon has something done after a time without another call for the same path.
func (c *client) soon(path string, after time.Duration, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.timers[path]; t != nil && t.Stop() {
		c.work.Done()
	}
	if c.state != initialized {
		return
	}
	c.work.Add(1)
	c.timers[path] = time.AfterFunc(after, func() {
		defer c.work.Done()
		do()
	})
}
