package tokens

import "testing"

// FuzzCount: every text has a number of tokens by every encoding, at most one for each
// byte, and none only if it is empty.
func FuzzCount(f *testing.F) {
	for _, text := range []string{"", "func main() {}", "<|endoftext|>", "\xff\xfe\x00", "漢字 🙂\u200d\n\n\n   x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		f.Add(text)
	}
	var counters []Counter
	for _, name := range []string{"cl100k", "o200k"} {
		c, err := Encoding(name)
		if err != nil {
			f.Fatal(err)
		}
		counters = append(counters, c)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range counters {
			if n := c.Count(text); n < 0 || n > 3*len(text) || (n == 0) != (text == "") {
				t.Errorf("%q has %d tokens", text, n)
			}
		}
		if n := Estimate(text); n < 0 || n > len(text) {
			t.Errorf("%q has about %d tokens", text, n)
		}
	})
}
