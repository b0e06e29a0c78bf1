package static

import (
	"math"
	"sync"
	"testing"
)

func every(string) float64 { return 1 }

func TestCompare(t *testing.T) {
	m := builtin(t)
	c := m.Compare("retry the timeout", func(word string) float64 {
		if word == "the" {
			return 0
		}
		return 1
	})
	defer c.Close()
	for _, test := range []struct {
		texts       []string
		least, most float64
	}{
		{[]string{"func RetryTimeout() {}"}, 0.999, 1.001},
		{[]string{"retry", "timeout"}, 0.999, 1.001},
		{[]string{"retry"}, 0.5, 0.999},
		{[]string{""}, 0, 0},
		{[]string{"12 34 %&"}, 0, 0},
	} {
		if got := c.With(test.texts...); got < test.least || got > test.most || math.IsNaN(got) {
			t.Errorf("%q is alike by %v, want %v to %v", test.texts, got, test.least, test.most)
		}
	}
	if near, far := c.With("attempts deadline"), c.With("colour palette"); near <= far {
		t.Errorf("attempts and deadlines are alike by %v, colours by %v", near, far)
	}
	none := m.Compare("zzzqqq", every)
	defer none.Close()
	if got := none.With("retry"); got != 0 {
		t.Errorf("a question without a known word is alike by %v", got)
	}
}

// TestCompareAgain uses the memory of earlier comparisons: they must not show.
func TestCompareAgain(t *testing.T) {
	m := builtin(t)
	alone := func(question, text string) float64 {
		c := newComparison(m)
		c.begin(question, every)
		return c.With(text)
	}
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for range 50 {
				for _, q := range []string{"close the connection", "parse a number", "wait"} {
					for _, text := range []string{"connection closed", "read digits of a float", "sleep"} {
						c := m.Compare(q, every)
						if got, want := c.With(text), alone(q, text); got != want {
							t.Errorf("%q and %q are alike by %v, alone by %v", q, text, got, want)
						}
						c.Close()
					}
				}
			}
		})
	}
	work.Wait()
}
