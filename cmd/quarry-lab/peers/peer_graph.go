package peers

import (
	"encoding/json"
	"slices"
)

// tldrPeer is llm-tldr's command line, without its vectors: their model comes from a hub.
// Its graph is made again by each command.
func tldrPeer() peer {
	return peer{
		name: "llm-tldr", from: "llm-tldr (PyPI)", programs: []string{"tldr"}, version: []string{"--version"},
		remark: "structure, calls and impact only: the model of its vectors comes from a hub",
		index:  func(p place) step { return step{args: []string{"tldr", "warm", p.root, "--lang", "all"}, dir: p.root} },
		structure: func(p place) step {
			return step{args: []string{"tldr", "structure", p.root, "--lang", "all"}, dir: p.root}
		},
		callers: func(p place, language, file, symbol string) step {
			return step{args: []string{"tldr", "impact", lastName(symbol), p.root, "--file", file, "--depth", "1", "--lang", language}, dir: p.root}
		},
		called: tldrCallers,
	}
}

func tldrCallers(p place, _ string, out []byte) (all []caller) {
	var a struct {
		Targets map[string]struct {
			Callers []struct{ Function, File string }
		}
	}
	if json.Unmarshal(out, &a) != nil {
		return nil
	}
	for _, t := range a.Targets {
		for _, c := range t.Callers {
			all = append(all, caller{p.relative(c.File), lastName(c.Function)})
		}
	}
	return all
}

// codegraphPeer keeps a graph of symbols in a database below the root.
func codegraphPeer() peer {
	env := []string{"CODEGRAPH_TELEMETRY=0", "DO_NOT_TRACK=1"}
	run := func(p place, args ...string) step {
		return step{args: append([]string{"codegraph"}, args...), dir: p.root, env: env, none: 1}
	}
	return peer{
		name: "codegraph", from: "@colbymchenry/codegraph (npm)", programs: []string{"codegraph"}, version: []string{"--version"},
		index:     func(p place) step { return step{args: []string{"codegraph", "init", p.root}, dir: p.root, env: env} },
		update:    func(p place) step { return step{args: []string{"codegraph", "sync", p.root}, dir: p.root, env: env} },
		define:    func(p place, name string) step { return run(p, "query", name, "--json") },
		structure: func(p place) step { return run(p, "files") },
		callers: func(p place, _, file, symbol string) step {
			return run(p, "callers", lastName(symbol), "--file", file, "--limit", "1000", "--json")
		},
		called: codegraphCallers,
	}
}

// codegraphCallers takes the callers that call; it lists files that import, too.
func codegraphCallers(_ place, _ string, out []byte) (all []caller) {
	type found struct {
		Name, Kind, FilePath string
		Relationships        []string
	}
	var a struct {
		Callers     []found
		Definitions []struct{ Callers []found }
	}
	if json.Unmarshal(out, &a) != nil {
		return nil
	}
	for _, d := range a.Definitions {
		a.Callers = append(a.Callers, d.Callers...)
	}
	for _, c := range a.Callers {
		if c.Kind != "file" && slices.Contains(c.Relationships, "calls") {
			all = append(all, caller{c.FilePath, lastName(c.Name)})
		}
	}
	return all
}

// memoryPeer is codebase-memory-mcp, whose package fetches the program from elsewhere
// when it is first run.
func memoryPeer() peer {
	return peer{
		name: "codebase-memory-mcp", from: "codebase-memory-mcp (PyPI)", programs: []string{"codebase-memory-mcp"}, version: []string{"--version"},
		remark: "the package fetches its program from elsewhere",
	}
}
