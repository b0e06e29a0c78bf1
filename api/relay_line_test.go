package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quarry-search/quarry/api/command"
)

func TestServiceLines(t *testing.T) {
	for _, tc := range []struct{ line, service, action, params string }{
		{`->relay:code search "authentication middleware"`, "code", "search", `{"query":"authentication middleware"}`},
		{`->relay:code search "JWT validation" --limit 10`, "code", "search", `{"limit":"10","query":"JWT validation"}`},
		{`->relay:code trace handleLogin`, "code", "trace", `{"query":"handleLogin"}`},
		{`->relay:code skeleton src/auth/`, "code", "skeleton", `{"query":"src/auth/"}`},
		{`->relay:tldr semantic "validate authentication tokens"`, "tldr", "semantic", `{"query":"validate authentication tokens"}`},
		{`->relay:tldr context src/auth/jwt.ts --depth 3`, "tldr", "context", `{"depth":"3","query":"src/auth/jwt.ts"}`},
		{`->relay:tldr calls processPayment --direction callers`, "tldr", "calls", `{"direction":"callers","query":"processPayment"}`},
		{`->relay:tldr structure`, "tldr", "structure", `{}`},
		{`  ->relay:tldr structure . ` + "\r", "tldr", "structure", `{"query":"."}`},
		{`->relay:code`, "code", "", `{}`},
		{`->relay:code search jwt validation --limit 3 middleware`, "code", "search", `{"limit":"3","query":"jwt validation middleware"}`},
		{`->relay:code search "jwt" src`, "code", "search", `{"query":"jwt","target":"src"}`},
		{`->relay:code trace a b c d`, "code", "trace", `{"path":"c","query":"a","target":"b"}`},
		{`->relay:code search a --rerank --limit`, "code", "search", `{"limit":true,"query":"a","rerank":true}`},
		{`->relay:code search --explain true --x false a`, "code", "search", `{"explain":true,"query":"a","x":false}`},
		{`->relay:code search a --max-tokens=500 --empty=`, "code", "search", `{"empty":"","max_tokens":"500","query":"a"}`},
		{`->relay:code grep "--force" --path "--odd"`, "code", "grep", `{"path":"--odd","query":"--force"}`},
		{`->relay:code search a -- b`, "code", "search", `{"query":"a -- b"}`},
		{`->relay:code search it's here`, "code", "search", `{"query":"it's here"}`},
		{`->relay:code grep "a\"b\\c\d"`, "code", "grep", `{"query":"a\"b\\c\\d"}`},
		{`->relay:code grep 'a\'b"c\w+'`, "code", "grep", `{"query":"a'b\"c\\w+"}`},
		{`->relay:code grep a\ b\w`, "code", "grep", `{"query":"a b\\w"}`},
		{`->relay:code search "never closed --limit 3`, "code", "search", `{"query":"never closed --limit 3"}`},
		{`->relay:code search ""`, "code", "search", `{"query":""}`},
		{`->relay:code search "größer 😀"`, "code", "search", `{"query":"größer 😀"}`},
		{`->relay:quarry status`, "quarry", "status", `{}`},
		{`->relay:Lead I am done`, "", "", ""},
		{`->relay:coder search a`, "", "", ""},
		{`relay:code search a`, "", "", ""},
		{`I said ->relay:code search a`, "", "", ""},
		{``, "", "", ""},
	} {
		got, ok := parseLine(tc.line, command.All())
		if ok != (tc.service != "") || got.service != tc.service || got.action != tc.action {
			t.Errorf("%s: %+v, %v", tc.line, got, ok)
		}
		if !ok {
			continue
		}
		if params, err := json.Marshal(got.params); err != nil || string(params) != canonical(t, tc.params) {
			t.Errorf("%s: %s, %v, want %s", tc.line, params, err, tc.params)
		}
	}
}

// FuzzTokenize takes anything apart, and finds words again that were put in quotes.
func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"", "a b", `"a b" c`, `'it\'s' "x\\"`, `\ \`, "a\tb\r\n", `""''`, "é😀 \xff", `"`} {
		f.Add(s)
	}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	f.Fuzz(func(t *testing.T, text string) {
		words := tokenize(text)
		var line []string
		size := 0
		for i, w := range words {
			if w.text == "" && !w.quoted || utf8.ValidString(text) && !utf8.ValidString(w.text) {
				t.Errorf("%q: word %d of %v", text, i, words)
			}
			size += len(w.text)
			line = append(line, `"`+quote.Replace(w.text)+`"`)
		}
		if size > len(text) {
			t.Errorf("%q became longer: %v", text, words)
		}
		again := tokenize(strings.Join(line, " "))
		for i := range words {
			words[i].quoted = true
		}
		if !reflect.DeepEqual(words, again) {
			t.Errorf("%q: %v, then %v", text, words, again)
		}
		if l, ok := parseLine("->relay:code search "+text, command.All()); ok && l.params == nil {
			t.Errorf("%q has no parameters", text)
		}
	})
}
