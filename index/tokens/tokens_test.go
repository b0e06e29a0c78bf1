package tokens

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// TestEstimateTokens is the test of that name of the specification: four characters are
// a token, what is left of them is one more, and the estimate is near what an encoding
// counts in prose and in code.
func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "äöüß": 1, "日本語のテキスト": 2, "🙂🙂🙂🙂🙂": 2, strings.Repeat("a", 400): 100, strings.Repeat("a", 401): 101,
	} {
		if got := Estimate(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	c, err := Encoding(CL100K)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"The token service signs each claim with HS256 and refuses those that have expired. It keeps no state of its own, so that several can run.",
		"func (s Signer) Verify(token string, now time.Time) (string, error) {\n\thead, tail, _ := strings.Cut(token, \".\")\n\treturn head, nil\n}\n",
	} {
		if e, n := Estimate(text), c.Count(text); 2*e < n || e > 2*n {
			t.Errorf("%q: %d is estimated, %d counted", text, e, n)
		}
	}
}

// TestEncodings holds the counts of both encodings to those that the encodings' own
// authors give.
func TestEncodings(t *testing.T) {
	for name, texts := range map[string]map[string]int{
		CL100K: {
			"": 0, "hello world": 2, "tiktoken is great!": 6, "antidisestablishmentarianism": 6, "2 + 2 = 4": 7, "お誕生日おめでとう": 9,
			"<|endoftext|>": 7, // ordinary text here
		},
		O200K: {"": 0, "tiktoken is great!": 6, "antidisestablishmentarianism": 6, "2 + 2 = 4": 7, "お誕生日おめでとう": 8},
	} {
		c, err := Encoding(name)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			if got := c.Count(text); got != want {
				t.Errorf("%s: %q has %d tokens, want %d", name, text, got, want)
			}
		}
	}
	if _, err := Encoding("gpt2"); err == nil || !strings.Contains(err.Error(), `no encoding "gpt2"`) {
		t.Errorf("an encoding that there is not: %v", err)
	}
}

// TestParts compares counting in parts with counting at once.
func TestParts(t *testing.T) {
	c, err := Encoding(CL100K)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"prose": strings.Repeat("The index follows its root;  a change is in it\nbefore anyone asks. ", 2000),
		"code":  strings.Repeat("\tif err := x.build(ctx); err != nil {\r\n\t\treturn fmt.Errorf(\"index: %w\", err)\r\n\t}\r\n\r\n", 1500),
		"words": strings.Repeat("größer ", 8000),
	} {
		if got, want := c.Count(text), c.count(text); got != want {
			t.Errorf("%s: %d in parts, %d at once", what, got, want)
		}
	}
	for what, text := range map[string]string{
		"one letter": strings.Repeat("a", 2000), "blanks": strings.Repeat(" ", 2000), "no blanks": strings.Repeat("a.b/c,", 350),
	} {
		got, want := c.Count(text), c.count(text)
		if cuts := utf8.RuneCountInString(text) / longestRun; got < want || got > want+cuts {
			t.Errorf("%s: %d in parts, %d at once", what, got, want)
		}
	}
}

// TestRuns counts runs without blanks, on which the library alone would hang.
func TestRuns(t *testing.T) {
	eachRun(t, func(name, unit string, c Counter) {
		if n := c.Count(strings.Repeat(unit, 32<<10/len(unit))); n == 0 {
			t.Errorf("%s: nothing in many %q", name, unit)
		}
	})
}

// BenchmarkRuns counts megabytes of them.
func BenchmarkRuns(b *testing.B) {
	eachRun(b, func(name, unit string, c Counter) {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name+"/"+unit, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Count(text)
			}
		})
	})
}

func eachRun(t testing.TB, use func(name, unit string, c Counter)) {
	for name, units := range map[string][]string{CL100K: {"a", " ", "x7Q/", "日本"}, O200K: {"=", "日本"}} {
		c, err := Encoding(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range units {
			use(name, unit, c)
		}
	}
}

// TestConcurrent loads and counts in many goroutines at once; the race detector looks on.
func TestConcurrent(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			c, err := Encoding([]string{CL100K, O200K}[i%2])
			if err != nil {
				t.Error(err)
			} else if n := c.Count("tiktoken is great!"); n != 6 {
				t.Errorf("%d tokens", n)
			}
		})
	}
	all.Wait()
}
