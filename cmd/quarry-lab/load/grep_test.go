package load

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeQuarry serves nothing and greps with grep. It leaves a generated file out, finds
// lines of an ignored one, changes the text of another, and has a short envelope.
const fakeQuarry = `#!/bin/sh
case "$1" in
serve)
	echo "quarry: serving $2 at URL (ready)" >&2
	trap 'exit 0' INT
	while :; do sleep 0.02; done ;;
te)
	[ -n "$QUARRY_DATA_DIR" ] && [ -z "$TE_AGENT_ID" ] || { echo "wrong environment" >&2; exit 2; }
	shift
	if [ "$1" = -i ]; then raw=1; shift; fi
	shift
	flags=
	[ "$1" = -P ] || { echo "the patterns are those of RE2" >&2; exit 2; }
	shift
	while [ "$1" != -- ]; do flags="$flags $1"; shift; done
	[ "$2" != broken ] || { echo "the pattern is broken" >&2; exit 2; }
	if [ -n "$raw" ]; then
		grep -rnE $flags -e "$2" . | sed -e 's|^\./||' -e 's/LONG.*/LO/' | grep -v '^generated.go:'
	else
		echo "it was found somewhere"
		echo "a word of warning" >&2
		exit 0
	fi ;;
esac
`

// fakeRipgrep is grep without the ignored file.
const fakeRipgrep = `#!/bin/sh
flags= files=
while [ $# -gt 0 ]; do
	case "$1" in
	--version) echo "ripgrep 0.0 (fake)"; echo more; exit 0 ;;
	--files) files=1 ;;
	-w | -i | -F) flags="$flags $1" ;;
	--glob) shift ;;
	--) pattern=$2; break ;;
	esac
	shift
done
if [ -n "$files" ]; then find . -type f ! -name ignored.log; exit 0; fi
grep -rnE --exclude=ignored.log $flags -e "$pattern" .
code=$?
[ "$pattern" != token ] || echo "./tool.bin: binary file matches (found \"\\0\" byte around offset 7)"
exit $code
`

// grepTools writes the fakes and returns their paths. The server that the program says it
// is knows why a file was left out.
func grepTools(t *testing.T) (program, rg string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"index":{"state":"ready","pending":0,"vectors":1}}`)
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"index":{"files":3,"source_bytes":2000000},"coverage":{"files":[{"path":"generated.go","reason":"generated"}],"truncated":false}}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	program, rg = filepath.Join(dir, "quarry"), filepath.Join(dir, "rg")
	for path, text := range map[string]string{program: strings.ReplaceAll(fakeQuarry, "URL", server.URL), rg: fakeRipgrep} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return program, rg
}

func TestGrep(t *testing.T) {
	program, rg := grepTools(t)
	t.Setenv("TE_AGENT_ID", "somebody")
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.go":         "token\n tokens\nToken\n",
		"sub/b.go":     "a token LONGER than others\n-x\n",
		"generated.go": "token\ntoken\n",
		"ignored.log":  "token 12:30:59\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	patterns := filepath.Join(t.TempDir(), "patterns")
	if err := os.WriteFile(patterns, []byte("token\n-w -i TOKEN\n-- -x\n\nnothing like it\nbroken\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"grep", "--program", program, "--rg", rg, "--dir", root, "--patterns", patterns, "-n", "3"}
	var out bytes.Buffer
	err := run(t.Context(), append(args, "--json"), &out, &out)
	if err == nil || err.Error() != "1 patterns could not be measured" {
		t.Error(err)
	}
	var r grepReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	var got [][3]int
	var names []string
	for _, row := range r.Rows {
		got, names = append(got, [3]int{row.Lines, row.Missing, row.Extra}), append(names, row.Pattern)
		switch {
		case row.Pattern == "broken":
			if !strings.Contains(row.Error, "the pattern is broken") {
				t.Errorf("%+v", row)
			}
		case row.Error != "" || row.Times.Ripgrep.Count != 3 || row.Times.Envelope.Count != 3 || row.Times.Raw.Count != 3 ||
			row.First <= 0 || row.Envelope <= 0 || row.Raw <= 0 || row.Bytes.Envelope != int64(len("it was found somewhere\n")):
			t.Errorf("%+v", row)
		}
	}
	if diff := cmp.Diff([]string{"token", "-w -i TOKEN", "-x", "nothing like it", "broken"}, names); diff != "" {
		t.Error(diff)
	}
	// Ripgrep has 2 lines of a.go, 1 of sub/b.go and 2 of generated.go.
	if diff := cmp.Diff([][3]int{{5, 3, 2}, {5, 3, 2}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}, got); diff != "" {
		t.Error(diff)
	}
	want := []difference{
		{"ripgrep", "quarry leaves the file out: generated", 1, 4, []string{"generated.go"}},
		{"quarry", otherText, 1, 2, []string{"sub/b.go"}},
		{"quarry", "ripgrep ignores the file", 1, 2, []string{"ignored.log"}},
		{"ripgrep", otherText, 1, 2, []string{"sub/b.go"}},
	}
	if diff := cmp.Diff(want, r.Differences); diff != "" {
		t.Error(diff)
	}
	if r.Ripgrep != "ripgrep 0.0 (fake)" || r.Files != 3 || r.SourceBytes != 2e6 || r.Repeats != 3 || r.Equal != 2 || r.Failed != 1 || r.Envelope <= 0 || r.Raw <= 0 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]string{"quarry: a word of warning"}, r.Notes); diff != "" {
		t.Error(diff)
	}

	out.Reset()
	if err := run(t.Context(), args, &out, &out); err == nil {
		t.Error("a pattern failed, and there is no error")
	}
	for _, part := range []string{
		"ripgrep 0.0 (fake); 3 files, 2.0 MB indexed; medians of 3 runs", "envelope/rg", "-w -i TOKEN", "the pattern is broken",
		"the same lines with 2 of 5 patterns", "only quarry: 2 lines of 1 files: ripgrep ignores the file, such as ignored.log", "note: quarry: a word of warning",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
}

// Lines that are found by one only, and why.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name, rg, quarry string
		want             []difference
	}{
		{"another order, and line ends", "./a:1:x\r\n./b:2:y\n", "b:2:y\na:1:x\n", []difference{}},
		{"twice", "./a:1:x\n", "a:1:x\na:1:x\n", []difference{{"quarry", otherText, 1, 1, []string{"a"}}}},
		{"colons in the text", "./a:1:x:2:y\n", "a:1:x:2:z\n", []difference{{"quarry", otherText, 1, 1, []string{"a"}}, {"ripgrep", otherText, 1, 1, []string{"a"}}}},
		{"a line missing", "./a:1:x\n./a:2:x\n", "a:1:x\n", []difference{{"ripgrep", "not found by quarry, other lines of the file are", 1, 1, []string{"a"}}}},
		{"a line more", "./a:1:x\n", "a:1:x\na:2:x\n", []difference{{"quarry", "not found by ripgrep, other lines of the file are", 1, 1, []string{"a"}}}},
		{"a file missing", "./a:1:x\n./d:1:x\n", "", []difference{{"ripgrep", "not found by quarry", 2, 2, []string{"a", "d"}}}},
		{"a file more", "", "a:1:x\n", []difference{{"quarry", "not found by ripgrep", 1, 1, []string{"a"}}}},
		{"binary", "./b:1:x\n./b: binary file matches (found \"\\0\" byte around offset 3)\n", "", []difference{{"ripgrep", "ripgrep takes the file for binary", 1, 1, []string{"b"}}}},
		{"binary, for one", "./b: binary file matches (found \"\\0\" byte around offset 3)\n", "b:1:x\n", []difference{{"quarry", "ripgrep takes the file for binary", 1, 1, []string{"b"}}}},
		{"something else", "", "Error\n", []difference{{"quarry", "no path:line:text", 1, 1, []string{"Error"}}}},
	} {
		c := newComparison()
		c.listed = map[string]bool{"a": true, "b": true}
		lines, missing, extra := c.compare(test.rg, test.quarry)
		if diff := cmp.Diff(test.want, c.differences()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		noted := 0
		for _, d := range c.differences() {
			noted += d.Lines
		}
		if noted != missing+extra || lines != strings.Count(test.rg, "\n")-strings.Count(test.rg, "binary file") {
			t.Errorf("%s: %d lines, %d missing, %d more, %d noted", test.name, lines, missing, extra, noted)
		}
	}
}

func TestPlace(t *testing.T) {
	for line, want := range map[string][2]string{
		"a/b.go:12:x:3:y": {"a/b.go:12:", "a/b.go"},
		"a:b.go:7:":       {"a:b.go:7:", "a:b.go"},
		"a:1":             {"", "a:1"},
		"a::1":            {"", "a::1"},
		"a::1:":           {"a::1:", "a:"},
		"":                {"", ""},
		":":               {"", ":"},
	} {
		if got := [2]string{place(line), fileOf(line)}; got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestPatterns(t *testing.T) {
	own, err := readPatterns("")
	if err != nil || len(own) != 10 || !reflect.DeepEqual(own[1], []string{"-w", "err"}) || !reflect.DeepEqual(own[9], []string{"^"}) {
		t.Errorf("%q, %v", own, err)
	}
	path := filepath.Join(t.TempDir(), "patterns")
	for text, want := range map[string]string{"\n\n": "holds no pattern", "a\n-w -i\n": `"-w -i" has flags and no pattern`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readPatterns(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := readPatterns(path + ".none"); err == nil {
		t.Error("a file that does not exist: no error")
	}
}

func TestMedian(t *testing.T) {
	for want, of := range map[float64][]float64{0: nil, 3: {9, 3, 1}, 2.5: {4, 1, 2, 3}, 1.235: {1.2346}} {
		if got := median(of); got != want {
			t.Errorf("%v: %v, want %v", of, got, want)
		}
	}
}
