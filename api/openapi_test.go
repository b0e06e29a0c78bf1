package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry"
	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/web"
)

// A checker holds every exchange against the document.
type checker struct {
	t   testing.TB
	doc *openapi3.T

	lenient bool // what the server took is not held to the document, only what it answers
}

// load reads the document once; nothing changes it.
var load = sync.OnceValues(func() (*openapi3.T, error) { return openapi3.NewLoader().LoadFromData(quarry.OpenAPI) })

func newChecker(t testing.TB) *checker {
	t.Helper()
	doc, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return &checker{t: t, doc: doc}
}

// check compares one exchange with the document. A request that the server took
// must be one that the document allows; a response must always be.
func (c *checker) check(req *http.Request, reqBody []byte, resp *http.Response, respBody []byte) {
	c.t.Helper()
	what := req.Method + " " + req.URL.Path
	method := req.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path, params := c.route(req.URL)
	item := c.doc.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		c.checkProblem(what, req.Method == http.MethodHead, resp, respBody)
		return
	}
	// A request may have any Content-Type; the document's is the one it means.
	r := req.Clone(context.Background())
	r.Header.Set("Content-Type", "application/json")
	if in := item.GetOperation(method).RequestBody; in != nil && in.Value.Content["text/plain"] != nil && !bytes.HasPrefix(bytes.TrimSpace(reqBody), []byte("{")) {
		r.Header.Set("Content-Type", "text/plain")
	}
	r.Body = io.NopCloser(bytes.NewReader(reqBody))
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params,
		Route: &routers.Route{Spec: c.doc, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method)},
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, SkipSettingDefaults: true,
			ExcludeRequestBody: len(bytes.TrimSpace(reqBody)) == 0, ExcludeResponseBody: req.Method == http.MethodHead,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	}
	if resp.StatusCode < 400 && !c.lenient {
		if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
			c.t.Errorf("%s: the server took a request that is not documented: %v", what, err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header, Options: in.Options}
	if len(respBody) > 0 || resp.StatusCode != http.StatusNoContent {
		out.SetBodyBytes(respBody)
	}
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
		c.t.Errorf("%s: undocumented response: %v\n%s", what, err, respBody)
	}
}

// route returns the documented form of a path, and what stands for its parameters.
func (c *checker) route(u *url.URL) (path string, params map[string]string) {
	given := strings.Split(u.EscapedPath(), "/")
	for path := range c.doc.Paths.Map() {
		parts := strings.Split(path, "/")
		if len(parts) != len(given) || !strings.Contains(path, "{") {
			continue
		}
		params := map[string]string{}
		for i, part := range parts {
			if name, ok := strings.CutPrefix(part, "{"); ok {
				params[strings.TrimSuffix(name, "}")] = given[i]
				parts[i] = given[i]
			}
		}
		if slices.Equal(parts, given) {
			return path, params
		}
	}
	return u.Path, nil
}

// checkProblem is for paths and methods that the document does not have.
func (c *checker) checkProblem(what string, head bool, resp *http.Response, body []byte) {
	c.t.Helper()
	if resp.StatusCode < 400 {
		c.t.Errorf("%s: %s, but it is not documented", what, resp.Status)
	}
	if head {
		return
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		c.t.Errorf("%s: %v in %q", what, err, body)
	} else if err := c.doc.Components.Schemas["Problem"].Value.VisitJSON(v); err != nil {
		c.t.Errorf("%s: %v", what, err)
	}
}

// A reply is a response, read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte

	trailer http.Header // that follows the body
}

// decode reads the reply's body into v.
func (r reply) decode(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
}

// do gives a request to the handler and checks the exchange.
func (c *checker) do(h http.Handler, req *http.Request) reply {
	c.t.Helper()
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	resp := rec.Result()
	c.check(req, body, resp, rec.Body.Bytes())
	return reply{rec.Code, resp.Header, rec.Body.Bytes(), resp.Trailer}
}

// request makes a request as a local client sends it.
func request(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:3456"
	return r
}

func (c *checker) post(h http.Handler, target, body string) reply {
	c.t.Helper()
	return c.do(h, request(http.MethodPost, target, body))
}

func (c *checker) get(h http.Handler, target string) reply {
	c.t.Helper()
	return c.do(h, request(http.MethodGet, target, ""))
}

// A checkedTransport checks exchanges over a real connection.
type checkedTransport struct {
	*checker
	next http.RoundTripper
}

func (c checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	var reqBody []byte
	if req.Body != nil {
		reqBody, _ = io.ReadAll(req.Body)
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(reqBody))
	}
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	c.check(req, reqBody, resp, body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func TestDocument(t *testing.T) {
	c := newChecker(t)
	if err := c.doc.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	got := c.get(newServer(t, newFake(t), Options{}).Handler(), "/openapi.yaml")
	if !bytes.Equal(got.body, quarry.OpenAPI) || got.header.Get("Content-Type") != "application/yaml; charset=utf-8" {
		t.Errorf("served %d bytes of %s", len(got.body), got.header.Get("Content-Type"))
	}
}

// The routes and the document's operations are the same set.
func TestRoutesAreDocumented(t *testing.T) {
	var routes, documented = map[string]bool{}, map[string]bool{}
	err := chi.Walk(newServer(t, newFake(t), Options{}).router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if !strings.HasPrefix(route, web.Prefix) { // the page's own addresses
			routes[method+" "+route] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range newChecker(t).doc.Paths.Map() {
		for method := range item.Operations() {
			documented[method+" "+path] = true
		}
	}
	if diff := cmp.Diff(documented, routes); diff != "" {
		t.Errorf("documented (-) against routes (+):\n%s", diff)
	}
}

// TestEndpointsHaveCommands has every endpoint with a request be reached over the socket too.
func TestEndpointsHaveCommands(t *testing.T) {
	doc, err := load()
	if err != nil {
		t.Fatal(err)
	}
	reached := []string{"/handles", "/handles/{id}", "/verify"} // of the envelope's own line, and one that takes minutes
	for _, c := range command.All() {
		reached = append(reached, c.Endpoint)
	}
	for path := range doc.Paths.Map() {
		if wire.NewRequest(path) != nil && !slices.Contains(reached, path) {
			t.Errorf("no command of the socket asks %s", path)
		}
	}
}

// Every code that the server can give is documented, and every documented one
// has its status.
func TestCodesAreDocumented(t *testing.T) {
	var documented []any
	for _, e := range newChecker(t).doc.Components.Schemas["Problem"].Value.Properties["error"].Value.Enum {
		documented = append(documented, e)
		if status(e.(string)) == http.StatusInternalServerError && e != wire.CodeInternal {
			t.Errorf("%v has no status", e)
		}
	}
	codes := []any{wire.CodeInvalidRequest, wire.CodeInvalidPath, wire.CodeInvalidPattern, wire.CodeUnauthorized, wire.CodeForbiddenOrigin, wire.CodeForbiddenRoot, wire.CodePermissionDenied, wire.CodeNotFound, wire.CodeHandleExpired, wire.CodeMethodNotAllowed, wire.CodeWrongProject, wire.CodeElsewhere, wire.CodeNoVectors, wire.CodeNoReranker, wire.CodeNoFolder, wire.CodeUnsupportedLanguage, wire.CodeNoLLM, wire.CodeBinaryFile, wire.CodeFileTooLarge, wire.CodePayloadTooLarge, wire.CodeRateLimited, wire.CodeNoMemory, wire.CodeUnavailable, wire.CodeInternal, wire.CodeTimeout}
	if diff := cmp.Diff(documented, codes); diff != "" {
		t.Error(diff)
	}
}

// The examples in the document are valid by its own schemas; Validate checks
// those next to a schema. Here: the defaults that it quotes are the server's.
func TestDocumentedLimits(t *testing.T) {
	c := newChecker(t)
	var st wire.Status
	c.get(newServer(t, newFake(t), Options{Limits: Limits{Slots: 4, Heavy: 2}}).Handler(), "/status").decode(t, &st)
	text, err := json.Marshal(st.Limits)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	example := c.doc.Paths.Value("/status").Get.Responses.Status(200).Value.Content["application/json"].Example.(map[string]any)
	want, err := json.Marshal(example["limits"])
	if err != nil {
		t.Fatal(err)
	}
	var wantAny any
	if err := json.Unmarshal(want, &wantAny); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantAny, got); diff != "" {
		t.Error(diff)
	}
}
