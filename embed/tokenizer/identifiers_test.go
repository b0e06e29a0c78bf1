package tokenizer

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/embed/model"
)

func words(t testing.TB, list ...string) *Identifiers {
	t.Helper()
	ids, err := NewIdentifiers([]byte(strings.Join(list, "\n") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// tokens renders a bag as "word" or "word*count".
func tokens(b *Bag, list []string) string {
	var s []string
	for i, id := range b.IDs {
		w := list[id]
		if n := math.Round(math.Exp(float64(b.Weights[i]) - 1)); n != 1 {
			w += "*" + string(rune('0'+int(n)))
		}
		s = append(s, w)
	}
	return strings.Join(s, " ")
}

func TestSplit(t *testing.T) {
	list := []string{"get", "http", "response", "xml", "request", "ur", "ls", "io", "error", "read", "file",
		"foo", "bc", "ab", "abcdefghijklmnopqrstuvwx", "bcdefghijklmnopqrstuvwxy", "caf", "kelvin"}
	ids := words(t, list...)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"getHTTPResponse", "get http response"},
		{"GetHttpResponse", "get http response"},
		{"XMLHttpRequest", "xml http request"},
		{"URLs", "ur ls"},
		{"IOError", "io error"},
		{"HTTP", "http"},
		{"read_file read-file", "read*2 file*2"},
		{"read2file3", "read file"},
		{"HTTP2Response", "http response"},
		{"fooB", "foo"},
		{"ABc", "bc"},
		{"AB", "ab"},
		{"aB", ""},
		{"a b c", ""},
		{"abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"},
		{"ABCDEFGHIJKLMNOPQRSTUVWX", "abcdefghijklmnopqrstuvwx"},
		{"abcdefghijklmnopqrstuvwxy", ""},
		{"zzz unknown get", "get"},
		{"café", "caf"},
		{"\u212aelvin", ""}, // the Kelvin sign lower-cases to k, but is no ASCII letter
		{"get\x00file\xff\xfefoo", "get file foo"},
		{"get get get", "get*3"},
		{"@[`{get}", "get"}, // the bytes around the letters
	} {
		var b Bag
		ids.Query(&b, c.text)
		if got := tokens(&b, list); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	list := []string{"alpha", "beta", "gamma"}
	ids := words(t, list...)
	sum := func(b *Bag) (n int) {
		for _, c := range b.counts {
			n += int(c)
		}
		return n
	}
	var b Bag
	long := strings.Repeat("alpha unknown beta ", 1000)
	ids.Query(&b, long)
	if sum(&b) != QueryLimit || len(b.IDs) != 2 {
		t.Errorf("query: %d tokens, %d distinct", sum(&b), len(b.IDs))
	}
	for _, limit := range []int{StemLimit, FolderLimit, NamesLimit, TextLimit, TextLimit + 1} {
		ids.Part(&b, strings.Repeat("gamma/", limit-2)+long, limit)
		want := []uint16{uint16(limit - 2), 1, 1}
		if limit > TextLimit {
			want = []uint16{TextLimit - 1, 1}
		}
		if got := b.counts; !cmp.Equal(got, want) {
			t.Errorf("%d tokens: the first ones count: counts %d, want %d", limit, got, want)
		}
	}
	// A bag that was full leaves nothing behind.
	ids.Part(&b, "beta", TextLimit)
	if got := tokens(&b, list); got != "beta" {
		t.Errorf("reused bag holds %q", got)
	}
	other := words(t, "delta", "beta")
	other.Query(&b, "beta delta")
	if got := tokens(&b, []string{"delta", "beta"}); got != "beta delta" {
		t.Errorf("bag reused for another vocabulary holds %q", got)
	}
}

func TestVocabularyErrors(t *testing.T) {
	for _, vocab := range []string{"", "\n", "get\n\nfile\n", "get\nget\n", "Get\n", "g\n", "ge t\n", "get\r\nfile\r\n",
		"abcdefghijklmnopqrstuvwxy\n", "caf\u00e9\n"} {
		if _, err := NewIdentifiers([]byte(vocab)); err == nil {
			t.Errorf("no error for %q", vocab)
		}
	}
	ids, err := NewIdentifiers([]byte("get\nfile")) // without the last newline
	if err != nil || ids.Size() != 2 {
		t.Errorf("got %v, %v", ids, err)
	}
}

// slowBag is the same in the plain way: a regular expression and a map.
func slowBag(ids map[string]int32, limit int, s string) (list []int32, counts map[int32]int) {
	subword := regexp.MustCompile(`[A-Z]{2,}[a-z]?|[A-Z][a-z]*|[a-z]+`)
	counts = map[int32]int{}
	for {
		m := subword.FindStringIndex(s)
		if m == nil {
			return list, counts
		}
		p := s[m[0]:m[1]]
		if len(p) > 2 && p[1] < 'a' && p[len(p)-1] >= 'a' {
			p = p[:len(p)-2]
		}
		s = s[m[0]+len(p):]
		id, ok := ids[strings.ToLower(p)]
		if !ok || limit == 0 {
			continue
		}
		limit--
		if counts[id] == 0 {
			list = append(list, id)
		}
		counts[id]++
	}
}

func compareWithSlow(t *testing.T, ids *Identifiers, table map[string]int32, b *Bag, text string, limit int) {
	t.Helper()
	ids.Part(b, text, limit)
	list, counts := slowBag(table, limit, text)
	if diff := cmp.Diff(list, append([]int32(nil), b.IDs...)); diff != "" {
		t.Fatalf("%q: ids differ (-slow +fast):\n%s", text, diff)
	}
	for i, id := range b.IDs {
		if want := 1 + math.Log(float64(counts[id])); math.Abs(float64(b.Weights[i])-want) > 1e-6 {
			t.Fatalf("%q: weight of %d is %g, want %g", text, id, b.Weights[i], want)
		}
	}
}

func builtinTable() map[string]int32 {
	table := map[string]int32{}
	for i, w := range strings.Fields(string(model.Vocabulary())) {
		table[w] = int32(i)
	}
	return table
}

func TestEveryWordOfTheVocabulary(t *testing.T) {
	ids, table := words(t, strings.Fields(string(model.Vocabulary()))...), builtinTable()
	var b Bag
	for w, id := range table {
		// In the middle of a text and at its end, where fewer bytes can be loaded.
		for _, text := range []string{w, w + strings.Repeat(" ", 30), strings.ToUpper(w)} {
			ids.Query(&b, text)
			if len(b.IDs) != 1 || b.IDs[0] != id {
				t.Fatalf("%q: ids %d, want %d", text, b.IDs, id)
			}
		}
	}
}

func TestAgainstSlow(t *testing.T) {
	ids, table := words(t, strings.Fields(string(model.Vocabulary()))...), builtinTable()
	rnd := rand.New(rand.NewPCG(3, 4))
	parts := append(strings.Fields(string(model.Vocabulary()))[:2000], "A", "B", "a", "_", " ", " ", ".", "9", "é", "\n", "X", "HTTP")
	random := func(n int) string {
		var s strings.Builder
		for range n {
			p := parts[rnd.IntN(len(parts))]
			switch rnd.IntN(4) {
			case 0:
				p = strings.ToUpper(p)
			case 1:
				p = strings.ToUpper(p[:1]) + p[1:]
			}
			s.WriteString(p)
			if rnd.IntN(3) == 0 {
				s.WriteByte(" _/.("[rnd.IntN(5)])
			}
		}
		return s.String()
	}
	var b Bag
	for range 300 {
		compareWithSlow(t, ids, table, &b, random(rnd.IntN(8)), StemLimit)
		compareWithSlow(t, ids, table, &b, random(rnd.IntN(700)), TextLimit)
	}
}

// TestWindows has subwords lie across the edge of a window, and fill windows.
func TestWindows(t *testing.T) {
	ids, table := words(t, strings.Fields(string(model.Vocabulary()))...), builtinTable()
	var b Bag
	for _, fill := range []string{" ", "a", "A", "Aa", "getHTTP", "\u00e9", "aB9"} {
		for n := range 3 * windowBytes {
			text := strings.Repeat(fill, n) + "getHTTPResponse_URLs(ABc, x) "
			compareWithSlow(t, ids, table, &b, text, TextLimit)
			compareWithSlow(t, ids, table, &b, text+strings.Repeat(fill, windowBytes), TextLimit)
		}
	}
}

func FuzzIdentifiers(f *testing.F) {
	ids, table := words(f, strings.Fields(string(model.Vocabulary()))...), builtinTable()
	f.Add("func ABc(x int) { return getHTTPResponse(URLs) }")
	f.Add("\xff\x00éA")
	var b Bag
	f.Fuzz(func(t *testing.T, text string) {
		compareWithSlow(t, ids, table, &b, text, TextLimit)
	})
}

func TestPartDoesNotAllocate(t *testing.T) {
	ids := words(t, "get", "http", "response")
	text := strings.Repeat("getHTTPResponse ", 50)
	var b Bag
	ids.Part(&b, text, TextLimit)
	if n := testing.AllocsPerRun(100, func() { ids.Part(&b, text, TextLimit) }); n != 0 {
		t.Errorf("%g allocations for a text", n)
	}
}
