package command

import (
	"slices"
	"testing"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// TestParity holds the commands to the requests of their endpoints: what a command is about is a
// field there, and every field of the endpoint can be a parameter: none is taken for another by
// its name, but for those that the relay's lines begin with.
func TestParity(t *testing.T) {
	words := []string{"query", "target", "path", "pattern", "name", "file"}
	for name, c := range All() {
		request := wire.NewRequest(c.Endpoint)
		if request == nil {
			continue
		}
		var known []string
		for _, n := range fields.Names(request) {
			known = append(known, n.Field)
		}
		for _, n := range []names{c.first, c.second} {
			if n.field != "" && !slices.Contains(known, n.field) {
				t.Errorf("%s: %s is no field of %s", name, n.field, c.Endpoint)
			}
			for _, alias := range n.aliases {
				if alias != n.field && slices.Contains(known, alias) && !slices.Contains(words, alias) {
					t.Errorf("%s: %s is a field of %s, and taken for %s", name, alias, c.Endpoint, n.field)
				}
			}
		}
		if c.or != "" && !slices.Contains(known, c.or) {
			t.Errorf("%s: %s is no field of %s", name, c.or, c.Endpoint)
		}
		for _, field := range known {
			// Where nothing else is given, a field arrives as itself, or as what the command is about.
			out := c.Fields(map[string]any{field: "x"})
			if out[field] == nil && out[c.first.field] == nil && out[c.second.field] == nil {
				t.Errorf("%s: %s is lost on the way to %s: %v", name, field, c.Endpoint, out)
			}
		}
	}
}
