package socket

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// A request is one line.
type request struct {
	id     any // of any JSON type; numbers as they are written
	kept   bool
	name   string // of the command, as it is written
	cmd    string // and as the table has it
	fields fields
}

// parse reads a line. An empty one is no request and no fault.
func parse(line []byte) (*request, *failure) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var f fields
	err := d.Decode(&f) // refuses more than 10,000 levels
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more than one value on the line")
		}
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind), err == nil && f == nil:
		return nil, failf(codeInvalidRequest, "Invalid JSON: a request must be an object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, failf(codeInvalidRequest, "Invalid JSON: the line ends early")
	case err != nil:
		return nil, failf(codeInvalidRequest, "Invalid JSON: %v", err)
	}
	r := &request{fields: make(fields, len(f))}
	r.id, r.kept = f["id"]
	// Of several that mean the same, the last by name counts, each time.
	for _, name := range slices.Sorted(maps.Keys(f)) {
		r.fields[snake(name)] = f[name]
	}
	for name, v := range f { // what is written as it should be wins
		if snake(name) == name {
			r.fields[name] = v
		}
	}
	r.name, _ = f["cmd"].(string)
	r.cmd = strings.ReplaceAll(snake(r.name), "-", "_")
	delete(r.fields, "id")
	delete(r.fields, "cmd")
	return r, nil
}

// snake turns maxResults into max_results: some clients write names so.
func snake(name string) string {
	if !strings.ContainsFunc(name, unicode.IsUpper) {
		return name
	}
	var b strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// fields are those of a request or an answer: string, bool, nil, []any or map[string]any;
// the numbers of a request are json.Number, those of an answer int64, uint64 or float64.
type fields map[string]any

// text returns a string; "" where there is none.
func (f fields) text(name string) string {
	v, _ := f[name].(string)
	return v
}

// flag returns a boolean, which may be written as a string.
func (f fields) flag(name string) bool { return f[name] == true || f[name] == "true" }

// number returns a whole number, which may be written as a string; 0 where there is none.
func (f fields) number(name string) int {
	var n json.Number
	switch v := f[name].(type) {
	case int64:
		return int(v)
	case uint64:
		return int(v)
	case json.Number:
		n = v
	case string:
		n = json.Number(v)
	}
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return int(i)
}

// texts returns a list of strings; a string alone is a list of one.
func (f fields) texts(name string) []string {
	switch v := f[name].(type) {
	case string:
		if v != "" {
			return []string{v}
		}
	case []any:
		var list []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// object returns the fields of an object; nil where there is none.
func (f fields) object(name string) fields {
	v, _ := f[name].(map[string]any)
	return v
}

// list returns the objects of a list.
func (f fields) list(name string) []fields {
	v, _ := f[name].([]any)
	out := make([]fields, 0, len(v))
	for _, e := range v {
		if o, ok := e.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

// float returns a finite number, and whether there is one.
func (f fields) float(name string) (float64, bool) {
	n, ok := f[name].(json.Number)
	if !ok {
		return 0, false
	}
	v, err := n.Float64()
	return v, err == nil
}
