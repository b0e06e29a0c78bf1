package lang

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/sandbox"
)

// sandboxedKey is set for the child of TestSandboxed, which is this program again.
const sandboxedKey = "SYNTAX_SANDBOXED"

// TestSandboxed parses the sources of all languages, on several threads, in a process that may do
// nothing but parse, and compares with what this one finds.
func TestSandboxed(t *testing.T) {
	archives := map[string]*txtar.Archive{}
	names, err := filepath.Glob("*/testdata/symbols/*/*.txtar")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	for _, name := range names {
		if archives[name], err = txtar.ParseFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv(sandboxedKey) != "" {
		report, err := sandbox.Enter(sandbox.Limits{Memory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Open(names[0]); err == nil && report.Files {
			t.Fatal("a file can be opened")
		}
		fmt.Println(report)
		fmt.Println("parsed", parsed(names, archives))
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestSandboxed$")
	cmd.Env = append(os.Environ(), sandboxedKey+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "parsed " + parsed(names, archives); !strings.Contains(string(out), want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// parsed returns the hash of all that is found in the files, parsed by three at once.
func parsed(names []string, archives map[string]*txtar.Archive) string {
	found := make([][]byte, len(names))
	var all sync.WaitGroup
	for worker := range 3 {
		all.Go(func() {
			p := NewParser()
			defer p.Close()
			for i := worker; i < len(names); i += 3 {
				language, h := filepath.Base(filepath.Dir(names[i])), sha256.New()
				for _, f := range archives[names[i]].Files {
					fmt.Fprintf(h, "%+v\n", p.Parse(language, f.Data))
				}
				found[i] = h.Sum(nil)
			}
		})
	}
	all.Wait()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(found))))
}
