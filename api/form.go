package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/text"
)

// The formats of answers, besides te, which is that of the envelope.
const (
	formatJSON = "json"
	formatText = "text"
)

// A form is how the answer to one request is written. Handlers make JSON; what is sent
// is decided in one place, send.
type form struct {
	text  bool   // as text for a model, not as JSON
	query string // what the text says was looked for, where nothing was found
}

// formKey is where a request's context has its form.
type formKey struct{}

// withForm gives each request a form, for decode to choose.
func withForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), formKey{}, new(form))))
	})
}

// formOf returns the form of a request. One that has been refused before it was given
// one has that of JSON.
func formOf(r *http.Request) *form {
	if f, ok := r.Context().Value(formKey{}).(*form); ok {
		return f
	}
	return new(form)
}

// choose reads the form from the fields of a request, or from its Accept header. What
// is wrong with the field format is said by whoever reads it.
func (f *form) choose(d *decoder, r *http.Request) {
	format, _ := d.fields["format"].(string)
	f.text = format == formatText || format == "" && prefersText(r.Header.Values("Accept"))
	for _, name := range []string{"q", "query"} {
		if q, ok := d.fields[name].(string); ok {
			f.query = q
		}
	}
}

// render returns the media type of an answer and what is sent of it.
func (f *form) render(endpoint string, body []byte) (kind string, out []byte) {
	if f.text {
		if t, err := text.RenderQuery(endpoint, f.query, body); err == nil {
			return "text/plain", []byte(t)
		}
	}
	return "application/json", body
}

// salt makes the tag of a text another one than that of the JSON that it is of.
func (f *form) salt() uint64 {
	if f.text {
		return 1
	}
	return 0
}
