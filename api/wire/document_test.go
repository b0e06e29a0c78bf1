package wire

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// An operation is an endpoint with a method: what is sent, and what it gives.
type operation struct {
	send any   // its body; nil: none
	get  []any // its answers; nil: none
}

// operations are those of openapi.yaml with structs of their own.
var operations = map[string]operation{
	"POST /search":            {SearchRequest{}, []any{SearchResponse{}, BatchResponse{}}},
	"POST /related":           {RelatedRequest{}, []any{SearchResponse{}}},
	"POST /structure":         {StructureRequest{}, []any{StructureResponse{}}},
	"POST /skeleton":          {SkeletonRequest{}, []any{SkeletonResponse{}}},
	"POST /extract":           {ExtractRequest{}, []any{ExtractedSymbol{}, ExtractedFile{}}},
	"POST /imports":           {ImportsRequest{}, []any{ImportsResponse{}}},
	"POST /arch":              {ArchRequest{}, []any{ArchResponse{}}},
	"POST /calls":             {CallsRequest{}, []any{CallsResponse{}}},
	"POST /impact":            {ImpactRequest{}, []any{ImpactResponse{}}},
	"POST /dead":              {DeadRequest{}, []any{DeadResponse{}}},
	"POST /definition":        {DefinitionRequest{}, []any{DefinitionResponse{}}},
	"POST /cfg":               {ControlRequest{}, []any{ControlResponse{}}},
	"POST /dfg":               {DataRequest{}, []any{DataResponse{}}},
	"POST /diagnostics":       {DiagnosticsRequest{}, []any{DiagnosticsResponse{}}},
	"POST /slice":             {SliceRequest{}, []any{SliceResponse{}}},
	"POST /graph":             {GraphRequest{}, []any{GraphResponse{}}},
	"POST /map":               {MapRequest{}, []any{MapResponse{}}},
	"POST /flows":             {FlowsRequest{}, []any{FlowsResponse{}}},
	"POST /references":        {ReferencesRequest{}, []any{ReferencesResponse{}}},
	"POST /context":           {ContextRequest{}, []any{ContextResponse{}}},
	"POST /trace":             {TraceRequest{}, []any{TraceResponse{}}},
	"POST /startup":           {StartupRequest{}, []any{StartupResponse{}}},
	"POST /summarize":         {SummarizeRequest{}, []any{SummarizeResponse{}}},
	"POST /grep":              {GrepRequest{}, []any{GrepResponse{}}},
	"POST /cat":               {CatRequest{}, []any{CatResponse{}}},
	"POST /find":              {FindRequest{}, []any{FindResponse{}}},
	"GET /handles":            {nil, []any{HandlesResponse{}}},
	"GET /handles/{id}":       {nil, []any{HandleResponse{}}},
	"POST /invalidate":        {InvalidateRequest{}, []any{Invalidated{}}},
	"POST /reindex":           {ReindexRequest{}, []any{Reindexed{}}},
	"GET /projects":           {nil, []any{ProjectList{}}},
	"POST /projects":          {AddProjectRequest{}, []any{ProjectInfo{}}},
	"DELETE /projects/{name}": {},
	"POST /verify":            {VerifyRequest{}, []any{Verification{}}},
	"GET /events":             {}, // its events are compared below
	"GET /health":             {nil, []any{Health{}}},
	"GET /ready":              {nil, []any{Ready{}}},
	"GET /status":             {nil, []any{Status{}}},
	"GET /coach/report":       {nil, []any{CoachReport{}}},
	"GET /version":            {nil, []any{Version{}}},
	"GET /tools":              {nil, []any{[]Tool{}}},
	"POST /tools/{name}":      {nil, []any{ToolResult{}}},
}

// leftOut are operations that have none here, and why.
var leftOut = map[string]string{
	"GET /metrics":      "for Prometheus",
	"GET /":             "for browsers",
	"GET /openapi.yaml": "for tools",
	"POST /rpc":         "for the relay",
	"POST /relay":       "for the relay",
	"POST /mcp":         "for MCP's clients",
}

// unsent are the fields that no request here has: forms of answers.
var unsent = map[string][]string{
	"/search": {"format", "shape"},
	"/grep":   {"format", "raw", "base"}, "/cat": {"format", "raw", "base"}, "/find": {"format", "raw", "base"},
	"/arch": {"format"}, "/skeleton": {"format"}, "/extract": {"format"}, "/calls": {"format"}, "/impact": {"format"}, "/references": {"format"}, "/context": {"format"},
	"/dead": {"format"}, "/definition": {"format"}, "/cfg": {"format"}, "/dfg": {"format"}, "/diagnostics": {"format"}, "/slice": {"format"}, "/flows": {"format"}, "/graph": {"format"}, "/map": {"format"}, "/trace": {"format"}, "/startup": {"format"}, "/imports": {"format"}, "/related": {"format"}, "/structure": {"format"}, "/summarize": {"format"},
}

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestTypesAreDocumented holds the types to openapi.yaml, in both directions: who
// adds a field or an endpoint there adds it here.
func TestTypesAreDocumented(t *testing.T) {
	doc := document(t)
	c := comparison{t, map[reflect.Type]*openapi3.Schema{}}
	seen := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			seen[name] = true
			if method == "GET" && item.Post != nil && path != "/projects" || leftOut[name] != "" {
				continue // the same, for a URL
			}
			o, ok := operations[name]
			if !ok {
				t.Errorf("there is no struct for %s", name)
				continue
			}
			if o.send != nil {
				c.compare(name, reflect.TypeOf(o.send), bodyOf(op.RequestBody.Value.Content), unsent[path], true)
			}
			answers := answersOf(op)
			if len(answers) != len(o.get) {
				t.Errorf("%s has %d kinds of answers, and %d structs", name, len(answers), len(o.get))
				continue
			}
			for i, s := range answers {
				c.compare(name, reflect.TypeOf(o.get[i]), s, nil, false)
			}
		}
	}
	for name := range operations {
		if !seen[name] {
			t.Errorf("there is a struct for %s, which openapi.yaml does not have", name)
		}
	}
	for name := range leftOut {
		if !seen[name] {
			t.Errorf("%s is left out, which openapi.yaml does not have", name)
		}
	}
	c.compare("an event", reflect.TypeFor[Event](), doc.Components.Schemas["Event"].Value, nil, false)
}

func bodyOf(content openapi3.Content) *openapi3.Schema {
	if m := content.Get("application/json"); m != nil && m.Schema != nil {
		return m.Schema.Value
	}
	return nil
}

// otherShapes are forms of an answer for other programs' clients.
var otherShapes = []string{"#/components/schemas/OsgrepResponse"}

// answersOf returns the different schemas of the successful answers in JSON.
func answersOf(op *openapi3.Operation) []*openapi3.Schema {
	var all []*openapi3.Schema
	for _, status := range slices.Sorted(maps.Keys(op.Responses.Map())) {
		s := bodyOf(op.Responses.Value(status).Value.Content)
		switch {
		case status[0] != '2' || s == nil:
		case s.OneOf != nil || s.AnyOf != nil:
			for _, one := range append(s.OneOf, s.AnyOf...) {
				if !slices.Contains(otherShapes, one.Ref) {
					all = append(all, one.Value)
				}
			}
		case !slices.Contains(all, s):
			all = append(all, s)
		}
	}
	return all
}

// A comparison is of Go types with schemas; each pair is compared once.
type comparison struct {
	t    *testing.T
	done map[reflect.Type]*openapi3.Schema
}

// compare holds a type to a schema, and the types of its fields to those of its
// properties. A request may lack the fields named in without, and its optional
// fields must be left out when they are zero.
func (c comparison) compare(where string, typ reflect.Type, s *openapi3.Schema, without []string, request bool) {
	c.t.Helper()
	s = plain(s)
	switch {
	case typ.Kind() == reflect.Interface && s.Type == nil && !request: // anything
		return
	case typ.Kind() == reflect.Pointer:
		c.compare(where, typ.Elem(), s, without, request)
		return
	case request && len(s.OneOf) > 0:
		c.choice(where, typ, s.OneOf)
		return
	case request && (s.Type == nil || len(s.AnyOf) > 0 && !s.Type.Is("object")):
		c.kind(where, typ, reflect.String) // ids, which may be anything
		return
	}
	switch {
	case s.Type.Is("string") && s.Format == "date-time":
		if typ != reflect.TypeFor[time.Time]() {
			c.t.Errorf("%s is a time, and %s here", where, typ)
		}
	case s.Type.Is("string"):
		c.kind(where, typ, reflect.String)
	case s.Type.Is("boolean"):
		c.kind(where, typ, reflect.Bool)
	case s.Type.Is("integer"):
		c.kind(where, typ, reflect.Int, reflect.Int64, reflect.Uint64)
	case s.Type.Is("number"):
		c.kind(where, typ, reflect.Float64)
	case s.Type.Is("array"):
		if c.kind(where, typ, reflect.Slice) {
			c.compare(where+"[]", typ.Elem(), s.Items.Value, nil, request)
		}
	case s.Type.Is("object") && len(s.Properties) == 0:
		if c.kind(where, typ, reflect.Map) && s.AdditionalProperties.Schema != nil {
			c.compare(where+"[]", typ.Elem(), s.AdditionalProperties.Schema.Value, nil, request)
		}
	case s.Type.Is("object"):
		if c.kind(where, typ, reflect.Struct) && c.done[typ] != s {
			c.done[typ] = s
			c.fields(where, typ, s, without, request)
		}
	default:
		c.t.Errorf("%s: the test does not know the type %v", where, s.Type)
	}
}

// choice holds a field of a request to the forms that it may have: here lists are lists, and
// numbers and flags such.
func (c comparison) choice(where string, typ reflect.Type, forms openapi3.SchemaRefs) {
	c.t.Helper()
	for _, f := range forms {
		if f.Value.Type.Is("string") && typ.Kind() != reflect.String {
			continue
		}
		c.compare(where, typ, f.Value, nil, true)
		return
	}
	c.t.Errorf("%s: the test does not know the form", where)
}

func (c comparison) kind(where string, typ reflect.Type, want ...reflect.Kind) bool {
	c.t.Helper()
	if !slices.Contains(want, typ.Kind()) {
		c.t.Errorf("%s is %v, and %s here", where, want[0], typ)
		return false
	}
	return true
}

func (c comparison) fields(where string, typ reflect.Type, s *openapi3.Schema, without []string, request bool) {
	c.t.Helper()
	have := map[string]bool{}
	for _, f := range reflect.VisibleFields(typ) {
		name, rest, tagged := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" {
			continue
		}
		have[name] = true
		p := s.Properties[name]
		if p == nil {
			c.t.Errorf("%s.%s (%s.%s) is not in openapi.yaml", where, name, typ, f.Name)
			continue
		}
		if optional := !slices.Contains(s.Required, name); optional != tagged || tagged && rest != "omitempty" && rest != "omitzero" {
			c.t.Errorf("%s.%s is optional: %v; the tag of %s.%s is %q", where, name, optional, typ, f.Name, f.Tag)
		}
		c.compare(where+"."+name, f.Type, p.Value, nil, request)
		if request {
			c.limits(where+"."+name, f.Tag, p.Value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		switch left := slices.Contains(without, name); {
		case !have[name] && !left:
			c.t.Errorf("%s lacks %s, which openapi.yaml has", typ, name)
		case have[name] && left:
			c.t.Errorf("%s has %s, which the test says it lacks", typ, name)
		}
	}
	for _, name := range without {
		if s.Properties[name] == nil {
			c.t.Errorf("the test says that %s lacks %s, which openapi.yaml does not have", typ, name)
		}
	}
}

// bounds are the values of the names that tags use, where nothing else is configured.
var bounds = map[string]string{"query": "8192", "timeout": "30000", "results": "100", "text": "65536"}

// limits holds the tags of a request's field to what is said of it: the longest text and the
// words as such, the default and the maximum of a number in its description.
func (c comparison) limits(where string, tag reflect.StructTag, s *openapi3.Schema) {
	c.t.Helper()
	bound := func(name string) string {
		text := tag.Get(name)
		if known, ok := bounds[text]; ok {
			return known
		}
		return text
	}
	about := s.Description
	s = plain(s)
	longest := bound("max")
	if _, ok := tag.Lookup("target"); ok {
		longest = "4352"
	}
	if s.Type.Is("string") && s.MaxLength != nil && longest != "" && longest != "body" && fmt.Sprint(*s.MaxLength) != longest {
		c.t.Errorf("%s has at most %d characters, and %s here", where, *s.MaxLength, longest)
	}
	if words := strings.Fields(tag.Get("of")); len(s.Enum) > 0 && len(words) > 1 {
		var documented []string
		for _, w := range s.Enum {
			if w != nil && w != "" {
				documented = append(documented, w.(string))
			}
		}
		if diff := cmp.Diff(documented, words); diff != "" {
			c.t.Errorf("words of %s (-openapi.yaml +wire):\n%s", where, diff)
		}
	}
	if _, number := tag.Lookup("min"); !number || about == "" {
		return
	}
	if def := bound("default"); def != "" && strings.Contains(about, "by default") && !strings.Contains(about, "by default "+def) && !strings.Contains(about, "by default and at most "+def) {
		c.t.Errorf("%s is by default %s here, and is documented so: %s", where, def, about)
	}
	if most := bound("max"); strings.Contains(about, "lowered") && !strings.Contains(about, "ore than "+most) && !strings.Contains(about, "more is lowered") {
		c.t.Errorf("%s is at most %s here, and is documented so: %s", where, most, about)
	}
}

// plain returns what a schema says that only adds a description to another.
func plain(s *openapi3.Schema) *openapi3.Schema {
	for len(s.AllOf) == 1 && s.Type == nil {
		s = s.AllOf[0].Value
	}
	return s
}

// TestAnswers: an answer that came over a connection gets the struct that it was made of.
func TestAnswers(t *testing.T) {
	none := []string{"/invalidate", "/reindex", "/projects", "/verify", "/tools/{name}"} // nobody hands them on
	for name, o := range operations {
		path, posted := strings.CutPrefix(name, "POST ")
		if !posted || slices.Contains(none, path) {
			continue
		}
		if got := NewAnswer(path); got == nil || reflect.TypeOf(got).Elem() != reflect.TypeOf(o.get[0]) {
			t.Errorf("the answer of %s is a %T, not a %T", path, got, o.get[0])
		}
	}
}

// TestWordsAreDocumented holds the constants to the words of openapi.yaml.
func TestWordsAreDocumented(t *testing.T) {
	doc := document(t)
	schemas := doc.Components.Schemas
	for name, c := range map[string]struct {
		schema *openapi3.Schema
		have   []any
	}{
		"Mode":       {schemas["Mode"].Value, words(ModeHybrid, ModeSemantic, ModeLexical, ModeSymbol, ModeRegex)},
		"Role":       {schemas["Role"].Value, words(RoleDefinition, RoleTest, RoleConfig)},
		"Direction":  {schemas["Direction"].Value, words(Callees, Callers, Both, ReferencesTo)},
		"Confidence": {schemas["Confidence"].Value, words(ConfidenceExact, ConfidenceScoped, ConfidenceName)},
		"State":      {schemas["State"].Value, words(StateIndexing, StateReady, StateStale, StateError)},
		"Freshness":  {schemas["Freshness"].Value, words(FreshnessFresh, FreshnessStale, FreshnessUnknown)},
		"Code": {schemas["Problem"].Value.Properties["error"].Value, words(CodeInvalidRequest, CodeInvalidPath, CodeInvalidPattern,
			CodeUnauthorized, CodeForbiddenOrigin, CodeForbiddenRoot, CodePermissionDenied, CodeNotFound, CodeHandleExpired, CodeMethodNotAllowed,
			CodeWrongProject, CodeElsewhere, CodeNoVectors, CodeNoReranker, CodeNoFolder, CodeUnsupportedLanguage, CodeNoLLM, CodeBinaryFile, CodeFileTooLarge, CodePayloadTooLarge,
			CodeRateLimited, CodeNoMemory, CodeUnavailable, CodeInternal, CodeTimeout)},
	} {
		if diff := cmp.Diff(c.schema.Enum, c.have); diff != "" {
			t.Errorf("%s (-openapi.yaml +wire):\n%s", name, diff)
		}
	}
}

// words returns constants as the document has them.
func words[S ~string](all ...S) []any {
	var list []any
	for _, w := range all {
		list = append(list, string(w))
	}
	return list
}
