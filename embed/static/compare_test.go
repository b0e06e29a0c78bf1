package static

import (
	"math/rand/v2"
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
		names, text string
		named, both [2]float64 // from, to
	}{
		{"", "func RetryTimeout() {}", [2]float64{0, 0}, [2]float64{0.999, 1.001}},
		{"retry", "timeout", [2]float64{0.5, 0.999}, [2]float64{0.999, 1.001}},
		{"RetryTimeout", "", [2]float64{0.999, 1.001}, [2]float64{0.999, 1.001}},
		{"", "", [2]float64{0, 0}, [2]float64{0, 0}},
		{"12", "34 %&", [2]float64{0, 0}, [2]float64{0, 0}},
	} {
		named, both := c.With(test.names, []byte(test.text))
		for _, got := range []struct {
			of   string
			is   float64
			want [2]float64
		}{{test.names, named, test.named}, {test.names + " " + test.text, both, test.both}} {
			if !(got.is >= got.want[0] && got.is <= got.want[1]) {
				t.Errorf("%q is alike by %v, want %v", got.of, got.is, got.want)
			}
		}
	}
	near, _ := c.With("attempts deadline", nil)
	if far, _ := c.With("colour palette", nil); near <= far {
		t.Errorf("attempts and deadlines are alike by %v, colours by %v", near, far)
	}
	none := m.Compare("zzzqqq", every)
	defer none.Close()
	if named, both := none.With("retry", []byte("timeout")); named != 0 || both != 0 {
		t.Errorf("a question without a known word is alike by %v and %v", named, both)
	}
}

// TestFastDots compares the products with those of numbers one by one, and the two ways to
// compute them.
func TestFastDots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, fill := range []func() byte{
		func() byte { return byte(r.Uint32()) },
		func() byte { return 0x80 },
		func() byte { return 0x7f },
	} {
		for _, dim := range []int{16, 48, 256, 272} {
			rows := make([]byte, (mostCompared+1)*dim)
			for i := range rows {
				rows[i] = fill()
			}
			row := rows[mostCompared*dim:]
			var a asked
			for words := 1; words <= mostCompared; words++ {
				a.reset(dim)
				var want, plain, fast dots
				for n := range words {
					a.put(n, rows[n*dim:][:dim])
					for i, x := range row {
						want[n] += int32(int8(x)) * int32(int8(rows[n*dim+i]))
					}
				}
				var square int32
				for _, x := range row {
					square += int32(int8(x)) * int32(int8(x))
				}
				if got := a.plainDots(&plain, row); got != square || plain != want {
					t.Fatalf("%d words of %d: plain %v and %v, want %v and %v", words, dim, got, plain, square, want)
				}
				if got := a.dots(&fast, row); got != square || fast != want {
					t.Fatalf("%d words of %d: %v and %v, want %v and %v", words, dim, got, fast, square, want)
				}
			}
		}
	}
}

// TestCompareAgain uses the memory of earlier comparisons: they must not show.
func TestCompareAgain(t *testing.T) {
	m := builtin(t)
	alone := func(question, text string) float64 {
		c := newComparison(m)
		c.begin(question, every)
		_, both := c.With("", []byte(text))
		return both
	}
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for range 50 {
				for _, q := range []string{"close the connection", "parse a number", "wait"} {
					for _, text := range []string{"connection closed", "read digits of a float", "sleep"} {
						c := m.Compare(q, every)
						want := alone(q, text)
						if _, got := c.With("", []byte(text)); got != want {
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
