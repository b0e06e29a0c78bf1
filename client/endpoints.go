package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// Arch says how the parts of a program depend on each other.
func (c *Client) Arch(ctx context.Context, req ArchRequest) (*ArchResponse, error) {
	return query[ArchResponse](ctx, c, "/arch", &req, &req.Scope)
}

// Calls lists what the target calls, or what calls it.
func (c *Client) Calls(ctx context.Context, req CallsRequest) (*CallsResponse, error) {
	return query[CallsResponse](ctx, c, "/calls", &req, &req.Scope)
}

// Context says what one must know to work on the target.
func (c *Client) Context(ctx context.Context, req ContextRequest) (*ContextResponse, error) {
	return query[ContextResponse](ctx, c, "/context", &req, &req.Scope)
}

// Dead finds code that nothing uses.
func (c *Client) Dead(ctx context.Context, req DeadRequest) (*DeadResponse, error) {
	return query[DeadResponse](ctx, c, "/dead", &req, &req.Scope)
}

// Definition says what is named at a place.
func (c *Client) Definition(ctx context.Context, req DefinitionRequest) (*DefinitionResponse, error) {
	return query[DefinitionResponse](ctx, c, "/definition", &req, &req.Scope)
}

// Trace shows what is around a symbol in the call graph, or how it leads to another.
func (c *Client) Trace(ctx context.Context, req TraceRequest) (*TraceResponse, error) {
	return query[TraceResponse](ctx, c, "/trace", &req, &req.Scope)
}

// Impact says what a change to the target, or a diff, may affect.
func (c *Client) Impact(ctx context.Context, req ImpactRequest) (*ImpactResponse, error) {
	return query[ImpactResponse](ctx, c, "/impact", &req, &req.Scope)
}

// References says where the target is named.
func (c *Client) References(ctx context.Context, req ReferencesRequest) (*ReferencesResponse, error) {
	return query[ReferencesResponse](ctx, c, "/references", &req, &req.Scope)
}

// Control shows how control moves through a function.
func (c *Client) Control(ctx context.Context, req ControlRequest) (*ControlResponse, error) {
	return query[ControlResponse](ctx, c, "/cfg", &req, &req.Scope)
}

// Data shows which definitions of its variables reach which uses in a function.
func (c *Client) Data(ctx context.Context, req DataRequest) (*DataResponse, error) {
	return query[DataResponse](ctx, c, "/dfg", &req, &req.Scope)
}

// Diagnostics says what is wrong with some files.
func (c *Client) Diagnostics(ctx context.Context, req DiagnosticsRequest) (*DiagnosticsResponse, error) {
	return query[DiagnosticsResponse](ctx, c, "/diagnostics", &req, &req.Scope)
}

// Slice shows what a line depends on, or what depends on it.
func (c *Client) Slice(ctx context.Context, req SliceRequest) (*SliceResponse, error) {
	return query[SliceResponse](ctx, c, "/slice", &req, &req.Scope)
}

// Flows finds the paths of values from sources to sinks.
func (c *Client) Flows(ctx context.Context, req FlowsRequest) (*FlowsResponse, error) {
	return query[FlowsResponse](ctx, c, "/flows", &req, &req.Scope)
}

// Graph returns the part of the call graph around a symbol, or between two, to draw.
func (c *Client) Graph(ctx context.Context, req GraphRequest) (*GraphResponse, error) {
	return query[GraphResponse](ctx, c, "/graph", &req, &req.Scope)
}

// Map returns the tree of folders and files with the size of each.
func (c *Client) Map(ctx context.Context, req MapRequest) (*MapResponse, error) {
	return query[MapResponse](ctx, c, "/map", &req, &req.Scope)
}

// Structure lists files with their symbols.
func (c *Client) Structure(ctx context.Context, req StructureRequest) (*StructureResponse, error) {
	return query[StructureResponse](ctx, c, "/structure", &req, &req.Scope)
}

// Skeleton shows code without the bodies of its functions.
func (c *Client) Skeleton(ctx context.Context, req SkeletonRequest) (*SkeletonResponse, error) {
	return query[SkeletonResponse](ctx, c, "/skeleton", &req, &req.Scope)
}

// Extract takes out the definition of Target. For a whole file there is Outline.
func (c *Client) Extract(ctx context.Context, req ExtractRequest) (*ExtractedSymbol, error) {
	if req.Target == "" {
		return nil, errors.New("client: Extract takes a Target; Outline takes a File")
	}
	return query[ExtractedSymbol](ctx, c, "/extract", &req, &req.Scope)
}

// Outline lists the symbols and imports of File.
func (c *Client) Outline(ctx context.Context, req ExtractRequest) (*ExtractedFile, error) {
	if req.File == "" || req.Target != "" {
		return nil, errors.New("client: Outline takes a File and no Target")
	}
	return query[ExtractedFile](ctx, c, "/extract", &req, &req.Scope)
}

// Imports lists what files import, or who imports a module.
func (c *Client) Imports(ctx context.Context, req ImportsRequest) (*ImportsResponse, error) {
	return query[ImportsResponse](ctx, c, "/imports", &req, &req.Scope)
}

// Startup says what to know before a task.
func (c *Client) Startup(ctx context.Context, req StartupRequest) (*StartupResponse, error) {
	return query[StartupResponse](ctx, c, "/startup", &req, &req.Scope)
}

// Summarize says in few tokens what code or a text is about.
func (c *Client) Summarize(ctx context.Context, req SummarizeRequest) (*SummarizeResponse, error) {
	return query[SummarizeResponse](ctx, c, "/summarize", &req, &req.Scope)
}

// Search finds code. For several queries there is SearchAll.
func (c *Client) Search(ctx context.Context, req SearchRequest) (*SearchResponse, error) {
	if len(req.Queries) > 0 {
		return nil, errors.New("client: Search takes one query; SearchAll takes Queries")
	}
	return ask[SearchResponse](ctx, c, post("/search", c.aimed(req)))
}

// A shapedSearch asks for the answer that the Client decodes, also of a server that has
// taken the place of another program's.
type shapedSearch struct {
	SearchRequest
	Shape string `json:"shape"`
}

// SearchAll answers all Queries with one request; they share the filters, and
// each has the limit and the budget for itself.
func (c *Client) SearchAll(ctx context.Context, req SearchRequest) (*BatchResponse, error) {
	if len(req.Queries) == 0 || req.Query != "" {
		return nil, errors.New("client: SearchAll takes Queries in place of Query")
	}
	return ask[BatchResponse](ctx, c, post("/search", c.aimed(req)))
}

// aimed returns the request with what the options say.
func (c *Client) aimed(req SearchRequest) shapedSearch {
	req.Scope = c.among(req.Scope, req.Projects)
	return shapedSearch{req, "quarry"}
}

// among is within for a request that may name several projects: that of the options does not count then.
func (c *Client) among(s Scope, projects []string) Scope {
	project := s.Project
	if s = c.within(s); len(projects) > 0 {
		s.Project = project
	}
	return s
}

// Related finds the code that is most like the place at a line of a file.
func (c *Client) Related(ctx context.Context, req RelatedRequest) (*SearchResponse, error) {
	return query[SearchResponse](ctx, c, "/related", &req, &req.Scope)
}

// Tools lists the tools as functions that a model may call: what OpenAI's interface and those
// after it take as the field tools of a request.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	list, err := ask[[]Tool](ctx, c, get("/tools", nil))
	if err != nil {
		return nil, err
	}
	return *list, nil
}

// CallTool has a tool answer a call of a model, with the arguments as the model wrote them: a
// JSON object, or nothing. The data of the result are the fields of the answer; what the tool
// refuses is an *Error, whose message is for the model.
func (c *Client) CallTool(ctx context.Context, name string, arguments json.RawMessage) (*ToolResult, error) {
	k := call{method: http.MethodPost, path: "/tools/" + url.PathEscape(name), query: c.asker(Scope{})}
	text(k.query, "project", c.opt.Project)
	if len(arguments) > 0 {
		k.send = arguments
	}
	return ask[ToolResult](ctx, c, k)
}
