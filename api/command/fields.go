package command

import (
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
	limit := names{"limit", []string{"limit", "k", "top_k", "max_results"}}
	limit.move(out)
	from := c.first.move(out)
	if from != "target" {
		c.second.move(out)
	}
	switch {
	case from == "pattern" && c.Endpoint == "/search" && !present(out["mode"]):
		out["mode"] = "regex" // as a pattern has always been meant
	case c.Endpoint == "/related":
		splitLine(out)
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

// move gives the field the value of the first alias that is there, takes that alias
// away, as an endpoint could read something else from it, and returns which it was. Where
// none is there, those that are empty go, too.
func (n *names) move(fields map[string]any) (from string) {
	for _, a := range n.aliases {
		if v := fields[a]; present(v) {
			delete(fields, a)
			fields[n.field] = v
			return a
		}
	}
	for _, a := range n.aliases {
		delete(fields, a)
	}
	return ""
}

// present reports whether a parameter says anything.
func present(v any) bool { return v != nil && v != "" }

// splitLine takes a place such as src/a.go:12 apart.
func splitLine(fields map[string]any) {
	file, _ := fields["file"].(string)
	if i := strings.LastIndexByte(file, ':'); i > 0 && !present(fields["line"]) {
		if _, err := strconv.Atoi(file[i+1:]); err == nil {
			fields["file"], fields["line"] = file[:i], file[i+1:]
		}
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
