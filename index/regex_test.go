package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// eachLine is what linePattern.each must find, line by line: each alone, without
// its end.
func eachLine(re *regexp.Regexp, src string) []int {
	var lines []int
	for i, line := range strings.Split(src, "\n") {
		if re.MatchString(strings.TrimSuffix(line, "\r")) && strings.TrimSpace(line) != "" {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func linesOf(t *testing.T, pattern, src string, stride int) []int {
	t.Helper()
	m, err := compileLines(pattern)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	if stride > 0 {
		m.stride = stride
	}
	var folded []byte
	var got []int
	clean := unixLines([]byte(src))
	m.each(clean, &folded, func() bool { return false }, func(line, start, end int) bool {
		if want, got := strings.TrimSuffix(strings.Split(src, "\n")[line-1], "\r"), clean[start:end]; string(got) != want {
			t.Errorf("%q: line %d is %q, not %q", pattern, line, want, got)
		}
		got = append(got, line)
		return true
	})
	return got
}

// The lines found are those that a matcher without literals, segments and changes
// of the expression finds, for expressions put together at random.
func TestLinesAgainstOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	atoms := []string{"a", "b", "ab", "K", "sk", "É", ".", "[ab]", "[^a]", `\s`, `\w`, `\b`, "^", "$", "(?i:ab)", "(?i:ks)", "(?i:éA)", "(?:a|bb)", "(?i:b|Sa)", "(?s:.)", `\x20`}
	suffixes := []string{"", "", "", "*", "+", "?", "{2}", "{0,2}"}
	letters := []string{"a", "b", "A", "B", "k", "K", "\u212a", "s", "ſ", "é", "É", " ", "\t", "\n", "\n", "\r\n", "\xff"}
	patterns := 0
	for patterns < 3000 {
		var p strings.Builder
		for range 1 + r.IntN(4) {
			p.WriteString(atoms[r.IntN(len(atoms))])
			p.WriteString(suffixes[r.IntN(len(suffixes))])
		}
		want, err := regexp.Compile(p.String())
		if err != nil {
			continue // such as ^*
		}
		patterns++
		var src strings.Builder
		for range r.IntN(60) {
			src.WriteString(letters[r.IntN(len(letters))])
		}
		if diff := gocmp.Diff(eachLine(want, src.String()), linesOf(t, p.String(), src.String(), 1+r.IntN(20))); diff != "" {
			t.Fatalf("%q in %q (-one by one +got):\n%s", p.String(), src.String(), diff)
		}
	}
}

func TestRequiredLiterals(t *testing.T) {
	for pattern, want := range map[string]string{
		`foo`:                "foo",
		`a+foo(bar)?`:        "foo",
		`(?:foo|bars)x*`:     "foo|bars",
		`foobar|foobaz`:      "fooba",
		`(?i)TODO`:           "~todo",
		`(?i)class\s`:        "~cla",
		`(?i)ks`:             "",
		`(?i:foo)|Bar`:       "~foo|bar",
		`\w+\(ctx, (x|y)\)`:  "(ctx, ",
		`(abc){2,3}`:         "abc",
		`(abc)*`:             "",
		`[a-z]+`:             "",
		`x?yy|z?`:            "",
		"\ufffd":             "",
		`a|b|c|d|e|f|g|h|ii`: "",
	} {
		m, err := compileLines(pattern)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(m.literal.any, "|")
		if m.literal.fold {
			got = "~" + got
		}
		if got != want {
			t.Errorf("%q requires %q, want %q", pattern, got, want)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	x := build(t, unpack(t, "testdata/modes.txtar"))
	for pattern, want := range map[string]string{
		`a(b`:             "missing closing )",
		`a**`:             "invalid nested repetition operator",
		`[z-a]`:           "invalid character class range",
		`\k`:              "invalid escape sequence",
		`a{1001}`:         "invalid repeat count",
		`(?=a)`:           "invalid or unsupported Perl syntax",
		`a\nb`:            "line feed",
		"a\nb":            "line feed",
		`[\n]`:            "line feed",
		`(.{999}){9}`:     "expression too large|invalid repeat|instructions",
		`(\pL{99}|x){90}`: "instructions|invalid repeat|too large",
	} {
		_, err := x.Search(t.Context(), Query{Text: pattern, Mode: Regex})
		var bad *PatternError
		if !errors.As(err, &bad) || !errors.Is(err, ErrPattern) || !slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(bad.Reason, w) }) {
			t.Errorf("%q: %v, want %s", pattern, err, want)
		}
	}
}

// manyLines builds an index of files of which each has n matching lines.
func manyLines(t testing.TB, files, n int) *Index {
	root := t.TempDir()
	for i := range files {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "needle %d\nhay\n", i)
		}
		write(t, root, fmt.Sprintf("f%02d.txt", i), b.String())
	}
	x, err := Open(root, Options{}) // vectors are not needed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestRegexBounds(t *testing.T) {
	x := manyLines(t, 30, 500)
	for _, test := range []struct {
		name    string
		q       Query
		results int
		matches int
		cuts    []Cut
		last    string
	}{
		{"limit", Query{Text: "needle 1$", Limit: 20}, 20, 500, []Cut{CutLimit}, "f01.txt:39"},
		{"all of it", Query{Text: "needle 29$", Limit: 500}, 500, 500, nil, "f29.txt:999"},
		{"per file", Query{Text: "needle 1.", Limit: 100, PerFile: 2}, 20, 5000, []Cut{CutPerFile}, "f19.txt:3"},
		{"more than are counted", Query{Text: "needle", Limit: 7}, 7, 10_000, []Cut{CutLimit, CutMatches}, "f00.txt:13"},
		{"more than are counted, from every file", Query{Text: "needle", Limit: 100, PerFile: 1}, 30, 10_000, []Cut{CutPerFile, CutMatches}, "f29.txt:1"},
		{"tokens", Query{Text: "needle", Limit: 100, Path: "f00.txt", MaxTokens: 20}, 3, 500, []Cut{CutLimit, CutTokens}, "f00.txt:5"},
		{"nothing", Query{Text: "pin"}, 0, 0, nil, ""},
	} {
		test.q.Mode = Regex
		for range 3 { // the goroutines must not matter
			a, err := x.Search(t.Context(), test.q)
			if err != nil {
				t.Fatal(err)
			}
			last := ""
			if n := len(a.Results); n > 0 {
				last = fmt.Sprintf("%s:%d", a.Results[n-1].File, a.Results[n-1].Line)
			}
			if len(a.Results) != test.results || a.Matches != test.matches || !slices.Equal(a.Cuts, test.cuts) || a.Truncated != (test.cuts != nil) || last != test.last {
				t.Errorf("%s: %d results to %s, %d matches, cut by %v", test.name, len(a.Results), last, a.Matches, a.Cuts)
			}
		}
	}
}

// What was found before the deadline is given, and said to be a part; who has
// gone away gets nothing.
func TestRegexEndsInTime(t *testing.T) {
	x := manyLines(t, 2, 10)
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	a, err := x.Search(past, Query{Text: "needle", Mode: Regex})
	if err != nil || len(a.Results) != 0 || !a.Truncated || !slices.Equal(a.Cuts, []Cut{CutTime}) {
		t.Errorf("%+v, %v", a, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Search(gone, Query{Text: "needle", Mode: Regex}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := x.Search(gone, Query{Text: "needle", Mode: Symbol}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}

	// An expression that is slow on every byte does not hold the search up.
	slow := strings.Repeat("(x+x+)+", 300) + "y"
	root := t.TempDir()
	write(t, root, "x.txt", strings.Repeat(strings.Repeat("x", 999)+"\n", 1000))
	y, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if _, err := y.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	a, err = y.Search(soon, Query{Text: strings.Replace(slow, "y", "[yz]", 1), Mode: Regex})
	if took := time.Since(began); err != nil || !slices.Contains(a.Cuts, CutTime) || took > 5*time.Second {
		t.Errorf("after %v: %v, cut by %v", took, err, a.Cuts)
	}
}
