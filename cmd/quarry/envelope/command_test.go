package envelope

import (
	"slices"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	var names []string
	for _, cmd := range newTree().Commands() {
		names = append(names, cmd.Name())
	}
	if want := []string{"cat", "coach", "find", "grep", "rag"}; !slices.Equal(names, want) {
		t.Errorf("commands %v, want %v", names, want)
	}
}

// FuzzTe parses command lines of te: they name a command whose arguments and flags are
// understood, or are refused; nothing is run. A pattern is handed over as it is.
func FuzzTe(f *testing.F) {
	f.Add("-i\x00grep\x00-w\x00-g\x00*.py\x00connect\x00src")
	f.Add("find\x00.\x00-name\x00*_test.go\x00-type\x00f")
	f.Add("cat\x00a.go:3-5")
	f.Add("rag\x00search\x00where is it")
	f.Add("--handle\x00res_0123456789ab\x00--chunk\x00-2")
	f.Add("grep\x00--\x00-i")
	f.Add("-\x00--\x00---=\x00grep")
	f.Add("coach\x00report\x00--stats=x")
	f.Fuzz(func(t *testing.T, line string) {
		root := newTree()
		args := rewritten(root, strings.Split(line, "\x00"))
		cmd, rest, err := root.Traverse(args)
		if err != nil {
			return
		}
		if err := cmd.ParseFlags(rest); err != nil {
			return
		}
		if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
			return
		}
		if cmd.Name() == "grep" && cmd.Flags().NArg() < 1 && !cmd.Flags().Changed("regexp") && !cmd.Flags().Changed("file") {
			t.Errorf("%q is grep with %q", line, cmd.Flags().Args())
		}
		eitherCase(line)
	})
}
