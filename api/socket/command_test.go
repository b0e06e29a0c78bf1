package socket

import (
	"testing"

	"github.com/quarry-search/quarry/api/command"
)

// TestTable wants every command of the table to have an answer here, and no line here
// for a command that there is not.
func TestTable(t *testing.T) {
	all := command.All()
	for name, r := range table() {
		if _, ok := all[name]; !ok {
			t.Errorf("%s is no command", name)
		}
		if r.run == nil && r.Endpoint == "" {
			t.Errorf("%s has no answer", name)
		}
	}
}
