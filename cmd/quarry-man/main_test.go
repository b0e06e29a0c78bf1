package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/command"
)

// TestPages writes the pages and has groff read them, where it is installed: each command has
// one, and its text is that of the help.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	groff, missing := exec.LookPath("groff")
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		name := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
			return
		}
		for _, below := range cmd.Commands() {
			check(below)
		}
		if missing != nil {
			return
		}
		run := exec.CommandContext(t.Context(), groff, "-ww", "-man", "-Tascii", "-P-cbou", "-rLL=2000n", "-rHY=0", name)
		var out, problems bytes.Buffer
		run.Stdout, run.Stderr = &out, &problems
		if err := run.Run(); err != nil || problems.Len() > 0 {
			t.Errorf("%s: %v\n%s", name, err, problems.Bytes())
		}
		shown := strings.Join(strings.Fields(out.String()), "")
		for _, text := range append(strings.Split(cmd.Long, "\n\n"), cmd.Short, cmd.Example) {
			if want := strings.Join(strings.Fields(text), ""); isASCII(want) && !strings.Contains(shown, want) {
				t.Errorf("%s lacks\n%s", name, text)
			}
		}
	}
	check(command.New())
	if missing != nil {
		t.Log("groff, which shows the pages, is not installed")
	}
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 126 }) < 0
}
