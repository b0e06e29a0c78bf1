package envelope

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// flagOf are the fields of requests that have another name as flags, which is that of GNU grep, cat
// or find, and those that have none, with why in brackets. Where a command is named, it is for that
// one alone.
var flagOf = map[string]string{
	"project": "root", "projects": "(a command is about one root)", "strict": "(always)", "timeout_ms": "(a command is ended by its user)",
	"agent_id": "(TE_AGENT_ID)", "session_id": "(TE_SESSION_ID)",
	"grep pattern": "regexp", "grep syntax": "basic-regexp", "grep path": "(argument)", "grep paths": "(argument)",
	"grep literal": "fixed-strings", "grep word": "word-regexp", "grep whole_line": "line-regexp", "grep invert": "invert-match",
	"grep files": "files-with-matches", "grep before": "before-context", "grep after": "after-context",
	"grep no_line_number": "no-filename",
	"cat path":            "(argument)", "cat limit": "(--start and --end)", "cat highlight": "(of a page or an editor)",
	"find path": "(argument)", "find paths": "(argument)", "find written": "(the arguments as they came)",
	"search query": "(argument)", "search queries": "(a command has one query)",
	"search symbol": "mode", "search min_score": "(of the ranking)", "search per_file": "(of the form te)", "search max_tokens": "(the budget of the agent)",
	"search rerank": "(quarry search)", "search explain": "(quarry search)", "search without": "(for measuring)",
	"search fresh": "(of the form te)", "search overlay": "(refused by the form te)",
}

// fieldOf are the flags that are no field by their name, with the field that they are of, or in
// brackets why they are of none.
var fieldOf = map[string]string{
	"grep extended-regexp": "syntax", "grep perl-regexp": "syntax", "grep file": "pattern", "grep files-without-match": "files",
	"grep context": "before", "grep include": "glob", "grep either-case": "ignore_case",
	"grep with-filename": "(always)", "grep line-number": "(always, but with -h)", "grep quiet": "(printing)", "grep silent": "(printing)",
	"grep binary-files": "(refused, but as it is)", "grep color": "(there are none)", "grep colour": "(there are none)", "grep help": "(help)",
	"grep recursive": "(always)", "grep dereference-recursive": "(always)", "grep no-messages": "(always)", "grep no-ignore-case": "(always)",
	"grep line-buffered": "(always)", "grep text-only": "(always)",
	"find iname": "name",
}

// TestParity holds the commands of te to the requests of their endpoints: who adds a field adds a
// flag, or says here why there is none, and the other way round.
func TestParity(t *testing.T) {
	used := map[string]bool{}
	find := func(list map[string]string, command, name string) string {
		for _, key := range []string{command + " " + name, name} {
			if list[key] != "" {
				used[key] = true
				return list[key]
			}
		}
		return ""
	}
	for path, endpoint := range map[string]string{"grep": "/grep", "cat": "/cat", "find": "/find", "rag search": "/search"} {
		cmd, _, err := newTree().Find(strings.Fields(path))
		if err != nil || cmd.Name() != path[strings.LastIndexByte(path, ' ')+1:] {
			t.Fatalf("there is no command %s: %v", path, err)
		}
		var of []string
		for _, n := range fields.Names(wire.NewRequest(endpoint)) {
			own := strings.ReplaceAll(n.Field, "_", "-")
			flag := find(flagOf, cmd.Name(), n.Field)
			if flag == "" {
				flag = own
			}
			if of = append(of, n.Field); flag[0] != '(' && cmd.Flag(flag) == nil {
				t.Errorf("%s has no flag --%s for %s of %s", path, flag, n.Field, endpoint)
			}
			if flag != own && cmd.LocalNonPersistentFlags().Lookup(own) != nil {
				t.Errorf("%s has --%s, and %s is said to be %s", path, own, n.Field, flag)
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			field := find(fieldOf, cmd.Name(), f.Name)
			for name, flag := range flagOf {
				if flag == f.Name && strings.HasPrefix(name, cmd.Name()+" ") {
					return
				}
			}
			if field == "" {
				field = strings.ReplaceAll(f.Name, "-", "_")
			}
			if field[0] != '(' && !slices.Contains(of, field) {
				t.Errorf("%s --%s is no field of %s", path, f.Name, endpoint)
			}
		})
	}
	for _, list := range []map[string]string{flagOf, fieldOf} {
		for key := range list {
			if !used[key] {
				t.Errorf("%q is said for nothing", key)
			}
		}
	}
}
