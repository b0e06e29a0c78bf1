package question

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

func TestPrint(t *testing.T) {
	found := foundResults{Root: "/no/such/root", Results: []search.Result{{
		File: "a\x1b[2Jb.go", Line: 3, EndLine: 9, Score: 0.5, Role: answer.RoleTest,
		Signature: "func A()", Symbol: "A", Kind: "function",
		Content: "func A() {\n\tone()\r\n\ttwo()\n\tthree()\n\tfour()\n\tfive()\n}\n",
	}, {File: "b.toml", Line: 1, EndLine: 1, Score: 0.25, Role: answer.RoleConfig, Signature: "x = 1", Content: "x = 1"}}}
	for _, test := range []struct {
		name string
		o    searchOptions
		want string
	}{
		{"plain", searchOptions{}, "a\ufffd[2Jb.go:3-9 function A (test)\n     3  func A() {\n     4  \tone()\n     5  \ttwo()\n     6  \tthree()\n     7  \tfour()\n     ... 2 more lines\n\nb.toml:1 (config)\n     1  x = 1\n"},
		{"compact", searchOptions{compact: true, scores: true}, "0.500 a\ufffd[2Jb.go:3-9 func A()\n0.250 b.toml:1 x = 1\n"},
		{"content", searchOptions{content: true}, "a\ufffd[2Jb.go:3-9 function A (test)\n    func A() {\n    \tone()\n    \ttwo()\n    \tthree()\n    \tfour()\n    \tfive()\n    }\n\nb.toml:1 (config)\n    x = 1\n"},
	} {
		var out bytes.Buffer
		if err := test.o.print(&out, found); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// TestPreview holds what is shown, on a screen and elsewhere, to the lines that match.
func TestPreview(t *testing.T) {
	content := "func A() {\n\tone()\n\ttwo()\n\tthree()\n\tfour()\n\tfive()\n\tsix()\n\tseven\x1b()\n\teight()\n}\n"
	found := foundResults{Root: "/no/such/root", Results: []search.Result{{File: "a.go", Line: 30, EndLine: 39, Kind: "function", Symbol: "A", Role: answer.RoleTest, Content: content}}}
	for _, test := range []struct {
		query  string
		colour bool
		o      searchOptions
		want   string
	}{
		{"nothing of it", false, searchOptions{}, "a.go:30-39 function A (test)\n    30  func A() {\n    31  \tone()\n    32  \ttwo()\n    33  \tthree()\n    34  \tfour()\n     ... 5 more lines\n"},
		{"where is five and seven", false, searchOptions{}, "a.go:30-39 function A (test)\n    30  func A() {\n     ...\n    34  \tfour()\n    35  \tfive()\n    36  \tsix()\n    37  \tseven\ufffd()\n     ... 2 more lines\n"},
		{"seven", true, searchOptions{content: true}, "\x1b[35ma.go\x1b[m:\x1b[32m30-39\x1b[m function \x1b[1mA\x1b[m \x1b[2m(test)\x1b[m\n" + numberedLines(30, content, "seven")},
		{"f[a-z]+r", true, searchOptions{mode: "regex"}, "\x1b[35ma.go\x1b[m:\x1b[32m30\x1b[m:\t\x1b[1;31mfour\x1b[m()\n"},
		{"A", true, searchOptions{compact: true}, "\x1b[35ma.go\x1b[m:\x1b[32m30-39\x1b[m func \x1b[1;31mA\x1b[m()\n"},
	} {
		found.Query = test.query
		r := &found.Results[0]
		r.Signature, r.Content = "func A()", content
		if test.o.mode == "regex" {
			r.Content = "\tfour()"
		}
		var out, piped bytes.Buffer
		if err := errors.Join(test.o.print(terminal.NewScreen(&out, test.colour, ""), found), test.o.print(&piped, found)); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", test.query, diff)
		}
		if diff := cmp.Diff(test.want, piped.String()); !test.colour && diff != "" {
			t.Errorf("%s, to a pipe: %s", test.query, diff)
		}
	}
}

// numberedLines are the lines of a text on a screen with colours, with a word that matches.
func numberedLines(first int, text, word string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		line = strings.ReplaceAll(terminal.Visible(line), word, "\x1b[1;31m"+word+"\x1b[m")
		fmt.Fprintf(&b, "\x1b[32m%6d\x1b[m  %s\n", first+i, line)
	}
	return b.String()
}

func TestSearchExplained(t *testing.T) {
	found := foundResults{Root: "/no/such/root", Results: []search.Result{{
		File: "a.go", Line: 3, EndLine: 3, Signature: "func A()", Content: "func A() {}",
		Explain: []search.Signal{{Name: "words", Value: 0.25, Weight: 2, Added: 0.5}, {Name: "test", Value: 1, Weight: -1.5, Added: -1.5}},
	}}}
	want := "a.go:3\n     3  func A() {}\n     -1.5000  test             1 of -1.5\n     +0.5000  words            0.25 of 2\n"
	explain := wire.SearchRequest{Explain: wire.ExplainSignals}
	for _, o := range []searchOptions{{asked: explain}, {asked: explain, mode: "regex"}} {
		var out bytes.Buffer
		if err := o.print(&out, found); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSearchWhy(t *testing.T) {
	cosine := 0.407
	found := foundResults{Root: "/no/such/root", Results: []search.Result{
		{File: "a.go", Line: 3, EndLine: 3, Signature: "func A()", Content: "func A() {}", Why: &search.Why{Words: []string{"peer", "time\x1bout"}, Symbol: "A", Meaning: &cosine}},
		{File: "b.go", Line: 1, EndLine: 1, Signature: "b", Content: "b", Why: &search.Why{Words: []string{}}},
	}}
	want := "a.go:3 func A()\n    why: words peer, time\ufffdout; symbol A; meaning 0.41\nb.go:1 b\n    why: no word, no name\n"
	var out bytes.Buffer
	if err := (&searchOptions{compact: true}).print(&out, found); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestExplainFlag(t *testing.T) {
	for arguments, want := range map[string]wire.Explain{
		"": "", "--explain": wire.ExplainSignals, "--explain=1": wire.ExplainSignals, "--explain=false": "", "--explain=short": wire.ExplainShort,
		"--explain=short --explain=false": "", "--explain=long": "error", "--explain=": "error",
	} {
		var o searchOptions
		fs := pflag.NewFlagSet("search", pflag.ContinueOnError)
		o.addFlags(fs)
		if err := fs.Parse(strings.Fields(arguments)); err != nil {
			o.asked.Explain = "error"
		}
		if o.asked.Explain != want {
			t.Errorf("%s: %q, want %q", arguments, o.asked.Explain, want)
		}
	}
}
