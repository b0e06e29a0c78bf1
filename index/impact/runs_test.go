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

// TestTitles has places in a file of tests, and the titles of those that they are in: none where one
// place is in no test, or where the indentation does not agree with the brackets.
func TestTitles(t *testing.T) {
	const text = `import { f } from "./f"
describe('f', () => {
  beforeEach(() => {
    f(0)
  })

  const helper = () => f(1)

  it('adds (one)', async () => {
    const a = () => {
      f(2)
    }
  })
  test("in a line", () => f(3))
  it.each([1])('each %s', n => {
    f(n)
  })
  it(` + "`with ${name}`" + `, () => {
    f(4)
  })
  it.skip('skipped', () => {
    f(5)
  })
  it('text', () => {
    f(` + "`\n<a>\n`" + `)
    f(6)
  })
})
`
	line := func(of string) int {
		before, _, ok := strings.Cut(text, of)
		if !ok {
			t.Fatal(of)
		}
		return strings.Count(before, "\n") + 1
	}
	for of, want := range map[string]string{
		"f(2)": "adds (one)", "const a": "adds (one)", "it('adds": "adds (one)", "f(3)": "in a line", "f(0)": "", "f(1)": "", "f(n)": "", "f(4)": "", "f(5)": "", "f(6)": "",
		"import": "", "describe": "",
	} {
		if got := strings.Join(titles(text, []int{line(of)}), "|"); got != want {
			t.Errorf("%s is in %q, want %q", of, got, want)
		}
	}
	if got := strings.Join(titles(text, []int{line("f(2)"), line("f(3)")}), "|"); got != "adds (one)|in a line" {
		t.Error(got)
	}
	if got := titles(text, []int{line("f(2)"), line("f(1)")}); got != nil {
		t.Error(got)
	}
}
