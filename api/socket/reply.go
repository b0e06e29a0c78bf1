package socket

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// The codes of errors that do not come from an endpoint.
const (
	codeInvalidRequest  = "invalid_request"
	codeUnknownCommand  = "unknown_command"
	codeNotSupported    = "not_supported"
	codeForbidden       = "forbidden"
	codeNotFound        = "not_found"
	codePayloadTooLarge = "payload_too_large"
	codeRateLimited     = "rate_limited"
	codeTimeout         = "timeout"
	codeInternal        = "internal"
)

// A reply is an answer or a failure.
type reply interface {
	// encode returns the line, newline included. r is nil where the request was not
	// understood.
	encode(r *request) []byte
}

// An answer is what a reply says besides the envelope: result, and what llm-tldr has
// at the top level.
type answer map[string]any

// A failure is an error for the client.
type failure struct {
	code    string
	message string
}

func failf(code, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...)}
}

func (f *failure) Error() string { return f.message }

func (a answer) encode(r *request) []byte {
	out := map[string]any{"status": "ok"}
	for name, v := range a {
		out[name] = v
	}
	delete(out, "error") // clients take it for a failure, whatever else is there
	out["success"] = true
	return line(out, r)
}

func (f *failure) encode(r *request) []byte {
	return line(map[string]any{
		"status": "error", "success": false, "message": f.message, "error": f.message, "code": f.code,
	}, r)
}

// line encodes a reply, with the id of its request.
func line(out map[string]any, r *request) []byte {
	if r != nil && r.kept {
		out["id"] = r.id
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil { // it was all decoded from JSON, or is text and numbers
		return (&failure{codeInternal, "the answer cannot be encoded"}).encode(r)
	}
	return ascii(b.Bytes())
}

const digits = "0123456789abcdef"

// ascii escapes what is not ASCII: clients that decode each piece of a stream by
// itself would break a character that lies on a seam.
func ascii(text []byte) []byte {
	plain := 0
	for plain < len(text) && text[plain] < utf8.RuneSelf {
		plain++
	}
	if plain == len(text) {
		return text
	}
	out := append(make([]byte, 0, len(text)+len(text)/4), text[:plain]...)
	unit := func(u rune) {
		out = append(out, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	for i := plain; i < len(text); {
		if text[i] < utf8.RuneSelf {
			out = append(out, text[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			unit(high)
			unit(low)
		} else {
			unit(r)
		}
		i += n
	}
	return out
}
