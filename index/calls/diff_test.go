package calls

import (
	"reflect"
	"strings"
	"testing"
)

func TestDiffPath(t *testing.T) {
	for text, want := range map[string]string{
		"a/x.go":                         "a/x.go",
		"x.go\t2026-01-01 00:00:00":      "x.go",
		"/dev/null":                      "",
		`"a/sp\303\244t name.go"`:        "a/spät name.go",
		"./a/../x.go":                    "x.go",
		"a/with space.go\t":              "a/with space.go",
		`"broken`:                        `"broken`,
		"/dev/null\t1970-01-01 00:00:00": "",
	} {
		if got := diffPath(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDiffSides(t *testing.T) {
	files, err := parseDiff("garbage before\ndiff --git a/old.go b/new.go\nsimilarity index 90%\nrename from old.go\nrename to new.go\n" +
		"--- a/old.go\n+++ b/new.go\n@@ -1,3 +1,4 @@ func F\n one\n-two\n+2\n+2a\n three\n@@ -10,0 +12,1 @@\n+new\n\\ No newline at end of file\n" +
		"diff --git a/mode b/mode\nold mode 1\nnew mode 2\n--- a/-- x\n+++ b/-- x\n@@ -2 +1,0 @@\n--- gone\n")
	if err != nil || len(files) != 2 {
		t.Fatalf("%+v, %v", files, err)
	}
	d := files[0]
	if d.old != "old.go" || d.new != "new.go" || len(d.hunks) != 2 {
		t.Fatalf("%+v", d)
	}
	now := strings.Split("one\n2\n2a\nthree\n4\n5\n6\n7\n8\n9\n10\nnew", "\n")
	if !d.matches(now, '+') || d.matches(now, '-') {
		t.Error("the new text is not the new side")
	}
	old := d.undo(now)
	if got := strings.Join(old, " "); got != "one two three 4 5 6 7 8 9 10" || !d.matches(old, '-') {
		t.Errorf("undone: %s", got)
	}
	lines, gaps := d.touched('+')
	if len(lines) != 3 || lines[0] != 2 || lines[2] != 12 || len(gaps) != 1 || gaps[0] != 2 {
		t.Errorf("touched %v, %v", lines, gaps)
	}
	lines, gaps = d.touched('-')
	if len(lines) != 1 || lines[0] != 2 || len(gaps) != 2 || gaps[1] != 11 {
		t.Errorf("touched of the old side %v, %v", lines, gaps)
	}
	if lines, _ := files[1].touched('-'); files[1].new != "-- x" || len(lines) != 1 || lines[0] != 2 {
		t.Errorf("%+v", files[1])
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nc")
	f.Add("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", "")
	f.Add("--- a/x\n+++ b/x\n@@ -9 +9 @@\n-b\n+c\n@@ -1 +1 @@\n-b\n+c\n", "c\nc\nc\nc\nc\nc\nc\nc\nc")
	f.Fuzz(func(t *testing.T, diff, text string) {
		files, err := parseDiff(diff)
		if err != nil {
			return
		}
		if again, err := parseDiff(diff); err != nil || !reflect.DeepEqual(again, files) {
			t.Errorf("read again it is %+v, %v, was %+v", again, err, files)
		}
		for i := range files {
			d := &files[i]
			d.touched('+')
			d.touched('-')
			lines := strings.Split(text, "\n")
			if d.matches(lines, '+') {
				d.undo(lines)
			}
		}
	})
}
