package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Each command says what it is for.
func TestHelp(t *testing.T) {
	seen := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if seen++; cmd.Short == "" {
			t.Errorf("%s says nothing of itself", cmd.CommandPath())
		}
		var out bytes.Buffer
		root := newCommand()
		root.SetArgs(append(strings.Fields(cmd.CommandPath())[1:], "--help"))
		root.SetOut(&out)
		if err := root.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "Usage:\n  "+cmd.CommandPath()) {
			t.Errorf("%s: %v\n%s", cmd.CommandPath(), err, out.String())
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "help" {
				visit(sub)
			}
		}
	}
	visit(newCommand())
	if seen < 25 {
		t.Errorf("%d commands", seen)
	}
}
