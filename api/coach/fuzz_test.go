package coach

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzCounts has anything stand in the coach's file: it is taken or left, and a coach
// that has opened it chooses, and reports shares.
func FuzzCounts(f *testing.F) {
	f.Add([]byte(`{"version":1,"commands":{"grep":{"1":{"n":4,"scored":2,"sum":1}}}}`))
	f.Add([]byte(`{"version":1,"commands":{"grep":{"0":{"n":-1,"scored":2,"sum":1}}}}`))
	f.Add([]byte(`{"version":1,"commands":{"find":{"2":{"n":1099511627775,"scored":1099511627775,"sum":1}}}}`))
	f.Add([]byte(`{"version":99}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "coach.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c := Open(Options{Path: path})
		for _, cmd := range Commands() {
			c.Choose(cmd)
			for _, form := range strategies(cmd) {
				c.Saw("s", Action{Cmd: cmd, Query: "token", Form: form.ID})
			}
		}
		for cmd, records := range c.Report() {
			for _, r := range records {
				if r.N < 0 || r.Scored < 0 || r.Scored > r.N {
					t.Errorf("%s: %+v of %s", cmd, r, text)
				}
			}
		}
		if err := c.Save(); err != nil {
			return
		}
		if _, err := load(path); err != nil {
			t.Errorf("what was saved over %s: %v", text, err)
		}
	})
}
