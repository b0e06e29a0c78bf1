package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text string
		want Query
	}{
		{"parseConfig", Query{Symbol: "parseConfig", Keywords: []string{"parse", "config"}}},
		{"Sinatra::Base", Query{Symbol: "Base", Qualifier: "Sinatra", Keywords: []string{"sinatra", "base"}}},
		{"Foo.bar()", Query{Symbol: "bar", Qualifier: "Foo", Keywords: []string{"foo", "bar"}}},
		{`App\Http\Kernel`, Query{Symbol: "Kernel", Qualifier: `App\Http`, Keywords: []string{"app", "http", "kernel"}}},
		{"_private", Query{Symbol: "_private", Keywords: []string{"private"}}},
		{"curl_easy_perform", Query{Symbol: "curl_easy_perform", Keywords: []string{"curl", "easy", "perform"}}},
		{"router", Query{Identifiers: []string{"router"}, Keywords: []string{"router"}}},
		{"how is the request routed", Query{Keywords: []string{"request", "routed"}}},
		{"where does parseConfig read ENV values", Query{Sentence: 1. / 3, Identifiers: []string{"parseConfig"}, Keywords: []string{"parse", "config", "read", "env", "values"}}},
		{"tests for the router", Query{Sentence: 1. / 3, Tests: true, Keywords: []string{"tests", "router"}}},
		{"src/auth/jwt.ts", Query{Identifiers: []string{"src/auth/jwt.ts"}, Keywords: []string{"src", "auth", "jwt"}}},
		{"give up on a peer that no longer answers", Query{Sentence: 1, Keywords: []string{"give", "peer", "longer", "answers"}}},
		{"How the peer is given up when it is gone", Query{Keywords: []string{"peer", "given", "gone"}}},
		{"   ", Query{}},
	} {
		got := Parse(test.text)
		if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(Query{}, "Text"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", test.text, diff)
		}
	}
}

// TestRank holds one rule a case: the file that must come first, and why.
func TestRank(t *testing.T) {
	l := NewLexicon()
	files := []File{{Path: "a/store.go"}, {Path: "a/store_test.go", Test: true}, {Path: "b/router.go"}, {Path: "examples/x.go", Example: true}, {Path: "c/y.go"}}
	symbols := []string{"Get", "TestGet", "handle", "main", "RetryPolicy"}
	for i := range files {
		name, folders := PathParts(files[i].Path)
		files[i].Words = Words{Stem: l.Intern(nil, name, suffix), Folders: l.Intern(nil, folders, suffix), Symbols: l.Intern(nil, symbols[i], suffix)}
	}
	chunk := func(id uint32, file int, words, meaning float64) Evidence {
		return Evidence{ID: id, File: file, Line: int(id), Words: words, Coverage: words / 10, Meaning: meaning}
	}
	for _, test := range []struct {
		name, query string
		chunks      []Evidence
		want        []uint32
	}{
		{"found by both beats found by one", "some words", []Evidence{chunk(1, 0, 2, .1), chunk(2, 2, 5, .5), chunk(3, 4, 0, .5)}, []uint32{2, 3, 1}},
		{"a test counts less", "some words", []Evidence{chunk(2, 0, 4, .4), chunk(1, 1, 5, .5)}, []uint32{2, 1}},
		{"unless the question is about tests", "some tests", []Evidence{chunk(2, 0, 4, .4), chunk(1, 1, 5, .5)}, []uint32{1, 2}},
		{"an example counts less", "some words", []Evidence{chunk(2, 0, 5, .5), chunk(1, 3, 5, .55)}, []uint32{2, 1}},
		{"the definition of a name wins", "getStore", []Evidence{{ID: 2, File: 0, Definition: 1}, chunk(1, 2, 5, .1)}, []uint32{2, 1}},
		{"the file's name tells", "the router of words", []Evidence{chunk(1, 0, 5, .5), chunk(2, 2, 5, .5)}, []uint32{2, 1}},
		{"a symbol's name tells", "policy of retries", []Evidence{chunk(1, 0, 5, .5), chunk(2, 4, 5, .5)}, []uint32{2, 1}},
		{"several chunks of a file tell", "some words", []Evidence{chunk(2, 0, 4, .4), chunk(3, 0, 4, .4), chunk(4, 0, 4, .4), chunk(1, 2, 4, .4)}, []uint32{2, 1}},
		{"the best chunk of a file is shown", "some words", []Evidence{chunk(2, 0, 1, .1), chunk(3, 0, 5, .5), chunk(4, 0, 3, .2)}, []uint32{3}},
		{"ties go by path", "zzz", []Evidence{chunk(7, 4, 0, 0), chunk(9, 2, 0, 0)}, []uint32{9, 7}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var m Matcher
			q := Parse(test.query)
			var keywords []Keyword
			for _, k := range q.Keywords {
				keywords = append(keywords, Keyword{k, suffix(k), 1})
			}
			m.Reset(l, keywords)
			var r Ranker
			var got []uint32
			last := Scored{Score: 1e9, Chance: 1}
			for _, s := range r.Rank(q, test.chunks, files, Options{Matcher: &m}) {
				got = append(got, s.ID)
				if s.Score > last.Score || s.Chance > last.Chance || s.Chance <= 0 {
					t.Errorf("%d has score %v, chance %v after %v, %v", s.ID, s.Score, s.Chance, last.Score, last.Chance)
				}
				last = s
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	var r Ranker
	if got := r.Rank(Parse("x"), nil, nil, Options{}); len(got) != 0 {
		t.Errorf("nothing gives %v", got)
	}
	three := []Evidence{chunk(2, 0, 1, .1), chunk(3, 0, 5, .5), chunk(4, 0, 3, .2)}
	if got := r.Rank(Parse("some words"), three, files, Options{PerFile: 2}); len(got) != 1 {
		t.Errorf("chunks that nothing put forward are shown: %+v", got)
	}
	for i := range three {
		three[i].Proposed = true
	}
	few := r.Rank(Parse("some words"), three, files, Options{PerFile: 2})
	if len(few) != 2 || few[0].ID != 3 || few[1].ID != 4 {
		t.Errorf("two of a file are %+v", few)
	}
	// The first has what the file has; the further one less, by its own evidence.
	alone := r.Rank(Parse("some words"), three, files, Options{PerFile: 1})[0].Chance
	few = r.Rank(Parse("some words"), three, files, Options{PerFile: 2})
	if ratio := math.Exp(few[1].Score - few[0].Score); few[0].Chance != alone || math.Abs(few[1].Chance-alone*ratio) > 1e-12 {
		t.Errorf("of a file with the chance %v two chunks have %v and %v, their shares differ by %v", alone, few[0].Chance, few[1].Chance, ratio)
	}
}

// TestFill asks for more than there are files: their other chunks come after all
// first ones.
func TestFill(t *testing.T) {
	files := []File{{Path: "a.go"}, {Path: "b.go"}}
	chunks := []Evidence{
		{ID: 1, File: 0, Line: 1, Words: 5, Proposed: true}, {ID: 2, File: 0, Line: 2, Words: 4, Proposed: true}, {ID: 3, File: 0, Line: 3},
		{ID: 4, File: 1, Line: 1, Words: 1, Proposed: true},
	}
	for _, test := range []struct {
		opt  Options
		want []uint32
	}{
		{Options{Limit: 10}, []uint32{1, 4, 2}},
		{Options{Limit: 2}, []uint32{1, 4}},
		{Options{Limit: 10, PerFile: 1}, []uint32{1, 4}},
		{Options{Limit: 10, PerFile: 2}, []uint32{1, 2, 4}},
	} {
		var r Ranker
		var got []uint32
		chance := 1.0
		for _, s := range r.Rank(Parse("some words"), chunks, files, test.opt) {
			got = append(got, s.ID)
			if s.Chance > chance {
				t.Errorf("%+v: the chance rises at %d", test.opt, s.ID)
			}
			chance = s.Chance
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.opt, diff)
		}
	}
}

// TestNamed asks how something that is named is done, in words that a neighbour of its
// definition has more of: the definition is given, too, unless one of a file is asked for.
func TestNamed(t *testing.T) {
	files := []File{{Path: "a.go"}, {Path: "b.go"}}
	chunks := []Evidence{
		{ID: 1, File: 0, Line: 1, Words: 9, Coverage: 1, Proposed: true}, {ID: 2, File: 0, Line: 2, Words: 8, Coverage: .9, Proposed: true},
		{ID: 3, File: 0, Line: 3, Words: 1, Identifier: 1, Proposed: true}, {ID: 4, File: 0, Line: 4, Words: 1, Identifier: .5, Proposed: true},
		{ID: 5, File: 1, Line: 1, Words: 1, Proposed: true},
	}
	for _, test := range []struct {
		ask  string
		opt  Options
		want []uint32
	}{
		{"how does serverCron resize buffers", Options{Limit: 2}, []uint32{1, 3, 5}},
		{"how does serverCron resize buffers", Options{Limit: 2, PerFile: 1}, []uint32{1, 5}},
		{"how does serverCron resize buffers", Options{Limit: 10}, []uint32{1, 3, 5, 2, 4}},
	} {
		var r Ranker
		var got []uint32
		for _, s := range r.Rank(Parse(test.ask), chunks, files, test.opt) {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, %+v (-want +got):\n%s", test.ask, test.opt, diff)
		}
	}
}

// suffix is a stemmer for tests.
func suffix(w string) string {
	if rest, ok := strings.CutSuffix(w, "ies"); ok {
		return rest + "y"
	}
	return strings.TrimSuffix(w, "s")
}

// TestWithout takes each signal away in turn: the sum must lose what it added.
func TestWithout(t *testing.T) {
	files := []File{{Path: "parser.go", Meaning: .3, Test: true, Legacy: true}}
	chunks := []Evidence{{Words: 3, Coverage: .5, Meaning: .4, Definition: 1, Identifier: .5}}
	var r Ranker
	q := Parse("Parser")
	whole := r.Rank(q, chunks, files, Options{})[0]
	values := *whole.Values
	sum := 0.0
	add := func(_ string, value, weight float64) { sum += value * weight }
	weights := WeightsOf(q, 0)
	values.Each(&weights, add)
	whole.Chunk.Each(&weights, add)
	if math.Abs(sum-whole.Score) > 1e-9 {
		t.Errorf("the signals add up to %v, the score is %v", sum, whole.Score)
	}
	for i, name := range Names() {
		set, ok := Set(0).With(name)
		if !ok {
			t.Fatalf("there is no signal %s", name)
		}
		want, own, mapped := whole.Score, i-int(logShare), true
		if own < 0 {
			want -= values[i] * weights.file[i]
			own, mapped = without[i]
		}
		if mapped {
			want -= whole.Chunk[own] * weights.chunk[own]
		}
		if got := r.Rank(q, chunks, files, Options{Without: set})[0].Score; math.Abs(got-want) > 1e-9 {
			t.Errorf("without %s the score is %v, want %v", name, got, want)
		}
	}
	if _, ok := Set(0).With("share"); ok {
		t.Error("share is a signal of the score")
	}
}

// TestLooked holds that what is known of a chunk once it is read counts by the weights of a topic
// and of a sentence, and comes from vectors.
func TestLooked(t *testing.T) {
	for name, e := range map[string]Evidence{
		"chunk.alike": {Alike: .5}, "chunk.names_alike": {NamesAlike: .5}, "chunk.late": {Late: .5},
	} {
		m, err := parseModel(name + " 2\nsentence." + name + " 3\n")
		if err != nil {
			t.Fatal(err)
		}
		v := new(Ranker).chunk(&e)
		if topic, sentence := v.sum(&m.topic.chunk), v.sum(&m.sentence.chunk); topic != 1 || sentence != 1.5 {
			t.Errorf("%s adds %v to a topic and %v to a sentence", name, topic, sentence)
		}
		if set, ok := Set(0).With(name); !ok || Meaning()&set == 0 {
			t.Errorf("%s is no signal of vectors", name)
		}
	}
}

func TestReadWeights(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"# nothing\n\n", ""},
		{"words", "line 1 of the weights is not a name and a number"},
		{"\nwords x", "line 2 of the weights"},
		{"wrods 1", `there is no signal "wrods"`},
		{"share 1", `there is no signal "share"`},
		{"score.wrods 1", `there is no signal "score.wrods"`},
	} {
		_, err := parseModel(test.text)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q gives %v, want %q", test.text, err, test.want)
		}
	}
	if fitted.topic.file[definition] <= 0 || fitted.topic.file[test] >= 0 || fitted.chance.file[logShare] <= 0 {
		t.Error("the weights have the wrong signs")
	}
}

func TestLikeness(t *testing.T) {
	for _, test := range []struct {
		word, keyword string
		want          float64
	}{
		{"router", "router", 1},
		{"routers", "router", 1},                 // by the stem
		{"config", "configuration", 2. / 3},      // begins it: six of nine letters
		{"serializer", "serialization", 8. / 11}, // begins like it: eight letters
		{"urlapi", "url", .5},
		{"co", "configuration", 0},
		{"store", "router", 0},
	} {
		got := likenessOf(&word{text: test.word, stem: suffix(test.word)}, &Keyword{test.keyword, suffix(test.keyword), 1})
		if math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s is like %s by %v, want %v", test.word, test.keyword, got, test.want)
		}
	}
}

func nowhere(int, float64) {}

func TestCompare(t *testing.T) {
	l := NewLexicon()
	w := Words{Stem: l.Intern(nil, "jsonParser", suffix), Folders: l.Intern(nil, "src/http", suffix)}
	for _, s := range []string{"Decode", "parseJSON", "x"} {
		w.Symbols = l.Intern(w.Symbols, s, suffix)
	}
	var m Matcher
	m.Reset(l, []Keyword{{"json", "json", 3}, {"http", "http", 1}})
	stem, path, symbol := m.compare(&w, nowhere)
	// 4 of the 10 letters of the stem, 3/4 of the question; the path has it all;
	// of parseJSON 4 of 9 letters, and 3/4 of the question.
	for _, c := range []struct{ got, want float64 }{{stem, math.Sqrt(.4 * .75)}, {path, 1}, {symbol, math.Sqrt(4. / 9 * .75)}} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	m.Reset(l, nil)
	if stem, path, symbol := m.compare(&w, nowhere); stem+path+symbol != 0 {
		t.Errorf("no question is like %v %v %v", stem, path, symbol)
	}
}

// TestShape has words that are made of a few syllables compared with each other: none that
// is like a keyword is ruled out, and most others are.
func TestShape(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	syllables := strings.Fields("se ri al iz er con fig ur a ti on url api s es ing x é")
	made := func() (w string) {
		for range 1 + r.IntN(5) {
			w += syllables[r.IntN(len(syllables))]
		}
		return w
	}
	alike, passed, n := 0, 0, 100_000
	for range n {
		w, k := made(), made()
		shape, keyword := shapeOf(w, suffix(w)), shapeOf(k, suffix(k)).sought(suffix(k))
		may := shape.may(&keyword)
		if may {
			passed++
		}
		if likenessOf(&word{text: w, stem: suffix(w)}, &Keyword{k, suffix(k), 1}) > 0 {
			if alike++; !may {
				t.Fatalf("%s is like %s, and is ruled out", w, k)
			}
		}
	}
	if alike == 0 || passed > n/2 {
		t.Errorf("of %d pairs %d are alike and %d are not ruled out", n, alike, passed)
	}
}

// TestLexiconForgets has names come and go: a server that runs for weeks must not know
// every word that was ever typed.
func TestLexiconForgets(t *testing.T) {
	l := NewLexicon()
	stays := Words{Stem: l.Intern(nil, "jsonParser", suffix), Symbols: l.Intern(nil, "parseJSON", suffix)}
	c := l.Clone()
	for i := range 100 {
		goes := Words{Stem: l.Intern(nil, fmt.Sprintf("word%c%c", 'a'+i%26, 'a'+i/26), suffix), Folders: l.Intern(nil, "json/http", suffix)}
		l.Release(&goes)
	}
	if len(l.ids) != 3 || len(l.words) > 5 {
		t.Errorf("%d words of %d numbers stayed", len(l.ids), len(l.words))
	}
	again := Words{Stem: l.Intern(nil, "jsonParser", suffix), Symbols: l.Intern(nil, "parseJSON", suffix)}
	if !l.Equal(again.Stem, c, stays.Stem) || !l.Equal(again.Symbols, c, stays.Symbols) {
		t.Error("words that were in use have other numbers")
	}
	l.Release(&stays)
	l.Release(&again)
	if len(l.ids) != 0 {
		t.Errorf("%d words stayed, want none", len(l.ids))
	}
	if len(c.ids) != 3 || !c.Equal(stays.Stem, c, stays.Stem) {
		t.Errorf("the clone has %d words, want 3", len(c.ids))
	}
}

func TestDefinitionStrength(t *testing.T) {
	s := DefinitionStrength
	for _, pair := range []struct {
		why          string
		better, less float64
	}{
		{"a type before a field", s("struct", true, true, "", ""), s("field", true, true, "", "")},
		{"a function before a method", s("function", true, true, "", ""), s("method", true, true, "", "A")},
		{"the exact case", s("method", true, true, "", "A"), s("method", false, true, "", "A")},
		{"the right parent", s("method", true, true, "x.A", "A"), s("method", true, true, "x.A", "B")},
		{"the right parent, by any separator", s("method", true, true, "N::A", "N.A"), s("function", true, true, "N::A", "")},
		{"exported before hidden", s("function", true, true, "", ""), s("function", true, false, "", "")},
	} {
		if pair.better <= pair.less || pair.better > 1 || pair.less <= 0 {
			t.Errorf("%s: %v against %v", pair.why, pair.better, pair.less)
		}
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{
		"getHTTPResponse": "get http response", "json_parser": "json parser", "src/HttpClient.Go": "src http client go",
		"ABC": "abc", "aB": "a b", "": "", "__": "", "Größe_maxWert": "größe max wert", "ÉtatCivil": "état civil", "x2Y": "x2 y",
		"a\x80": "a\ufffd",
	} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("the words of %q are %q, want %q", name, got, want)
		}
	}
	for _, test := range []struct {
		word, part string
		want       bool
	}{{"http", "HTTP", true}, {"configuration", "Config", true}, {"conf", "Config", true}, {"co", "config", false}, {"io", "IO", true}, {"größe", "GRÖSSE", false}, {"état", "État", true}, {"router", "route2", false}} {
		if got := alike(test.word, test.part); got != test.want {
			t.Errorf("alike(%q, %q) is %v", test.word, test.part, got)
		}
	}
}

func TestFocus(t *testing.T) {
	class := Place{Name: "Reader", Kind: "class", Lines: 20, Text: "reads one file. attempts open"}
	field := Place{Name: "attempts", Parent: "Reader", Kind: "field", Lines: 1, Text: "attempts int"}
	method := Place{Name: "open", Parent: "Reader", Kind: "method", Lines: 5, Text: "opens it before the next attempt"}
	constant := Place{Name: "LIMIT", Kind: "constant", Lines: 1, Text: "const limit = 3 // attempts"}
	for _, test := range []struct {
		query  string
		places []Place
		want   int
	}{
		{"open the reader", []Place{class, field, method}, 2},
		{"number of attempts", []Place{constant, class, field}, 1},
		{"the limit of attempts", []Place{class, constant}, 1},
		{"attempts", []Place{field}, 0},
		{"something else", []Place{constant, method, class}, 2},
		{"something else", nil, -1},
	} {
		if got := Focus(Parse(test.query), test.places); got != test.want {
			t.Errorf("Focus(%q) = %d, want %d", test.query, got, test.want)
		}
	}
}
