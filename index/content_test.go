package index

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

var accept = flag.Bool("accept-content", false, "write testdata/content.golden")

// TestContentVersion fails when the same files give other symbols, chunks, words or
// edges than they did under this contentVersion: snapshots that were made before would
// be mixed with what is made now. Then contentVersion grows by one, and the test is
// run with -accept-content.
func TestContentVersion(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	h := sha256.New()
	for _, archive := range archives {
		x, err := Open(unpack(t, archive), Options{}) // what a model gives has a name of its own
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "snap.quarry")
		if err := x.Save(t.Context(), path, true); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{persist.SecFiles, persist.SecWords, persist.SecGraph} {
			b, err := f.Section(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(h, filepath.Base(archive), name, len(b))
			h.Write(b)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got := fmt.Sprintf("%d %s\n", persist.ContentVersion, hex.EncodeToString(h.Sum(nil)))
	golden := filepath.Join("testdata", "content.golden")
	want, err := os.ReadFile(golden)
	if err != nil && !*accept {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	if same := strings.HasPrefix(string(want), fmt.Sprintf("%d ", persist.ContentVersion)); same {
		t.Fatalf("the contents are not those of version %d any more: let contentVersion grow, then -accept-content", persist.ContentVersion)
	}
	if !*accept {
		t.Fatalf("%s has another version: -accept-content", golden)
	}
	if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}
