package api

import (
	"strings"

	"github.com/quarry-search/quarry/api/command"
)

// answered reports whether an endpoint has the answer to a command: these are the methods
// of /rpc, and the words that follow a service in its lines.
func answered(c command.Command) bool { return c.Endpoint != "" }

// commandNames are those of all commands, in order.
func commandNames() string { return strings.Join(command.Names(answered), ", ") }

// fieldsOf are those of the endpoint's request, from a command's parameters.
func fieldsOf(c *command.Command, params map[string]any) map[string]any {
	fields := c.Fields(params)
	if c.Endpoint == "/summarize" {
		chooseSummary(fields)
	}
	return fields
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
