package mcp

import (
	"slices"
	"testing"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// withoutArgument are fields that a tool does not have, and why. Those of a tool begin with its
// name.
var withoutArgument = map[string]string{
	"agent_id": "of the server", "session_id": "of the server", "project": "of the server", "fresh": "of the server",
	"strict": "always", "timeout_ms": "the client gives up", "overlay": "an agent edits files",

	"search queries": "one question a call", "search projects": "one project a server", "search without": "for measuring",
	"search glob": "every word is paid for", "search kind": "every word is paid for", "search role": "every word is paid for", "search tests": "every word is paid for",
	"search symbol": "every word is paid for", "search mode": "every word is paid for", "search min_score": "every word is paid for",
	"search per_file": "every word is paid for",
	"arch level":      "every word is paid for", "arch depth": "every word is paid for", "arch kinds": "every word is paid for", "arch draw": "for people",
	"arch rules": "those of the root", "arch glob": "every word is paid for", "arch lang": "every word is paid for", "arch tests": "every word is paid for",
	"arch limit":    "every word is paid for",
	"context depth": "max_tokens decides", "impact path": "every word is paid for", "impact files": "diff", "impact base": "diff", "impact edited": "git", "impact include_tests": "tests are what it is for",
	"calls external": "every word is paid for", "calls path": "every word is paid for", "calls glob": "every word is paid for",
	"calls tests": "every word is paid for", "calls group": "every word is paid for", "references glob": "every word is paid for",
	"definition column": "name: a model counts no bytes", "definition uses": "every word is paid for", "definition types": "every word is paid for", "definition type_of": "every word is paid for",
	"references tests": "every word is paid for", "impact glob": "every word is paid for", "impact tests": "every word is paid for",
	"impact commands": "every word is paid for", "references path": "every word is paid for", "references include_tests": "every word is paid for",
	"slice to": "every word is paid for", "slice draw": "for people", "dead glob": "every word is paid for", "dead lang": "every word is paid for", "dead kind": "every word is paid for",
	"dead confidence": "every word is paid for", "dead exports": "every word is paid for", "dead entry_points": "every word is paid for", "dead tests": "every word is paid for",
	"outline glob": "every word is paid for", "outline lang": "every word is paid for", "outline limit": "max_tokens decides", "outline lines": "always",
	"read highlight": "for people", "read limit": "start and end", "read number": "every word is paid for", "summarize handoff": "content", "summarize recall": "content", "summarize paths": "path",
	"summarize target": "path, symbol and query", "summarize kind": "by the field", "summarize engine": "of the server", "summarize tokenizer": "every word is paid for",
	"related glob": "every word is paid for", "related lang": "every word is paid for", "related kind": "every word is paid for",
	"related tests": "every word is paid for", "related role": "every word is paid for", "related min_score": "every word is paid for", "related per_file": "every word is paid for",
	"related max_tokens": "places only", "status skipped": "every word is paid for",
}

// TestArguments holds the arguments of tools to the requests of their endpoints: who adds a field
// adds an argument, or says here why there is none.
func TestArguments(t *testing.T) {
	used := map[string]bool{}
	for _, tool := range tools() {
		var known []string
		for _, n := range fields.Names(wire.NewRequest(tool.endpoint)) {
			known = append(known, n.Field)
			if slices.ContainsFunc(tool.fields, func(f field) bool { return f.name == n.Field }) {
				continue
			}
			switch {
			case withoutArgument[tool.name+" "+n.Field] != "":
				used[tool.name+" "+n.Field] = true
			case withoutArgument[n.Field] != "":
				used[n.Field] = true
			default:
				t.Errorf("%s has no argument for the field %s of %s", tool.name, n.Field, tool.endpoint)
			}
		}
		for _, f := range tool.fields {
			if !f.own && !slices.Contains(known, f.name) {
				t.Errorf("%s: %s is no field of %s", tool.name, f.name, tool.endpoint)
			}
		}
		for name := range tool.always {
			if !slices.Contains(known, name) {
				t.Errorf("%s: %s is no field of %s", tool.name, name, tool.endpoint)
			}
		}
	}
	for key := range withoutArgument {
		if !used[key] {
			t.Errorf("%q is excused for nothing", key)
		}
	}
}
