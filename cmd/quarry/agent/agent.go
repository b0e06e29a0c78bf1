// Package agent enters Quarry's MCP server into the configuration files of
// coding agents, and takes it out again.
//
// It knows where each agent keeps its servers, in which format, and what an
// entry says. An edit changes the bytes of that entry and no other byte of the
// file: comments, order, indentation, trailing commas, line ends and a missing
// last newline stay. What Install has done, Uninstall undoes to the byte, also
// after other parts of the file were edited; what the text alone cannot tell
// (was the file there before? was the table?) is kept as an Undo in a Ledger.
//
// Three layers: edits are pure functions of bytes (edit.go, jsonc.go, toml.go), a Change is
// one edit of one file (change.go), a Ledger remembers (ledger.go). The package reads no
// environment: its caller says where the folders are.
package agent

import (
	"os"
	"path/filepath"
	"slices"
)

// Name is what the entry is called in every configuration.
const Name = "quarry"

// A Scope says whose configuration is meant.
type Scope string

// The scopes. User is every project of one user; Project is a file inside a
// project, which may be shared with others who work on it.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Places are the folders that the files of agents lie in; all are absolute.
type Places struct {
	Home   string // the user's home
	Config string // the platform's folder for settings: ~/.config, ~/Library/Application Support, %AppData%
	XDG    string // XDG_CONFIG_HOME, else ~/.config on every platform
	Claude string // CLAUDE_CONFIG_DIR, "" where it is not set
	Codex  string // CODEX_HOME, else ~/.codex
	Gemini string // GEMINI_CLI_HOME, else the home
	Root   string // the project's folder; "" unless the scope is Project
}

// An Agent is a program that starts MCP servers.
type Agent struct {
	Name  string // as it is called on the command line: "claude"
	Title string // as its makers call it: "Claude Code"

	syntax syntax
	tables [][]string // where its servers are: the usual place, and a deeper one
	fields func(command string, nested bool) []field
	user   func(Places) []string // its files; the last is the one to make
	shared func(Places) []string // those of a project
	traces func(Places) []string // what is there when the agent is
}

// All returns the agents that Quarry knows, by name.
func All() []Agent {
	servers := [][]string{{"mcpServers"}}
	return []Agent{{
		Name: "claude", Title: "Claude Code", syntax: jsonc, tables: servers, fields: stdio(),
		user: func(p Places) []string {
			if p.Claude != "" {
				return []string{filepath.Join(p.Claude, ".claude.json")}
			}
			return []string{filepath.Join(p.Home, ".claude.json")}
		},
		shared: inRoot(".mcp.json"),
		traces: func(p Places) []string {
			return []string{filepath.Join(p.Home, ".claude"), filepath.Join(p.Home, ".claude.json"), p.Claude}
		},
	}, {
		Name: "codex", Title: "Codex", syntax: toml, tables: [][]string{{"mcp_servers"}}, fields: untyped,
		user:   func(p Places) []string { return []string{filepath.Join(p.Codex, "config.toml")} },
		shared: inRoot(".codex/config.toml"),
		traces: func(p Places) []string { return []string{p.Codex} },
	}, {
		Name: "cursor", Title: "Cursor", syntax: jsonc, tables: servers, fields: stdio(workspace...),
		user:   func(p Places) []string { return []string{filepath.Join(p.Home, ".cursor", "mcp.json")} },
		shared: inRoot(".cursor/mcp.json"),
		traces: func(p Places) []string { return []string{filepath.Join(p.Home, ".cursor")} },
	}, {
		Name: "gemini", Title: "Gemini CLI", syntax: jsonc, tables: servers, fields: untyped,
		user:   func(p Places) []string { return []string{filepath.Join(p.Gemini, ".gemini", "settings.json")} },
		shared: inRoot(".gemini/settings.json"),
		traces: func(p Places) []string { return []string{filepath.Join(p.Gemini, ".gemini")} },
	}, {
		// Version 2 has the servers one level deeper, and reads what version 1
		// reads; version 1 does not read the deeper ones. So the flat form is
		// written, unless the file has the deep one already.
		Name: "opencode", Title: "OpenCode", syntax: jsonc, tables: [][]string{{"mcp"}, {"mcp", "servers"}}, fields: local,
		user: func(p Places) []string {
			dir := filepath.Join(p.XDG, "opencode")
			return []string{filepath.Join(dir, "opencode.jsonc"), filepath.Join(dir, "opencode.json")}
		},
		shared: inRoot("opencode.jsonc", "opencode.json"),
		traces: func(p Places) []string { return []string{filepath.Join(p.XDG, "opencode")} },
	}, {
		Name: "vscode", Title: "VS Code", syntax: jsonc, tables: [][]string{{"servers"}}, fields: stdio(workspace...),
		user:   func(p Places) []string { return []string{filepath.Join(p.Config, "Code", "User", "mcp.json")} },
		shared: inRoot(".vscode/mcp.json"),
		traces: func(p Places) []string { return []string{filepath.Join(p.Config, "Code", "User")} },
	}}
}

// workspace names the project to a server of an editor that starts its servers
// elsewhere: Cursor and VS Code put the open folder in for the variable, and
// start the servers of the user's file in the home.
var workspace = []string{"--project", "${workspaceFolder}"}

// stdio makes the fields of an entry with a type, and more arguments.
func stdio(more ...string) func(string, bool) []field {
	return func(command string, _ bool) []field {
		return []field{{key: "type", value: "stdio"}, {key: "command", value: command}, {key: "args", value: append([]string{"mcp"}, more...)}}
	}
}

// untyped makes the fields of an entry that is of the type that it looks like.
func untyped(command string, _ bool) []field {
	return []field{{key: "command", value: command}, {key: "args", value: []string{"mcp"}}}
}

// local makes the fields of OpenCode's entries. The deep form has no "enabled".
func local(command string, nested bool) []field {
	all := []field{{key: "type", value: "local"}, {key: "command", value: []string{command, "mcp"}}}
	if !nested {
		all = append(all, field{key: "enabled", value: true, first: true})
	}
	return all
}

func inRoot(names ...string) func(Places) []string {
	return func(p Places) []string {
		var all []string
		for _, name := range names {
			all = append(all, filepath.Join(p.Root, filepath.FromSlash(name)))
		}
		return all
	}
}

// Find returns the agent of that name.
func Find(name string) (Agent, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return all[i], true
}

// Present reports whether the agent has left a folder or a file on this machine.
func (a Agent) Present(p Places) bool {
	return slices.ContainsFunc(a.traces(p), func(path string) bool {
		if path == "" {
			return false
		}
		_, err := os.Stat(path)
		return err == nil
	})
}

// Files returns where the agent's configuration may lie, what it prefers first.
// The last is the file to make where there is none.
func (a Agent) Files(p Places, s Scope) []string {
	if s == Project {
		return a.shared(p)
	}
	return a.user(p)
}
