package agent

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzLedger: a ledger that is read keeps what is put next to what it had.
func FuzzLedger(f *testing.F) {
	f.Add([]byte(`{"form":1,"files":{"/a":{"after":"x"}}}`), "/b")
	f.Add([]byte(`{"form":1,"files":null}`), "")
	f.Add([]byte(`{"form":2}`), "/a")
	f.Add([]byte(`[`), "/a")
	f.Fuzz(func(t *testing.T, text []byte, file string) {
		l := Ledger{Path: filepath.Join(t.TempDir(), "ledger.json")}
		if err := os.WriteFile(l.Path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := l.load()
		if err != nil {
			if err := l.put(file, Undo{After: "y"}); err == nil {
				t.Errorf("%s cannot be read, and was written over", text)
			}
			return
		}
		if err := l.put(file, Undo{After: "y"}); err != nil {
			t.Fatal(err)
		}
		after, err := l.load()
		if err != nil || len(after.Files) < len(before.Files) || len(after.Files) > len(before.Files)+1 {
			t.Errorf("%s: %d files, then %d (%v)", text, len(before.Files), len(after.Files), err)
		}
	})
}
