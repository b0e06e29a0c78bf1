package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

// TestModes asks the questions in the comment of testdata/modes.txtar.
func TestModes(t *testing.T) {
	root := unpack(t, "testdata/modes.txtar")
	write(t, root, "crlf.rb", "module Windows\r\nend\r\n")
	write(t, root, "near.go", "package near\n\nfunc resetTimeout() {}\n\nfunc resetTimer() {}\n\nfunc restes() {}\n\nfunc resetId() {}\n\nvar Größe = 1\n")
	x := build(t, root)
	a, err := txtar.ParseFile("testdata/modes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(a.Comment)) {
		question, want, ok := strings.Cut(strings.TrimSpace(line), " -> ")
		if !ok {
			continue
		}
		asked++
		mode, text, _ := strings.Cut(question, ": ")
		q := search.Query{Mode: search.Mode(mode), Limit: 100}
		var words []string
		for _, word := range strings.Split(text, " ") {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "path":
				q.Path = value
			case "role":
				q.Role = value
			case "symbol":
				q.Symbol = value
			case "lang":
				q.Lang = strings.Split(value, ",")
			case "kind":
				q.Kind = strings.Split(value, ",")
			case "glob":
				q.Glob = strings.Split(value, ",")
			default:
				words = append(words, word)
			}
		}
		q.Text = strings.Join(words, " ")
		answer, err := x.Search(t.Context(), q)
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		var got []string
		for _, r := range answer.Results {
			place := fmt.Sprintf("%s:%d", r.File, r.Line)
			if q.Mode == search.Symbol {
				place += " " + r.Symbol
			}
			got = append(got, place)
		}
		if got == nil {
			got = []string{"nothing"}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
		if answer.Matches != len(answer.Results) || answer.Truncated || answer.Cuts != nil {
			t.Errorf("%s: %d matches of which %d, cut by %v", question, answer.Matches, len(answer.Results), answer.Cuts)
		}
		valid(t, answer.Results)
	}
	if asked < 30 {
		t.Fatalf("only %d questions", asked)
	}
}

// TestLetters checks that no name is passed over by its letters that would match.
func TestLetters(t *testing.T) {
	names := []string{"parseRequest", "Größe", "HTTP2Server", "x1y7", "_private", "ΔT", "читать_файл", "K", "getHTTPResponse_v2", "a"}
	for _, text := range append(names, "pr", "gr", "http2", "Server.parse", "groesse", "gröS", "hs", "v2", "читать", "k", "1", "7", "::", "get::v8", "") {
		q := search.NewNameQuery(text)
		for _, name := range names {
			s := store.Symbol{Name: name, Parent: "Server"}
			r := &store.Record{Path: "get/server.go"}
			if score := q.Score(r, &s, store.AnyLetters); score > 0 && q.Next([]store.LetterSet{store.LettersIn(name)}, 0) > 0 || score != q.Score(r, &s, store.LettersIn(name)) {
				t.Errorf("%q matches %q with %v, and is passed over", text, name, score)
			}
		}
	}
	for _, text := range []string{"parseReqest", "pasreRequest", "requestParse", "pparseRequestt", "HTTP2Srever", "getResponse_HTTP", "getHTTPRespnse_v2"} {
		q, found := search.NewNameQuery(text), false
		for _, name := range names {
			score, letters := q.Score(&store.Record{}, &store.Symbol{Name: name}, store.AnyLetters), store.LettersIn(name)
			if found = found || score > 0; score > 0.14 || score > 0 && q.Next([]store.LetterSet{letters}, 0) > 0 || score != q.Score(&store.Record{}, &store.Symbol{Name: name}, letters) {
				t.Errorf("%q is like %q with %v, and may not", text, name, score)
			}
		}
		if !found {
			t.Errorf("nothing is like %q", text)
		}
	}
	if search.NewNameQuery("parse").Next([]store.LetterSet{store.LettersIn("reader"), store.LettersIn("sparse")}, 0) != 1 || search.NewNameQuery("v2").Next([]store.LetterSet{store.LettersIn("HTTP2v")}, 0) != 0 {
		t.Error("the letters of a name say nothing")
	}
}
