package syntax

import "bytes"

// An attributeReader finds the attributes of a tag, as the standard's algorithm does:
// nothing but the end of the tag ends them.
type attributeReader struct {
	src     []byte
	at, end int // after the tag's name, and before its >
}

// all yields the names of the attributes and the values, without their quotes.
func (r *attributeReader) all(yield func(key, value span) bool) {
	for r.space(); r.at < r.end; r.space() {
		if r.src[r.at] == '/' {
			r.at++
			continue
		}
		first := r.at
		r.at++ // be it an equals sign
		key := span{first, r.until(" \t\r\n\f/=")}
		value := none
		if r.space(); r.at < r.end && r.src[r.at] == '=' {
			r.at++
			value = r.value()
		}
		if !yield(key, value) {
			return
		}
	}
}

func (r *attributeReader) value() span {
	r.space()
	if r.at < r.end && (r.src[r.at] == '"' || r.src[r.at] == '\'') {
		quote := r.src[r.at : r.at+1]
		r.at++
		first := r.at
		s := span{first, r.until(string(quote))}
		r.at++
		return s
	}
	first := r.at
	return span{first, r.until(" \t\r\n\f")}
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
	for r.at < r.end && isSpace(r.src[r.at]) {
		r.at++
	}
}
