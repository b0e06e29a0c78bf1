package train

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestReadQuestions(t *testing.T) {
	r := Repository{"a/b", strings.Repeat("a", 40)}
	head := "# a/b " + r.Revision + "\n"
	for _, c := range []struct{ text, want string }{
		{head + "x/y.go:3-9\tgive up on a peer\twhere is a peer dropped\nz.go:1-2\tone\n", ""},
		{head, ""},
		{"x.go:3-9\tone\n", `line 1 is "x.go:3-9\tone"`},
		{"# a/b " + strings.Repeat("b", 40) + "\n", "line 1 is"},
		{head + "x.go:3-9\n", "line 2"},
		{head + "x.go:3\tone\n", "line 2"},
		{head + "x.go:3-9\tone\nx.go:3-9\ttwo\n", "line 3 names x.go:3-9 again"},
		{head + "x.go:3-9\tone\t\n", "line 2"},
		{head + "x.go:3-9\tone\t\ttwo\n", "line 2"},
	} {
		got, err := ReadQuestions([]byte(c.text), r)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
		if c.want == "" && strings.Contains(c.text, "x/y.go") && (len(got) != 2 || len(got["x/y.go:3-9"]) != 2 || got["x/y.go:3-9"][1] != "where is a peer dropped") {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// A question's document is the function with all that a chunk of it has.
func TestExtractQuestions(t *testing.T) {
	e := smallExtraction(t)
	ask := func(lines string) {
		e.Questions = fstest.MapFS{"one+store.tsv": {Data: []byte("# one/store " + e.Repositories[0].Revision + "\n" + lines)}}
	}
	ask("segment.go:17-20\tlet go of a part of the log\twho is told that it is gone\n")
	files, err := Extract(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if len(files[0]) != 4 || len(files[1]) != 3 {
		t.Fatalf("%d and %d files", len(files[0]), len(files[1]))
	}
	pairs := readAll(t, files[0][3])
	if len(pairs) != 2 {
		t.Fatalf("%+v", pairs)
	}
	want := Pair{
		Kind: QuestionPair, Language: "go", Query: "let go of a part of the log", Path: "segment.go", Names: "CloseSegment",
		Text: "CloseSegment gives the segment back to the pool it came from.\nfunc CloseSegment(item *Segment) {\n" +
			"\t// Nobody waits for a closed segment any longer.\n\titem.waiters.releaseSegment(item.handle, 3)\n}\n",
	}
	if pairs[0] != want || pairs[1].Query != "who is told that it is gone" {
		t.Errorf("%+v\nwant %+v", pairs[0], want)
	}
	// All questions about a repository are held out, or none.
	for _, name := range []string{"one/store", "two/net", "three/x"} {
		held := isHeld(name, &want)
		for _, q := range []string{"a", "b", "c"} {
			if isHeld(name, &Pair{Kind: QuestionPair, Query: q}) != held {
				t.Errorf("%s: one question is held out and another is not", name)
			}
		}
	}

	ask("segment.go:16-20\twho is told that it is gone\n")
	if _, err := Extract(t.Context(), e); err == nil || !strings.Contains(err.Error(), "one+store.tsv: no function is at segment.go:16-20") {
		t.Errorf("a place without a function: %v", err)
	}
	ask("segment.go\n")
	if _, err := Extract(t.Context(), e); err == nil || !strings.Contains(err.Error(), "the questions in one+store.tsv are malformed: line 2") {
		t.Errorf("a line without a place: %v", err)
	}
}
