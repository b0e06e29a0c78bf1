package hostile

import (
	"bytes"
	"regexp"
	"testing"
)

// TestNew: texts are of all kinds, none is like another, the same number gives the same,
// and none has a word that a query would find.
func TestNew(t *testing.T) {
	word := regexp.MustCompile(`(?i)[a-z]{4,}`)
	known := regexp.MustCompile(`(?i)^(select|from|(begin)+)$`)
	kinds, names, bodies := map[string]int{}, map[string]bool{}, map[string]bool{}
	for n := range 400 {
		one := New(7, n)
		if again := New(7, n); again.Name != one.Name || !bytes.Equal(again.Body, one.Body) {
			t.Fatalf("%s: the same number gives another text", one.Name)
		}
		kinds[one.Kind]++
		names[one.Name], bodies[string(one.Body)] = true, true
		if len(one.Body) > 2<<20 {
			t.Errorf("%s has %d bytes, more than is indexed", one.Name, len(one.Body))
		}
		for _, w := range word.FindAllString(string(one.Body), -1) {
			letters := map[rune]bool{}
			for _, c := range w {
				letters[c] = true
			}
			if len(letters) >= 7 && !known.MatchString(w) {
				t.Errorf("%s says %q", one.Name, w[:min(len(w), 40)])
				break
			}
		}
	}
	for _, kind := range []string{"crash", "leak", "hang", "depth", "noise"} {
		if kinds[kind] < 20 {
			t.Errorf("%d of kind %s", kinds[kind], kind)
		}
	}
	if len(names) != 400 || len(bodies) != 400 {
		t.Errorf("%d names, %d texts", len(names), len(bodies))
	}
}
