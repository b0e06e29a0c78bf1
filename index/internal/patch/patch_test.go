package patch

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
	files, err := Parse("garbage before\ndiff --git a/old.go b/new.go\nsimilarity index 90%\nrename from old.go\nrename to new.go\n" +
		"--- a/old.go\n+++ b/new.go\n@@ -1,3 +1,4 @@ func F\n one\n-two\n+2\n+2a\n three\n@@ -10,0 +12,1 @@\n+new\n\\ No newline at end of file\n" +
		"diff --git a/mode b/mode\nold mode 1\nnew mode 2\n--- a/-- x\n+++ b/-- x\n@@ -2 +1,0 @@\n--- gone\n")
	if err != nil || len(files) != 2 {
		t.Fatalf("%+v, %v", files, err)
	}
	d := files[0]
	if d.Old != "old.go" || d.New != "new.go" || len(d.Hunks) != 2 {
		t.Fatalf("%+v", d)
	}
	now := strings.Split("one\n2\n2a\nthree\n4\n5\n6\n7\n8\n9\n10\nnew", "\n")
	if !d.Matches(now, '+') || d.Matches(now, '-') {
		t.Error("the new text is not the new side")
	}
	old := d.undo(now)
	if got := strings.Join(old, " "); got != "one two three 4 5 6 7 8 9 10" || !d.Matches(old, '-') {
		t.Errorf("undone: %s", got)
	}
	lines, gaps := d.Touched('+')
	if len(lines) != 3 || lines[0] != 2 || lines[2] != 12 || len(gaps) != 1 || gaps[0] != 2 {
		t.Errorf("touched %v, %v", lines, gaps)
	}
	lines, gaps = d.Touched('-')
	if len(lines) != 1 || lines[0] != 2 || len(gaps) != 2 || gaps[1] != 11 {
		t.Errorf("touched of the old side %v, %v", lines, gaps)
	}
	if lines, _ := files[1].Touched('-'); files[1].New != "-- x" || len(lines) != 1 || lines[0] != 2 {
		t.Errorf("%+v", files[1])
	}
}

// What git says without a text: renames, new and removed empty files, modes, binary files.
func TestHeaders(t *testing.T) {
	files, err := Parse("diff --git a/old name.py b/new.py\nsimilarity index 100%\nrename from old name.py\nrename to new.py\n" +
		"diff --git a/pkg/__init__.py b/pkg/__init__.py\ndeleted file mode 100644\nindex e69de29..0000000\n" +
		"diff --git a/b b b/b b\nold mode 100644\nnew mode 100755\n" +
		"diff --git a/made.py b/made.py\nnew file mode 100644\nindex 0000000..e69de29\n" +
		"diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n" +
		"diff --git \"a/sp\\303\\244t\" \"b/sp\\303\\244t\"\ndeleted file mode 100644\n" +
		"diff --git a/from.py b/copy.py\nsimilarity index 100%\ncopy from from.py\ncopy to copy.py\n")
	want := []File{
		{Old: "old name.py", New: "new.py"}, {Old: "pkg/__init__.py"}, {Old: "b b", New: "b b"}, {New: "made.py"},
		{Old: "x.png", New: "x.png", Binary: true}, {Old: "spät"}, {New: "copy.py"},
	}
	if err != nil || !reflect.DeepEqual(files, want) {
		t.Errorf("%+v, %v, want %+v", files, err, want)
	}
	for i, leaves := range []bool{true, true, false, false, false, true, false} {
		if files[i].Leaves() != leaves {
			t.Errorf("%+v leaves its place: %t", files[i], !leaves)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nc")
	f.Add("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", "")
	f.Add("--- a/x\n+++ b/x\n@@ -9 +9 @@\n-b\n+c\n@@ -1 +1 @@\n-b\n+c\n", "c\nc\nc\nc\nc\nc\nc\nc\nc")
	f.Fuzz(func(t *testing.T, diff, text string) {
		files, err := Parse(diff)
		if err != nil {
			return
		}
		if again, err := Parse(diff); err != nil || !reflect.DeepEqual(again, files) {
			t.Errorf("read again it is %+v, %v, was %+v", again, err, files)
		}
		for i := range files {
			d := &files[i]
			d.Touched('+')
			d.Touched('-')
			lines := strings.Split(text, "\n")
			if d.Matches(lines, '+') {
				d.undo(lines)
			}
		}
	})
}
