package mcp_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-search/quarry/index/tokens"
)

var update = flag.Bool("update", false, "write the transcript of the agent loop into docs")

const loopPage = "../../docs/agent-loop.md"

// A question has an answer that is known from elsewhere: places such as "tree.go:getValue",
// files, or words in quotes. The script that answers it does not see it.
type question struct {
	Question string
	Diff     string
	Strategy string
	Exact    bool // the callers are these and no others
	Answer   []string
}

// A loop answers questions by rules: it knows strategies, each a fixed row of tools, and
// takes arguments out of the question (what stands in `backquotes`) or out of the answer
// before (the first result that is a definition). There is no model.
type loop struct {
	t      *testing.T
	client *sdk.ClientSession
	count  tokens.Counter

	said  strings.Builder // the transcript of a question
	heard []heard
	spent int // tokens of its calls and of the texts that came
	typed int // of its calls and of the structured answers
}

type heard struct {
	text       string
	structured toolAnswer
}

// toolAnswer has those fields of the tools' answers that the rules and the checks look at.
type toolAnswer struct {
	Results, Callers []spot
	Definition       *spot
	Tests            []string
	Edges            []struct{ From, To spot }
	Paths            []struct {
		Hops []struct{ From, To spot }
	}
}

type spot struct {
	File, Symbol, Role string

	Line    int
	EndLine int `json:"end_line"`
}

func (s spot) String() string { return fmt.Sprint(s.File, ":", s.Line) }

// name is the spot as the answers write it: without the type that a method belongs to.
func (s spot) name() string { return s.File + ":" + s.Symbol[strings.LastIndexByte(s.Symbol, '.')+1:] }

func (l *loop) call(tool string, arguments map[string]any) heard {
	l.t.Helper()
	sent, err := json.Marshal(arguments)
	if err != nil {
		l.t.Fatal(err)
	}
	res, err := l.client.CallTool(l.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		l.t.Fatalf("%s %s: %v", tool, sent, err)
	}
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		l.t.Fatal(err)
	}
	h := heard{text: res.Content[0].(*sdk.TextContent).Text}
	if err := json.Unmarshal(structured, &h.structured); err != nil && !res.IsError {
		l.t.Fatalf("%s: %v", structured, err)
	}
	asked, came := l.count.Count(tool+" "+string(sent)), l.count.Count(h.text)
	l.spent += asked + came
	l.typed += asked + l.count.Count(string(structured))
	l.heard = append(l.heard, h)
	fmt.Fprintf(&l.said, "\n`%s %s` (%d tokens asked, %d answered)\n\n````\n%s\n````\n", tool, strings.ReplaceAll(string(sent), "`", "'"), asked, came, withoutSource(h.text))
	return h
}

var (
	named = regexp.MustCompile(`^(#|\[|\(|.*[\w.-]+:\d+)|^\S+ \(lines`)
	call  = regexp.MustCompile(": `.*`$")
)

// withoutSource keeps of an answer what is Quarry's, the places and what is said of them:
// the text of somebody's repository does not belong into this one.
func withoutSource(text string) string {
	var b strings.Builder
	left := 0
	end := func() {
		if left > 0 {
			fmt.Fprintf(&b, "    ... %d lines of the repository\n", left)
			left = 0
		}
	}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case named.MatchString(line):
			end()
			b.WriteString(call.ReplaceAllString(line, "") + "\n")
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "```"):
			left++
		}
	}
	end()
	return strings.TrimSuffix(b.String(), "\n")
}

var backquoted = regexp.MustCompile("`([^`]+)`")

// answer goes the way of the question's strategy.
func (l *loop) answer(q question) {
	var names []string
	for _, m := range backquoted.FindAllStringSubmatch(q.Question, -1) {
		names = append(names, m[1])
	}
	var at spot
	target := func() string {
		if at.File != "" {
			return at.String()
		}
		return names[0]
	}
	for step := range strings.SplitSeq(q.Strategy, ", ") {
		switch step {
		case "where":
			found := l.call("search", map[string]any{"query": q.Question, "limit": 5}).structured.Results
			first := slices.IndexFunc(found, func(s spot) bool { return s.Role == "definition" })
			if first < 0 {
				return
			}
			at = found[first]
			if q.Strategy == "where" {
				l.call("context", map[string]any{"target": at.String(), "max_tokens": 1000})
			}
		case "callers":
			l.call("calls", map[string]any{"target": target(), "direction": "callers"})
		case "impact":
			l.call("impact", map[string]any{"target": target()})
		case "diff":
			l.call("impact", map[string]any{"diff": q.Diff})
		case "trace":
			l.call("trace", map[string]any{"symbol": names[0], "to": names[1]})
		case "context":
			l.call("context", map[string]any{"target": target()})
		case "read":
			l.call("read", map[string]any{"path": at.File, "start": at.Line, "end": at.EndLine})
		default:
			l.t.Fatalf("there is no strategy %q", step)
		}
	}
}

// missing returns those parts of the answer that did not come back, and with Exact the
// callers that are too many.
func (l *loop) missing(q question) (missing []string) {
	var spots, callers, tests []string
	text := ""
	for _, h := range l.heard {
		a := h.structured
		for _, s := range slices.Concat(a.Results, a.Callers) {
			spots = append(spots, s.name())
		}
		if a.Definition != nil {
			spots = append(spots, a.Definition.name())
		}
		for _, e := range a.Edges {
			callers = append(callers, e.From.name())
		}
		for _, p := range a.Paths {
			for _, e := range p.Hops {
				spots = append(spots, e.From.name(), e.To.name())
			}
		}
		tests = append(tests, a.Tests...)
		text += h.text + "\n"
	}
	spots = append(spots, callers...)
	for _, want := range q.Answer {
		file, symbol, place := strings.Cut(want, ":")
		word, quoted := strings.CutPrefix(want, `"`)
		ok := slices.Contains(spots, want) || slices.Contains(tests, want)
		for line := range strings.Lines(text) { // of a context: "- gin.go:482 `func (engine *Engine) validateHeader(...`"
			ok = ok || place && !quoted && strings.Contains(line, file+":") && strings.Contains(line, symbol+"(")
		}
		if ok = ok || quoted && strings.Contains(text, strings.TrimSuffix(word, `"`)); !ok {
			missing = append(missing, want)
		}
	}
	if q.Exact {
		for _, got := range callers {
			if !slices.Contains(q.Answer, got) {
				missing = append(missing, got+" (too many)")
			}
		}
	}
	return missing
}

// whole returns what the files that hold the answer cost, read whole, and their number.
func (l *loop) whole(root string, q question) (cost, files int) {
	l.t.Helper()
	var names []string
	for _, want := range q.Answer {
		if file, _, _ := strings.Cut(want, ":"); !strings.HasPrefix(want, `"`) && !slices.Contains(names, file) {
			names = append(names, file)
		}
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			l.t.Fatal(err)
		}
		cost += l.count.Count(string(text))
	}
	return cost, len(names)
}

// run answers all questions about a root and returns the transcript.
func (l *loop) run(root string, all []question) string {
	l.t.Helper()
	var table, transcript strings.Builder
	table.WriteString("| | question | calls | tokens, as text | as structured answers | the files with the answer, whole (their number) | answered |\n|---|---|---|---|---|---|---|\n")
	calls, spent, typed, whole, answered := 0, 0, 0, 0, 0
	for i, q := range all {
		l.said.Reset()
		l.heard, l.spent, l.typed = nil, 0, 0
		l.answer(q)
		missing := l.missing(q)
		cost, files := l.whole(root, q)
		says := "yes"
		if len(missing) > 0 {
			says = "not " + strings.Join(missing, ", ")
			l.t.Errorf("%s: missing %q\n%s", q.Question, missing, &l.said)
		} else {
			answered++
		}
		fmt.Fprintf(&table, "| %d | %s | %d | %d | %d | %d (%d) | %s |\n", i+1, q.Question, len(l.heard), l.spent, l.typed, cost, files, says)
		fmt.Fprintf(&transcript, "\n### %d. %s\n\nStrategy: %s. Answer: %s.\n%s", i+1, q.Question, q.Strategy, strings.Join(q.Answer, ", "), &l.said)
		calls, spent, typed, whole = calls+len(l.heard), spent+l.spent, typed+l.typed, whole+cost
	}
	fmt.Fprintf(&table, "| | all | %d | **%d** | %d | %d | **%d of %d** |\n", calls, spent, typed, whole, answered, len(all))
	return table.String() + "\n## The transcript\n" + transcript.String()
}

func newLoop(t *testing.T, root string) *loop {
	t.Helper()
	count, err := tokens.Encoding(tokens.CL100K)
	if err != nil {
		t.Fatal(err)
	}
	return &loop{t: t, client: overHTTP(t, serve(t, openRoot(t, root))+"/mcp"), count: count}
}

// TestLoop goes every way of the loop in the small shop.
func TestLoop(t *testing.T) {
	root := shopRoot(t)
	table := newLoop(t, root).run(root, []question{
		{Question: "where is the signature of a token checked", Strategy: "where", Answer: []string{"auth/token.go:ValidateToken"}},
		{Question: "who calls `decode`", Strategy: "callers", Exact: true, Answer: []string{"auth/token.go:ValidateToken"}},
		{Question: "what breaks with `decode`", Strategy: "impact", Answer: []string{"cart/cart.go:Pay", "main.go:main", "auth/token_test.go"}},
		{Question: "from `main` to `decode`", Strategy: "trace", Answer: []string{"cart/cart.go:Pay", "auth/token.go:decode"}},
		{Question: "who takes the money", Strategy: "where, callers", Answer: []string{"main.go:main"}},
		{Question: "what must one know of `Cart.Pay`", Strategy: "context", Answer: []string{"auth/token.go:ValidateToken"}},
		{Question: "where is the signature of a token checked", Strategy: "where, read", Answer: []string{`"return decode(t)"`}},
		{
			Question: "what does this affect", Strategy: "diff", Answer: []string{"main.go:main"},
			Diff: "--- a/cart/cart.go\n+++ b/cart/cart.go\n@@ -9 +9 @@\n-func (c *Cart) Pay() error { return auth.ValidateToken(c.token) }\n+func (c *Cart) Pay() error { return nil }\n",
		},
	})
	if !strings.Contains(table, "| **8 of 8** |") {
		t.Error(table)
	}
}

// TestAgentLoop answers ten questions about a real repository from the tools alone:
// QUARRY_LOOP names a clone of it at the revision of testdata/loop/gin.json. With -update
// the transcript goes to docs/agent-loop.md.
func TestAgentLoop(t *testing.T) {
	root := os.Getenv("QUARRY_LOOP")
	if root == "" {
		t.Skip("QUARRY_LOOP names no clone of the repository")
	}
	text, err := os.ReadFile(filepath.Join("testdata", "loop", "gin.json"))
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Repository, Revision string
		Questions            []question
	}
	if err := json.Unmarshal(text, &suite); err != nil {
		t.Fatal(err)
	}
	transcript := newLoop(t, root).run(root, suite.Questions)
	if !*update {
		t.Log(transcript)
		return
	}
	page, err := os.ReadFile(loopPage)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(page), "\n## The figures\n")
	if !ok {
		t.Fatalf("%s has no heading for the figures", loopPage)
	}
	if err := os.WriteFile(loopPage, []byte(head+"\n## The figures\n\n"+transcript), 0o644); err != nil {
		t.Fatal(err)
	}
}
