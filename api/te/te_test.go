package te

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/grep"
)

// keys returns the keys of a text's header, in their order.
func keys(t *testing.T, text string) []string {
	t.Helper()
	line := strings.Split(text, "\n")[1]
	d := json.NewDecoder(strings.NewReader(line))
	var all []string
	for depth, key := 0, false; ; {
		tok, err := d.Token()
		if err != nil {
			return all
		}
		if _, ok := tok.(json.Delim); ok {
			depth++
			key = true
			continue
		}
		if key {
			all = append(all, tok.(string))
		}
		key = !key
	}
}

// Each mode has the fields that it needs, in the order of the documentation, and none
// that tells the reader what to do.
func TestMetaHeaderFields(t *testing.T) {
	small, smallLines := found(1)
	large, largeLines := found(3, 612, 17)
	none, _ := found()
	o := options(16_000)
	whole := o
	whole.Strategy.Preview, whole.Strategy.V = 0, 3
	file := &grep.FileText{File: "a.py", Lang: "python", Lines: 100, Start: 1, End: 100, Text: strings.Repeat("x = 1\n", 100)}
	tree := &grep.Found{Paths: make([]grep.FoundPath, 100), Total: 100}
	for _, test := range []struct {
		mode, text string
		want       []string
	}{
		{"small grep", resultOf(small, smallLines, o).Text(""), []string{"v", "cmd", "matches", "files"}},
		{"large grep", resultOf(large, largeLines, o).Text("res_0"), []string{"v", "cmd", "matches", "files", "truncated", "handle", "hot_zone"}},
		{"grep without a match", resultOf(none, nil, o).Text(""), []string{"v", "cmd", "matches"}},
		{"a page of grep", GrepPage(large, largeLines[:5], 0, Place{Page: 1, Pages: 9}, "").Text("res_0"), []string{"v", "cmd", "matches", "files", "truncated", "handle"}},
		{"cat", NewContents(file, whole).Render(""), []string{"v", "cmd", "lines", "content_type"}},
		{"a long cat", NewContents(file, o).Render("res_0"), []string{"v", "cmd", "lines", "truncated", "handle", "content_type"}},
		{"a binary", Refusal(12, "binary", "binary_file", "a.bin is a binary file of 12 bytes"), []string{"v", "cmd", "size", "content_type", "error"}},
		{"find", NewListing(&grep.Found{}, o).Text(""), []string{"v", "cmd", "matches"}},
		{"a long find", NewListing(tree, o).Text("res_0"), []string{"v", "cmd", "matches", "truncated", "handle"}},
		{"an error", Failure("grep", "invalid_pattern", "x"), []string{"v", "cmd", "error"}},
	} {
		if diff := cmp.Diff(test.want, keys(t, test.text)); diff != "" {
			t.Errorf("%s:\n%s", test.mode, diff)
		}
		for _, forbidden := range []string{"next_moves", "suggestions", "hint"} {
			if strings.Contains(test.text, forbidden) {
				t.Errorf("%s has %s", test.mode, forbidden)
			}
		}
	}
}

// The header names the form.
func TestHeaderNamesTheForm(t *testing.T) {
	o := options(16_000)
	o.Strategy.V = 4
	g, lines := found(1)
	for _, text := range []string{
		resultOf(g, lines, o).Text(""), NewContents(&grep.FileText{}, o).Render(""), NewListing(&grep.Found{}, o).Text(""),
	} {
		if !strings.HasPrefix(text, "# TE_BEGIN_META\n{\"v\":4,") {
			t.Error(text)
		}
	}
}

func TestFailure(t *testing.T) {
	for _, test := range [][3]string{
		{"invalid_pattern", "missing )", "[TE] invalid regex pattern"},
		{"internal", "internal error", "[TE] internal error"},
		{"not_found", "the path \"x\" does not exist", "[TE] the path \"x\" does not exist"},
	} {
		want := "# TE_BEGIN_META\n{\"v\":1,\"cmd\":\"grep\",\"error\":\"" + test[0] + "\"}\n# TE_END_META\n\n" + test[2] + "\n"
		if got := Failure("grep", test[0], test[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAgentBudgetLookup(t *testing.T) {
	b := DefaultBudgets()
	for agent, want := range map[string]int{
		"gemini-shell": 900_000, "claude-dc": 180_000, "qwen-local": 28_000, "human-cli": 50_000, "unknown": 16_000, "somebody": 16_000, "": 16_000,
	} {
		if got := b.Of(agent); got != want {
			t.Errorf("%q has %d, want %d", agent, got, want)
		}
	}
	b = maps.Clone(b)
	b["unknown"], b["default"] = 5_000, 7_000
	if b.Of("somebody") != 7_000 || b.Of("unknown") != 5_000 {
		t.Errorf("somebody has %d, unknown %d", b.Of("somebody"), b.Of("unknown"))
	}
	delete(b, "default")
	if b.Of("somebody") != 5_000 || (Budgets{}).Of("x") != 16_000 {
		t.Errorf("somebody has %d", b.Of("somebody"))
	}
}

func TestSnifferExtensionMap(t *testing.T) {
	for name, want := range map[string]string{
		"a.py": "code/python", "a.js": "code/javascript", "a.ts": "code/typescript", "a.json": "json", "a.yaml": "yaml", "a.yml": "yaml",
		"a.toml": "toml", "a.md": "markdown", "a.log": "log", "a.csv": "tabular", "a.sql": "code/sql", "dir.py/A.PY": "code/python",
	} {
		if got := Sniff(name, "{}"); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	// What the index knows of a file comes first.
	for _, test := range [][3]string{{"go", "a.py", "code/go"}, {"markdown", "x", "markdown"}, {"csv", "x", "tabular"}, {"text", "a.py", "code/python"}, {"", "x", "text"}} {
		if got := ContentType(test[0], test[1], ""); got != test[2] {
			t.Errorf("%v: %s", test, got)
		}
	}
}

func TestSnifferLog(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-02 start\n2026/01/02 end\n":          "log",
		"[ERROR] a\nplain\nINFO b\n":                  "log",
		"Jan  2 10:00 host\nJan  2 10:01 host\n":      "log",
		"ERROR a\nx\ny\n":                             "text",
		"a\nb\nc\nd\ne\nERROR f\nERROR g\n2026-01-01": "text", // only the first five lines count
	} {
		if got := Sniff("out", text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestSnifferJSON(t *testing.T) {
	for text, want := range map[string]string{
		" {\"a\": 1}\n": "json", "[1,\n2]": "json", "{a": "text", "[section]\nx=1": "text", "{]": "json",
	} {
		if got := Sniff("data", text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestSnifferFallback(t *testing.T) {
	for _, text := range []string{"", " \n", "some words\n", "\x00"} {
		if got := Sniff("README", text); got != "text" {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// The pages of a text are the text, and each fits.
func TestTextPages(t *testing.T) {
	for _, text := range []string{"", "a\n", strings.Repeat("line\n", 5000), strings.Repeat("é", 9000), strings.Repeat("long ", 400) + "\n" + strings.Repeat("z\n", 7000)} {
		starts := TextPages(text, LeastBudget)
		if !slices.IsSorted(starts) || starts[0] != 0 || starts[len(starts)-1] != len(text) {
			t.Fatalf("%v", starts)
		}
		for i := range starts[1:] {
			page := text[starts[i]:starts[i+1]]
			if characters(page) > LeastBudget-reserve || !strings.HasSuffix(page, "\n") && strings.Contains(page, "\n") && starts[i+1] < len(text) {
				t.Errorf("page %d has %d characters, or ends in a line", i, characters(page))
			}
		}
	}
}

func TestCat(t *testing.T) {
	file := &grep.FileText{
		File: "a.go", Lang: "go", Lines: 4, Start: 1, End: 4, Text: "package a\n\nfunc A() {}\nfunc B() {}", Changed: true,
		Symbols: []grep.FileSymbol{{Symbol: "A", Line: 3}, {Symbol: "B", Line: 4}},
	}
	want := `# TE_BEGIN_META
{"v":1,"cmd":"cat","lines":4,"truncated":true,"handle":"h","content_type":"code/go"}
# TE_END_META

package a

func A() {}

# TE: 1 more lines: B:4
# TE: the file has changed since it was indexed
`
	o := options(16_000)
	o.Strategy.Preview = 3
	c := NewContents(file, o)
	if diff := cmp.Diff(want, c.Render("h")); diff != "" || file.Text[c.Next:] != "func B() {}" {
		t.Errorf("%s%q", diff, file.Text[c.Next:])
	}
	long := &grep.FileText{File: "a.js", Lines: 2, Start: 1, Text: strings.Repeat("x", 10_000) + "\nlast\n"}
	c = NewContents(long, options(LeastBudget))
	if len(c.Text) != LeastBudget-reserve || c.Crumbs[0].Text != "6800 more characters of line 1, 1 more lines" {
		t.Errorf("%d %+v", len(c.Text), c.Crumbs)
	}
}

func TestFindText(t *testing.T) {
	f := &grep.Found{Total: 55, Secret: 2}
	for range 53 {
		f.Paths = append(f.Paths, grep.FoundPath{Path: "src/a.go"})
	}
	f.Paths = append(f.Paths, grep.FoundPath{Path: "docs", Dir: true}, grep.FoundPath{Path: "src/lib", Dir: true})
	o := options(16_000)
	o.Strategy.Preview = 50
	l := NewListing(f, o)
	if diff := cmp.Diff([]string{"4 more in src/, 1 elsewhere", "2 with names of keys or credentials are not listed"}, Texts(l.Crumbs)); diff != "" {
		t.Error(diff)
	}
	if text := NewListing(&grep.Found{Paths: f.Paths[53:], Total: 2}, options(16_000)).Text(""); !strings.HasSuffix(text, "\n\ndocs/\nsrc/lib/\n") {
		t.Error(text)
	}
}

// Rows that are added bit by bit give the pages of all at once, and what is said of
// those to come is close.
func TestPager(t *testing.T) {
	p := Pager{Budget: 1000 + reserve}
	if from, to := p.Page(1); from != 0 || to != 0 || p.Pages(0) != 1 {
		t.Errorf("no rows: %d to %d", from, to)
	}
	cost := func(i int) int { return 30 + 7*i%50 }
	for i := range 1000 {
		p.Add(cost(i))
	}
	rest := 0
	for i := range 9000 {
		rest += cost(1000 + i)
	}
	about := p.Pages(int64(rest))
	for i := range 9000 {
		p.Add(cost(1000 + i))
	}
	if n := p.Pages(0); about < n*95/100 || about > n*105/100 {
		t.Errorf("about %d pages, and there are %d", about, n)
	}
	row := 0
	for n := 1; n <= p.Pages(0); n++ {
		from, to := p.Page(n)
		sum := 0
		for i := from; i < to; i++ {
			sum += cost(i)
		}
		if from != row || sum > 1000 || p.Has(n) != (to < 10_000) {
			t.Fatalf("page %d is %d to %d, %d characters", n, from, to, sum)
		}
		row = to
	}
	if row != 10_000 {
		t.Errorf("%d rows", row)
	}
	p.Add(5000) // has a page for itself
	p.Add(1)
	if from, to := p.Page(p.Pages(0)); from != 10_001 || to != 10_002 {
		t.Errorf("%d to %d", from, to)
	}
}
