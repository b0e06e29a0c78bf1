package envelope

import (
	"bytes"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/index"
)

var (
	update = flag.Bool("update", false, "write what GNU grep and find give to testdata/differential")
	seeds  = flag.Int("seeds", 0, "compare so many other generated command lines with GNU grep and find")
	first  = flag.Uint64("first", 1000, "the seed of the first of them")
)

// A commandLine is one of the testdata, and what is to come of it. In the files it is
//
//	$ grep -c order src     as it is typed; "src$ " before it: in that folder
//	= 0                     the exit code
//	| src/order.go:3        what GNU prints, in any order of the files
//	~ src/order.go:2        what GNU prints where the files have the line ends of Unix, if that differs
//	! not supported         te refuses, with this in its sentence
type commandLine struct {
	line       string
	code       int
	rows, unix []string
	differs    bool // unix is not rows
	refusal    string
}

func readLines(t *testing.T, name string) (all []*commandLine) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		if strings.HasSuffix(mark, "$") {
			all = append(all, &commandLine{line: line})
			continue
		}
		c := &commandLine{}
		if len(all) > 0 {
			c = all[len(all)-1]
		}
		switch mark {
		case "=":
			fmt.Sscan(rest, &c.code)
		case "|":
			c.rows = append(c.rows, rest)
		case "~":
			if c.differs = true; rest != "" {
				c.unix = append(c.unix, rest)
			}
		case "!":
			c.refusal = rest
		case "", "#":
		default:
			t.Fatalf("%s: %q", name, line)
		}
	}
	return all
}

func writeLines(t *testing.T, name, comment string, all []*commandLine) {
	t.Helper()
	var b strings.Builder
	b.WriteString(comment)
	for _, c := range all {
		fmt.Fprintf(&b, "\n%s\n= %d\n", c.line, c.code)
		if c.refusal != "" {
			fmt.Fprintf(&b, "! %s\n", c.refusal)
			continue
		}
		for _, row := range c.rows {
			fmt.Fprintf(&b, "| %s\n", row)
		}
		if c.differs && len(c.unix) == 0 {
			b.WriteString("~\n")
		}
		for _, row := range c.unix {
			fmt.Fprintf(&b, "~ %s\n", row)
		}
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A tree is where command lines are run.
type tree struct {
	root, unix string // the latter has the line ends of Unix in all files
	data       string
}

// binary is the file in docs that is not searched.
const binary = "data.bin"

func plant(t *testing.T) *tree {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/differential/tree.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range ar.Files {
		files[f.Name] = string(f.Data)
	}
	files["docs/dos.txt"] = strings.ReplaceAll("word one\nORDER two\n\nfoo bar three \nlast word\n", "\n", "\r\n")
	files["docs/open.txt"] = "an order\nwith no line feed at the end: word"
	files["docs/long.txt"] = "short\n" + strings.Repeat("filler text ", 1250) + "needle word " + strings.Repeat("more filler ", 1250) + "\nshort order\n"
	files["docs/"+binary] = "binary order word\x00\x01\x02 needle\n"
	tr := &tree{data: t.TempDir()}
	for i, to := range []*string{&tr.root, &tr.unix} {
		if *to, err = folder.Real(t.TempDir()); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if i == 1 {
				text = strings.ReplaceAll(text, "\r\n", "\n")
			}
			file := filepath.Join(*to, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			at := time.Date(2024, 1, 1, 0, 0, len(name), 0, time.UTC) // for -newer
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
		err := filepath.WalkDir(*to, func(p string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				at := time.Date(2024, 1, 1, 0, 0, 12, 0, time.UTC)
				err = os.Chtimes(p, at, at)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

// serve has a server for the tree.
func (tr *tree) serve(t *testing.T) {
	t.Helper()
	x, err := index.Open(tr.root, index.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := api.New(api.Options{Index: x})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	servers := registry.Registry{Dir: filepath.Join(tr.data, "servers")}
	if err := os.MkdirAll(servers.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := servers.Add(registry.Registration{PID: 1, URL: h.URL, Root: tr.root}); err != nil {
		t.Fatal(err)
	}
}

// words splits a command line as a shell does, for as much of its grammar as is needed.
func words(t *testing.T, line string) (dir string, args []string) {
	t.Helper()
	dir, line, _ = strings.Cut(line, "$ ")
	var word strings.Builder
	open, quote := false, byte(0)
	end := func() {
		if open {
			args = append(args, word.String())
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == 0 && c == ' ':
			end()
			continue
		case quote == 0 && c == '$' && strings.HasPrefix(line[i:], "$'"):
			quote = '$'
			i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == '$' && c == '\\' && line[i+1] == 'n':
			word.WriteByte('\n')
			i++
		case quote != '\'' && c == '\\' && i+1 < len(line) && (quote == 0 || strings.IndexByte(`"\$'`, line[i+1]) >= 0):
			i++
			word.WriteByte(line[i])
		case quote != 0 && (c == quote || quote == '$' && c == '\''):
			quote = 0
		default:
			word.WriteByte(c)
		}
		open = true
	}
	if quote != 0 {
		t.Fatalf("a quote is open: %s", line)
	}
	end()
	return dir, args
}

// te runs a command line as te -i.
func (tr *tree) te(t *testing.T, line string) (out, complaint string, code int) {
	t.Helper()
	dir, args := words(t, line)
	t.Chdir(filepath.Join(tr.root, dir))
	var stdout, stderr bytes.Buffer
	cmd := Commands()[0]
	cmd.SetArgs(append([]string{"--data-dir", tr.data, "-i"}, args...))
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceUsage = true
	err := cmd.ExecuteContext(t.Context())
	complaint = stderr.String()
	if strings.Contains(complaint, "no server answers") {
		t.Fatalf("%s: %s", line, complaint)
	}
	if err != nil {
		complaint += err.Error()
	}
	return stdout.String(), complaint, invocation.ExitCode(err)
}

// hidesNames reports whether a command line of grep has -h.
func hidesNames(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--":
			return false
		case arg == "--no-filename":
			return true
		case len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && (i == 0 || args[i-1] != "-e" && args[i-1] != "-f"):
			letters, _, _ := strings.Cut(arg[1:], "e")
			if strings.Contains(letters, "h") {
				return true
			}
		}
	}
	return false
}

// gnu runs a command line as GNU's program does. te searches folders and writes paths and
// numbers without being asked, and searches no binary files.
func (tr *tree) gnu(t *testing.T, root, line string) (rows []string, code int) {
	t.Helper()
	dir, args := words(t, line)
	if args[0] == "grep" {
		own := []string{"grep", "-r"}
		if !hidesNames(args[1:]) {
			own = append(own, "-n", "-H")
		}
		end := slices.Index(args, "--")
		if end < 0 {
			end = len(args)
		}
		args = slices.Concat(own, args[1:end], []string{"--exclude=" + binary}, args[end:])
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(root, dir), append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cleaned(string(out), dir, args), cmd.ProcessState.ExitCode()
}

// cleaned returns rows as they are compared: by file, without a "./" in front and the carriage
// returns at the ends of lines. te does not list the folder where find starts.
func cleaned(out, dir string, args []string) (rows []string) {
	for row := range strings.Lines(out) {
		row = strings.TrimSuffix(strings.TrimSuffix(row, "\n"), "\r")
		if row = strings.TrimPrefix(row, "./"); row == "." || row == ".." {
			continue
		}
		row = strings.TrimPrefix(row, "../"+dir+"/")
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b string) int { return strings.Compare(fileOf(a), fileOf(b)) })
	if hidesNames(args[1:]) {
		slices.Sort(rows)
	}
	return rows
}

// fileOf is that of a row, "" where there is none.
func fileOf(row string) string {
	for i := range len(row) {
		if row[i] == ':' || row[i] == '-' {
			if _, _, ok := strings.Cut(row[:i], "."); ok {
				return row[:i]
			}
		}
	}
	return row
}

// check compares what te does with what is to come of a command line.
func (tr *tree) check(t *testing.T, c *commandLine) {
	t.Helper()
	out, complaint, code := tr.te(t, c.line)
	dir, args := words(t, c.line)
	got := cleaned(out, dir, args)
	if c.refusal != "" {
		if code != 2 || !strings.Contains(complaint, c.refusal) || len(got) > 0 {
			t.Errorf("%s\nexit %d, %d rows, %q, want a refusal that says %q", c.line, code, len(got), complaint, c.refusal)
		}
		return
	}
	want := c.rows
	if c.differs && slices.Equal(c.unix, got) {
		want = got
	}
	if diff := cmp.Diff(want, got); diff != "" || code != c.code {
		t.Errorf("%s\nexit %d, want %d; %s\n(-GNU +te)\n%s", c.line, code, c.code, complaint, diff)
	}
}

// expect fills in what GNU gives, and what te refuses.
func (tr *tree) expect(t *testing.T, line string) *commandLine {
	t.Helper()
	c := &commandLine{line: line}
	c.rows, c.code = tr.gnu(t, tr.root, line)
	if unix, code := tr.gnu(t, tr.unix, line); !slices.Equal(c.rows, unix) {
		c.unix, c.differs, c.code = unix, true, code
	}
	if _, args := words(t, line); args[0] == "find" && c.code == 0 && len(c.rows) == 0 {
		c.code = 1 // te find says so
	}
	if _, complaint, code := tr.te(t, line); code == 2 {
		complaint = strings.TrimPrefix(strings.TrimSpace(complaint), "quarry: ")
		c.refusal, _, _ = strings.Cut(complaint, "\n")
	}
	return c
}

func haveGNU(t *testing.T) bool {
	t.Helper()
	for _, name := range []string{"grep", "find"} {
		out, err := exec.Command(name, "--version").Output()
		if err != nil || !bytes.Contains(out, []byte("GNU")) {
			return false
		}
	}
	return true
}

// TestDifferential runs command lines of grep and find, half of them typed by hand and half
// made from a grammar: te prints what GNU grep and find print, or refuses.
func TestDifferential(t *testing.T) {
	tr := plant(t)
	tr.serve(t)
	for _, name := range []string{"TE_SESSION_ID", "LLMC_TE_SESSION_ID", "LLMC_TE_AGENT_ID"} {
		t.Setenv(name, "")
	}
	t.Setenv("TE_AGENT_ID", "human-cli")
	live := haveGNU(t)
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(wd, "testdata", "differential", name) }
	for file, comment := range map[string]string{
		"typed.golden": "# Command lines as people type them, and what GNU grep 3.8 and find 4.9 print. See differential_test.go.\n",
		"made.golden":  "# Command lines of the grammar in grammar_test.go, and what GNU grep 3.8 and find 4.9 print.\n",
	} {
		all := readLines(t, in(file))
		if file == "made.golden" {
			made := all
			all = nil
			for seed := range uint64(150) {
				c := &commandLine{line: "$ " + sentence(seed)}
				if int(seed) < len(made) && made[seed].line == c.line {
					c = made[seed]
				} else if !*update {
					t.Fatalf("seed %d makes another command line than %s has: %s", seed, file, c.line)
				}
				all = append(all, c)
			}
		}
		if *update {
			for i, c := range all {
				all[i] = tr.expect(t, c.line)
			}
			writeLines(t, in(file), comment, all)
		}
		if len(all) < 150 {
			t.Errorf("%s has %d command lines", file, len(all))
		}
		for _, c := range all {
			tr.check(t, c)
			if live && c.refusal == "" {
				now := tr.expect(t, c.line)
				tr.check(t, now)
			}
		}
	}
	differ := 0
	for seed := range uint64(*seeds) {
		c := tr.expect(t, "$ "+sentence(*first+seed))
		if !t.Run(fmt.Sprint(*first+seed), func(t *testing.T) { tr.check(t, c) }) {
			differ++
		}
		if c.refusal != "" {
			t.Logf("refused: %s: %s", c.line, c.refusal)
		}
	}
	if *seeds > 0 {
		t.Logf("%d of %d differ", differ, *seeds)
	}
}
