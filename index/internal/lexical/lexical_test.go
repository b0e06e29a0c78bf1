package lexical

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"getHTTPResponse2", "gethttpresponse2 get http response"},
		{"HTTPServer", "httpserver http server"},
		{"parse_config_file", "parse_config_file parse config file"},
		{"__init__", "init"},
		{"MAX_SIZE", "max_size max size"},
		{"simple Words", "simple words"},
		{"sha256 utf8", "sha256 sha utf8 utf"},
		{"x = 404 + 0x1f + 1234567 + 7", "x 404"},
		{"2to3 3d", "to3 to d"},
		{"a.b->c::d", "a b c d"},
		{"Größe_max naïve“quoted”", "größe max naïve quoted"},
		{"日本語 テスト", "日本語 テスト"},
		{"ABC aB", "abc ab"},
		{"", ""},
		{"___ ", ""},
		{strings.Repeat("a", 65), ""},
		{"getX", "getx get"},
	} {
		var got []string
		Split([]byte(test.text), func(term []byte) { got = append(got, string(term)) })
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("Split(%q) = %q, want %q", test.text, s, test.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("getHTTPResponse2 naïve __x__ 0x1f")
	f.Fuzz(func(t *testing.T, text string) {
		Split([]byte(text), func(term []byte) {
			if len(term) == 0 || len(term) > 2*maxWord {
				t.Errorf("term %q of %d bytes", term, len(term))
			}
		})
		sameDoc(t, new(Builder), text)
	})
}

// sameDoc compares a Builder, which remembers identifiers, with Split, which does not.
func sameDoc(t *testing.T, b *Builder, text string) {
	t.Helper()
	want := Doc{}
	place := map[uint64]int{}
	Split([]byte(text), func(term []byte) {
		h := Hash(Stem(string(term)))
		if _, ok := place[h]; !ok {
			place[h] = len(want.Terms)
			want.Terms = append(want.Terms, Term{Hash: h})
		}
		want.Terms[place[h]].Count += 2
		want.Words += 2
	})
	b.Add([]byte(text), 2)
	if got := b.Doc(); got.Words != want.Words || !slices.Equal(got.Terms, want.Terms) {
		t.Errorf("%q: %v, want %v", text, got, want)
	}
}

func TestBuilder(t *testing.T) {
	var b Builder
	for range 2 {
		for _, text := range []string{
			"", "getHTTPResponse2 naïve __x__ 0x1f 404 2to3 x", "x x getX GetX get_x", strings.Repeat("aB", 100) + " aB",
			"naïve naïve·x", "123456 12 1 0", strings.Repeat("long_", 60), "naïve",
		} {
			sameDoc(t, &b, text)
		}
	}
	var many strings.Builder
	for n := range maxMemo + 10 {
		fmt.Fprintf(&many, "a%db ", n)
	}
	sameDoc(t, &b, many.String())
	sameDoc(t, &b, "a0b a5b a131080b x")
}

// oracle is BM25 as written in the paper, over words.
type oracle map[uint32][]string

func (o oracle) search(query []string) map[uint32]float64 {
	total, df := 0.0, map[string]float64{}
	for _, words := range o {
		total += float64(len(words))
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			df[w]++
		}
	}
	n := float64(len(o))
	scores := map[uint32]float64{}
	for id, words := range o {
		for _, q := range query {
			tf := 0.0
			for _, w := range words {
				if w == q {
					tf++
				}
			}
			if tf == 0 {
				continue
			}
			idf := math.Log(1 + (n-df[q]+0.5)/(df[q]+0.5))
			scores[id] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(len(words))/(total/n)))
		}
	}
	return scores
}

// TestRandomOperations adds, removes and purges at random and compares every
// score with the oracle after each step.
func TestRandomOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, o := New(), oracle{}
	docs := map[uint32]Doc{}
	var free []uint32
	var next uint32
	var builder Builder
	vocabulary := make([]string, 40)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("w%c%c", 'a'+i/8, 'a'+i%8)
	}
	for step := range 600 {
		if r.IntN(3) > 0 || len(docs) == 0 {
			id := next
			if len(free) > 0 {
				id, free = free[0], free[1:]
			} else {
				next++
			}
			words := make([]string, 1+r.IntN(30))
			for i := range words {
				words[i] = vocabulary[min(r.IntN(40), r.IntN(40))]
			}
			builder.Add([]byte(strings.Join(words, " ")), 1)
			docs[id] = builder.Doc()
			if err := x.Add(id, docs[id]); err != nil {
				t.Fatal(err)
			}
			o[id] = words
		} else {
			ids := make([]uint32, 0, len(docs))
			for id := range docs {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			id := ids[r.IntN(len(ids))]
			x.Remove(id, docs[id])
			delete(docs, id)
			delete(o, id)
		}
		if r.IntN(50) == 0 {
			free = append(free, x.Purge(nil)...)
			if n, share := x.Dead(); n != 0 || share != 0 {
				t.Fatalf("after Purge %d dead documents, share %v", n, share)
			}
		}
		if r.IntN(20) == 0 {
			x.Compact(nil)
		}
		query := []string{vocabulary[r.IntN(40)], vocabulary[r.IntN(40)], "absent"}
		var terms []Term
		for _, w := range query {
			terms = append(terms, Term{Hash(w), 1})
		}
		want := o.search(query)
		result := x.Search(terms)
		hits := result.Top(10, nil, nil)
		for id := range next {
			if got := float64(result.Score(id)); math.Abs(got-want[id]) > 1e-4 {
				t.Fatalf("step %d: document %d scores %v, want %v", step, id, got, want[id])
			}
		}
		all := make([]Hit, 0, len(want))
		for id := range want {
			all = append(all, Hit{id, result.Score(id)})
		}
		slices.SortFunc(all, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		if diff := gocmp.Diff(all[:min(10, len(all))], hits); diff != "" && len(all) > 0 {
			t.Fatalf("step %d: Top (-want +got):\n%s", step, diff)
		}
		result.Release()
	}
}

// TestPurgeInParts interrupts Purge, changes the Index meanwhile and uses ids again.
func TestPurgeInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var b Builder
	x, docs := New(), map[uint32]Doc{}
	var free, order []uint32
	interrupted, most := 0, 0
	for step := range 6000 {
		if r.IntN(5) > 1 || len(order) == 0 {
			id := uint32(len(docs) + len(free) + len(x.dead) + len(x.purging)) // all that were ever given
			if last := len(free) - 1; last >= 0 {
				id, free = free[last], free[:last]
			}
			for range 1 + r.IntN(8) {
				b.Add(fmt.Appendf(nil, "word%d ", r.IntN(3000)), 1)
			}
			docs[id] = b.Doc()
			if err := x.Add(id, docs[id]); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			order = append(order, id)
		} else {
			n := r.IntN(len(order))
			id := order[n]
			order = slices.Delete(order, n, n+1)
			x.Remove(id, docs[id])
			delete(docs, id)
		}
		if r.IntN(10) == 0 || x.Purging() {
			before, _ := x.Dead()
			got := x.Purge(func() bool { return r.IntN(3) > 0 })
			after, _ := x.Dead()
			if after != before-len(got) || x.Purging() && len(got) > 0 {
				t.Fatalf("step %d: %d documents of %d wait, %d ids are free", step, after, before, len(got))
			}
			free = append(free, got...)
			if x.Purging() {
				interrupted++
			}
		}
		most = max(most, len(x.dict))
		if step%500 != 499 {
			continue
		}
		want := New()
		for _, id := range order {
			if err := want.Add(id, docs[id]); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		if _, _, err := Compare(t.Context(), x, want, order, order, func(Difference) { n++ }); err != nil || n > 0 {
			t.Fatalf("step %d: %d differences, %v", step, n, err)
		}
		dead := 0
		for _, l := range x.lists {
			dead += len(l.postings) - int(l.df)
		}
		if x.live != want.live || x.gone != int64(dead) {
			t.Fatalf("step %d: %d postings, %d of removed documents, should be %d and %d", step, x.live, x.gone, want.live, dead)
		}
	}
	if interrupted < 100 || len(x.lists) > most {
		t.Errorf("interrupted %d times; %d lists for %d terms at most", interrupted, len(x.lists), most)
	}
	for x.Purge(nil); ; x.Purge(nil) {
		if n, _ := x.Dead(); n == 0 {
			break
		}
	}
	if x.gone != 0 || len(x.idle) > 0 || len(x.dict)+len(x.vacant) != len(x.lists) {
		t.Errorf("at the end %d postings of removed documents, %d terms are without documents, %d and %d places for %d lists", x.gone, len(x.idle), len(x.dict), len(x.vacant), len(x.lists))
	}
	for _, n := range x.dict {
		if x.lists[n].df == 0 {
			t.Fatal("a term without documents")
		}
	}
}

// TestCompactInParts has an Index compacted that is added to meanwhile.
func TestCompactInParts(t *testing.T) {
	x, want := New(), map[string]int{}
	var builder Builder
	add := func(id int) {
		var words []string
		for i := range 3 * purgeStep {
			if i%(1+id%7) == 0 {
				words = append(words, fmt.Sprint("w", i))
				want[words[len(words)-1]]++
			}
		}
		builder.Add([]byte(strings.Join(words, " ")), 1)
		if err := x.Add(uint32(id), builder.Doc()); err != nil {
			t.Fatal(err)
		}
	}
	for id := range 20 {
		add(id)
	}
	parts := 1
	for id := 20; !x.Compact(func() bool { return true }); id++ {
		add(id)
		parts++
	}
	if parts < 3 {
		t.Errorf("it was done in %d parts", parts)
	}
	for word, n := range want {
		if got := x.Sum([]Term{{Hash(word), 1}}); got != n {
			t.Fatalf("%s occurs %d times, want %d", word, got, n)
		}
	}
	x.Compact(nil)
	for _, l := range x.lists {
		if cap(l.postings) != len(l.postings) {
			t.Fatalf("%d postings have room for %d", len(l.postings), cap(l.postings))
		}
	}
}

func TestTopKeepsTiesInOrderOfID(t *testing.T) {
	x := New()
	var builder Builder
	for id := range uint32(1000) {
		builder.Add([]byte("same words here"), 1)
		if err := x.Add(id, builder.Doc()); err != nil {
			t.Fatal(err)
		}
	}
	r := x.Search([]Term{{Hash("same"), 1}})
	defer r.Release()
	hits := r.Top(5, func(id uint32) bool { return id%2 == 1 }, nil)
	if len(hits) != 5 {
		t.Errorf("%d hits, want 5", len(hits))
	}
	for i, h := range hits {
		if want := uint32(2*i + 1); h.ID != want {
			t.Errorf("hit %d is document %d, want %d", i, h.ID, want)
		}
	}
	last := r.Top(5, nil, func(a, b uint32) int { return cmp.Compare(b, a) })
	for i, h := range last {
		if want := uint32(999 - i); h.ID != want {
			t.Errorf("in the other order hit %d is document %d, want %d", i, h.ID, want)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	x := New()
	if err := x.Add(MaxID+1, Doc{}); err == nil {
		t.Error("an id above MaxID was taken")
	}
	if err := x.Add(3, Doc{}); err != nil {
		t.Error(err)
	}
	if err := x.Add(3, Doc{}); err == nil {
		t.Error("an id was taken twice")
	}
	x.Remove(3, Doc{})
	if err := x.Add(3, Doc{}); err != nil {
		t.Errorf("a removed empty document: %v", err)
	}
}

func TestCountsSaturate(t *testing.T) {
	x := New()
	var builder Builder
	builder.Add([]byte(strings.Repeat("again ", 1000)), 1)
	if err := x.Add(0, builder.Doc()); err != nil {
		t.Fatal(err)
	}
	r := x.Search([]Term{{Hash("again"), 1}})
	defer r.Release()
	if s := r.Score(0); s <= 0 || s > 10 {
		t.Errorf("score %v of a document with a thousand occurrences", s)
	}
}

// TestTopOfMany compares Top, which leaves most documents out unseen, with
// sorting everything, for scores with many ties and with few.
func TestTopOfMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for round := range 200 {
		r := &Result{index: New(), scores: make([]float32, rnd.IntN(20000))}
		r.has = make([]uint8, len(r.scores))
		if round%4 == 0 {
			r.terms = maxCovered + 1 // of which has says nothing
		}
		values := 1 + rnd.IntN(1+round*50)
		for i := range r.scores {
			if rnd.IntN(3) > 0 {
				r.scores[i] = float32(rnd.IntN(values)) / 7
			}
			if round%5 == 0 && i%sampled == 0 && i < 40*sampled { // a sample that misleads
				r.scores[i] = float32(values)
			}
			if r.scores[i] > 0 && round%4 != 0 {
				r.has[i] = 1 << (i % maxCovered)
			}
		}
		keep := func(id uint32) bool { return round%2 == 0 || id%3 != 0 }
		var want []Hit
		for id, s := range r.scores {
			if s > 0 && keep(uint32(id)) {
				want = append(want, Hit{uint32(id), s})
			}
		}
		slices.SortFunc(want, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		k := 1 + rnd.IntN(150)
		if diff := gocmp.Diff(append([]Hit{}, want[:min(k, len(want))]...), append([]Hit{}, r.Top(k, keep, nil)...)); diff != "" {
			t.Fatalf("round %d: the best %d of %d (-want +got):\n%s", round, k, len(r.scores), diff)
		}
	}
}

// TestSum holds the reading that searches are measured against to a count by hand.
func TestSum(t *testing.T) {
	x := New()
	for id, text := range []string{"close the file, close it", "open the file", "nothing"} {
		var b Builder
		b.Add([]byte(text), 1)
		if err := x.Add(uint32(id), b.Doc()); err != nil {
			t.Fatal(err)
		}
	}
	all := func([]byte) bool { return true }
	for query, want := range map[string]int{"close": 2, "file": 2, "close file": 4, "absent": 0, "": 0} {
		if got := x.Sum(Query([]byte(query), all)); got != want {
			t.Errorf("Sum(%q) = %d, want %d", query, got, want)
		}
	}
}
