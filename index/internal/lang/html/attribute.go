package html

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// An attributeReader finds the attributes of a tag, as the standard's algorithm does:
// nothing but the end of the tag ends them.
type attributeReader struct {
	src     []byte
	at, end int // after the tag's name, and before its >
}

// all yields the names of the attributes and the values, without their quotes.
func (r *attributeReader) all(yield func(key, value syntax.Span) bool) {
	for r.space(); r.at < r.end; r.space() {
		if r.src[r.at] == '/' {
			r.at++
			continue
		}
		first := r.at
		r.at++ // be it an equals sign
		key := syntax.Span{Start: first, End: r.until(" \t\r\n\f/=")}
		value := syntax.Span{Start: -1, End: -1}
		if r.space(); r.at < r.end && r.src[r.at] == '=' {
			r.at++
			value = r.value()
		}
		if !yield(key, value) {
			return
		}
	}
}

func (r *attributeReader) value() syntax.Span {
	r.space()
	if r.at < r.end && (r.src[r.at] == '"' || r.src[r.at] == '\'') {
		quote := r.src[r.at : r.at+1]
		r.at++
		first := r.at
		s := syntax.Span{Start: first, End: r.until(string(quote))}
		r.at++
		return s
	}
	first := r.at
	return syntax.Span{Start: first, End: r.until(" \t\r\n\f")}
}

// until goes to the first of the bytes, or to the end.
func (r *attributeReader) until(stop string) int {
	if i := bytes.IndexAny(r.src[r.at:r.end], stop); i >= 0 {
		r.at += i
	} else {
		r.at = r.end
	}
	return r.at
}

func (r *attributeReader) space() {
	for r.at < r.end && syntax.IsSpace(r.src[r.at]) {
		r.at++
	}
}
