package agent

import (
	"bytes"
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/diff"
)

// longest is how many bytes a line may have to be shown whole. Minified files
// are one line, of which only what is around the change is worth looking at.
const longest = 400

// around is how many unchanged bytes are shown on either side of a change in a
// long line.
const around = 40

// Diff returns the change as a unified diff, "" where there is none. Of a file
// with very long lines it shows the bytes that change, and some around them.
func (c Change) Diff() []byte {
	if !c.Changes() {
		return nil
	}
	from, to := c.File, c.File
	if c.Before == nil {
		from = os.DevNull
	}
	if c.After == nil {
		to = os.DevNull
	}
	if long(c.Before) || long(c.After) {
		return c.excerpt(from, to)
	}
	text := diff.Diff(from, c.Before, to, c.After)
	if _, rest, ok := bytes.Cut(text, []byte("\n--- ")); ok {
		text = append([]byte("--- "), rest...) // without the line that repeats the names
	}
	return text
}

func long(text []byte) bool {
	for line := range bytes.Lines(text) {
		if len(line) > longest {
			return true
		}
	}
	return false
}

// excerpt shows what differs between the equal bytes at the beginning and at the
// end of both.
func (c Change) excerpt(from, to string) []byte {
	before, after := c.Before, c.After
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ byte %d @@\n", from, to, start)
	for _, side := range []struct {
		sign string
		text []byte
	}{{"-", before}, {"+", after}} {
		low, high := max(0, start-around), min(len(side.text), len(side.text)-end+around)
		text := bytes.TrimSuffix(side.text[low:high], []byte("\n"))
		lead, trail := "", ""
		if low > 0 {
			lead = "..."
		}
		if high < len(side.text) {
			trail = "..."
		}
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\n"+side.sign))
		fmt.Fprintf(&out, "%s%s%s%s\n", side.sign, lead, bytes.ToValidUTF8(text, nil), trail)
	}
	return out.Bytes()
}
