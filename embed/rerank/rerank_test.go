package rerank

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"getHTTPResponse":           "get HTTP Response",
		"json_parser.Parse(v2)":     "json parser Parse v 2",
		"ABC aB 12345":              "ABC a B 1234 5",
		"Größe\x80":                 "Gr e",
		"":                          "",
		"X":                         "X",
		"give up on a silent peer!": "give up on a silent peer",
	} {
		if got := strings.Join(slices.Collect(words(text)), " "); got != want {
			t.Errorf("the words of %q are %q, want %q", text, got, want)
		}
	}
}

func TestRows(t *testing.T) {
	v, err := NewVocabulary([]byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\nre\n##try\nfail\n##ed\nwait\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := v.Rows("retry, failed", []Passage{{Names: "wait", Doc: "waits", Text: "re.try()"}, {}})
	want := []Row{
		{[]int64{2, 4, 5, 6, 7, 3, 8, 1, 4, 1, 3}, []int64{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}},
		{[]int64{2, 4, 5, 6, 7, 3, 3}, []int64{0, 0, 0, 0, 0, 0, 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	long := strings.Repeat("wait ", 1000)
	for _, r := range v.Rows(long, []Passage{{long, long, long}}) {
		if len(r.Tokens) != rowTokens || len(r.Types) != rowTokens || r.Tokens[rowTokens-1] != v.sep || r.Types[questionTokens] != 0 {
			t.Errorf("a long row is %v", r)
		}
	}
	if got := v.append(nil, strings.Repeat("x", 200), 10); !slices.Equal(got, []int64{v.unk}) {
		t.Errorf("a word of 200 letters is %v", got)
	}
}

func TestNewVocabulary(t *testing.T) {
	for list, want := range map[string]string{
		"[PAD]\n[UNK]\n[SEP]\n":        "[CLS]",
		"[UNK]\n[PAD]\n[CLS]\n[SEP]\n": "[PAD] is not the first",
		"":                             "[CLS]",
	} {
		if _, err := NewVocabulary([]byte(list)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", list, err, want)
		}
	}
	v, err := NewVocabulary(Words())
	if err != nil {
		t.Fatal(err)
	}
	if got := v.append(nil, "the", 5); len(got) != 1 || got[0] == v.unk {
		t.Errorf("the built-in vocabulary has no \"the\": %v", got)
	}
}
