package text

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api/wire"
)

var update = flag.Bool("update", false, "write the texts to testdata")

// TestTexts renders testdata/*.txtar: each file "name" is an endpoint, the query if
// there is one, and below that line an answer; "name.want" is its text.
func TestTexts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, f := range ar.Files {
				if n, ok := strings.CutSuffix(f.Name, ".want"); ok {
					want[n] = string(f.Data)
				}
			}
			out := &txtar.Archive{Comment: ar.Comment}
			for _, f := range ar.Files {
				if strings.HasSuffix(f.Name, ".want") {
					continue
				}
				head, body, _ := strings.Cut(string(f.Data), "\n")
				endpoint, query, _ := strings.Cut(head, " ")
				got, err := rendered(endpoint, query, []byte(body))
				if err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
				got += "\n" // as txtar has it
				if diff := cmp.Diff(want[f.Name], got); diff != "" && !*update {
					t.Errorf("%s: text (-want +got):\n%s", f.Name, diff)
				}
				out.Files = append(out.Files, f, txtar.File{Name: f.Name + ".want", Data: []byte(got)})
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// rendered returns the text of an endpoint's answer, or of its error, that is there as JSON.
func rendered(endpoint, query string, body []byte) (string, error) {
	var p wire.Problem
	if json.Unmarshal(body, &p) == nil && p.Code != "" && p.Message != "" {
		return Render(&p, query)
	}
	if endpoint == "semantic" { // a list of results, or the answer that they are from
		var list []wire.SearchResult
		if json.Unmarshal(body, &list) == nil {
			return List(&wire.SearchResponse{Results: list, Index: wire.Index{Vectors: 1}}, query)
		}
		answer, err := wire.Decode("/search", body)
		if err != nil {
			return "", err
		}
		return List(answer, query)
	}
	answer, err := wire.Decode(endpoint, body)
	if err != nil {
		return "", err
	}
	if a, ok := answer.(*wire.SearchResponse); ok && endpoint == "/related" {
		a.Meta.Command = "related" // as each of its answers says
	}
	return Render(answer, query)
}

func TestRender(t *testing.T) {
	got, err := rendered("/reindex", "", []byte(`{"name":"quarry"}`))
	if want := "{\n  \"name\": \"quarry\"\n}"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, endpoint := range []string{"/status", "/search", "/impact", "/calls", "/references", "/trace", "/structure", "/extract", "/summarize", "/grep", "/relay", "semantic"} {
		for _, body := range []string{"", "{", `"text"`} {
			if got, err := rendered(endpoint, "", []byte(body)); err == nil {
				t.Errorf("%s: %s became %q", endpoint, body, got)
			}
		}
	}
}

// A score is rounded as JavaScript does it, and content is cut as it does.
func TestAsJavaScript(t *testing.T) {
	for percent, want := range map[float64]string{0.125: "(13%)", 0.83: "(83%)", 0.004: "(0%)", 1: "(100%)", 0.995: "(100%)"} {
		if got := score(&wire.SearchResult{Score: percent}); got != want {
			t.Errorf("%v: %s, want %s", percent, got, want)
		}
	}
	for _, text := range []string{strings.Repeat("é", 200), strings.Repeat("😀", 80), "x" + strings.Repeat("😀", 80), "short", ""} {
		got := clip(text)
		units := 0
		for _, c := range got {
			if units++; c > 0xFFFF {
				units++
			}
		}
		if !strings.HasPrefix(text, got) || !utf8.ValidString(got) || units > 100 || units < 99 && got != text {
			t.Errorf("%q: %d units of %q", text, units, got)
		}
	}
}

// FuzzRender renders anything: it may fail, and must not panic.
func FuzzRender(f *testing.F) {
	f.Add("/search", `{"results":[{"file":"a.go","line":1,"content":"x","score":0.5}]}`)
	f.Add("/calls", `{"direction":"","edges":[{"from":{},"to":{}}]}`)
	f.Add("/impact", `{"callers":[{"call_sites":[1,2]}],"across":{"total":3}}`)
	f.Add("/cat", `{"content":"a\nb","start":3,"meta":{}}`)
	f.Fuzz(func(t *testing.T, endpoint, body string) {
		if text, err := rendered(endpoint, "", []byte(body)); err == nil && !utf8.ValidString(text) {
			t.Errorf("%q", text)
		}
	})
}
