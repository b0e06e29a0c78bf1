// Package command is the table of the commands that llm-tldr's clients and the services
// of agent-relay have: which endpoint answers one, and under which names the fields of
// that endpoint's request may come. /rpc, /relay and the Unix socket ask by it, so that
// a command or a name is added here for all of them.
package command

import "slices"

// A Command is a question to an endpoint. Its parameters have several names: those of
// the endpoint, those of llm-tldr and its clients, and query, target and path, as which
// the relay's parser of agents' lines hands over the first three words, whatever the
// command.
type Command struct {
	// Endpoint is where the answer comes from, such as "/search". It is empty where no
	// endpoint's answer is enough: then only the Unix socket has the command.
	Endpoint string
	List     bool // of the answer only the results are wanted
	Free     bool // it is about a text, of several words

	first    names  // what it is about
	second   names  // what it is about besides that
	needs    string // what llm-tldr answers where the first one is missing; "": it may be
	or       string // a field that may be there instead of the first one
	inFile   bool   // a parameter file narrows the first one
	language bool   // it filters by the parameter language
}

// names are a field of an endpoint, and what it may be called, itself included. The
// first that is there counts.
type names struct {
	field   string
	aliases []string
}

// All returns the commands by name.
func All() map[string]Command {
	word := func(field string, aliases ...string) names { return names{field, aliases} }
	symbol := []string{"func", "entry", "symbol", "function", "query", "target"}
	target := word("target", symbol...)
	path := word("path", "path", "file", "query", "target")
	query := word("query", "query", "q", "pattern")
	where := word("path", "path", "target")
	return map[string]Command{
		"arch":       {Endpoint: "/arch", first: path, language: true},
		"semantic":   {Endpoint: "/search", first: query, second: where, needs: "query", or: "queries", List: true, Free: true},
		"search":     {Endpoint: "/search", first: query, second: where, needs: "pattern", or: "queries", Free: true},
		"related":    {Endpoint: "/related", first: word("file", "file", "query", "target", "path"), second: word("line", "line", "target")},
		"context":    {Endpoint: "/context", first: target, needs: "entry", inFile: true},
		"impact":     {Endpoint: "/impact", first: target, needs: "func", or: "diff", inFile: true},
		"calls":      {Endpoint: "/calls", first: target, inFile: true},
		"dead":       {Endpoint: "/dead", first: where, language: true},
		"definition": {Endpoint: "/definition", first: path, second: word("name", "name", "target"), needs: "file"},
		"references": {Endpoint: "/references", first: target, needs: "symbol", inFile: true},
		"trace":      {Endpoint: "/trace", first: word("target", symbol...), second: word("to", "to", "target"), needs: "symbol", inFile: true},
		"structure":  {Endpoint: "/structure", first: path, language: true},
		"skeleton":   {Endpoint: "/skeleton", first: word("target", append(path.aliases, "symbol")...), needs: "path"},
		"extract":    {Endpoint: "/extract", first: word("target", "func", "entry", "symbol", "class", "method", "function", "query", "target"), needs: "file", or: "file"},
		"imports":    {Endpoint: "/imports", first: path, needs: "file"},
		"importers":  {Endpoint: "/imports", first: word("module", "module", "query", "target", "path", "file"), second: where, needs: "module", language: true},
		"summarize":  {Endpoint: "/summarize", first: word("target", "query", "target")},
		"startup":    {Endpoint: "/startup", first: word("task", "task", "query"), second: word("entry_point", "entry_point", "entry", "target"), Free: true},
		"grep":       {Endpoint: "/grep", first: word("pattern", "pattern", "query"), second: where, needs: "pattern"},
		"cat":        {Endpoint: "/cat", first: path, needs: "path"},
		"find":       {Endpoint: "/find", first: word("name", "name", "query", "pattern"), second: where},
		"invalidate": {Endpoint: "/invalidate", first: path},
		"notify":     {Endpoint: "/invalidate", first: path, needs: "file"},
		"reindex":    {Endpoint: "/reindex"},
		"warm":       {Endpoint: "/reindex"},
		"status":     {Endpoint: "/status"},
		"ping":       {Endpoint: "/health"},

		"cfg":         {Endpoint: "/cfg", first: target, needs: "file, function", inFile: true},
		"dfg":         {Endpoint: "/dfg", first: target, needs: "file, function", inFile: true},
		"diagnostics": {Endpoint: "/diagnostics", first: path, language: true},

		"slice": {Endpoint: "/slice", first: target, second: word("variable", "variable", "target"), needs: "file, function, line", inFile: true},

		"flows": {Endpoint: "/flows", first: word("preset", "preset", "query"), second: where},

		"graph": {Endpoint: "/graph", first: target, second: word("to", "to", "target")},
		"map":   {Endpoint: "/map", first: path, language: true},

		"change_impact": {first: word("files", "files", "file", "path", "query", "target")},
		"tree":          {first: path},
		"track":         {},
		"shutdown":      {},
	}
}

// Names returns the names of the commands of which keep is true, sorted.
func Names(keep func(Command) bool) []string {
	var list []string
	for name, c := range All() {
		if keep(c) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
