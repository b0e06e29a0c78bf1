package command

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// TestServeArgs holds what a command that starts a server hands on: all that it was given
// for it, and an end.
func TestServeArgs(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct {
		cmd   *cobra.Command
		given []string
		want  []string
	}{
		{newEnsureCommand(), nil, []string{"serve", "--idle-timeout=30m0s", "--", root}},
		{newEnsureCommand(), []string{"--json", "--memory", "1GiB", "--compat", "osgrep", "--idle-timeout", "0s", "--config", "c.toml"},
			[]string{"serve", "--compat=osgrep", "--config=c.toml", "--idle-timeout=0s", "--memory=1GiB", "--", root}},
		{newMCPCommand(), []string{"--no-start", "--session-id", "s", "--token-file", "t", "--data-dir", "d", "--allow-root", "/a", "--allow-root", "/b"},
			[]string{"serve", "--allow-root=/a" + string(filepath.ListSeparator) + "/b", "--data-dir=d", "--token-file=t", "--idle-timeout=30m0s", "--", root}},
	} {
		config.AddCommonFlags(c.cmd.Flags())
		if err := c.cmd.ParseFlags(c.given); err != nil {
			t.Fatal(err)
		}
		s := config.Default()
		if diff := cmp.Diff(c.want, serveArgs(c.cmd, &s, []string{root})); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", c.cmd.Name(), c.given, diff)
		}
	}
	s := config.Default()
	s.Server.IdleTimeout = 1
	if diff := cmp.Diff([]string{"serve", "--", root}, serveArgs(newEnsureCommand(), &s, []string{root})); diff != "" {
		t.Errorf("with a timeout from elsewhere (-want +got):\n%s", diff)
	}
}
