package terminal

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaces(t *testing.T) {
	lines := "src/a.go:3:10 A -> B src/b.go:1\n  b.go:12 C\nadded d.go:4 D\nb.go:1-20 E\n"
	for _, test := range []struct {
		name   string
		screen bool
		colour bool
		want   string
	}{
		{"a program", false, false, lines},
		{"aligned", true, false, "src/a.go:3:10 A -> B src/b.go:1\n  b.go:12     C\nadded d.go:4 D\nb.go:1-20     E\n"},
		{"coloured", true, true, "\x1b[35msrc/a.go\x1b[m:\x1b[32m3:10\x1b[m A -> B src/b.go:1\n  \x1b[35mb.go\x1b[m:\x1b[32m12\x1b[m     C\nadded d.go:4 D\n\x1b[35mb.go\x1b[m:\x1b[32m1-20\x1b[m     E\n"},
	} {
		var out bytes.Buffer
		p := NewPlaces(&out)
		if test.screen {
			p = NewPlaces(NewScreen(&out, test.colour, ""))
		}
		fmt.Fprint(p, lines)
		if err := p.Flush(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestPager(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		name, program, text, want string
	}{
		{"shows", `echo "$LESS"; sed s/a/b/`, "aa\n", "FRX\nba\n"},
		{"has not begun", "echo began", "", ""},
		{"is left", "head -n 1; exit 3", "1\n2\n", "1\n"},
		{"is not there", "no-such-pager 2>/dev/null || cat", "a\n", "a\n"},
	} {
		var out bytes.Buffer
		s := NewScreen(&out, false, test.program, "LESS=FRX")
		fmt.Fprint(s, test.text)
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	// Who has left gets no more, and that is no error.
	var out bytes.Buffer
	s := NewScreen(&out, false, "true")
	for range 100 {
		if _, err := s.Write(make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil || out.Len() > 0 {
		t.Errorf("%v, %d bytes", err, out.Len())
	}
}
