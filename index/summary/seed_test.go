package summary

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// The four tests of the specification that are about texts. TestEstimateTokens is in
// index/tokens, TestFallback in api/llm.

// session is the history of a session with known facts at known places, of about so many
// tokens.
func session(tokens int) string {
	var b strings.Builder
	b.WriteString("The goal is to make token expiry exact in src/auth/auth.py.\n\n")
	half := false
	for i := 0; quarter(b.String()) < tokens; i++ {
		if !half && quarter(b.String()) > tokens/2 {
			half = true
			b.WriteString("We decided to use HS256 instead of RS256, because keys are not rotated yet.\n\n")
			b.WriteString("The root cause is suspected to be a clock that is 2 s off, see tests/test_auth.py.\n\n")
		}
		fmt.Fprintf(&b, "Somebody opened window number %d and looked at the garden for a while. %s\n", i,
			[]string{"It was quiet.", "A bird sang.", "The tea went cold.", "Rain fell on the roof."}[i%4])
		if i%5 == 4 {
			b.WriteByte('\n')
		}
	}
	b.WriteString("\n12 of 14 tests pass at the moment.\n")
	return b.String()
}

func TestSummarizeSmallContent(t *testing.T) {
	for _, content := range []string{
		"Fix the login.", "  two lines,\nas they are \n", session(450), strings.Repeat("a", 4*asItIs-4),
	} {
		for _, level := range []Level{"", Auto} {
			r := Text(content, Options{Level: level})
			if r.Text != content || r.Truncated || r.Level != L3 || r.TokensIn != r.TokensOut || r.Chunks != 1 {
				t.Errorf("%q at %q: %+v", content[:12], level, r)
			}
		}
	}
	if r := Text(strings.Repeat("one two. ", 4*asItIs/9+1), Options{}); r.Level != L1 || r.TokensOut >= asItIs {
		t.Errorf("the bound belongs to what is above it: %+v", r)
	}
	for _, nothing := range []string{"", " \n\t\r\n ", "\u00a0"} {
		for _, level := range append(Levels(), "", Auto) {
			if r := Text(nothing, Options{Level: level}); r.Text != "" || r.TokensOut != 0 || r.Truncated || r.Level == Auto || r.Level == "" {
				t.Errorf("%q at %q: %+v", nothing, level, r)
			}
		}
	}
	// A level that is named is obeyed, and the budget always.
	if r := Text(session(450), Options{Level: L1}); r.Level != L1 || r.TokensOut > 120 {
		t.Errorf("L1 by name: %+v", r)
	}
	if r := Text(session(450), Options{MaxTokens: 100}); r.TokensOut > 100 || !strings.Contains(r.Text, "expiry") {
		t.Errorf("as it is, but for the budget: %+v", r)
	}
}

func TestSummarizeLargeContent(t *testing.T) {
	for _, test := range []struct {
		tokens int
		level  Level
		want   Level
		chunks int
	}{{1500, Auto, L1, 1}, {1500, "", L1, 1}, {3000, Auto, L2, 1}, {12_000, Auto, L2, 3}, {50_000, L1, L1, 10}, {50_000, Auto, L2, 10}} {
		content := session(test.tokens)
		r := Text(content, Options{Level: test.level})
		if r.Level != test.want || r.TokensOut > r.Level.Budget() || r.TokensOut < 30 || r.TokensIn != quarter(content) {
			t.Errorf("%d tokens at %q: %+v", test.tokens, test.level, r)
		}
		if r.Chunks < test.chunks || r.Chunks > 2*test.chunks+1 || test.chunks == 1 && r.Chunks != 1 {
			t.Errorf("%d tokens in %d chunks, want %d", test.tokens, r.Chunks, test.chunks)
		}
		facts := []string{"make token expiry exact", "HS256 instead of RS256"}
		if r.Level == L2 {
			facts = append(facts, "root cause", "12 of 14 tests", "Files: src/auth/auth.py, tests/test_auth.py")
		}
		for _, fact := range facts {
			if !strings.Contains(r.Text, fact) {
				t.Errorf("%d tokens at %s: %q is not in\n%s", test.tokens, r.Level, fact, r.Text)
			}
		}
		for _, s := range sentencesOf(r.Text) {
			if r.Level == L1 && !strings.Contains(content, s) {
				t.Errorf("%d tokens: %q is not of the text", test.tokens, s)
			}
		}
		if again := Text(content, Options{Level: test.level}); again.Text != r.Text {
			t.Errorf("a second summary is another one:\n%s\n%s", r.Text, again.Text)
		}
	}
}

func TestLevelL0(t *testing.T) {
	for content, want := range map[string]string{
		"We changed src/auth.py and src/auth.ts, then src/auth.py again.":                     "Files: src/auth.py, src/auth.ts",
		"see https://example.com/a/b.html and e.g. Node.js 3.14, i.e. v1.2":                   "",
		"`./cmd/main.go:42:7`, (lib\\util.c) and \"größe/straße.go\"; Makefile, a/Dockerfile": "Files: cmd/main.go, lib/util.c, größe/straße.go, Makefile, a/Dockerfile",
		"auth.py is src/auth.py. Not so db.py, of which there are a/db.py and b/db.py.":       "Files: src/auth.py, db.py, a/db.py, b/db.py",
		"no file at all": "",
		"/etc/quarry/config.toml, ~/notes.md, @scope/pkg/index.d.ts, .github/workflows/ci.yml": "Files: /etc/quarry/config.toml, ~/notes.md, @scope/pkg/index.d.ts, .github/workflows/ci.yml",
	} {
		if r := Text(content, Options{Level: L0}); r.Text != want || r.Level != L0 {
			t.Errorf("%q: %q, want %q", content, r.Text, want)
		}
	}
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, "see pkg/file%d.go\n", i)
	}
	r := Text(many.String(), Options{Level: L0})
	if !strings.HasPrefix(r.Text, "Files: pkg/file0.go, pkg/file1.go") || !strings.HasSuffix(r.Text, " more)") || !r.Truncated || r.TokensOut > 100 || len(r.Files) != 500 {
		t.Errorf("%+v", r.Text)
	}
}

func TestLevelL1(t *testing.T) {
	content := "auth.py: JWT authentication with token generation/validation. HS256.\n" +
		"test_auth.py: Unit tests for auth flows. Nine of them.\nmiddleware.py: Request authentication middleware. It is used once.\n"
	want := "- auth.py: JWT authentication with token generation/validation\n- test_auth.py: Unit tests for auth flows\n- middleware.py: Request authentication middleware"
	if r := Text(content, Options{Level: L1}); r.Text != want {
		t.Errorf("%s", r.Text)
	}
	r := Text(session(1000), Options{Level: L1})
	if n := len(sentencesOf(r.Text)); n < 2 || n > 3 || strings.Contains(r.Text, "\n") {
		t.Errorf("%d sentences: %s", n, r.Text)
	}
}

// awkward are texts that a summary must survive.
func awkward() map[string]string {
	return map[string]string{
		"one line":        strings.Repeat("x", 1<<18),
		"one word a line": strings.Repeat("a\n", 1<<16),
		"numbers": func() string {
			var b strings.Builder
			for i := range 20_000 {
				fmt.Fprintln(&b, i)
			}
			return b.String()
		}(),
		"not UTF-8":  strings.Repeat("caf\xe9 au lait. ", 3000),
		"only marks": strings.Repeat("--- *** ### ``` | > \n", 20_000),
		"open fence": "```go\n" + strings.Repeat("x := f(y)\n", 8_000),
		"points":     strings.Repeat(". ", 1<<16),
		"no blanks":  strings.Repeat("日本語", 15_000),
		"emoji":      strings.Repeat("🙂👩‍👩‍👧 ", 20_000),
		"JSON":       strings.Repeat("[", 50_000),
		"JSON lines": strings.Repeat(`{"role":"user","content":"we decided to keep a.go. It works."}`+"\n", 3_000),
		"paths":      strings.Repeat("a/b.go ", 1<<15),
		"zeros":      strings.Repeat("\x00", 1<<16),
		"a log": func() string {
			var b strings.Builder
			for i := range 4_000 {
				fmt.Fprintf(&b, "2026-03-01 12:00:%02d ERROR worker %d: job %x failed\n", i%60, i, i*7919)
			}
			return b.String()
		}(),
		"diff":  "diff --git a/x.go b/x.go\n@@ -1 +1 @@\n" + strings.Repeat("+\tx := 1\n-\ty := 2\n", 8_000),
		"table": strings.Repeat("| a | b |\n|---|---|\n| x.go | does x |\n", 3_000),
	}
}

// TestAwkward takes the first part of each: how long all of it takes is for the benchmark.
func TestAwkward(t *testing.T) {
	const part = 16 << 10 // it may end within a letter
	for name, content := range awkward() {
		for _, o := range []Options{{Level: L0}, {Level: L1}, {Level: L2, MaxTokens: 3}, {Level: L3, MaxTokens: 1000}} {
			r := Text(content[:min(len(content), part)], o)
			most := o.MaxTokens
			if most == 0 {
				most = r.Level.Budget()
			}
			if r.TokensOut > most || r.TokensOut != quarter(r.Text) || !utf8.ValidString(r.Text) {
				t.Errorf("%s %q in %d: %d tokens: %.200q", name, o.Level, o.MaxTokens, r.TokensOut, r.Text)
			}
		}
	}
}

func BenchmarkAwkward(b *testing.B) {
	for name, content := range awkward() {
		for _, level := range []Level{L1, L2} {
			b.Run(name+"/"+string(level), func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				for b.Loop() {
					Text(content, Options{Level: level})
				}
			})
		}
	}
}

// TestTruncate compares cutting with trying every end.
func TestTruncate(t *testing.T) {
	text := strings.TrimSpace(session(700))
	for _, most := range []int{1, 2, 5, 16, 17, 100, 350, 698, 10_000} {
		got := Truncate(text, most, quarter)
		want := ""
		for i := range text {
			if quarter(text[:i]) <= most && (i == len(text) || strings.HasPrefix(text[i:], "\n") || strings.HasPrefix(text[i:], " ") && text[i-1] == '.') {
				want = strings.TrimSpace(text[:i])
			}
		}
		if most >= quarter(text) {
			want = text
		}
		if want == "" && strings.HasSuffix(got, " …") && quarter(got) <= most || want == "" && got == "" {
			continue
		}
		if got != want {
			t.Errorf("%d: %d tokens, want %d: …%q, …%q", most, quarter(got), quarter(want), tail(got), tail(want))
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-40):] }

// TestVectors: the vectors decide what is in the middle, and such as know nothing do not.
func TestVectors(t *testing.T) {
	content := "Alpha is here today. Beta is here today. Gamma is here today. Delta is here today. Omega is here today. Sigma is here today. Kappa is here today."
	asked := 0
	embed := func(to string) func([]string) [][]float32 {
		return func(sentences []string) [][]float32 {
			asked++
			out := make([][]float32, len(sentences))
			for i, s := range sentences {
				out[i] = []float32{0.1, 1}
				if strings.Contains(s, to) {
					out[i] = []float32{1, 0.3}
				}
			}
			return out
		}
	}
	r := Text(content, Options{Level: L1, MaxTokens: 15, Embed: embed("Omega")})
	if asked == 0 || r.Text == "" || !strings.Contains(r.Text, "Omega") {
		t.Errorf("the vectors were asked for %d times; the one sentence that is unlike the others is not in: %+v", asked, r)
	}
	plain := Text(content, Options{Level: L1})
	for name, e := range map[string]func([]string) [][]float32{
		"none":  func([]string) [][]float32 { return nil },
		"zeros": func(s []string) [][]float32 { return make([][]float32, len(s)) },
	} {
		if got := Text(content, Options{Level: L1, Embed: e}); got.Text != plain.Text {
			t.Errorf("%s: %q, want %q", name, got.Text, plain.Text)
		}
	}
}

// TestSplit: chunks have their size and, put together, everything but white space.
func TestSplit(t *testing.T) {
	texts := awkward()
	texts["session"], texts["short"], texts["blank"] = session(12_000), " as it is ", " "
	for name, text := range texts {
		chunks := Split(text, 2000)
		if quarter(text) <= 2000 && (len(chunks) != 1 || chunks[0] != text) {
			t.Errorf("%s: %d chunks of a short text", name, len(chunks))
		}
		for _, p := range chunks {
			if quarter(p) > 2000 {
				t.Errorf("%s: a chunk of %d tokens", name, quarter(p))
			}
		}
		plain := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if plain(strings.Join(chunks, "")) != plain(text) {
			t.Errorf("%s: something is missing", name)
		}
	}
}
