// Package model holds the built-in model: its ONNX file, its vocabulary and
// its card, as parts of the program.
//
// The model is a table of word vectors. A text is a bag of sub-words (see
// embed/tokenizer); its vector is the weighted sum of their rows, brought to
// unit length. A query is one such bag; a document is four of them, of its text,
// its names, its folder and its file's name, whose vectors are added as Weights
// says. Package embed/onnx runs the graph, package embed/static evaluates the
// same table in plain Go; what is done with the parts of a document is here, for
// both.
//
// The three files belong together: vocab.txt has one line for each row of the table, in the
// order of the rows, and model.json repeats the sizes and the checksums of the other two. A
// test compares them, so a model cannot be replaced in part.
package model

import (
	_ "embed" // for the files below
	"encoding/json"
	"fmt"
)

var (
	//go:embed model.onnx
	onnxFile []byte

	//go:embed vocab.txt
	vocabFile []byte

	//go:embed model.json
	cardFile []byte
)

// ONNX returns the model file. It is the program's own memory, not a copy:
// the caller must not change it.
func ONNX() []byte { return onnxFile }

// Vocabulary returns one sub-word a line; the number of the line, from 0, is
// the token's id. It is the program's own memory, not a copy: the caller must
// not change it.
func Vocabulary() []byte { return vocabFile }

// A Card describes the model.
type Card struct {
	Name   string `json:"name"`
	Dim    int    `json:"dim"` // length of a vector
	Tokens struct {
		Rules         int `json:"rules"`          // version of the splitting rules the model was trained with
		QueryLimit    int `json:"query_limit"`    // most tokens of a query
		DocumentLimit int `json:"document_limit"` // most tokens of a document's text
	} `json:"tokens"`
	Fields Weights `json:"fields"`
	SHA256 struct {
		ONNX       string `json:"model.onnx"`
		Vocabulary string `json:"vocab.txt"`
	} `json:"sha256"` // in hexadecimal
}

// ReadCard returns the card of the built-in model.
func ReadCard() (Card, error) {
	c, err := ParseCard(cardFile)
	if err != nil {
		return Card{}, fmt.Errorf("model: card of the built-in model: %w", err)
	}
	return c, nil
}

// ParseCard reads the card of another model, a file like model.json. It is an error if the
// fields have no weights; the caller compares whether the card describes the files next to
// it.
func ParseCard(text []byte) (Card, error) {
	var c Card
	if err := json.Unmarshal(text, &c); err != nil {
		return Card{}, err
	}
	if err := c.Fields.check(); err != nil {
		return Card{}, err
	}
	return c, nil
}
