package fit

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Weights is the file that the ranking's weights are kept in: text, a line
// "name weight" for each signal and below it a line "score.name weight" for each
// that the score is made of, score.bias among them. Lines that begin with # are
// comments, and those above a block belong to it; what follows a # behind a weight
// is not kept. A name has no white space.
type Weights struct {
	Ranking, Score Block
}

// A Block is one half of Weights.
type Block struct {
	Comment []string           // lines, without "# "
	Weights map[string]float64 // by name, without "score."
}

const scorePrefix = "score."

// ReadWeights reads the file.
func ReadWeights(r io.Reader) (Weights, error) {
	var file Weights
	text, err := io.ReadAll(r)
	if err != nil {
		return file, fmt.Errorf("cannot read the weights: %w", err)
	}
	block, comment := &file.Ranking, []string(nil)
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if about, ok := strings.CutPrefix(line, "#"); ok {
			comment = append(comment, strings.TrimPrefix(about, " "))
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return file, fmt.Errorf("line %d of the weights is %q, not \"name weight\"", i+1, line)
		}
		name, isScore := strings.CutPrefix(fields[0], scorePrefix)
		block = &file.Ranking
		if isScore {
			block = &file.Score
		}
		w, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || math.IsNaN(w) || math.IsInf(w, 0) {
			return file, fmt.Errorf("line %d of the weights: %q is no number", i+1, fields[1])
		}
		if _, twice := block.Weights[name]; twice {
			return file, fmt.Errorf("line %d of the weights: %s is there twice", i+1, fields[0])
		}
		if block.Weights == nil {
			block.Weights = map[string]float64{}
		}
		block.Weights[name] = w
		block.Comment = append(block.Comment, comment...)
		comment = nil
	}
	block.Comment = append(block.Comment, comment...)
	return file, nil
}

// Write writes the file: the ranking, then the score, each by name and with
// numbers of three digits.
func (w Weights) Write(to io.Writer) error {
	var b bytes.Buffer
	for _, part := range []struct {
		prefix string
		Block
	}{{"", w.Ranking}, {scorePrefix, w.Score}} {
		if len(part.Comment)+len(part.Weights) > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		for _, line := range part.Comment {
			b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
		}
		for _, name := range slices.Sorted(maps.Keys(part.Weights)) {
			fmt.Fprintf(&b, "%s%s %s\n", part.prefix, name, FormatWeight(part.Weights[name]))
		}
	}
	if _, err := to.Write(b.Bytes()); err != nil {
		return fmt.Errorf("cannot write the weights: %w", err)
	}
	return nil
}

// Round returns a weight as the file has it: three significant digits, and 0 for
// what is too small to move a result.
func Round(w float64) float64 {
	if math.Abs(w) < 1e-4 {
		return 0
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(w, 'g', 3, 64), 64)
	if err != nil {
		return w // not a number; reading the file will say so
	}
	return short
}

// FormatWeight writes a weight as the file has it.
func FormatWeight(w float64) string { return strconv.FormatFloat(Round(w), 'f', -1, 64) }
