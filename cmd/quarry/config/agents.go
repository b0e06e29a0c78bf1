package config

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/quarry-search/quarry/cmd/quarry/agent"
)

// AgentPlaces returns where coding agents keep their configuration, by the
// variables that their makers document.
func AgentPlaces() (agent.Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return agent.Places{}, fmt.Errorf("the configuration of agents is in your home: %w", err)
	}
	p := agent.Places{
		Home:   home,
		XDG:    cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")),
		Claude: os.Getenv("CLAUDE_CONFIG_DIR"),
		Codex:  cmp.Or(os.Getenv("CODEX_HOME"), filepath.Join(home, ".codex")),
		Gemini: cmp.Or(os.Getenv("GEMINI_CLI_HOME"), home),
	}
	if p.Config, err = os.UserConfigDir(); err != nil {
		return agent.Places{}, fmt.Errorf("the configuration of agents: %w", err)
	}
	for _, path := range []*string{&p.XDG, &p.Claude, &p.Codex, &p.Gemini} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return agent.Places{}, fmt.Errorf("the configuration of agents: %w", err)
		}
	}
	return p, nil
}

// AgentCommand is what an agent starts: quarry where the PATH leads to this very
// program, so that an upgrade changes nothing, else the program's path.
func AgentCommand() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	here, err := os.Stat(self)
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if found, err := exec.LookPath("quarry"); err == nil {
		if there, err := os.Stat(found); err == nil && os.SameFile(here, there) {
			return "quarry", nil
		}
	}
	return self, nil
}
