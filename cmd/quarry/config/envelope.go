package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/te"
)

// telemetryFile is the name of the telemetry in the data folder.
const telemetryFile = "te_telemetry.jsonl"

// envelopeSettings are the table tool_envelope of the configuration file. But for
// coach there are no flags and no variables for them.
type envelopeSettings struct {
	Enabled   bool `toml:"enabled"`
	Workspace struct {
		Root             string `toml:"root"`
		RespectGitignore bool   `toml:"respect_gitignore"`
		AllowOutsideRoot bool   `toml:"allow_outside_root"`
	} `toml:"workspace"`
	Telemetry struct {
		Enabled bool   `toml:"enabled"`
		Path    string `toml:"path"`
		Queries bool   `toml:"queries"`
	} `toml:"telemetry"`
	Grep struct {
		PreviewMatches int `toml:"preview_matches"`
		MaxOutputChars int `toml:"max_output_chars"`
		TimeoutMS      int `toml:"timeout_ms"`
	} `toml:"grep"`
	Cat struct {
		PreviewLines   int `toml:"preview_lines"`
		MaxOutputChars int `toml:"max_output_chars"`
	} `toml:"cat"`
	AgentBudgets map[string]int `toml:"agent_budgets"`
	Coach        struct {
		Enabled bool `toml:"enabled"`
	} `toml:"coach"`
}

func DefaultEnvelope() envelopeSettings {
	var e envelopeSettings
	e.Enabled, e.Workspace.RespectGitignore, e.Telemetry.Enabled = true, true, true
	e.Grep.PreviewMatches, e.Grep.MaxOutputChars, e.Grep.TimeoutMS = 10, 20_000, 5_000
	e.Cat.PreviewLines, e.Cat.MaxOutputChars = 50, 30_000
	return e
}

// maxGrepTimeout is what the server allows any request, in milliseconds.
const maxGrepTimeout = 30_000

// check refuses what the envelope cannot do.
func (e *envelopeSettings) check() error {
	if !e.Workspace.RespectGitignore {
		return errors.New("tool_envelope.workspace.respect_gitignore must be true: what the ignore rules leave out is not served")
	}
	if e.Workspace.AllowOutsideRoot {
		return errors.New("tool_envelope.workspace.allow_outside_root must be false: nothing outside the root is served")
	}
	for _, n := range []struct {
		key              string
		value, low, high int
	}{
		{"grep.preview_matches", e.Grep.PreviewMatches, 1, 10_000},
		{"grep.max_output_chars", e.Grep.MaxOutputChars, te.LeastBudget, 1 << 30},
		{"grep.timeout_ms", e.Grep.TimeoutMS, 1, maxGrepTimeout},
		{"cat.preview_lines", e.Cat.PreviewLines, 1, 1 << 30},
		{"cat.max_output_chars", e.Cat.MaxOutputChars, te.LeastBudget, 1 << 30},
	} {
		if n.value < n.low || n.value > n.high {
			return fmt.Errorf("tool_envelope.%s must be %d to %d, not %d", n.key, n.low, n.high, n.value)
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(e.AgentBudgets)) {
		if n := e.AgentBudgets[agent]; n < te.LeastBudget {
			return fmt.Errorf("tool_envelope.agent_budgets.%s must be at least %d characters, not %d", agent, te.LeastBudget, n)
		}
	}
	return nil
}

// Budgets returns the default table with what the user has set.
func (e *envelopeSettings) Budgets() te.Budgets {
	b := te.DefaultBudgets()
	if _, set := e.AgentBudgets["unknown"]; set {
		delete(b, "default") // it was not the user who said it
	}
	maps.Copy(b, e.AgentBudgets)
	return b
}

// Telemetry returns where events are written.
func (s *Settings) Telemetry() string {
	return cmp.Or(s.ToolEnvelope.Telemetry.Path, filepath.Join(s.DataDir, telemetryFile))
}

// Envelope returns the server's options; the caller closes their Log. A telemetry that
// cannot be written keeps no server from its work.
func (s *Settings) Envelope(log *slog.Logger) api.EnvelopeOptions {
	e := &s.ToolEnvelope
	opt := api.EnvelopeOptions{
		Off: !e.Enabled, Preview: e.Grep.PreviewMatches, GrepChars: e.Grep.MaxOutputChars,
		GrepTimeout: time.Duration(e.Grep.TimeoutMS) * time.Millisecond,
		CatLines:    e.Cat.PreviewLines, CatChars: e.Cat.MaxOutputChars,
		Budgets: e.Budgets(), LogQueries: e.Telemetry.Queries,
	}
	if e.Workspace.Root != "" {
		log.Warn("tool_envelope.workspace.root is ignored: the projects of the server say what is searched")
	}
	if e.Enabled && e.Telemetry.Enabled {
		var err error
		if opt.Log, err = te.OpenLog(s.Telemetry()); err != nil {
			log.Warn("no telemetry is written", "err", err)
		}
	}
	return opt
}
