package posix

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func never() bool { return false }

// all returns every match in a line, with bars around.
func all(t *testing.T, pattern string, d Dialect, word bool, text string) string {
	t.Helper()
	e, err := Translate(pattern, d, false)
	if err != nil {
		return "error: " + err.Error()
	}
	p, err := Compile(e.Exact, word)
	if err != nil {
		t.Fatal(err)
	}
	m := p.Matcher()
	var found []string
	for from := 0; from <= len(text); {
		start, end, ok := m.Next([]byte(text), from, never)
		if !ok {
			break
		}
		if from = end; start == end { // which grep -o does not print
			from++
			continue
		}
		found = append(found, text[start:end])
	}
	if len(found) == 0 {
		return "none"
	}
	return "|" + strings.Join(found, "|") + "|"
}

// TestMatches reads testdata/matches.txt: dialect, pattern, text and what is found in it,
// which is what grep -o prints, between tabs.
func TestMatches(t *testing.T) {
	data, err := os.ReadFile("testdata/matches.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(part) != 4 {
			continue
		}
		n++
		d := Basic
		if strings.HasPrefix(part[0], "E") {
			d = Extended
		}
		if got := all(t, part[1], d, strings.HasSuffix(part[0], "w"), part[2]); got != part[3] {
			t.Errorf("%s %q in %q: %s, want %s", part[0], part[1], part[2], got, part[3])
		}
	}
	if n < 60 {
		t.Errorf("only %d patterns are read", n)
	}
}

// What is not supported is told apart from what is wrong.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		pattern     string
		d           Dialect
		unsupported bool
		want        string
	}{
		{`\(a\)\1`, Basic, true, `back references such as \1`},
		{`(a)\2`, Extended, true, `back references such as \2`},
		{`a{1001}`, Extended, true, "an interval of more than 1000"},
		{`(a{600}){600}`, Extended, true, "invalid repeat count"},
		{strings.Repeat("(", 300) + strings.Repeat(")", 300), Extended, true, "nested more than 200"},
		{`a{99999}`, Extended, false, "too big"},
		{`\(a`, Basic, false, "Unmatched ( or"},
		{`a\)`, Basic, false, "Unmatched ) or"},
		{`[a`, Basic, false, "Unmatched ["},
		{`[[:nothing:]]`, Basic, false, "Invalid character class name"},
		{`[:alpha:]`, Basic, false, "[[:space:]]"},
		{`[b-a]`, Basic, false, "Invalid range end"},
		{`a\{2,1\}`, Basic, false, "Invalid content"},
		{`a\{1`, Basic, false, `Unmatched \{`},
		{`a\`, Basic, false, "Trailing backslash"},
		{"a\xff", Basic, false, "UTF-8"},
	} {
		_, err := Translate(test.pattern, test.d, false)
		var e *Error
		if !errors.As(err, &e) || e.Unsupported != test.unsupported || !strings.Contains(e.Reason, test.want) {
			t.Errorf("%q: %v, want %q", test.pattern, err, test.want)
		}
	}
}

// Each line of a list is a pattern.
func TestList(t *testing.T) {
	e, err := Translate("a\\|b\n^c\n\\<d", Basic, false)
	want := Expression{Loose: `(?:a|b)|(?:^c)|(?:(?:)d)`, Exact: `(?:a|b)|(?:^c)|(?:\Ad)`, Words: true}
	if diff := cmp.Diff(want, e); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// A search is given up where stop says so.
func TestStop(t *testing.T) {
	e, err := Translate("a*b", Basic, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(e.Exact, false)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	_, _, ok := p.Matcher().Next([]byte(strings.Repeat("a", 1<<20)), 0, func() bool { asked++; return asked == 2 })
	if ok || asked != 2 {
		t.Errorf("found %t, asked %d times", ok, asked)
	}
}

// FuzzTranslate: a pattern is refused, or becomes an expression that package regexp takes,
// and what the Matcher finds the loose expression finds, too.
func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{`\(a\|b\)*c`, `[[:alpha:]_]\{1,3\}`, `^*a$`, `a{,2}b|c+`, `\<w\>`, `[]-a]`, "x\ny", `\w\+\.`, `{1}`, `(*a|^b)`} {
		f.Add(seed, "a word, aab c", true)
		f.Add(seed, "*a{1}", false)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, extended bool) {
		if len(pattern) > 100 || len(text) > 200 || strings.Contains(text, "\n") {
			return
		}
		d := Basic
		if extended {
			d = Extended
		}
		e, err := Translate(pattern, d, false)
		if err != nil {
			return
		}
		loose, err := regexp.Compile("(?m:" + e.Loose + ")")
		if err != nil {
			t.Fatalf("%q became %q: %v", pattern, e.Loose, err)
		}
		p, err := Compile(e.Exact, false)
		if err != nil {
			t.Fatalf("%q became %q: %v", pattern, e.Exact, err)
		}
		start, end, ok := p.Matcher().Next([]byte(text), 0, never)
		found := loose.MatchString(text)
		if ok && !found || !e.Words && found && !ok {
			t.Errorf("%q in %q: %t, and %q: %t", pattern, text, ok, e.Loose, found)
		}
		if ok && (start < 0 || end < start || end > len(text)) {
			t.Errorf("%q in %q at %d to %d", pattern, text, start, end)
		}
		if loose.Longest(); ok && !e.Words {
			if loc := loose.FindStringIndex(text); loc[0] != start || loc[1] != end {
				t.Errorf("%q in %q at %d to %d, want %v", pattern, text, start, end, loc)
			}
		}
	})
}
