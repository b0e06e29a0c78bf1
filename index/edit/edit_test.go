package edit

import "testing"

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"cart", "cart", 0}, {"crat", "cart", 1}, {"cart", "card", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "badc", 2},
	} {
		if got := Distance(tc.a, tc.b, 10, make([]int, 3*(len(tc.a)+1))); got != tc.want {
			t.Errorf("%s to %s: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
