package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// asking are the commands that ask an endpoint, with those of its fields that are arguments.
var asking = map[string]struct{ endpoint, arguments string }{
	"search":    {"/search", "query"},
	"related":   {"/related", "target file line"},
	"imports":   {"/imports", "path"},
	"importers": {"/imports", "module"},
	"structure": {"/structure", "path"},
	"skeleton":  {"/skeleton", "target"},
	"extract":   {"/extract", "target"},
	"arch":      {"/arch", "path"},
	"calls":     {"/calls", "target"},
	"impact":    {"/impact", "target"},
	"cfg":       {"/cfg", "target"},
	"dfg":       {"/dfg", "target"},

	"diagnostics": {"/diagnostics", "path"},

	"slice":      {"/slice", "target"},
	"flows":      {"/flows", "path"},
	"graph":      {"/graph", "target to"},
	"map":        {"/map", "path"},
	"dead":       {"/dead", "path"},
	"definition": {"/definition", "path line column name"},
	"references": {"/references", "target"},
	"context":    {"/context", "target"},
	"trace":      {"/trace", "target to"},
	"startup":    {"/startup", "task"},
	"summarize":  {"/summarize", "target symbol path paths query"},
}

// withoutFlag are fields that no command has a flag for, and why.
var withoutFlag = map[string]string{
	"project":    "--root",
	"strict":     "always set",
	"timeout_ms": "a command is ended by its user",
	"overlay":    "what is unsaved is in an editor",
	"agent_id":   "decides about answers of the envelope, which te asks for",
	"session_id": "a command is a session of its own",
	"fresh":      "a command is a session of its own",

	"search queries":           "a command has one query",
	"search projects":          "a command is about one root",
	"search without":           "for measuring",
	"search symbol":            "--mode symbol",
	"extract file":             "file:name is a target",
	"importers head":           "whoever imports anywhere",
	"imports module":           "importers",
	"draw":                     "--dot, --mermaid, --svg",
	"skeleton docs":            "--no-docs",
	"summarize handoff":        "--kind handoff --content",
	"summarize recall":         "--kind recall --content",
	"startup entry_point":      "--entry",
	"impact include_tests":     "--no-tests",
	"references include_tests": "--no-tests",
}

// withoutField are flags of one command that are no field of its endpoint, and why.
var withoutField = map[string]string{
	"diagnostics format": "how the answer is printed",
	"flows format":       "how the answer is printed",

	"arch check": "section", "dot": "draw", "mermaid": "draw", "svg": "draw",
	"search compact": "printing", "search content": "printing", "search scores": "printing",
	"search model": "of an index in memory", "related model": "of an index in memory",
	"related compact": "printing", "related content": "printing", "related scores": "printing",
	"search related":   "asks /related",
	"skeleton no-docs": "docs", "startup entry": "entry_point",
	"impact range": "makes diff", "impact session": "edited", "impact no-tests": "include_tests",
	"summarize llm-key-env": "settings", "summarize llm-model": "settings", "summarize llm-timeout": "settings",
	"summarize llm-url": "settings", "summarize summarize-engine": "settings",
	"references no-tests": "include_tests",
}

// shared are the flags of all commands that ask: where to ask, what may be indexed, and how to print.
var shared = []string{"url", "json", "root", "token-file", "tls-cert", "yes", "help"}

// TestFlags holds the commands to the requests of their endpoints: who adds a field adds a flag,
// or says here why there is none.
func TestFlags(t *testing.T) {
	used := map[string]bool{}
	excused := func(list map[string]string, command, name string) bool {
		for _, key := range []string{command + " " + name, name} {
			if list[key] != "" {
				used[key] = true
				return true
			}
		}
		return false
	}
	asked := []string{"/grep", "/cat", "/find", "/status", "/reindex", "/invalidate"} // of te, and about the server
	for _, a := range asking {
		asked = append(asked, a.endpoint)
	}
	for name, c := range command.All() {
		if wire.NewRequest(c.Endpoint) != nil && !slices.Contains(asked, c.Endpoint) {
			t.Errorf("no command is said to ask %s, as %s of the socket does", c.Endpoint, name)
		}
	}
	root := New()
	for name, a := range asking {
		cmd, _, err := root.Find([]string{name})
		if err != nil || cmd == root {
			t.Errorf("there is no command %s", name)
			continue
		}
		known := map[string]bool{}
		for _, n := range fields.Names(wire.NewRequest(a.endpoint)) {
			flag := strings.ReplaceAll(n.Field, "_", "-")
			known[flag] = true
			has := cmd.Flags().Lookup(flag) != nil && flag != "project"
			switch given := has || slices.Contains(strings.Fields(a.arguments), n.Field); {
			case !given && !excused(withoutFlag, name, n.Field):
				t.Errorf("%s has no flag --%s for the field of %s", name, flag, a.endpoint)
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !known[f.Name] && !slices.Contains(shared, f.Name) && !excused(withoutField, name, f.Name) {
				t.Errorf("%s --%s is no field of %s", name, f.Name, a.endpoint)
			}
		})
	}
	for _, list := range []map[string]string{withoutFlag, withoutField} {
		for key := range list {
			if !used[key] {
				t.Errorf("%q is excused for nothing", key)
			}
		}
	}
}
