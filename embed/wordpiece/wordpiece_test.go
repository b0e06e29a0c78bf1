package wordpiece

import (
	"slices"
	"strings"
	"testing"
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
		if got := strings.Join(slices.Collect(Words(text)), " "); got != want {
			t.Errorf("the words of %q are %q, want %q", text, got, want)
		}
	}
}

func TestNew(t *testing.T) {
	for list, want := range map[string]string{
		"[PAD]\n[UNK]\n[SEP]\n":        "[CLS]",
		"[UNK]\n[PAD]\n[CLS]\n[SEP]\n": "[PAD] is not the first",
		"":                             "[CLS]",
	} {
		if _, err := New([]byte(list)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", list, err, want)
		}
	}
	v, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Append(nil, "the", 5); len(got) != 1 || got[0] == v.Unknown {
		t.Errorf("the built-in vocabulary has no \"the\": %v", got)
	}
	if got := v.Append(nil, strings.Repeat("x", 200), 10); !slices.Equal(got, []int64{v.Unknown}) {
		t.Errorf("a word of 200 letters is %v", got)
	}
}
