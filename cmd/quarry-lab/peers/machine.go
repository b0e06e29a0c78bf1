package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// machineLine says what figures were taken on, and of which commit.
func machineLine(ctx context.Context) string {
	commit := "unknown"
	if out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
		if out, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output(); err == nil && len(out) > 0 {
			commit += " with changes"
		}
	}
	model := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		model = cpuModel(string(text), model)
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 0 {
			load = ", load average " + f[0]
		}
	}
	return fmt.Sprintf("%s: %d processors (%s), %s, commit %s%s",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), model, runtime.Version(), commit, load)
}

// cpuModel returns the name in the text of /proc/cpuinfo, or what is given.
func cpuModel(text, unknown string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}
