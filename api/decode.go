package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/text"
)

// A decoder holds the fields of a request, from its body or its query string,
// and the first thing found wrong with them. Its methods return a field in the
// form asked for, or the default when the field is absent or null.
type decoder struct {
	fields   map[string]any      // string, json.Number, bool, nil, []any or map[string]any
	repeated map[string][]string // fields of a query string that are there more than once
	clamped  []string            // fields whose value was lowered to the maximum
	session  string              // who asks, as is agent; "": nobody says
	agent    string
	readable bool     // the endpoint's answers can be had as text
	overlay  *overlay // nil: none
	class    class    // of the slot that it needs; "": cheap
	farther  bool     // where there are many files, that is heavy
	err      error
}

// decode reads a request's fields, and who asks.
func (s *Server) decode(w http.ResponseWriter, r *http.Request) *decoder {
	d := s.decodeFields(w, r)
	d.identify(r.Header)
	if d.readable = text.Readable(endpoint(r)); d.readable {
		w.Header().Add("Vary", "Accept")
		formOf(r).choose(d, r)
	}
	return d
}

// decodeFields reads a request's fields. The body is taken for JSON whatever its
// Content-Type: curl says form data when it is told nothing.
func (s *Server) decodeFields(w http.ResponseWriter, r *http.Request) *decoder {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return decodeQuery(r.URL.RawQuery)
	}
	body, err := s.readBody(w, r)
	if err != nil {
		return &decoder{err: err}
	}
	return decodeJSON(body)
}

// readBody reads a request's body within its limits.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	// A client that sends its header and no body must not hold a goroutine for
	// ever. Where there is no connection (in a test), there is no deadline.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(s.limits.BodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
	}
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &tooLarge):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, problemf(codeInvalidRequest, "the body did not arrive within %v", s.limits.BodyTimeout)
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	}
	return nil, problemf(codeInvalidRequest, "the body ended early")
}

// decodeJSON decodes an object. An empty body has no fields.
func decodeJSON(body []byte) *decoder {
	if len(bytes.TrimSpace(body)) == 0 {
		return &decoder{}
	}
	d := new(decoder)
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	err := dec.Decode(&d.fields) // refuses more than 10,000 levels
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		d.err = problemf(codeInvalidRequest, "the body is not JSON: %v at byte %d", err, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.err = problemf(codeInvalidRequest, "the body is not JSON: it ends early")
	case errors.As(err, &kind), err == nil && d.fields == nil:
		d.err = problemf(codeInvalidRequest, "the body must be a JSON object")
	case err != nil:
		d.err = problemf(codeInvalidRequest, "the body is not JSON: %v", err)
	}
	if d.err == nil {
		if _, err := dec.Token(); err != io.EOF {
			d.err = problemf(codeInvalidRequest, "the body has more than one JSON value")
		}
	}
	return d
}

// decodeQuery decodes a query string. A field that is given twice is a list; where
// none is wanted, the first counts.
func decodeQuery(raw string) *decoder {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return &decoder{err: problemf(codeInvalidRequest, "the query string is malformed")}
	}
	d := &decoder{fields: make(map[string]any, len(values)), repeated: map[string][]string{}}
	for name, v := range values {
		for i := range v {
			v[i] = strings.ToValidUTF8(v[i], "\uFFFD") // as in JSON
		}
		d.fields[name] = v[0]
		if len(v) > 1 {
			d.repeated[name] = v
		}
	}
	return d
}

func (d *decoder) failf(format string, args ...any) {
	if d.err == nil {
		d.err = problemf(codeInvalidRequest, format, args...)
	}
}

func (d *decoder) has(name string) bool { return d.fields[name] != nil }

// text returns a string of at most max bytes.
func (d *decoder) text(name string, max int) string {
	v, ok := d.fields[name].(string)
	switch {
	case !ok && d.has(name):
		d.failf("%s must be a string", name)
	case len(v) > max:
		d.failf("%s is longer than %d bytes", name, max)
	}
	return v
}

// texts returns a list of strings; a string alone is a list of one.
func (d *decoder) texts(name string, max int) []string {
	if list := d.repeated[name]; list != nil {
		for _, v := range list {
			if len(v) > max {
				d.failf("%s must be a list of strings of at most %d bytes", name, max)
				return nil
			}
		}
		return list
	}
	switch v := d.fields[name].(type) {
	case nil:
		return nil
	case string:
		return []string{d.text(name, max)}
	case []any:
		list := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok || len(s) > max {
				break
			}
			list = append(list, s)
		}
		if len(list) == len(v) {
			return list
		}
	}
	d.failf("%s must be a list of strings of at most %d bytes", name, max)
	return nil
}

// few is texts for a filter: of at most maxList strings, none of them empty. An
// empty string alone is no filter, and so is an empty list.
func (d *decoder) few(name string, max int) []string {
	if d.fields[name] == "" && d.repeated[name] == nil {
		return nil
	}
	list := d.texts(name, max)
	if len(list) > maxList {
		d.failf("%s has more than %d elements", name, maxList)
	}
	if slices.Contains(list, "") {
		d.failf("%s has an empty string", name)
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// someOf is few for strings that are among the choices.
func (d *decoder) someOf(name string, choices ...string) []string {
	list := d.few(name, maxName)
	for _, v := range list {
		if !slices.Contains(choices, v) {
			d.failf("%s has %q, which is none of %s", name, v, strings.Join(choices, ", "))
		}
	}
	return list
}

// oneOf returns a string that is one of the choices.
func (d *decoder) oneOf(name string, choices ...string) string {
	v, ok := d.fields[name].(string)
	if d.has(name) && (!ok || !slices.Contains(choices, v)) {
		d.failf("%s must be one of %s", name, strings.Join(choices, ", "))
	}
	return v
}

// flag returns a boolean, which may be the string "true" or "false".
func (d *decoder) flag(name string) bool {
	switch v := d.fields[name].(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		if v == "true" || v == "false" {
			return v == "true"
		}
	}
	d.failf("%s must be true or false", name)
	return false
}

// jsonNumber is JSON's form of a number; strconv accepts more.
var jsonNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// number returns a finite number, which may be a string in JSON's form.
func (d *decoder) number(name string) (v float64, ok bool) {
	var text string
	switch v := d.fields[name].(type) {
	case json.Number:
		text = string(v)
	case string:
		text = v
	}
	if !jsonNumber.MatchString(text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// count returns a whole number from low up. One above high is lowered to high,
// and the field is noted in clamped.
func (d *decoder) count(name string, low, def, high int) int {
	if !d.has(name) {
		return def
	}
	v, ok := d.number(name)
	if !ok || v < float64(low) || v != math.Trunc(v) {
		d.failf("%s must be a whole number from %d to %d", name, low, high)
		return def
	}
	if v > float64(high) {
		d.clamped = append(d.clamped, name)
		return high
	}
	return int(v)
}

// fraction returns a number from 0 to 1.
func (d *decoder) fraction(name string) float64 {
	if !d.has(name) {
		return 0
	}
	v, ok := d.number(name)
	if !ok || v < 0 || v > 1 {
		d.failf("%s must be a number from 0 to 1", name)
		return 0
	}
	return v
}
