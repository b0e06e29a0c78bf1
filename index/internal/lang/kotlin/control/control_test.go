package control

import "testing"

func TestIsType(t *testing.T) {
	for name, want := range map[string]bool{"Box": true, "LIMIT": false, "box": false, "": false} { // the parser puts in names that are missing
		if got := isType(name); got != want {
			t.Errorf("isType(%q) = %v", name, got)
		}
	}
}
