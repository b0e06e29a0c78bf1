package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// linkProgram returns the path of this test's program under the name quarry, as which it
// is quarry: TestMain sees to that.
func linkProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "quarry")
	if os.Link(self, path) == nil {
		return path
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// An mcpAgent is a client of quarry mcp in a process of its own.
type mcpAgent struct {
	*sdk.ClientSession
	cmd  *exec.Cmd
	said journal // to standard error
}

// stopServers ends, with the test, the servers that its agents have started.
func stopServers(t *testing.T, data string, flags ...string) {
	t.Cleanup(func() {
		stop := New() // the test's own context has ended by now
		stop.SetArgs(append([]string{"serve", "stop", "--all", "--data-dir", data}, flags...))
		stop.SetOut(io.Discard)
		stop.SetErr(io.Discard)
		if err := stop.ExecuteContext(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("stop the server: %v", err)
		}
	})
}

// startAgent starts quarry mcp on a root.
func startAgent(t *testing.T, program, root, data string, flags ...string) *mcpAgent {
	t.Helper()
	a := &mcpAgent{cmd: exec.Command(program, append([]string{"mcp", "--root", root, "--data-dir", data, "--port", "0"}, flags...)...)}
	a.cmd.Env = append(os.Environ(), "QUARRY_BACKEND=go", "QUARRY_LOG_LEVEL=warn")
	a.cmd.Stderr = &a.said
	var err error
	a.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.CommandTransport{Command: a.cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &a.said)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("quarry mcp: %v\n%s", err, &a.said)
		}
	})
	return a
}

func (a *mcpAgent) call(t *testing.T, name string, arguments map[string]any) *sdk.CallToolResult {
	t.Helper()
	res, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, &a.said)
	}
	return res
}

func said(res *sdk.CallToolResult) string { return res.Content[0].(*sdk.TextContent).Text }

// lampShop is a root with a caller.
func lampShop(t *testing.T) string {
	root := t.TempDir()
	write(t, filepath.Join(root, "lamp.go"), "package lamp\n\n// Lamp gives light.\nfunc Lamp() { Bulb() }\n\n// Bulb glows.\nfunc Bulb() {}\n")
	return root
}

// TestMCP has an agent come before any server, ask everything, lose the server and ask
// on.
func TestMCP(t *testing.T) {
	program, root, data := linkProgram(t), lampShop(t), t.TempDir()
	stopServers(t, data)
	servers := registry.Registry{Dir: filepath.Join(data, "servers")}

	// Without a server there is a list, and a sentence.
	idle := startAgent(t, program, root, data, "--no-start")
	list, err := idle.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 15 || !strings.Contains(idle.InitializeResult().Instructions, "search") {
		t.Fatalf("%+v, %v", list, err)
	}
	if res := idle.call(t, "status", nil); !res.IsError || said(res) != fmt.Sprintf("unavailable: no server of %s runs: quarry serve %s starts one", root, root) {
		t.Errorf("%s", said(res))
	}
	if all, err := servers.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v run, %v", all, err)
	}

	a := startAgent(t, program, root, data)
	for _, q := range []struct {
		tool, endpoint string
		fields         map[string]any
	}{
		{"search", "/search", map[string]any{"query": "glows", "limit": 1}},
		{"context", "/context", map[string]any{"target": "Bulb"}},
		{"impact", "/impact", map[string]any{"target": "Bulb"}},
		{"calls", "/calls", map[string]any{"target": "Bulb", "direction": "callers"}},
		{"references", "/references", map[string]any{"target": "Bulb"}},
		{"definition", "/definition", map[string]any{"path": "lamp.go", "line": 4, "name": "Bulb"}},
		{"trace", "/trace", map[string]any{"symbol": "Lamp", "to": "Bulb"}},
		{"outline", "/skeleton", map[string]any{"path": "lamp.go"}},
		{"read", "/cat", map[string]any{"path": "lamp.go", "start": 2, "end": 4}},
		{"summarize", "/summarize", map[string]any{"path": "lamp.go"}},
		{"related", "/related", map[string]any{"file": "lamp.go", "line": 4}},
		{"status", "/status", nil},
	} {
		res := a.call(t, q.tool, q.fields)
		if res.IsError {
			t.Errorf("%s: %s\n%s", q.tool, said(res), &a.said)
			continue
		}
		reg, ok := servers.Find(t.Context(), root)
		if !ok {
			t.Fatal("no server was started")
		}
		var send any
		if q.fields != nil {
			send = q.fields
		}
		var body json.RawMessage
		if err := reg.Remote("").Ask(t.Context(), registry.SearchTimeout, q.endpoint, send, &body); err != nil {
			t.Fatalf("%s: %v", q.endpoint, err)
		}
		// Where the answer is: package mcp compares all of it.
		var want, got struct {
			Results, Callers, Edges, Paths []struct {
				Symbol string
				Line   int
			}
			Content, Summary string
			Definition       struct{ Symbol, File string }
			Index            struct{ Root string }
		}
		text, err := json.Marshal(res.StructuredContent)
		if err != nil || json.Unmarshal(text, &got) != nil || json.Unmarshal(body, &want) != nil {
			t.Fatalf("%s: %s, %s, %v", q.tool, text, body, err)
		}
		if q.tool == "context" {
			want.Callers = nil // in the text
		}
		if diff := cmp.Diff(want, got); diff != "" || got.Index.Root != root {
			t.Errorf("%s: endpoint (-) against tool (+):\n%s", q.tool, diff)
		}
	}

	// The other one has found it, too. Then it ends, and comes back.
	if res := idle.call(t, "status", nil); res.IsError {
		t.Errorf("%s", said(res))
	}
	before, _ := servers.Find(t.Context(), root)
	if _, err := execute(t, "serve", "stop", root, "--data-dir", data); err != nil {
		t.Fatal(err)
	}
	if res := a.call(t, "calls", map[string]any{"target": "Lamp"}); res.IsError {
		t.Errorf("after the server's end: %s", said(res))
	}
	after, ok := servers.Find(t.Context(), root)
	if !ok || after.PID == before.PID {
		t.Errorf("%+v before, %+v after", before, after)
	}
	if said := a.said.String(); said != "" {
		t.Errorf("quarry mcp complains:\n%s", said)
	}
}

// TestMCPToken shows the token of the token file, and says when it is wrong.
func TestMCPToken(t *testing.T) {
	program, root, data := linkProgram(t), lampShop(t), t.TempDir()
	right, wrong := filepath.Join(data, "right"), filepath.Join(data, "wrong")
	stopServers(t, data, "--token-file", right)
	write(t, right, "correct-horse-battery\n")
	write(t, wrong, "correct-house-battery\n")
	for _, file := range []string{right, wrong} {
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if res := startAgent(t, program, root, data, "--token-file", right).call(t, "status", nil); res.IsError {
		t.Fatalf("%s", said(res))
	}
	for _, flags := range [][]string{nil, {"--token-file", wrong}} {
		if res := startAgent(t, program, root, data, flags...).call(t, "status", nil); !res.IsError || !strings.HasPrefix(said(res), "unauthorized: ") {
			t.Errorf("%v: %s", flags, said(res))
		}
	}
}

// TestMCPRefuses ends at once where there is nothing to serve.
func TestMCPRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"mcp", filepath.Join(t.TempDir(), "none")}, {"mcp", "a", "b"}, {"mcp", "--token-file", "none"},
	} {
		if out, err := execute(t, append(args, "--data-dir", t.TempDir())...); err == nil || len(out) > 0 {
			t.Errorf("%v: %s, %v", args, out, err)
		}
	}
}

// TestProxyElsewhere has another server at the address of the one that has ended.
func TestProxyElsewhere(t *testing.T) {
	p := newProxy(registry.Registry{Dir: t.TempDir()}, "/r", nil)
	p.noStart = true
	for _, tc := range []struct {
		status int
		body   string
		want   bool
	}{
		{http.StatusOK, `{}`, false},
		{http.StatusNotFound, `{"error":"not_found","message":"no symbol"}`, false},
		{http.StatusConflict, `{"error":"wrong_project","message":"no project"}`, true},
		{http.StatusNotFound, "# TE_BEGIN_META\n{\"v\":1,\"cmd\":\"cat\",\"error\":\"not_found\"}\n# TE_END_META\n\n[TE] no such path\n", false},
		{http.StatusConflict, "# TE_BEGIN_META\n{\"v\":1,\"cmd\":\"cat\",\"error\":\"wrong_project\"}\n# TE_END_META\n", true},
		{http.StatusNotFound, `404 page not found`, true},
		{http.StatusBadGateway, ``, true},
	} {
		if got := p.elsewhere(tc.status, []byte(tc.body)); got != tc.want {
			t.Errorf("%d %s: %v", tc.status, tc.body, got)
		}
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	p.found = &registry.Registration{URL: other.URL, Root: "/r"}
	if _, _, err := p.Ask(t.Context(), "/search", map[string]any{"query": "a"}); err == nil || !strings.Contains(err.Error(), "no server of /r runs") {
		t.Errorf("%v", err)
	}
	if p.found != nil {
		t.Error("it is not forgotten")
	}
}

// TestMCPSoak calls over standard input and output many times, and holds the process to
// what it had before: QUARRY_MCP_SOAK says how many times.
func TestMCPSoak(t *testing.T) {
	n := 300
	if text := os.Getenv("QUARRY_MCP_SOAK"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			t.Fatal(err)
		}
	}
	data := t.TempDir()
	stopServers(t, data)
	a := startAgent(t, linkProgram(t), lampShop(t), data)
	round := func(n int) {
		for i := range n {
			name, arguments := "impact", map[string]any{"target": "Bulb"}
			switch i % 4 {
			case 1:
				name, arguments = "search", map[string]any{"query": "glows"}
			case 2:
				name, arguments = "context", map[string]any{"target": "Lamp"}
			case 3:
				name, arguments = "read", map[string]any{"path": "lamp.go"}
			}
			if res := a.call(t, name, arguments); res.IsError {
				t.Fatalf("%s: %s", name, said(res))
			}
		}
	}
	round(100)
	descriptors, resident := held(a.cmd.Process.Pid)
	began := time.Now()
	round(n)
	took := time.Since(began)
	moreDescriptors, moreResident := held(a.cmd.Process.Pid)
	t.Logf("%d calls in %v (%v each): %d descriptors and %d KiB before, %d and %d after", n, took.Round(time.Millisecond),
		(took / time.Duration(n)).Round(time.Microsecond), descriptors, resident, moreDescriptors, moreResident)
	if moreDescriptors > descriptors+4 || moreResident > resident+32<<10 {
		t.Error("something is left behind")
	}
}

// held returns the open files of a process, and its resident memory in KiB; 0 where
// nobody says.
func held(pid int) (descriptors, resident int) {
	if open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)); err == nil {
		descriptors = len(open)
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
		if _, rest, ok := strings.Cut(string(text), "VmRSS:"); ok {
			_, _ = fmt.Sscan(rest, &resident)
		}
	}
	return descriptors, resident
}
