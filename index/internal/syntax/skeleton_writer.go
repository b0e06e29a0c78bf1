package syntax

import (
	"bytes"
)

// A skeletonWriter splits what is written to it into lines.
type skeletonWriter struct {
	out  []SkeletonLine
	text []byte // of the line that is being written
	at   int    // where that line begins in the source
	line int    // of the source, now
	cut  bool   // something was left out of the line
}

func (w *skeletonWriter) write(b []byte, source bool) {
	for len(b) > 0 {
		line, rest, broken := bytes.Cut(b, []byte("\n"))
		if source && len(w.text) == 0 {
			w.at = w.line
		}
		w.text = append(w.text, line...)
		if !broken {
			return
		}
		w.flush()
		if source {
			w.line++
		}
		w.at = w.line
		if !source {
			w.at++ // a mark on a line of its own stands for what comes after
		}
		b = rest
	}
}

// flush ends a line. One of which nothing is left goes, and so does a blank one
// after another.
func (w *skeletonWriter) flush() {
	text := toValid(bytes.TrimRight(w.text, " \t\r"))
	drop := text == "" && (w.cut || len(w.out) == 0 || w.out[len(w.out)-1].Text == "")
	if !drop {
		w.out = append(w.out, SkeletonLine{w.at, text})
	}
	w.text, w.cut = w.text[:0], false
}
