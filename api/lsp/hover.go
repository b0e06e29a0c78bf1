package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/quarry-search/quarry/api/wire"
)

// maxDoc bounds the bytes of a doc comment that a hover shows.
const maxDoc = 1200

// hover answers what is named: its signature, what it does, and how many call it.
func (r *request) hover(ctx context.Context, p *protocol.HoverParams) (any, error) {
	path, a, err := r.named(ctx, &p.TextDocumentPositionParams, false)
	if err != nil || a.Name == "" {
		return nil, err
	}
	var b strings.Builder
	switch list := meant(a); {
	case a.Local != nil:
		line := r.text(path).line(a.Local.Line - 1)
		fmt.Fprintf(&b, "```\n%s\n```\n\ndeclared in line %d", strings.TrimSpace(line), a.Local.Line)
	case len(list) == 0:
		return nil, nil
	default:
		if err := r.describe(ctx, &b, a, &list[0]); err != nil {
			return nil, err
		}
		switch {
		case len(a.Definitions) == 0 && len(list) == 1:
			b.WriteString("\n\nFound by its name alone.")
		case len(a.Definitions) == 0:
			fmt.Fprintf(&b, "\n\nFound by its name alone, as %d more.", len(list)-1)
		case len(list) > 1:
			fmt.Fprintf(&b, "\n\nOr one of %d more.", len(list)-1)
		}
	}
	value, kind := b.String(), protocol.MarkupKindMarkdown
	if !r.markdown {
		value, kind = plain(value), protocol.MarkupKindPlainText
	}
	h := &protocol.Hover{Contents: &protocol.MarkupContent{Kind: kind, Value: value}}
	if a.Column > 0 {
		h.Range = ptr(r.text(path).span(a.Line-1, a.Column-1, len(a.Name), r.encoding))
	}
	return h, nil
}

// describe writes what is known of a symbol.
func (r *request) describe(ctx context.Context, b *strings.Builder, a *wire.DefinitionResponse, d *wire.Defined) error {
	// A fence that is longer than any in the text ends where it should.
	fence := "```"
	for strings.Contains(d.Signature, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s", fence, d.Lang, d.Signature, fence)
	doc := d.Doc
	if len(doc) > maxDoc {
		doc = strings.ToValidUTF8(doc[:maxDoc], "") + "..."
	}
	if doc != "" {
		b.WriteString("\n\n" + doc)
	}
	if !called(d.Kind) {
		fmt.Fprintf(b, "\n\n%s in %s:%d", d.Kind, d.File, d.NameLine)
		return nil
	}
	n, err := r.callers(ctx, target(a, d))
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n\n%s in %s:%d, %s", d.Kind, d.File, d.NameLine, n)
	return nil
}

// called reports whether a kind of symbol has callers.
func called(kind string) bool {
	switch kind {
	case "function", "method", "constructor", "class", "macro":
		return true
	}
	return false
}

// A count is how many call a symbol.
type count struct {
	callers, tests int
	open           bool // there may be more
}

// String says it.
func (n count) String() string {
	s := fmt.Sprintf("%s, %s", counted(n.callers, "caller"), counted(n.tests, "test"))
	if n.open {
		s = "at least " + s
	}
	return s
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// callers counts those of a symbol.
func (r *request) callers(ctx context.Context, target string) (n count, err error) {
	a, err := ask[wire.CallsResponse](ctx, r, "/calls", "", map[string]any{"target": target, "direction": "callers", "group": true, "limit": wire.MaxEdges})
	if err != nil {
		return n, err
	}
	for i := range a.Edges {
		if a.Edges[i].Test {
			n.tests++
		} else {
			n.callers++
		}
	}
	n.open = !a.Complete || a.Truncated
	return n, nil
}
