package search

import (
	"strings"
	"testing"
)

func TestHighlighter(t *testing.T) {
	for _, test := range []struct{ question, line, want string }{
		{"where is the proxy trusted", "isTrustedProxy(the) untrusted", "is[Trusted][Proxy](the) untrusted"},
		{"pooling connections", "pools.Connection = max_pool_size // pooled", "[pools].[Connection] = max_[pool]_size // [pooled]"},
		{"getHTTPResponse", "getHTTPResponse, get_http, HTTPResponses2", "[get][HTTP][Response], [get]_[http], [HTTP][Responses]2"},
		{"the", "the other", "[the] other"}, // the only word there is
		{"größe", "Größe größer", "[Größe] größer"},
		{"", "a", "a"},
		{"x", "\xff x \xffx", "\xff [x] \xff[x]"},
	} {
		var b strings.Builder
		at := 0
		for _, h := range NewHighlighter(test.question).Find(test.line) {
			b.WriteString(test.line[at:h.From] + "[" + test.line[h.From:h.To] + "]")
			at = h.To
		}
		if got := b.String() + test.line[at:]; got != test.want {
			t.Errorf("%q in %q: %s, want %s", test.question, test.line, got, test.want)
		}
	}
}
