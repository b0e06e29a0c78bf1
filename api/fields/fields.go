// Package fields reads the fields of a request into a struct of api/wire, as the struct's
// tags say, whatever way they came: as a JSON object, as a query string, or as the
// parameters of a command. What is wrong is said in one sentence, of the first field that is
// wrong.
//
// Numbers and booleans may be strings, fields that a request does not have are named in
// Ignored, and a number above its maximum is lowered to it and named in Clamped.
package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// Bounds that are not worth a setting.
const (
	MaxPath = 4096 // bytes, as Linux has it
	MaxName = 256  // bytes of a language, a symbol, a glob or a kind
	MaxList = 32   // elements of a filter
	MaxID   = 128  // bytes of a session's or an agent's id

	maxTarget = MaxPath + MaxName // a path and a name
)

// A Fields holds the fields of a request and the first thing found wrong with them. Its
// methods return a field in the form asked for, or the default when the field is absent or
// null.
type Fields struct {
	Values   map[string]any      // string, json.Number, bool, nil, []any or map[string]any; int, float64 and []string of a program in this process
	Repeated map[string][]string // fields of a query string that are there more than once
	Clamped  []string            // fields whose value was lowered to the maximum
	Ignored  []string            // fields that the request does not have, sorted
	Err      error

	given map[string]string // under which other name a field came
}

// New returns the fields of a command.
func New(values map[string]any) *Fields { return &Fields{Values: values} }

// JSON returns the fields of an object. An empty body has no fields.
func JSON(body []byte) *Fields {
	if len(bytes.TrimSpace(body)) == 0 {
		return &Fields{}
	}
	d := new(Fields)
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	err := dec.Decode(&d.Values) // refuses more than 10,000 levels
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		d.Err = wire.Problemf(wire.CodeInvalidRequest, "the body is not JSON: %v at byte %d", err, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.Err = wire.Problemf(wire.CodeInvalidRequest, "the body is not JSON: it ends early")
	case errors.As(err, &kind), err == nil && d.Values == nil:
		d.Err = wire.Problemf(wire.CodeInvalidRequest, "the body must be a JSON object")
	case err != nil:
		d.Err = wire.Problemf(wire.CodeInvalidRequest, "the body is not JSON: %v", err)
	}
	if d.Err == nil {
		if _, err := dec.Token(); err != io.EOF {
			d.Err = wire.Problemf(wire.CodeInvalidRequest, "the body has more than one JSON value")
		}
	}
	return d
}

// Query returns the fields of a query string. A field that is given twice is a list; where
// none is wanted, the first counts.
func Query(raw string) *Fields {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return &Fields{Err: wire.Problemf(wire.CodeInvalidRequest, "the query string is malformed")}
	}
	d := &Fields{Values: make(map[string]any, len(values)), Repeated: map[string][]string{}}
	for name, v := range values {
		for i := range v {
			v[i] = strings.ToValidUTF8(v[i], "\uFFFD") // as in JSON
		}
		d.Values[name] = v[0]
		if len(v) > 1 {
			d.Repeated[name] = v
		}
	}
	return d
}

// Failf notes that something is wrong, if nothing was before.
func (d *Fields) Failf(format string, args ...any) {
	if d.Err == nil {
		d.Err = wire.Problemf(wire.CodeInvalidRequest, format, args...)
	}
}

// Has reports whether there is a field that is not null.
func (d *Fields) Has(name string) bool { return d.Values[name] != nil }

// Text returns a string of at most max bytes.
func (d *Fields) Text(name string, max int) string {
	v, ok := d.Values[name].(string)
	switch {
	case !ok && d.Has(name):
		d.Failf("%s must be a string", d.called(name))
	case len(v) > max:
		d.Failf("%s is longer than %d bytes", d.called(name), max)
	}
	return v
}

// Texts returns a list of strings; a string alone is a list of one.
func (d *Fields) Texts(name string, max int) []string {
	if list := d.Repeated[name]; list != nil {
		for _, v := range list {
			if len(v) > max {
				d.Failf("%s must be a list of strings of at most %d bytes", d.called(name), max)
				return nil
			}
		}
		return list
	}
	switch v := d.Values[name].(type) {
	case nil:
		return nil
	case string:
		return []string{d.Text(name, max)}
	case []string: // of a program in this process
		return v
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
	d.Failf("%s must be a list of strings of at most %d bytes", d.called(name), max)
	return nil
}

// few is Texts for a filter: of at most MaxList strings, none of them empty. An
// empty string alone is no filter, and so is an empty list.
func (d *Fields) few(name string, max int) []string {
	if d.Values[name] == "" && d.Repeated[name] == nil {
		return nil
	}
	list := d.Texts(name, max)
	if len(list) > MaxList {
		d.Failf("%s has more than %d elements", d.called(name), MaxList)
	}
	if slices.Contains(list, "") {
		d.Failf("%s has an empty string", d.called(name))
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// someOf is few for strings that are among the choices; with fold, in any case.
func (d *Fields) someOf(name string, fold bool, choices ...string) []string {
	list := slices.Clone(d.few(name, MaxName))
	for i, v := range list {
		if fold {
			list[i] = strings.ToLower(v)
		}
		if slices.Contains(choices, list[i]) {
			continue
		}
		near := Nearest(v, choices)
		if near != "" {
			near = "; did you mean " + near + "?"
		}
		d.Failf("%s has %q, which is none of %s%s", d.called(name), v, strings.Join(choices, ", "), near)
	}
	return list
}

// OneOf returns a string that is one of the choices.
func (d *Fields) OneOf(name string, choices ...string) string {
	v, ok := d.Values[name].(string)
	if d.Has(name) && (!ok || !slices.Contains(choices, v)) {
		d.Failf("%s must be one of %s", d.called(name), strings.Join(choices, ", "))
	}
	return v
}

// Flag returns a boolean, which may be the string "true" or "false".
func (d *Fields) Flag(name string) bool {
	switch v := d.Values[name].(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		if v == "true" || v == "false" {
			return v == "true"
		}
	}
	d.Failf("%s must be true or false", d.called(name))
	return false
}

// flagOr returns "true" or "" for a boolean as Flag has it, or one of some words.
func (d *Fields) flagOr(name string, words ...string) string {
	if v, _ := d.Values[name].(string); slices.Contains(words, v) {
		return v
	}
	switch d.Values[name] {
	case nil, false, "false":
		return ""
	case true, "true":
		return "true"
	}
	d.Failf("%s must be true, false or %s", d.called(name), strings.Join(words, " or "))
	return ""
}

// jsonNumber is JSON's form of a number; strconv accepts more.
var jsonNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// number returns a finite number, which may be a string in JSON's form.
func (d *Fields) number(name string) (v float64, ok bool) {
	var text string
	switch v := d.Values[name].(type) {
	case json.Number:
		text = string(v)
	case string:
		text = v
	case int: // of a program in this process, as is the next
		text = strconv.Itoa(v)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if !jsonNumber.MatchString(text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// Count returns a whole number from low up. One above high is lowered to high,
// and the field is noted in clamped.
func (d *Fields) Count(name string, low, def, high int) int {
	if !d.Has(name) {
		return def
	}
	v, ok := d.number(name)
	if !ok || v < float64(low) || v != math.Trunc(v) {
		d.Failf("%s must be a whole number from %d to %d", d.called(name), low, high)
		return def
	}
	if v > float64(high) {
		d.Clamped = append(d.Clamped, name)
		return high
	}
	return int(v)
}

// fraction returns a number from 0 to 1.
func (d *Fields) fraction(name string) float64 {
	if !d.Has(name) {
		return 0
	}
	v, ok := d.number(name)
	if !ok || v < 0 || v > 1 {
		d.Failf("%s must be a number from 0 to 1", d.called(name))
		return 0
	}
	return v
}

// Target reads a target, which must be there.
func (d *Fields) Target(name string) string {
	text := d.Text(name, maxTarget)
	if err := CheckPath(text); err != nil && d.Err == nil {
		d.Err = err
	}
	if text == "" {
		d.Failf("%s is missing or empty", d.called(name))
	}
	return text
}

// CheckPath refuses what is no path on any system.
func CheckPath(path string) error {
	if strings.ContainsRune(path, 0) {
		return wire.Problemf(wire.CodeInvalidPath, "the path has a zero byte")
	}
	return nil
}

// ID returns an id that came with the request otherwise, or the field of that name, which
// may be a number.
func (d *Fields) ID(name, id string) string {
	if id == "" {
		switch v := d.Values[name].(type) {
		case nil:
		case string:
			id = v
		case json.Number:
			id = v.String()
		default:
			d.Failf("%s must be a string", d.called(name))
		}
	}
	printable := !slices.ContainsFunc([]byte(id), func(c byte) bool { return c < ' ' || c > '~' })
	if len(id) > MaxID || !printable {
		d.Failf("%s must be at most %d printable ASCII characters", d.called(name), MaxID)
		return ""
	}
	return id
}
