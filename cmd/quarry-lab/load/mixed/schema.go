package mixed

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// schemaEvery says which answers are compared with openapi.yaml: one of so many.
const schemaEvery = 20

// loadSchema reads the description that the server gives of itself.
func (m *mixed) loadSchema(ctx context.Context) error {
	r, err := m.ask(ctx, http.DefaultClient, fetch("", "/openapi.yaml", nil, nil))
	if err != nil {
		return err
	}
	m.doc, err = openapi3.NewLoader().LoadFromData(r.body)
	return err
}

// schema compares some of the answers with what openapi.yaml says of them.
func (m *mixed) schema(q question, r *reply) []string {
	m.mu.Lock()
	m.answers++
	skip := m.answers%schemaEvery != 0
	m.mu.Unlock()
	if skip || m.doc == nil {
		return nil
	}
	u, err := url.Parse(m.URL + q.path)
	if err != nil {
		return []string{err.Error()}
	}
	path, params := u.Path, map[string]string{}
	if id, ok := strings.CutPrefix(path, "/handles/"); ok {
		path, params["id"] = "/handles/{id}", id
	}
	item := m.doc.Paths.Value(path)
	if item == nil || item.GetOperation(q.method) == nil {
		return nil // it was refused for that
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: r.code == http.StatusNotModified, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request:    &http.Request{Method: q.method, URL: u, Header: http.Header{}},
			PathParams: params,
			Route:      &routers.Route{Spec: m.doc, Path: path, PathItem: item, Method: q.method, Operation: item.GetOperation(q.method)},
			Options:    options,
		},
		Status: r.code, Header: r.header, Options: options,
	}
	out.SetBodyBytes(bytes.Clone(r.body))
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
		return []string{fmt.Sprintf("openapi.yaml: %v", err)}
	}
	return nil
}
