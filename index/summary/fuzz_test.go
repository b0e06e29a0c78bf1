package summary

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

var fuzzTexts = []string{
	"# Plan\n\nWe fixed `src/auth.py`: tokens are checked twice. Next: tests.\n\n- a.ts: done\n- b.ts: TODO\n",
	"```go\nfunc a() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
	`{"role":"user","content":"why does it fail?"}` + "\n" + `{"role":"assistant","content":["because",{"text":"x"}]}`,
	"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
	"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: x\n",
	"\xff\x00\u2028a.\r\n\r\n> > >\n```",
	"- - - - [[[[ a.b.c/d/e\\f:12",
}

// FuzzText: a summary of any text is text, within its budget, no longer than what it is
// of, and the same again.
func FuzzText(f *testing.F) {
	for i, text := range fuzzTexts {
		f.Add(text, uint8(i), uint16(40))
		f.Add(text, uint8(i+1), uint16(0))
		f.Add(strings.Repeat(text, 9), uint8(2), uint16(7))
	}
	f.Fuzz(func(t *testing.T, text string, level uint8, most uint16) {
		if len(text) > 20_000 {
			return
		}
		levels := append(Levels(), Auto, "")
		o := Options{Level: levels[int(level)%len(levels)], MaxTokens: int(most)}
		r := Text(text, o)
		if again := Text(text, o); again.Text != r.Text || again.Truncated != r.Truncated {
			t.Errorf("%q at %q: %q, then %q", text, o.Level, r.Text, again.Text)
		}
		if !utf8.ValidString(r.Text) || r.TokensOut != quarter(r.Text) {
			t.Errorf("%q at %q: %+v", text, o.Level, r)
		}
		if o.MaxTokens > 0 && r.Level != L0 && r.TokensOut > o.MaxTokens {
			t.Errorf("%q at %q has %d tokens, not %d: %q", text, o.Level, r.TokensOut, o.MaxTokens, r.Text)
		}
		Split(text, 5+int(most))
	})
}

// FuzzHandoff: a handoff and a recall may have any fields.
func FuzzHandoff(f *testing.F) {
	f.Add(`{"goal":"fix it","next":["a","b"],"files":{"a.go":"changed"},"decisions":[{"name":"x"},null,1.5]}`, uint16(30))
	f.Add(`{"Goal":"","GOAL":[[]],"questions":{"a":{"b":{"c":[]}}}}`, uint16(0))
	f.Add(`{"content":"a. b. c.","type":"decision","score":1e400,"files":["x"]}`, uint16(3))
	f.Fuzz(func(t *testing.T, text string, most uint16) {
		var h map[string]any
		if len(text) > 20_000 || json.Unmarshal([]byte(text), &h) != nil {
			return
		}
		for _, level := range append(Levels(), Auto, "") {
			for _, r := range []Result{Handoff(h, level, int(most), nil), Recall([]map[string]any{h, h}, level, int(most), nil)} {
				if most > 0 && r.TokensOut > int(most) {
					t.Errorf("%s at %q has %d tokens, not %d: %q", text, level, r.TokensOut, most, r.Text)
				}
			}
		}
	})
}
