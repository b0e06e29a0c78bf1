package line

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// oneByOne is what Each must find, line by line: each alone, without its end.
func oneByOne(re *regexp.Regexp, src string) []int {
	var lines []int
	all := strings.Split(src, "\n")
	for i, line := range all {
		if i == len(all)-1 && line == "" {
			break // a line feed at the end begins no line
		}
		if re.MatchString(strings.TrimSuffix(line, "\r")) {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func compile(t testing.TB, expr string) *Pattern {
	t.Helper()
	p, err := Compile(expr)
	if err != nil {
		t.Fatalf("%q: %v", expr, err)
	}
	return p
}

func never() bool { return false }

// linesOf searches with the automaton or without, and looks as often at the clock as
// stride says.
func linesOf(t *testing.T, p *Pattern, src string, stride int, automaton bool) []int {
	t.Helper()
	s := p.Searcher()
	if !automaton {
		s.dfa = nil
	}
	if stride > 0 {
		s.stride = stride
	}
	var got []int
	lines := strings.Split(src, "\n")
	clean := Unix([]byte(src))
	s.Each(clean, never, func(line, start, end int) bool {
		want := lines[line-1]
		if line < len(lines) { // what ends the text without a line feed keeps its carriage return
			want = strings.TrimSuffix(want, "\r")
		}
		if got := clean[start:end]; string(got) != want {
			t.Errorf("%s: line %d is %q, not %q", p.re, line, want, got)
		}
		got = append(got, line)
		return true
	})
	if len(got) > 0 {
		mayMatch(t, p, clean)
	}
	return got
}

// mayMatch fails where a filter rules out a text that matches.
func mayMatch(t *testing.T, p *Pattern, text []byte) {
	t.Helper()
	for name, f := range map[string]*Filter{"parts": NewFilter(text), "dense": NewDense(text)} {
		if !p.May(f) {
			t.Errorf("%s: the filter (%s) of %q says no", p.re, name, text)
		}
	}
}

var (
	atoms = []string{"a", "b", "ab", "K", "sk", "É", ".", "[ab]", "[^a]", `\s`, `\w`, `\b`, `\B`, "^", "$", "(?i:ab)", "(?i:ks)", "(?i:éA)",
		"(?:a|bb)", "(?i:b|Sa)", "(?s:.)", `\x20`, `\pL`, `[^\pL]`, "abk", "(?:|a)", `\A`, `\z`}
	suffixes = []string{"", "", "", "*", "+", "?", "{2}", "{0,2}"}
	letters  = []string{"a", "b", "A", "B", "k", "K", "\u212a", "s", "ſ", "é", "É", " ", "\t", "_", "\n", "\n", "\r\n", "\xff", "\ufffd"}
)

func draw(r *rand.Rand, from []string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

// The lines found are those that package regexp finds line by line, for expressions put
// together at random, with the automaton and without.
func TestLinesAgainstOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for patterns := 0; patterns < 4000; {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(draw(r, atoms, 1) + draw(r, suffixes, 1))
		}
		want, err := regexp.Compile(b.String())
		if err != nil {
			continue // such as ^*
		}
		patterns++
		src, stride := draw(r, letters, r.IntN(60)), 1+r.IntN(20)
		p := compile(t, b.String())
		for _, automaton := range []bool{true, false} {
			if diff := gocmp.Diff(oneByOne(want, src), linesOf(t, p, src, stride, automaton)); diff != "" {
				t.Fatalf("%q in %q, automaton %t (-one by one +got):\n%s", b.String(), src, automaton, diff)
			}
		}
	}
}

// An automaton that has to forget its states, and one that gives up, find the same.
func TestAutomatonForgets(t *testing.T) {
	p := compile(t, `[ab][ab]*a[ab]{9}c`) // a state for each of 512 pasts
	r := rand.New(rand.NewPCG(3, 4))
	var src strings.Builder
	for range 400 {
		src.WriteString(draw(r, []string{"a", "b"}, 300) + draw(r, []string{"c", "d"}, 1) + "\n")
	}
	want := oneByOne(p.re, src.String())
	if len(want) < 50 || len(want) > 350 {
		t.Fatalf("%d lines match: the text does not tell", len(want))
	}
	if diff := gocmp.Diff(want, linesOf(t, p, src.String(), 0, true)); diff != "" {
		t.Error(diff)
	}
	s := p.Searcher()
	s.dfa.work = maxWork + 1
	var got []int
	s.Each([]byte(src.String()), never, func(line, _, _ int) bool { got = append(got, line); return true })
	if diff := gocmp.Diff(want, got); diff != "" || s.dfa != nil {
		t.Errorf("the automaton that gives up is kept: %t\n%s", s.dfa != nil, diff)
	}
}

func FuzzLines(f *testing.F) {
	f.Add(`fo+\b`, "foo\nbar foo\r\n")
	f.Add(`^$`, "\n\na\n")
	f.Add(`(?i)straße|\pN`, "STRASSE\nstraße 1")
	f.Fuzz(func(t *testing.T, expr, src string) {
		if len(expr) > 60 || len(src) > 2000 || strings.Contains(src, "\r") {
			return
		}
		re, err := regexp.Compile(expr)
		if err != nil || strings.ContainsAny(expr, "\n") || strings.Contains(expr, `(?`) {
			return
		}
		p, err := Compile(expr)
		if err != nil {
			return // a line feed, or too large
		}
		if diff := gocmp.Diff(oneByOne(re, src), linesOf(t, p, src, 0, true)); diff != "" {
			t.Errorf("%q in %q:\n%s", expr, src, diff)
		}
	})
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
		p := compile(t, pattern)
		got := strings.Join(p.literal.any, "|")
		if p.literal.fold {
			got = "~" + got
		}
		if got != want {
			t.Errorf("%q requires %q, want %q", pattern, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	src := "cat\nconcat\nthe cat.\ncat_\ncat9\nécat\nCAT\na.c\nabc\n"
	for _, c := range []struct {
		expr string
		opt  Options
		want []int
	}{
		{"cat", Options{}, []int{1, 2, 3, 4, 5, 6}},
		{"cat", Options{Word: true}, []int{1, 3}},
		{"cat", Options{Word: true, IgnoreCase: true}, []int{1, 3, 7}},
		{"a.c", Options{}, []int{8, 9}},
		{"a.c", Options{Literal: true}, []int{8}},
		{"c|b", Options{Word: true}, []int{8}},
		{"", Options{}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
	} {
		p, err := CompileWith(c.expr, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(c.want, linesOf(t, p, src, 0, true)); diff != "" {
			t.Errorf("%q %+v:\n%s", c.expr, c.opt, diff)
		}
	}
	if _, err := CompileWith("a)(b", Options{Word: true}); err == nil {
		t.Error("an expression that is right only inside of another one is taken")
	}
}

func TestOverlaps(t *testing.T) {
	text := []byte("func Open(name string) *File")
	for expr, want := range map[string]bool{"Open": true, `func O`: true, "name": false, "pen|func": true, ".": true, "^func $": false, "x*": false, `\(`: false} {
		if got := compile(t, expr).Overlaps(text, 5, 9); got != want {
			t.Errorf("%q: %t", expr, got)
		}
	}
}

func TestFilterExcludes(t *testing.T) {
	text := bytes.Repeat([]byte("the quick brown fox jumps over it\n"), 200)
	for expr, want := range map[string]bool{
		"é": false, "[é-ü]+": false, "(?i)é|ü": false, "a|é": true, "é?": true, "(?i)\u212a": true, "[^a]": true,
		"quick": true, "(?i)QUICK": true, "slow": false, "(?i)SLOW": false, "slow|fox": true, "qu": true, "[a-z]+": true, "brown cat": false,
	} {
		for name, f := range map[string]*Filter{"parts": NewFilter(text), "dense": NewDense(text)} {
			if got := compile(t, expr).May(f); got != want {
				t.Errorf("%q, %s: %t", expr, name, got)
			}
		}
	}
}

func TestFoldBytes(t *testing.T) {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c), byte(255-c), 'A', 'z')
	}
	for from := range 9 {
		for to := len(all) - 9; to <= len(all); to++ {
			var buffer []byte
			for i, c := range fold(&buffer, all[from:to]) {
				if want := small(all[from+i]); c != want {
					t.Fatalf("byte %#x becomes %#x, not %#x", all[from+i], c, want)
				}
			}
		}
	}
}

func BenchmarkEach(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	words := []string{"return", "err", "func", "if", "nil", "{", "}", "(", ")", "ctx", "value", "=", ":=", "string"}
	var src strings.Builder
	for src.Len() < 4<<20 {
		src.WriteString("\t" + strings.Repeat(draw(r, words, 1)+" ", 1+r.IntN(9)) + "\n")
	}
	text := []byte(src.String())
	for _, expr := range []string{"values", "(?i)CTX VALUE", `[A-Z]{3}_[0-9]+`, `^\s*(if|for)\b.*\{$`, `\pL\d`, "."} {
		p := compile(b, expr)
		for _, automaton := range []bool{true, false} {
			name := expr
			if !automaton {
				name += "/regexp"
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				s := p.Searcher()
				if !automaton {
					s.dfa, s.stride = nil, strideWork/len(p.prog.Inst)
				}
				for b.Loop() {
					s.Each(text, never, func(int, int, int) bool { return true })
				}
			})
		}
	}
}
