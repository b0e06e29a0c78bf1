package rank

import (
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
		{"where does parseConfig read ENV values", Query{Identifiers: []string{"parseConfig"}, Keywords: []string{"parse", "config", "read", "env", "values"}}},
		{"tests for the router", Query{Tests: true, Keywords: []string{"tests", "router"}}},
		{"src/auth/jwt.ts", Query{Identifiers: []string{"src/auth/jwt.ts"}, Keywords: []string{"src", "auth", "jwt"}}},
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
	files := []File{{Path: "a/store.go"}, {Path: "a/store_test.go", Test: true}, {Path: "b/router.go"}, {Path: "examples/x.go", Example: true}, {Path: "b/index.ts", Barrel: true}}
	for i := range files {
		files[i].Words = PathWords(files[i].Path)
	}
	chunk := func(id uint32, file, words, meaning int) Evidence {
		return Evidence{ID: id, File: file, Line: int(id), LexicalRank: words, SemanticRank: meaning}
	}
	for _, test := range []struct {
		name, query string
		chunks      []Evidence
		want        []uint32
	}{
		{"found by both beats found by one", "some words", []Evidence{chunk(1, 0, 1, 0), chunk(2, 3, 0, 1), chunk(3, 2, 2, 2)}, []uint32{3, 1, 2}},
		{"a test counts less", "some words", []Evidence{chunk(1, 1, 1, 1), chunk(2, 0, 9, 9)}, []uint32{2, 1}},
		{"unless the question is about tests", "some tests", []Evidence{chunk(1, 1, 1, 1), chunk(2, 0, 9, 9)}, []uint32{1, 2}},
		{"an example counts less", "some words", []Evidence{chunk(1, 3, 1, 1), chunk(2, 0, 9, 9)}, []uint32{2, 1}},
		{"a barrel counts less", "some words", []Evidence{chunk(1, 4, 1, 1), chunk(2, 0, 9, 9)}, []uint32{2, 1}},
		{"the definition of a name wins", "getStore", []Evidence{chunk(1, 2, 1, 1), {ID: 2, File: 0, Definition: 1}}, []uint32{2, 1}},
		{"the file's name tells", "the router of words", []Evidence{chunk(1, 0, 1, 1), chunk(2, 2, 2, 2)}, []uint32{2, 1}},
		{"several chunks of a file tell", "some words", []Evidence{chunk(1, 2, 1, 0), chunk(2, 0, 2, 0), chunk(3, 0, 3, 0), chunk(4, 0, 4, 0)}, []uint32{2, 1, 3, 4}},
		{"ties go by path, then line", "zzz", []Evidence{chunk(7, 2, 0, 0), chunk(9, 0, 0, 0), chunk(8, 0, 0, 0)}, []uint32{8, 9, 7}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []uint32
			last := 1e9
			for _, s := range Rank(nil, Parse(test.query), test.chunks, files, false) {
				got = append(got, s.ID)
				if s.Score > last {
					t.Errorf("scores rise at %d", s.ID)
				}
				last = s.Score
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := Rank(nil, Parse("x"), nil, nil, false); len(got) != 0 {
		t.Errorf("nothing gives %v", got)
	}
}

func TestPathMatch(t *testing.T) {
	for _, test := range []struct {
		query, path string
		want        float64
	}{
		{"request router", "http/router.go", 0.5},
		{"http router", "http/router.go", 1},
		{"routing", "http/router.go", 0},
		{"routers", "http/router.go", 1}, // the stem begins the word
		{"config parser", "src/ConfigParser.java", 1},
		{"anything", "x.go", 0},
	} {
		if got := PathMatch(Parse(test.query).Keywords, PathWords(test.path)); got != test.want {
			t.Errorf("PathMatch(%q, %q) = %v, want %v", test.query, test.path, got, test.want)
		}
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

func TestConfidence(t *testing.T) {
	nothing := Confidence(Evidence{Semantic: 0.1}, 0)
	words := Confidence(Evidence{Lexical: 9, Semantic: 0.4}, 0.8)
	named := Confidence(Evidence{Lexical: 9, Semantic: 0.4, Definition: 1}, 0.8)
	if !(0 < nothing && nothing < 0.1 && nothing < words && words < named && named < 1) {
		t.Errorf("confidence of nothing %v, words %v, a definition %v", nothing, words, named)
	}
}

func TestFocus(t *testing.T) {
	class := Place{Name: "Reader", Kind: "class", Lines: 20, Text: "Reads one file. attempts open"}
	field := Place{Name: "attempts", Parent: "Reader", Kind: "field", Lines: 1, Text: "attempts int"}
	method := Place{Name: "open", Parent: "Reader", Kind: "method", Lines: 5, Text: "opens it before the next attempt"}
	constant := Place{Name: "LIMIT", Kind: "constant", Lines: 1, Text: "const LIMIT = 3 // attempts"}
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
