package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A command is what a service of the relay calls a question to an endpoint. Its
// parameters have several names: those of the endpoint, those of llm-tldr and its
// clients, and query, target and path, as which the relay's parser of agents' lines
// hands over the first three words, whatever the command.
type command struct {
	endpoint string
	first    names // what the command is about
	second   names // what it is about beside that
	list     bool  // of the answer only the results are given
	free     bool  // it is about a text, of several words
	inFile   bool  // a parameter file narrows the first one
}

// names are a field of an endpoint, and what else it may be called. The first that is
// there counts.
type names struct {
	field   string
	aliases []string
}

// commands are the methods of /rpc and the words that follow a service in its lines.
func commands() map[string]command {
	word := func(field string, aliases ...string) names { return names{field, aliases} }
	symbol := []string{"query", "target", "symbol", "entry", "func", "function"}
	where := word("path", "path", "target")
	all := map[string]command{
		"semantic":   {endpoint: "/search", first: word("query", "query", "pattern", "q"), second: where, list: true, free: true},
		"search":     {endpoint: "/search", first: word("query", "query", "pattern", "q"), second: where, free: true},
		"related":    {endpoint: "/related", first: word("file", "file", "query", "target"), second: word("line", "line", "target")},
		"context":    {endpoint: "/context", first: word("target", symbol...), inFile: true},
		"impact":     {endpoint: "/impact", first: word("target", symbol...), inFile: true},
		"calls":      {endpoint: "/calls", first: word("target", symbol...), inFile: true},
		"trace":      {endpoint: "/trace", first: word("symbol", symbol...), second: word("to", "to", "target"), inFile: true},
		"structure":  {endpoint: "/structure", first: word("path", "path", "query", "target")},
		"skeleton":   {endpoint: "/skeleton", first: word("path", "path", "query", "target")},
		"extract":    {endpoint: "/extract", first: word("symbol", symbol...)},
		"summarize":  {endpoint: "/summarize", first: word("query", "query", "target")},
		"startup":    {endpoint: "/startup", first: word("task", "task", "query"), second: word("entry_point", "entry_point", "entry", "target"), free: true},
		"grep":       {endpoint: "/grep", first: word("pattern", "pattern", "query"), second: where},
		"cat":        {endpoint: "/cat", first: word("path", "path", "file", "query", "target")},
		"find":       {endpoint: "/find", first: word("name", "name", "query", "pattern"), second: where},
		"invalidate": {endpoint: "/invalidate", first: word("path", "path", "file", "query", "target")},
		"reindex":    {endpoint: "/reindex"},
		"status":     {endpoint: "/status"},
		"ping":       {endpoint: "/health"},
	}
	all["notify"], all["warm"] = all["invalidate"], all["reindex"]
	return all
}

// commandNames are those of all commands, in order.
func commandNames() string { return strings.Join(slices.Sorted(maps.Keys(commands())), ", ") }

// notSupported reports whether llm-tldr has a command for which there is no analysis here.
func notSupported(method string) bool {
	return slices.Contains([]string{"cfg", "dfg", "slice", "dead", "arch", "diagnostics"}, method)
}

// fields are those of the endpoint's request, from a command's parameters, which stay
// as they are.
func (c *command) fields(params map[string]any) map[string]any {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	for _, alias := range []string{"k", "top_k", "max_results"} {
		c.rename(out, "limit", alias)
	}
	regex := !present(out["query"]) && present(out["pattern"])
	if from := c.first.move(out); from != "target" {
		c.second.move(out)
	}
	switch {
	case c.endpoint == "/search" && regex && !present(out["mode"]):
		out["mode"] = "regex" // as a pattern has always been meant
	case c.endpoint == "/related":
		splitLine(out)
	case c.endpoint == "/summarize":
		chooseSummary(out)
	}
	if file, ok := out["file"].(string); ok && c.inFile && file != "" {
		if name, ok := out[c.first.field].(string); ok && name != "" {
			out[c.first.field] = file + ":" + name
		} else {
			out[c.first.field] = file
		}
		delete(out, "file")
	}
	return out
}

// rename moves a field to another name, unless that is there.
func (c *command) rename(fields map[string]any, to, from string) {
	if v, ok := fields[from]; ok && present(v) && !present(fields[to]) {
		fields[to] = v
		delete(fields, from)
	}
}

// move gives the field the value of the first alias that is there, takes the aliases
// away from which an endpoint could read something else, and returns which it was.
func (n *names) move(fields map[string]any) (from string) {
	for _, a := range n.aliases {
		if v := fields[a]; present(v) {
			delete(fields, a)
			fields[n.field] = v
			return a
		}
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

// chooseSummary decides what a word is that was given to summarize: with white space a
// question, with a slash a path, else a symbol.
func chooseSummary(fields map[string]any) {
	word, ok := fields["query"].(string)
	if !ok || strings.ContainsAny(word, " \t\n") {
		return
	}
	for _, name := range summarized {
		if name != "query" && fields[name] != nil {
			return
		}
	}
	field := "symbol"
	if strings.Contains(word, "/") && !strings.Contains(word, ":") {
		field = "path"
	}
	delete(fields, "query")
	fields[field] = word
}
