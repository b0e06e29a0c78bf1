package index

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

func TestRelated(t *testing.T) {
	root := t.TempDir()
	for i, name := range []string{"json", "yaml", "toml"} {
		write(t, root, name+"/parse.go", fmt.Sprintf("package %s\n\n// ParseConfig reads the configuration from %s.\nfunc ParseConfig%d(text string) (map[string]string, error) {\n\treturn decodeConfig(text)\n}\n", name, name, i))
	}
	write(t, root, "net/retry.go", "package net\n\n// RetryConfig is the configuration of retries.\nfunc RetryConfig(text string) int { return decodeRetry(text) }\n")
	write(t, root, "empty.txt", "")
	write(t, root, "logo.png", "\x89PNG\x00")
	x := build(t, root)
	a, err := x.Related(t.Context(), "json/parse.go", 4, search.Query{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	valid(t, a.Results)
	if len(a.Results) != 2 || a.Results[0].File != "toml/parse.go" && a.Results[0].File != "yaml/parse.go" || !a.Truncated || a.Matches != 3 || a.Results[1].Score < 0.5 {
		t.Errorf("%d of %d, cut by %v: %+v", len(a.Results), a.Matches, a.Cuts, a.Results)
	}
	all, err := x.Related(t.Context(), "json/parse.go", 3, search.Query{Limit: 50, PerFile: 10})
	if err != nil || len(all.Results) != 3 {
		t.Errorf("%d results, %v", len(all.Results), err)
	}
	for _, r := range all.Results {
		if r.File == "json/parse.go" {
			t.Errorf("it is related to itself: %+v", r)
		}
	}
	if a, err = x.Related(t.Context(), "json/parse.go", 6, search.Query{Path: "net"}); err != nil || len(a.Results) != 1 || a.Results[0].Symbol != "RetryConfig" {
		t.Errorf("below net: %+v, %v", a.Results, err)
	}
	if a, err = x.Related(t.Context(), "json/parse.go", 6, search.Query{MinScore: 0.9999}); err != nil || len(a.Results) != 0 || a.Results == nil {
		t.Errorf("score of 0.9999: %+v, %v", a.Results, err)
	}

	for _, test := range []struct {
		file string
		line int
		want string
	}{
		{"json/parse.go", 7, "json/parse.go ends at line 6, there is no line 7"},
		{"json", 1, "json is not in the index"},
		{"no.go", 1, "no.go is not in the index"},
		{"logo.png", 1, "logo.png is not in the index: "},
	} {
		_, err := x.Related(t.Context(), test.file, test.line, search.Query{})
		var place *answer.PlaceError
		if !errors.As(err, &place) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s:%d: %v", test.file, test.line, err)
		}
	}
}

// TestRelatedToItself asks at each line of a function that is longer than a chunk: no answer may
// be another part of it.
func TestRelatedToItself(t *testing.T) {
	root := t.TempDir()
	body := strings.Repeat("\tbuffer = append(buffer, decode(path, buffer)...)\n", 60)
	write(t, root, "path.go", "package p\n\nconst stackSize = 128\n\n// clean cleans a path.\nfunc clean(path string) []byte {\n\tvar buffer []byte\n"+body+"\treturn buffer\n}\n")
	write(t, root, "other.go", "package p\n\n// decode decodes a path.\nfunc decode(path string, buffer []byte) []byte { return append(buffer, path...) }\n")
	x := build(t, root)
	for line := 6; line <= 69; line++ {
		a, err := x.Related(t.Context(), "path.go", line, search.Query{Limit: 50, PerFile: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Results {
			if r.Symbol == "clean" {
				t.Errorf("path.go:%d is related to path.go:%d to %d, of the same function", line, r.Line, r.EndLine)
			}
		}
		if len(a.Results) == 0 {
			t.Errorf("nothing is related to path.go:%d", line)
		}
	}
}

// Without a model there is nothing to compare; an empty list would say that
// nothing is alike.
func TestNoVectorsIsAnError(t *testing.T) {
	x := manyLines(t, 1, 1)
	if _, err := x.Related(t.Context(), "f00.txt", 1, search.Query{}); !errors.Is(err, search.ErrNoVectors) {
		t.Errorf("related: %v", err)
	}
	if _, err := x.Search(t.Context(), search.Query{Text: "needle", Mode: search.Semantic}); !errors.Is(err, search.ErrNoVectors) {
		t.Errorf("semantic: %v", err)
	}
	if a, err := x.Search(t.Context(), search.Query{Text: "needle"}); err != nil || len(a.Results) != 1 {
		t.Errorf("hybrid: %+v, %v", a, err)
	}
}
