package lsp

import (
	"context"
	"maps"

	"go.lsp.dev/protocol"

	"github.com/quarry-search/quarry/api/wire"
)

// maxFindings bounds the diagnostics of a file.
const maxFindings = 1000

// diagnoseSoon publishes the diagnostics of an open file when it has rested, unless the client asks
// for them itself.
func (c *client) diagnoseSoon(ctx context.Context, path string) {
	if c.pulls {
		return
	}
	c.soon(path, c.opt.Rest, func() {
		c.mu.Lock()
		r := &request{client: c, method: protocol.MethodTextDocumentPublishDiagnostics, documents: maps.Clone(c.open)}
		c.mu.Unlock()
		d := r.documents[path]
		if d == nil || ctx.Err() != nil {
			return
		}
		list, err := r.findings(ctx, path)
		if err != nil { // a file that is not in the index has none
			c.opt.Logger.DebugContext(ctx, "lsp: diagnostics", "path", path, "error", err)
			return
		}
		_ = c.conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{
			URI: d.uri, Version: protocol.NewOptional(d.version), Diagnostics: list,
		})
	})
}

// pulled answers with the diagnostics of a file.
func (r *request) pulled(ctx context.Context, p *protocol.DocumentDiagnosticParams) (any, error) {
	path, err := r.path(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	list, err := r.findings(ctx, path)
	if err != nil {
		return nil, err
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", Items: list}}, nil
}

// findings asks what is wrong with a file.
func (r *request) findings(ctx context.Context, path string) ([]protocol.Diagnostic, error) {
	a, err := ask[wire.DiagnosticsResponse](ctx, r, "/diagnostics", path, map[string]any{"path": path, "limit": maxFindings})
	if err != nil {
		return nil, err
	}
	out := []protocol.Diagnostic{}
	t := r.text(path)
	for i := range a.Findings {
		f := &a.Findings[i]
		if absolute(&a.Index, f.File) != path {
			continue
		}
		line := max(f.Line-1, 0)
		d := protocol.Diagnostic{
			Range:    protocol.Range{Start: t.at(line, max(f.Column-1, 0), r.encoding), End: t.end(max(f.EndLine-1, line), r.encoding)},
			Severity: severity(f), Source: protocol.NewOptional(f.Source), Message: protocol.String(f.Message),
		}
		if f.Rule != "" {
			d.Code = protocol.String(f.Rule)
		}
		if f.Kind == "unreachable" || f.Kind == "dead_store" {
			d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
		}
		out = append(out, d)
	}
	if a.Truncated {
		r.log(ctx, protocol.MessageTypeInfo, "%s has %d findings, and %d are shown", path, a.Total, len(out))
	}
	return out, nil
}

// severity is that of a finding; one that is not certain is no more than a warning.
func severity(f *wire.Diagnostic) protocol.DiagnosticSeverity {
	switch {
	case f.Severity == "error" && f.Confidence != "likely":
		return protocol.DiagnosticSeverityError
	case f.Severity == "note":
		return protocol.DiagnosticSeverityInformation
	}
	return protocol.DiagnosticSeverityWarning
}
