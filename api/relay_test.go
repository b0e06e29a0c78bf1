package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// TestRelayClient runs a JavaScript client as the relay has one against a real
// server and index: it looks for the server before anything is indexed, and must
// not conclude that there is none.
func TestRelayClient(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	x, run := openReal(t)
	_, url := serve(t, newServer(t, x, Options{}))

	cmd := exec.CommandContext(t.Context(), node, "testdata/relay.mjs", url)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	cmd.WaitDelay = 5 * time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	hear := func(into any) {
		t.Helper()
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, into)
		}
		if err != nil {
			_ = cmd.Wait()
			t.Fatalf("the client said %q, %v; and then:\n%s", line, err, &complaints)
		}
	}

	var first struct {
		Available bool
		Early     []search.Result
	}
	hear(&first)
	if st := x.State(); st.State != answer.Indexing || st.Files != 0 {
		t.Fatalf("the index is not empty yet: %+v", st)
	}
	if !first.Available || first.Early == nil || len(first.Early) != 0 {
		t.Errorf("during the first build: %+v", first)
	}

	run()
	if _, _, err := x.Invalidate(index.Invalidation{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := x.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, "go on\n"); err != nil {
		t.Fatal(err)
	}
	var second struct {
		Searches   [][]search.Result
		Shown      [][]string
		Signatures []string
		Kept       []int
		Refused    string
		relayed
	}
	hear(&second)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &complaints)
	}

	if len(second.Searches) != 5 {
		t.Fatalf("%d searches", len(second.Searches))
	}
	for i, results := range second.Searches {
		if results == nil {
			t.Errorf("search %d: no list", i)
		}
		last := 1.0
		for _, r := range results {
			if r.File == "" || r.Line < 1 || strings.TrimSpace(r.Content) == "" || r.Signature == "" || r.Score <= 0 || r.Score > last ||
				!slices.Contains([]string{"", "definition", "test", "config"}, r.Role) {
				t.Errorf("search %d: %+v", i, r)
			}
			last = r.Score
		}
	}
	if s := second.Searches[1]; len(s) != 1 || s[0].File != "src/auth/token.go" || s[0].Line != 6 || s[0].Role != "definition" {
		t.Errorf("with limit 1: %+v", s)
	}
	for i, file := range map[int]string{2: "src/auth/token.go", 3: "src/authz/rules.go"} {
		if s := second.Searches[i]; len(s) != 1 || s[0].File != file {
			t.Errorf("below a path: %+v", s)
		}
	}
	if s := second.Searches[4]; len(s) != 0 {
		t.Errorf("nothing matches, but: %+v", s)
	}
	best := second.Searches[1][0]
	want := fmt.Sprintf("1. src/auth/token.go:6 (%.0f%%)\n   func ValidateToken(t string) error {\n\treturn nil\n}", best.Score*100)
	if got := second.Shown[1]; len(got) != 1 || got[0] != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if !slices.Contains(second.Signatures, "src/auth/token.go:6 - "+best.Signature) {
		t.Errorf("signatures %q", second.Signatures)
	}
	if len(second.Kept) != 3 || second.Kept[0] == 0 || second.Kept[2] != second.Kept[0] {
		t.Errorf("over kept connections: %v", second.Kept)
	}
	if second.Refused != "search failed: 400 Bad Request" {
		t.Errorf("an empty query: %q", second.Refused)
	}
	if second.One != 1 || second.Sockets != 5 || len(second.Parallel) != 50 {
		t.Errorf("%d searches over %d connections, after one over %d", len(second.Parallel), second.Sockets, second.One)
	}
	for i, n := range second.Parallel {
		if n == 0 {
			t.Errorf("search %d of many at once has no result", i)
		}
	}
	second.check(t, best)
}

// relayed is what the client got of lines of agents, and of requests to a service.
type relayed struct {
	One, Sockets int   // connections, of one search after another and of many at once
	Parallel     []int // results of these
	Lines        []struct {
		Status     int
		Type, Text string
	}
	Requests map[string]wire.RPCResponse
	Injected map[string]string
	Text     string
	Same     []bool // the server's text is the one that the relay makes
	Osgrep   []struct {
		Path, Range, Role, Confidence, Preview string
		Score                                  float64
		Defined, Calls                         []string
	}
}

func (r *relayed) check(t *testing.T, best search.Result) {
	t.Helper()
	score := fmt.Sprintf("(%.0f%%)", best.Score*100)
	found := "## Search Results\n\n1. src/auth/token.go:6 " + score + "\n   func ValidateToken(t string) error {\n\treturn nil\n}"
	want := []string{
		found,
		"src/auth/token.go:6 func ValidateToken(t string) error " + score,
		"Callers of ValidateToken (src/auth/token.go:6 func ValidateToken(t string) error):\nnone is known",
		"src/authz/rules.go\npackage authz\n\n// Allow tells whether a token may pass.\nfunc Allow(token string) bool { ... }",
		"3 files, 2 symbols\n.gitignore (1 line)",
		"## code trace ValidateToken\nsrc/auth/token.go:6 func ValidateToken(t string) error",
		"[code error] limit must be a whole number from 1 to 100",
		found,
	}
	if len(r.Lines) != len(want) {
		t.Fatalf("%d lines", len(r.Lines))
	}
	for i, l := range r.Lines {
		if l.Status != 200 || l.Type != "text/plain; charset=utf-8" || !strings.HasPrefix(l.Text, want[i]) {
			t.Errorf("line %d: %+v, want %q", i, l, want[i])
		}
	}
	if several := r.Lines[5].Text; !strings.Contains(several, "\n\n## code dance\nUnknown code command: dance; ") || !strings.HasSuffix(several, "\n[2 of 4 lines were requests]") {
		t.Errorf("of several lines: %q", several)
	}
	if !strings.HasPrefix(r.Text, found) {
		t.Errorf("as text %q", r.Text)
	}
	if !slices.Equal(r.Same, []bool{true, true, true}) {
		t.Errorf("as the relay makes it: %v", r.Same)
	}
	for name, code := range map[string]string{"none": serviceNotFound, "unknown": serviceError} {
		if p := r.Requests[name]; p.Success || p.Error == nil || p.Error.Code != code {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if got, want := r.Injected["semantic"], "src/auth/token.go:6 func ValidateToken(t string) error "+score; got != want {
		t.Errorf("injected %q, want %q", got, want)
	}
	if got := r.Injected["none"]; got != "[tldr error] Service 'nobody' not available" {
		t.Errorf("injected %q", got)
	}
	if len(r.Osgrep) != 1 {
		t.Fatalf("in osgrep's shape: %+v", r.Osgrep)
	}
	if o := r.Osgrep[0]; o.Path != "src/auth/token.go" || o.Range != "6-8" || o.Role != "DEFINITION" || o.Confidence == "" ||
		o.Score != best.Score || !slices.Equal(o.Defined, []string{"ValidateToken"}) || o.Preview != "func ValidateToken(t string) error {" {
		t.Errorf("in osgrep's shape: %+v", o)
	}
}
