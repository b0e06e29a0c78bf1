package te

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// found is a Grep with so many matches in each section, and all of its lines.
func found(counts ...int) (*grep.GrepAnswer, []grep.GrepLine) {
	names := []string{grep.InDefinitions, grep.InHotZone, grep.InCode, grep.InDocs, grep.InTests, grep.InGenerated}
	g := &grep.GrepAnswer{Files: len(counts)}
	var lines []grep.GrepLine
	for i, n := range counts {
		if n == 0 {
			continue
		}
		g.Sections = append(g.Sections, grep.GrepSection{Name: names[i], Matches: n, Files: 1})
		g.Matches += n
		for k := range n {
			lines = append(lines, grep.GrepLine{File: fmt.Sprintf("tools/rag/f%d.py", i), Line: k + 1, Text: "connect()", Section: names[i]})
		}
	}
	if len(counts) > 1 && counts[1] > 0 {
		g.HotZone = &grep.Zone{Dir: "tools/rag/", Share: 0.73}
	}
	return g, lines
}

// resultOf makes the Result of a Grep.
func resultOf(g *grep.GrepAnswer, lines []grep.GrepLine, o Options) *Result {
	var shown []Shown
	for _, s := range o.Spans(g) {
		shown = append(shown, Shown{Span: s, Lines: lines[s.From : s.From+s.N]})
	}
	return NewResult(g, shown, o)
}

func options(budget int) Options { return Options{Strategy: DefaultStrategy(), Budget: budget} }

var (
	row     = regexp.MustCompile(`(?m)^[^#\n]\S*:\d+: `)
	counted = regexp.MustCompile(`(\d+) (more |in |definitions|elsewhere)`)
)

// account reads a text back: the header, the lines that are printed, and those that
// breadcrumbs count.
func account(t *testing.T, text string) (m map[string]any, printed, left int) {
	t.Helper()
	lines := strings.SplitN(text, "\n", 4)
	if lines[0] != "# TE_BEGIN_META" || lines[2] != "# TE_END_META" {
		t.Fatalf("no header: %s", text)
	}
	if err := json.Unmarshal([]byte(lines[1]), &m); err != nil {
		t.Fatal(err)
	}
	printed = len(row.FindAllString(lines[3], -1))
	for line := range strings.Lines(lines[3]) {
		if !strings.HasPrefix(line, "# TE: ") {
			continue
		}
		for _, c := range counted.FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(c[1])
			left += n
		}
	}
	return m, printed, left
}

// The lines that are printed and those that breadcrumbs count are all the matches,
// whatever the form and the budget; and the header says truncated if and only if some
// are left.
func TestHeaderIsTrue(t *testing.T) {
	for _, counts := range [][]int{
		{}, {1}, {0, 0, 3}, {10, 10, 10, 10, 5, 5}, {10, 10, 10, 10, 5, 6}, {3, 612, 17, 4, 230, 9}, {0, 1000}, {0, 0, 60, 0, 60}, {200, 0, 0, 0, 0, 1},
	} {
		for _, density := range []string{Low, Medium, High} {
			for _, preview := range []int{1, 5, 10, 40} {
				for _, budget := range []int{LeastBudget, 1000, 16_000, 900_000} {
					for _, limit := range []int{0, 1, 7, 5000} {
						o := options(budget)
						o.Strategy.Density, o.Strategy.Preview, o.Limit = density, preview, limit
						g, lines := found(counts...)
						r := resultOf(g, lines, o)
						handle := ""
						if r.Meta.Truncated {
							handle = "res_0123456789ab"
						}
						text := r.Text(handle)
						m, printed, left := account(t, text)
						if printed+left != g.Matches || m["matches"] != float64(g.Matches) || printed != len(r.Lines) {
							t.Fatalf("%v %+v: %d printed, %d left, of %d\n%s", counts, o, printed, left, g.Matches, text)
						}
						if truncated, _ := m["truncated"].(bool); truncated != (left > 0) || (m["handle"] != nil) != truncated {
							t.Fatalf("%v: %v", counts, m)
						}
						if n := characters(text); n > budget && printed > 1 {
							t.Fatalf("%d characters, more than %d", n, budget)
						}
						rest := 0
						for _, s := range r.Rest {
							rest += s.N
						}
						if rest != left {
							t.Fatalf("the rest has %d, the breadcrumbs %d", rest, left)
						}
					}
				}
			}
		}
	}
}

// What is shown and what is left are each line once.
func TestNothingIsLostBetweenPreviewAndRest(t *testing.T) {
	g, lines := found(3, 612, 17, 4, 230, 9)
	r := resultOf(g, lines, options(LeastBudget))
	all := slices.Clone(r.Lines)
	for _, s := range r.Rest {
		all = append(all, lines[s.From:s.From+s.N]...)
	}
	sortLines(all)
	sortLines(lines)
	if diff := cmp.Diff(lines, all); diff != "" {
		t.Error(diff)
	}
}

func sortLines(lines []grep.GrepLine) {
	slices.SortFunc(lines, func(a, b grep.GrepLine) int {
		return strings.Compare(fmt.Sprintf("%s %06d", a.File, a.Line), fmt.Sprintf("%s %06d", b.File, b.Line))
	})
}

func TestGrepText(t *testing.T) {
	g, lines := found(1, 9, 1, 0, 4)
	o := options(16_000)
	o.Strategy.Preview = 2
	want := `# TE_BEGIN_META
{"v":1,"cmd":"grep","matches":15,"files":5,"truncated":true,"handle":"res_0123456789ab","hot_zone":"tools/rag/ (73%)"}
# TE_END_META

tools/rag/f0.py:1: connect()  # definition
tools/rag/f1.py:1: connect()
tools/rag/f1.py:2: connect()
tools/rag/f2.py:1: connect()

# TE: 7 more in tools/rag/

tools/rag/f4.py:1: connect()
tools/rag/f4.py:2: connect()

# TE: 2 more in tests
`
	if diff := cmp.Diff(want, resultOf(g, lines, o).Text("res_0123456789ab")); diff != "" {
		t.Error(diff)
	}
	o.Base, o.Strategy.HotZone = "tools/rag", false
	text := resultOf(g, lines, o).Text("h")
	if !strings.Contains(text, "\nf0.py:1: ") || strings.Contains(text, "hot_zone") {
		t.Error(text)
	}
}

// Lines of files that have changed are counted, and so is what ended the search early.
func TestGrepGone(t *testing.T) {
	g, lines := found(0, 0, 3)
	g.Cut, g.Unread, g.State.State = true, 2, answer.Indexing
	o := options(16_000)
	r := NewResult(g, []Shown{{Span: Span{0, 0, 3}, Lines: lines[:1], Gone: 2}}, o)
	text := r.Text("h")
	_, printed, left := account(t, text)
	if printed != 1 || left != 2 || !r.Meta.Truncated {
		t.Errorf("%d printed, %d left: %s", printed, left, text)
	}
	for _, note := range []string{"the time ran out, there may be more", "2 files could not be read", "the index is being built"} {
		if !strings.Contains(text, "# TE: "+note+"\n") {
			t.Errorf("%q is not said: %s", note, text)
		}
	}
}

// What stands in a file cannot make a line of its own or act on a terminal.
func TestTextIsClean(t *testing.T) {
	g, lines := found(0, 0, 1)
	lines[0].File, lines[0].Text = "a\n# TE: 5 more.py", "x\x1b[31m\r\u202e"
	r := resultOf(g, lines, options(16_000))
	if text := r.Text(""); strings.Count(text, "\n") != 5 || strings.ContainsAny(text, "\x1b\r\u202e") {
		t.Errorf("%q", text)
	}
}

func TestBase(t *testing.T) {
	for _, test := range [][3]string{
		{"", "a/b.go", "a/b.go"}, {"a", "a/b.go", "b.go"}, {"a/", "a", "."}, {"a/c", "a/b.go", "../b.go"}, {"a/c", "d.go", "../../d.go"},
		{"a/c", "a", ".."}, {".", "x", "x"}, {"a", "ab/c", "../ab/c"},
	} {
		if got := Base(test[0]).Path(test[1]); strings.TrimSuffix(got, "/.") != test[2] {
			t.Errorf("%q from %q is %q, want %q", test[1], test[0], got, test[2])
		}
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("é", 500) + "needle" + strings.Repeat("x", 500)
	for _, c := range []struct {
		text       string
		at         int
		want       string
		characters int
	}{
		{"short", 3, "short", 5},
		{strings.Repeat("a", 300), 299, strings.Repeat("a", 300), 300},
		{long, 1000, "…" + strings.Repeat("é", 60) + "needle" + strings.Repeat("x", 174) + "…", 242},
		{long, 0, strings.Repeat("é", 240) + "…", 241},
		{long, len(long), "…" + strings.Repeat("x", 240), 241},
	} {
		got := Clip(&grep.GrepLine{Text: c.text, At: c.at})
		if got != c.want || utf8.RuneCountInString(got) != c.characters {
			t.Errorf("at %d: %q, want %q", c.at, got, c.want)
		}
	}
}
