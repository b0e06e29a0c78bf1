package contextual

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/wordpiece"
)

// TestRows: rows.json was made by the program that the model was trained with, whose words are
// found by a regular expression and whose sub-words by the tokenizer of bge-small-en-v1.5.
func TestRows(t *testing.T) {
	data, err := os.ReadFile("testdata/rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Path, Names, Text, Question, Row string }
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	v, err := wordpiece.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	vocabulary, err := os.ReadFile("../wordpiece/vocab.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(string(vocabulary), "\n")
	for _, c := range cases {
		row := question(v, c.Question)
		if c.Path != "" {
			row = document(v, embed.Document{Path: c.Path, Names: c.Names, Text: c.Text})
		}
		words := make([]string, len(row))
		for n, id := range row {
			words[n] = list[id]
		}
		if got := strings.Join(words, " "); got != c.Row {
			t.Errorf("%s%s is read as\n%s, want\n%s", c.Path, c.Question, got, c.Row)
		}
	}
}
