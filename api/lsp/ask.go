package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/quarry-search/quarry/api/wire"
)

// maxPages bounds how often an answer that has more than one page is asked for.
const maxPages = 20

// An about says what an answer is about and how much of it there is.
type about struct {
	index      *wire.Index
	complete   bool
	incomplete []string
	next       int  // the offset of the next page; 0: none
	missing    bool // nothing was found: while the index is being built that says nothing
}

// aboutOf reads that of an answer.
func aboutOf(answer any) about {
	switch a := answer.(type) {
	case *wire.DefinitionResponse:
		return about{&a.Index, a.Complete, a.Incomplete, 0, a.Local == nil && a.Total == 0 && a.Name != ""}
	case *wire.ReferencesResponse:
		return about{&a.Index, a.Complete, a.Incomplete, a.NextOffset, a.Total == 0}
	case *wire.CallsResponse:
		return about{&a.Index, a.Complete, a.Incomplete, a.NextOffset, a.Total == 0}
	case *wire.DiagnosticsResponse:
		return about{&a.Index, a.Complete, slices.Concat(a.Incomplete, a.NotLookedAt), a.NextOffset, false}
	case *wire.StructureResponse:
		return about{&a.Index, !a.Truncated, nil, a.NextOffset, len(a.Files) == 0}
	case *wire.SearchResponse:
		return about{&a.Index, true, nil, 0, len(a.Results) == 0}
	case *wire.ContextResponse:
		return about{&a.Index, a.Complete, a.Incomplete, 0, false}
	case *wire.ImpactResponse:
		return about{&a.Index, a.Complete, a.Incomplete, 0, false}
	}
	return about{complete: true}
}

// overlaid are the endpoints that take unsaved files.
func overlaid(endpoint string) bool { return endpoint != "/summarize" && endpoint != "/status" }

// ask asks an endpoint about the saved files and those that are not, of which path comes first.
// While the index is being built it waits, as long as there is patience: that nothing is found
// means nothing then, and is an error in the end.
func ask[T any](ctx context.Context, r *request, endpoint, path string, fields map[string]any) (*T, error) {
	if overlaid(endpoint) {
		list, leftOut := r.overlay(path)
		if len(list) > 0 {
			fields["overlay"] = list
		}
		if len(leftOut) > 0 {
			r.log(ctx, protocol.MessageTypeWarning, "%s is answered without the unsaved text of %s, which is too much to send", r.method, strings.Join(leftOut, ", "))
		}
	}
	for {
		found, _, err := r.asker.Ask(ctx, endpoint, fields)
		building, progress := false, 0.0
		var p *wire.Problem
		switch lost := errors.As(err, &p) && p.Code == wire.CodeNotFound; {
		case err != nil && !lost:
			return nil, err
		case lost:
			building, progress = r.building(ctx)
		default:
			if a := aboutOf(found); a.index != nil && a.missing {
				building, progress = a.index.State == wire.StateIndexing || slices.Contains(a.incomplete, wire.GraphBuilding), a.index.Progress
			}
		}
		if building {
			if r.wait(ctx) {
				continue
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "nothing is found so far: the index is still being built (%.0f %%)", 100*progress)
		}
		if err != nil {
			return nil, err
		}
		answer, ok := found.(*T)
		if !ok {
			return nil, fmt.Errorf("%s was answered by a %T", endpoint, found)
		}
		if a := aboutOf(found); !a.complete && len(a.incomplete) > 0 {
			r.lacks(ctx, endpoint, strings.Join(a.incomplete, "; "))
		}
		return answer, nil
	}
}

// lacks has the client note why an answer is not complete. What is wrong with a file is asked with
// each change, and lacks the same each time: that is noted once.
func (r *request) lacks(ctx context.Context, endpoint, why string) {
	if endpoint == "/diagnostics" {
		r.mu.Lock()
		said := r.said[why]
		r.said[why] = true
		r.mu.Unlock()
		if said {
			return
		}
	}
	r.log(ctx, protocol.MessageTypeInfo, "the answer to %s is not complete: %s", r.method, why)
}

// building reports whether the index is being built, and how far that is.
func (c *client) building(ctx context.Context) (bool, float64) {
	found, _, err := c.asker.Ask(ctx, "/status", map[string]any{})
	if s, ok := found.(*wire.Status); ok && err == nil {
		return s.Index.State == wire.StateIndexing, s.Index.Progress
	}
	return false, 0
}

// wait waits a little for an index, and reports whether it did: there was patience.
func (c *client) wait(ctx context.Context) bool {
	c.mu.Lock()
	now := min(c.opt.Poll, c.left)
	c.left -= now
	c.mu.Unlock()
	if now <= 0 {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(now):
		return true
	}
}

// pages asks for all pages of an answer. What lies beyond the last is logged.
func pages[T any](ctx context.Context, r *request, endpoint, path string, fields map[string]any, take func(*T)) error {
	for n := 0; ; n++ {
		answer, err := ask[T](ctx, r, endpoint, path, fields)
		if err != nil {
			return err
		}
		take(answer)
		next := aboutOf(answer).next
		if next == 0 {
			return nil
		}
		if n == maxPages {
			r.log(ctx, protocol.MessageTypeWarning, "the answer to %s has more than %d entries, and these are left out", r.method, next)
			return nil
		}
		fields["offset"] = next
	}
}

// absolute returns the path of a file of an answer.
func absolute(index *wire.Index, file string) string {
	return filepath.Join(index.Root, filepath.FromSlash(file))
}

// at returns the path, the line and the column in bytes, both from 1, of a position.
func (r *request) at(p *protocol.TextDocumentPositionParams) (path string, line, column int, err error) {
	if path, err = r.path(p.TextDocument.URI); err != nil {
		return "", 0, 0, err
	}
	line = int(p.Position.Line)
	return path, line + 1, bytesOf(r.text(path).line(line), int(p.Position.Character), r.encoding) + 1, nil
}

// location returns that of so many bytes of a file, from a line and a column, both from 1.
func (r *request) location(path string, line, column, length int) protocol.Location {
	return protocol.Location{URI: r.uri(path), Range: r.text(path).span(line-1, column-1, length, r.encoding)}
}

// named asks what is named at a position.
func (r *request) named(ctx context.Context, p *protocol.TextDocumentPositionParams, uses bool) (path string, a *wire.DefinitionResponse, err error) {
	path, line, column, err := r.at(p)
	if err != nil {
		return "", nil, err
	}
	fields := map[string]any{"path": path, "line": line, "column": column}
	if uses {
		fields["uses"] = true
	}
	a, err = ask[wire.DefinitionResponse](ctx, r, "/definition", path, fields)
	return path, a, err
}

// meant are the symbols that a place means or, where none is known, those that have its name.
func meant(a *wire.DefinitionResponse) []wire.Defined {
	if len(a.Definitions) > 0 {
		return a.Definitions
	}
	return a.Ambiguous
}

// target names a symbol for the endpoints that take one.
func target(a *wire.DefinitionResponse, d *wire.Defined) string {
	return fmt.Sprintf("%s:%d:%d", absolute(&a.Index, d.File), d.NameLine, max(d.Column, 1))
}

// place returns the location of a symbol's name.
func (r *request) place(index *wire.Index, d *wire.Defined) protocol.Location {
	name := d.Symbol[strings.LastIndexByte(d.Symbol, '.')+1:]
	if d.Column == 0 {
		return r.location(absolute(index, d.File), d.NameLine, 1, 0)
	}
	return r.location(absolute(index, d.File), d.NameLine, d.Column, len(name))
}
