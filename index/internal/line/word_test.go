package line

import (
	"math/rand/v2"
	"regexp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// A text is found as a whole word where the expression that says so finds it.
func TestWholeWordAgainstExpression(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	parts := append([]string{"\u0301", "‿", "-", "٣", "\xe4\xb8", "(", "aa"}, letters...)
	found := 0
	for range 4000 {
		text := draw(r, []string{"a", "b", "ab", "aa", "é", "-a", "k", "(", "a b", "\u212a"}, 1+r.IntN(2))
		src := draw(r, parts, r.IntN(60))
		p, err := CompileWith(text, Options{Literal: true, Word: true})
		if err != nil || p.word == nil {
			t.Fatalf("%q: %v, by an automaton", text, err)
		}
		re := regexp.MustCompile("(?:^|" + outside + ")(?:" + regexp.QuoteMeta(text) + ")(?:$|" + outside + ")")
		p.re = re // for the messages
		want := oneByOne(re, src)
		if diff := gocmp.Diff(want, linesOf(t, p, src, 0, true)); diff != "" {
			t.Fatalf("%q in %q (-one by one +got):\n%s", text, src, diff)
		}
		found += len(want)
	}
	if found < 200 {
		t.Errorf("%d lines match: the texts do not tell", found)
	}
}

func TestWholeWordPlaces(t *testing.T) {
	p, err := CompileWith("ab", Options{Word: true})
	if err != nil {
		t.Fatal(err)
	}
	line := []byte("abab ab-ab")
	if got := p.First(line); got != 5 {
		t.Errorf("the first is at %d", got)
	}
	for span, want := range map[[2]int]bool{{0, 4}: false, {0, 5}: false, {4, 6}: true, {6, 7}: true, {7, 8}: false, {7, 9}: true, {9, 10}: true, {10, 10}: false} {
		if got := p.Overlaps(line, span[0], span[1]); got != want {
			t.Errorf("bytes %d to %d: %t", span[0], span[1], got)
		}
	}
	if !p.Covers("ab") || p.Covers("abab") || p.Covers("ab-ab") {
		t.Error("a name is covered by what it is not")
	}
}
