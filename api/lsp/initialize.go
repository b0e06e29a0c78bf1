package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/quarry-search/quarry/api/wire"
)

func ptr[T any](v T) *T { return &v }

// initialize takes what the client is and can do, and says what the server can.
func initialize(ctx context.Context, r *request, params []byte) (any, error) {
	c := r.client
	var p protocol.InitializeParams
	if err := protocol.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the parameters of %s: %v", r.method, err)
	}
	root, err := filepath.Abs(cmp.Or(c.opt.Root, rootOf(&p, params), "."))
	if err != nil {
		return nil, err
	}
	c.root = root
	if c.real, err = filepath.EvalSymlinks(c.root); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the root cannot be opened: %v", err)
	}
	if err := c.texts.open(c.real); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the root cannot be opened: %v", err)
	}
	if c.asker, err = c.opt.Open(c.root); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	c.encoding = protocol.PositionEncodingKindUTF16
	if g := p.Capabilities.General; g != nil {
		c.encoding = encoding(g.PositionEncodings)
	}
	if w := p.Capabilities.Window; w != nil && w.WorkDoneProgress != nil {
		c.progress = *w.WorkDoneProgress
	}
	if t := p.Capabilities.TextDocument; t != nil {
		c.pulls = t.Diagnostic != nil
		c.hierarchy = t.DocumentSymbol != nil && t.DocumentSymbol.HierarchicalDocumentSymbolSupport != nil && *t.DocumentSymbol.HierarchicalDocumentSymbolSupport
		if t.Hover != nil {
			for _, kind := range t.Hover.ContentFormat {
				c.markdown = c.markdown || kind == protocol.MarkupKindMarkdown
			}
		}
	}
	if folders, _ := p.WorkspaceFolders.Get(); len(folders) > 1 {
		c.log(ctx, protocol.MessageTypeWarning, "of the %d folders of the workspace, %s alone is served: start one server for each", len(folders), c.root)
	}
	c.setState(initialized)
	return &protocol.InitializeResult{
		Capabilities: c.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "quarry", Version: protocol.NewOptional(c.opt.Version)},
	}, nil
}

// rootOf returns the folder that a client works in, the first of several; "": it names none. Older
// clients have other fields for it.
func rootOf(p *protocol.InitializeParams, params []byte) string {
	if folders, ok := p.WorkspaceFolders.Get(); ok && len(folders) > 0 {
		return folders[0].URI.FsPath()
	}
	var older struct {
		RootURI  string `json:"rootUri"`
		RootPath string `json:"rootPath"`
	}
	if json.Unmarshal(params, &older) != nil {
		return ""
	}
	if u, err := uri.Parse(older.RootURI); err == nil && u.IsFile() {
		return u.FsPath()
	}
	return older.RootPath
}

func (c *client) capabilities() protocol.ServerCapabilities {
	yes := protocol.Boolean(true)
	s := protocol.ServerCapabilities{
		PositionEncoding: c.encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true), Change: ptr(protocol.TextDocumentSyncKindIncremental), Save: &protocol.SaveOptions{},
		},
		HoverProvider: yes, DeclarationProvider: yes, DefinitionProvider: yes, ImplementationProvider: yes, ReferencesProvider: yes,
		DocumentHighlightProvider: yes, DocumentSymbolProvider: yes, WorkspaceSymbolProvider: yes, FoldingRangeProvider: yes,
		SelectionRangeProvider: yes, CallHierarchyProvider: yes, TypeHierarchyProvider: yes, TypeDefinitionProvider: yes,
		CodeLensProvider:       &protocol.CodeLensOptions{ResolveProvider: ptr(true)},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commands()},
	}
	if c.pulls {
		s.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: ptr("quarry")}
	}
	return s
}

// follow tells the client how the build of the index goes on that it has found, until it has ended.
func (c *client) follow(ctx context.Context) {
	c.work.Go(func() {
		var token protocol.ProgressToken
		tell := func(v any) {
			value, err := protocol.Marshal(v)
			if err != nil || token == nil {
				return
			}
			_ = c.conn.Notify(ctx, protocol.MethodProgress, &protocol.ProgressParams{Token: token, Value: value})
		}
		for {
			found, _, err := c.asker.Ask(ctx, "/status", map[string]any{})
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				c.log(ctx, protocol.MessageTypeError, "no server answers: %v", err)
				return
			}
			s, ok := found.(*wire.Status)
			if !ok || s.Index.State != wire.StateIndexing {
				tell(&protocol.WorkDoneProgressEnd{Kind: "end", Message: ptr("the index is built")})
				return
			}
			switch share := uint32(100 * min(max(s.Index.Progress, 0), 1)); {
			case !c.progress:
			case token == nil:
				token = protocol.String("quarry/build")
				if _, err := c.conn.Call(ctx, protocol.MethodWindowWorkDoneProgressCreate, &protocol.WorkDoneProgressCreateParams{Token: token}, nil); err != nil {
					token, c.progress = nil, false
					break
				}
				tell(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Quarry: building the index", Percentage: &share})
			default:
				tell(&protocol.WorkDoneProgressReport{Kind: "report", Percentage: &share})
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(c.opt.Poll):
			}
		}
	})
}

// plain takes the Markdown out of a text, for clients that show none: the marks of code alone.
func plain(s string) string {
	lines := strings.Split(s, "\n")
	out := lines[:0]
	for _, line := range lines {
		if !strings.HasPrefix(line, "```") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
