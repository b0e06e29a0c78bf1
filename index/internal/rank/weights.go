package rank

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed weights.txt
var weightsText string

// Weights are what a value of 1 of each signal adds to a score, for one question.
type Weights struct {
	file  Values
	chunk ChunkValues
}

// A model has the weights for a topic, those for a sentence, and those of chances with their
// bias. Only signals of files count in chances.
type model struct {
	topic, sentence, chance Weights
	bias                    float64
}

// fitted is what weights.txt has, which is part of the program.
var fitted = mustParse(weightsText)

// WeightsOf returns the weights for a question, between those for a topic and those for a
// sentence as it is the one or the other; 0 of the signals that shall not count.
func WeightsOf(q Query, none Set) (w Weights) {
	between := func(topic, sentence float64) float64 { return (1-q.Sentence)*topic + q.Sentence*sentence }
	for i := range w.file {
		if !none.Has(i) {
			w.file[i] = between(fitted.topic.file[i], fitted.sentence.file[i])
		}
	}
	for i := range w.chunk {
		if !none.Has(firstChunk + i) {
			w.chunk[i] = between(fitted.topic.chunk[i], fitted.sentence.chunk[i])
		}
	}
	for file, own := range without {
		if none.Has(file) {
			w.chunk[own] = 0
		}
	}
	return w
}

// mustParse panics where parseModel fails; a test holds the file to its form.
func mustParse(text string) model {
	m, err := parseModel(text)
	if err != nil {
		panic(err)
	}
	return m
}

// Prefixes of names in weights.txt.
const (
	sentencePrefix = "sentence."
	chancePrefix   = "score."
	bias           = "score.bias"
)

// parseModel reads lines of a name and a number: the weight of a signal for a topic.
// "sentence." before the name makes it the weight for a sentence, "score." a weight of the
// chance, whose bias is "score.bias". What is not named is 0.
func parseModel(text string) (m model, err error) {
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return m, fmt.Errorf("rank: line %d of the weights is not a name and a number", n+1)
		}
		value, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return m, fmt.Errorf("rank: line %d of the weights: %w", n+1, err)
		}
		if fields[0] == bias {
			m.bias = value
			continue
		}
		name, into := fields[0], &m.topic
		if rest, ok := strings.CutPrefix(name, sentencePrefix); ok {
			name, into = rest, &m.sentence
		} else if rest, ok := strings.CutPrefix(name, chancePrefix); ok {
			name, into = rest, &m.chance
		}
		w := into.of(name, into == &m.chance)
		if w == nil {
			return m, fmt.Errorf("rank: line %d of the weights: there is no signal %q", n+1, fields[0])
		}
		*w = value
	}
	return m, nil
}

// of returns the weight of a signal, nil where there is none: chances know no signals of
// chunks, and scores no share.
func (w *Weights) of(name string, chance bool) *float64 {
	if rest, ok := strings.CutPrefix(name, chunkPrefix); ok && !chance {
		if i := slices.Index(chunkSignalNames[:], rest); i >= 0 {
			return &w.chunk[i]
		}
		return nil
	}
	if i := slices.Index(names[:], name); i >= 0 && (i != logShare || chance) {
		return &w.file[i]
	}
	return nil
}
