package impact

import (
	"os/exec"
	"strings"
	"testing"
)

// A shell reads every word of a command as it is, whatever is in it.
func TestShellLine(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	args := []string{"printf", `%s\n`, "plain", "two words", "it's", `"quoted"`, "$HOME", "`id`", `a\b`, "*", "~", "!x", "a;b", "#x", "", "line\nfeed", "ü", "^(A|B)$", "-n"}
	out, err := exec.Command(sh, "-c", shellLine("", args)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(args[2:], "\n") + "\n"; string(out) != want {
		t.Errorf("%q, want %q", out, want)
	}
	if got := shellLine("-it's $x", []string{"go", "test", "."}); got != `(cd './-it'\''s $x' && go test .)` {
		t.Error(got)
	}
}

func TestRunnable(t *testing.T) {
	for name, want := range map[string]bool{
		"TestA": true, "Test": true, "Test_a": true, "TestÜber": true, "FuzzA": true, "ExampleA_b": true,
		"Testing": false, "BenchmarkA": false, "Suite.TestA": false, "helper": false,
	} {
		if goTest.MatchString(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
