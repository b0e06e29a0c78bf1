package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	render "github.com/quarry-search/quarry/api/text"
	"github.com/quarry-search/quarry/api/wire"
)

const (
	filePrefix   = "quarry://file/"
	symbolPrefix = "quarry://symbol/"
	graphPrefix  = "quarry://graph/"
	mapPrefix    = "quarry://map/"
	overviewURI  = "quarry://overview"

	// maxResource bounds the text of a resource, in bytes. A client puts all of it in
	// front of a model; of more, the tool read shows lines.
	maxResource = 1 << 20
	// maxValues is what the protocol allows a completion.
	maxValues = 100
)

func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{
		URI: overviewURI, Name: "overview", MIMEType: "text/markdown",
		Description: "What the folders of the repository hold.",
	}, s.overview)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: filePrefix + "{+path}", Name: "file", Description: "A file as it is on disk.",
	}, s.file)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: symbolPrefix + "{+name}", Name: "symbol", Description: "The source of a definition.",
	}, s.symbol)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: graphPrefix + "{+target}", Name: "graph", Description: "The call graph around a symbol.",
	}, s.written(graphPrefix, "/graph", "target"))
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: mapPrefix + "{+path}", Name: "map", Description: "The folders and files below a folder by size, with what depends on them.",
	}, s.written(mapPrefix, "/map", "path"))
}

// resource is the result of one text.
func resource(uri, kind, text string) (*sdk.ReadResourceResult, error) {
	if len(text) > maxResource {
		return nil, invalid(&refusal{"file_too_large", fmt.Sprintf("%s has more than %d bytes; the tool read shows its lines", uri, maxResource)})
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}, nil
}

// invalid makes an error of the protocol of what an endpoint refused: a resource has no
// other way to say so.
func invalid(err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: r.Error()}
}

// named returns what a URI names after its prefix.
func named(uri, prefix string) (string, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(uri, prefix))
	if err != nil || name == "" {
		return "", sdk.ResourceNotFoundError(uri)
	}
	return name, nil
}

// missing is the error for a resource that an endpoint did not give.
func missing(uri string, err error) error {
	if r := (*refusal)(nil); errors.As(err, &r) && r.code == "not_found" {
		return sdk.ResourceNotFoundError(uri)
	}
	return invalid(err)
}

// as gives an answer its type.
func as[T any](answer any, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	a, ok := answer.(*T)
	if !ok {
		return nil, fmt.Errorf("mcp: the answer is a %T", answer)
	}
	return a, nil
}

func (s *Server) overview(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	a, err := as[wire.StartupResponse](s.answer(ctx, "/startup", nil, &progress{}))
	if err != nil {
		return nil, invalid(err)
	}
	return resource(req.Params.URI, "text/markdown", a.Text)
}

// file shows a file through the gate of /cat: what that refuses is no resource.
func (s *Server) file(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	path, err := named(req.Params.URI, filePrefix)
	if err != nil {
		return nil, err
	}
	_, text, err := s.ask(ctx, "/cat", map[string]any{"path": path, "raw": true})
	if err != nil {
		return nil, missing(req.Params.URI, err)
	}
	return resource(req.Params.URI, "text/plain", text)
}

func (s *Server) symbol(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	name, err := named(req.Params.URI, symbolPrefix)
	if err != nil {
		return nil, err
	}
	answer, err := s.answer(ctx, "/extract", map[string]any{"symbol": name}, &progress{})
	if err != nil {
		return nil, missing(req.Params.URI, err)
	}
	var a wire.ExtractedSymbol
	switch found := answer.(type) {
	case *wire.ExtractedSymbol:
		a = *found
	case *wire.ExtractedFile:
		a.File = found.File
	}
	text := fmt.Sprintf("%s:%d-%d %s\n%s", a.File, a.Line, a.EndLine, a.Symbol, a.Content)
	return resource(req.Params.URI, "text/plain", text)
}

// written shows the text of an endpoint's answer about what a URI names.
func (s *Server) written(prefix, endpoint, field string) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		name, err := named(req.Params.URI, prefix)
		if err != nil {
			return nil, err
		}
		answer, err := s.answer(ctx, endpoint, map[string]any{field: name}, &progress{})
		if err != nil {
			return nil, missing(req.Params.URI, err)
		}
		text, err := render.Render(answer, "")
		if err != nil {
			return nil, fmt.Errorf("mcp: %w", err)
		}
		return resource(req.Params.URI, "text/plain", text)
	}
}

// complete proposes paths that hold what is typed, and symbols that begin with it.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	res := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	ref, typed := req.Params.Ref, req.Params.Argument.Value
	if ref == nil || ref.Type != "ref/resource" || typed == "" {
		return res, nil
	}
	var err error
	switch {
	case strings.HasPrefix(ref.URI, filePrefix):
		err = s.completePath(ctx, typed, "f", &res.Completion)
	case strings.HasPrefix(ref.URI, mapPrefix):
		err = s.completePath(ctx, typed, "d", &res.Completion)
	case strings.HasPrefix(ref.URI, symbolPrefix), strings.HasPrefix(ref.URI, graphPrefix):
		err = s.completeSymbol(ctx, typed, &res.Completion)
	}
	if err != nil {
		return nil, invalid(err)
	}
	return res, nil
}

func (s *Server) completePath(ctx context.Context, typed, kind string, into *sdk.CompletionResultDetails) error {
	// What is typed is no pattern.
	literal := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(typed)
	globs := []any{"**/" + literal + "*", literal + "**"}
	if !strings.Contains(typed, "/") {
		globs = []any{literal + "*"}
	}
	answer, _, err := s.ask(ctx, "/find", map[string]any{"name": globs, "type": kind, "limit": maxValues})
	a, err := as[wire.FindResponse](answer, err)
	if err != nil {
		return err
	}
	for _, p := range a.Paths {
		into.Values = append(into.Values, p.Path)
	}
	into.Total, into.HasMore = a.Meta.Matches, a.Meta.Matches > len(a.Paths)
	return nil
}

func (s *Server) completeSymbol(ctx context.Context, typed string, into *sdk.CompletionResultDetails) error {
	answer, _, err := s.ask(ctx, "/search", map[string]any{"query": typed, "mode": "symbol", "limit": maxValues})
	a, err := as[wire.SearchResponse](answer, err)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range a.Results {
		if !seen[r.Symbol] {
			seen[r.Symbol] = true
			into.Values = append(into.Values, r.Symbol)
		}
	}
	into.Total, into.HasMore = a.Meta.Matches, a.Meta.Matches > len(a.Results)
	return nil
}
