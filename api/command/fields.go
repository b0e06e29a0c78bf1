package command

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// Fields are those of the endpoint's request, from a command's parameters, which stay
// as they are. Parameters that have no other name here go on to the endpoint.
func (c *Command) Fields(params map[string]any) map[string]any {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	if file, ok := out["file"].(string); ok && c.Endpoint == "/slice" && file != "" && present(out["line"]) {
		out["target"] = fmt.Sprintf("%s:%v", file, out["line"]) // whatever the function around it is called
		delete(out, "file")
		delete(out, "line")
		delete(out, "function")
	}
	limit := names{"limit", []string{"limit", "k", "top_k", "max_results"}}
	if name, most := limit.take(out); name != "" {
		out["limit"] = most
	}
	from, what := c.first.take(out)
	if from != "target" {
		if name, besides := c.second.take(out); name != "" {
			out[c.second.field] = besides
		}
	}
	if from != "" {
		out[c.first.field] = what
	}
	switch {
	case from == "pattern" && c.Endpoint == "/search" && !present(out["mode"]):
		out["mode"] = "regex" // as a pattern has always been meant
	case c.Endpoint == "/related":
		splitLine(out, "file")
	case c.Endpoint == "/definition" && !present(out["line"]):
		splitColumn(out)
	}
	if file, ok := out["file"].(string); ok && c.inFile && file != "" {
		if name, ok := out[c.first.field].(string); ok && name != "" {
			file += ":" + name
		}
		out[c.first.field] = file
		delete(out, "file")
	}
	if c.language {
		chooseLanguage(out)
	}
	return out
}

// Missing says, in llm-tldr's words, what the fields lack that the command is about; ""
// where it has that, or needs nothing.
func (c *Command) Missing(fields map[string]any) string {
	switch {
	case c.needs == "" || present(fields[c.first.field]) || present(fields[c.or]):
		return ""
	case strings.Contains(c.needs, ","):
		return "Missing required parameters: " + c.needs
	}
	return "Missing required parameter: " + c.needs
}

// take takes away the first alias that is there, as an endpoint could read something else from
// it, and returns it with its value. Where none is there, those that are empty go, too.
func (n *names) take(fields map[string]any) (from string, value any) {
	for _, a := range n.aliases {
		if v := fields[a]; present(v) {
			delete(fields, a)
			return a, v
		}
	}
	for _, a := range n.aliases {
		delete(fields, a)
	}
	return "", nil
}

// present reports whether a parameter says anything.
func present(v any) bool { return v != nil && v != "" }

// splitLine takes a place such as src/a.go:12 apart.
func splitLine(fields map[string]any, field string) {
	file, _ := fields[field].(string)
	if i := strings.LastIndexByte(file, ':'); i > 0 && !present(fields["line"]) {
		if _, err := strconv.Atoi(file[i+1:]); err == nil {
			fields[field], fields["line"] = file[:i], file[i+1:]
		}
	}
}

// splitColumn is splitLine for a path that may have a column, too, such as src/a.go:12:8.
func splitColumn(fields map[string]any) {
	splitLine(fields, "path")
	last := fields["line"]
	delete(fields, "line")
	if splitLine(fields, "path"); present(fields["line"]) {
		fields["column"] = last
	} else if present(last) {
		fields["line"] = last
	}
}

// chooseLanguage makes a filter of a language of llm-tldr, which says auto or all for
// every one.
func chooseLanguage(fields map[string]any) {
	lang, ok := fields["lang"].(string)
	if present(fields["lang"]) && !ok {
		return // a list, of the index's own names
	}
	if lang == "" {
		lang, _ = fields["language"].(string)
	}
	delete(fields, "language")
	switch lang {
	case "", "auto", "all":
		delete(fields, "lang")
	case "typescript":
		fields["lang"] = []string{"typescript", "tsx"}
	case "c#":
		fields["lang"] = "csharp"
	default:
		fields["lang"] = lang
	}
}
