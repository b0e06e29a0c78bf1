package callgraph

import (
	"encoding/json"
	"fmt"
	"io"
)

// A result is a comparison to print.
type result struct {
	Scores    []score  `json:"scores"`
	Unreached int      `json:"unreached"`         // calls without a callee in the other program
	Outside   int      `json:"outside"`           // edges of Quarry at none of its calls
	Foreign   int      `json:"foreign,omitempty"` // edges by code outside that calls back
	Answers   *answers `json:"answers,omitempty"`
	Missing   []string `json:"missing,omitempty"`
	Extra     []string `json:"extra,omitempty"`
}

func (r result) writeJSON(w io.Writer, verbose bool) error {
	if verbose {
		r.each(
			func(k kind, e edge) { r.Missing = append(r.Missing, fmt.Sprintf("%s %s", k, e)) },
			func(k kind, e edge) { r.Extra = append(r.Extra, fmt.Sprintf("%s %s", k, e)) })
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}

func (r *result) each(missing, extra func(kind, edge)) {
	for _, s := range r.Scores {
		for _, e := range s.missing {
			missing(s.Kind, e)
		}
		for _, e := range s.extra {
			extra(s.Kind, e)
		}
	}
}

func (r result) writeText(w io.Writer, verbose bool) (err error) {
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	if verbose {
		r.each(
			func(k kind, e edge) { line("missing %-9s %s\n", k, e) },
			func(k kind, e edge) { line("extra   %-9s %s\n", k, e) })
	}
	line("%-9s  %7s %7s %7s %7s  %9s %9s\n", "calls", "sites", "wanted", "given", "common", "precision", "recall")
	for _, s := range r.Scores {
		line("%-9s  %7d %7d %7d %7d  %9.4f %9.4f\n", s.Kind, s.Sites, s.Wanted, s.Given, s.Common, s.Precision, s.Recall)
	}
	line("not compared: %d calls without a callee, %d edges at no call\n", r.Unreached, r.Outside)
	if r.Foreign > 0 {
		line("not asked for: %d functions run by something external\n", r.Foreign)
	}
	if r.Answers != nil {
		r.Answers.write(line, verbose)
	}
	return err
}
