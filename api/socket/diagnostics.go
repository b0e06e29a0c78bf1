package socket

import (
	"context"
	"slices"
)

// maxDiagnostics is how many findings there are in an answer where nobody says.
const maxDiagnostics = 1000

// ofTypes are the kinds that type checkers report: what is not code, and what means nothing.
var ofTypes = []string{"syntax", "unresolved_import", "unresolved_name", "wrong_arguments"}

// diagnostics answers as llm-tldr does: what type checkers report is of those, all else of its
// linters. A project that is true is the one that is asked anyway; without the linters only the
// kinds of the type checkers are looked for.
func (c *call) diagnostics(ctx context.Context) (answer, error) {
	if is, ok := c.f["project"].(bool); ok && is {
		delete(c.f, "project")
	}
	off := c.f.flag("no_lint")
	delete(c.f, "no_lint")
	if off && c.f["kind"] == nil {
		kinds := make([]any, len(ofTypes))
		for i, kind := range ofTypes {
			kinds[i] = kind
		}
		c.f["kind"] = kinds
	}
	return c.through(ctx, (*call).diagnosed)
}

func (c *call) diagnosed(_ context.Context, body fields) (answer, error) {
	types, lints := 0, 0
	errors := []fields{}
	for _, f := range body.list("findings") {
		of := "lint"
		if slices.Contains(ofTypes, f.text("kind")) {
			of = "type"
		}
		e := fields{
			"type": of, "severity": f["severity"], "file": f["file"], "line": f["line"], "message": f["message"], "rule": f.text("rule"),
			"column": f.number("column"), "source": f["source"], "kind": f["kind"],
		}
		for _, name := range []string{"symbol", "confidence"} {
			if f[name] != nil {
				e[name] = f[name]
			}
		}
		errors = append(errors, e)
	}
	counts := body.object("counts")
	for kind := range counts {
		if slices.Contains(ofTypes, kind) {
			types += counts.number(kind)
		} else {
			lints += counts.number(kind)
		}
	}
	a := answer{"errors": errors, "summary": fields{"total": body.number("total"), "type_errors": types, "lint_errors": lints}}
	if body["not_looked_at"] != nil {
		a["not_looked_at"] = body["not_looked_at"]
	}
	return a.with(body), nil
}
