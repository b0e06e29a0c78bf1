package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// NewRequest returns a pointer to an empty request of an endpoint, such as "/calls"; nil for one
// whose fields are not those of a struct here.
func NewRequest(endpoint string) any {
	switch endpoint {
	case "/search":
		return new(SearchRequest)
	case "/related":
		return new(RelatedRequest)
	case "/structure":
		return new(StructureRequest)
	case "/skeleton":
		return new(SkeletonRequest)
	case "/extract":
		return new(ExtractRequest)
	case "/dead":
		return new(DeadRequest)
	case "/definition":
		return new(DefinitionRequest)
	case "/imports":
		return new(ImportsRequest)
	case "/arch":
		return new(ArchRequest)
	case "/calls":
		return new(CallsRequest)
	case "/impact":
		return new(ImpactRequest)
	case "/references":
		return new(ReferencesRequest)
	case "/cfg":
		return new(ControlRequest)
	case "/dfg":
		return new(DataRequest)
	case "/diagnostics":
		return new(DiagnosticsRequest)
	case "/slice":
		return new(SliceRequest)
	case "/flows":
		return new(FlowsRequest)
	case "/graph":
		return new(GraphRequest)
	case "/map":
		return new(MapRequest)
	case "/context":
		return new(ContextRequest)
	case "/trace":
		return new(TraceRequest)
	case "/startup":
		return new(StartupRequest)
	case "/summarize":
		return new(SummarizeRequest)
	case "/grep":
		return new(GrepRequest)
	case "/cat":
		return new(CatRequest)
	case "/find":
		return new(FindRequest)
	case "/handles":
		return new(HandlesRequest)
	case "/handles/{id}":
		return new(HandleRequest)
	case "/invalidate":
		return new(InvalidateRequest)
	case "/reindex":
		return new(ReindexRequest)
	case "/verify":
		return new(VerifyRequest)
	case "/status":
		return new(StatusRequest)
	}
	return nil
}

// NewAnswer returns a pointer to an empty answer of an endpoint, such as "/calls"; nil for one
// that has none here. Those of /search and /extract have two shapes; see Decode.
func NewAnswer(endpoint string) any {
	switch endpoint {
	case "/search", "/related":
		return new(SearchResponse)
	case "/structure":
		return new(StructureResponse)
	case "/skeleton":
		return new(SkeletonResponse)
	case "/extract":
		return new(ExtractedSymbol)
	case "/imports":
		return new(ImportsResponse)
	case "/arch":
		return new(ArchResponse)
	case "/dead":
		return new(DeadResponse)
	case "/definition":
		return new(DefinitionResponse)
	case "/cfg":
		return new(ControlResponse)
	case "/dfg":
		return new(DataResponse)
	case "/diagnostics":
		return new(DiagnosticsResponse)
	case "/slice":
		return new(SliceResponse)
	case "/flows":
		return new(FlowsResponse)
	case "/graph":
		return new(GraphResponse)
	case "/map":
		return new(MapResponse)
	case "/calls":
		return new(CallsResponse)
	case "/impact":
		return new(ImpactResponse)
	case "/references":
		return new(ReferencesResponse)
	case "/context":
		return new(ContextResponse)
	case "/trace":
		return new(TraceResponse)
	case "/startup":
		return new(StartupResponse)
	case "/summarize":
		return new(SummarizeResponse)
	case "/grep":
		return new(GrepResponse)
	case "/cat":
		return new(CatResponse)
	case "/find":
		return new(FindResponse)
	case "/handles/{id}":
		return new(HandleResponse)
	case "/status":
		return new(Status)
	case "/ready":
		return new(Ready)
	case "/health":
		return new(Health)
	case "/relay":
		return new(RelayResponse)
	}
	return nil
}

// Decode reads the answer of an endpoint that came over a connection: a pointer to its struct.
func Decode(endpoint string, body []byte) (any, error) {
	answer := NewAnswer(endpoint)
	var shape struct {
		Answers json.RawMessage `json:"answers"`
		Symbols json.RawMessage `json:"symbols"`
	}
	if endpoint == "/search" || endpoint == "/extract" {
		if err := json.Unmarshal(body, &shape); err != nil {
			return nil, fmt.Errorf("the answer of %s: %w", endpoint, err)
		}
	}
	switch {
	case endpoint == "/search" && shape.Answers != nil:
		answer = new(BatchResponse)
	case endpoint == "/extract" && shape.Symbols != nil:
		answer = new(ExtractedFile)
	case answer == nil:
		answer = new(any)
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return nil, fmt.Errorf("the answer of %s: %w", endpoint, err)
	}
	return answer, nil
}

// A Problem is what an endpoint says where it has no answer: a code, and a sentence for
// whoever has asked. All transports hand it on as it is.
type Problem struct {
	Code      string `json:"error"`
	Message   string `json:"message"`
	RequestID string `json:"request_id"`
}

// Error returns the sentence.
func (p *Problem) Error() string { return p.Message }

// Problemf returns a Problem as an error.
func Problemf(code, format string, args ...any) error {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// encoded returns JSON as the server writes it: what is in it is code, not a page.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
