package command

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

func TestConfigLoading(t *testing.T) {
	file := hermetic(t)
	s, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.DefaultEnvelope(), s.ToolEnvelope); diff != "" || s.Telemetry() != filepath.Join(s.DataDir, "te_telemetry.jsonl") {
		t.Errorf("%s %s", s.Telemetry(), diff)
	}
	// The table of the design that this follows.
	write(t, file, `[tool_envelope]
enabled = true

[tool_envelope.workspace]
root = "/home/vmlinux/src/llmc"
respect_gitignore = true
allow_outside_root = false

[tool_envelope.telemetry]
enabled = true
path = ".llmc/te_telemetry.jsonl"

[tool_envelope.grep]
preview_matches = 7
max_output_chars = 21000
timeout_ms = 4000

[tool_envelope.cat]
preview_lines = 40
max_output_chars = 31000

[tool_envelope.agent_budgets]
gemini-shell = 800000
default = 17000
`)
	if s, err = load(t); err != nil {
		t.Fatal(err)
	}
	e := s.ToolEnvelope
	if e.Grep.PreviewMatches != 7 || e.Grep.MaxOutputChars != 21_000 || e.Grep.TimeoutMS != 4000 || e.Cat.PreviewLines != 40 || e.Cat.MaxOutputChars != 31_000 {
		t.Errorf("%+v", e)
	}
	if want := filepath.Join(filepath.Dir(file), ".llmc", "te_telemetry.jsonl"); s.Telemetry() != want {
		t.Errorf("the telemetry is in %s, want %s", s.Telemetry(), want)
	}
	b := e.Budgets()
	for agent, want := range map[string]int{"gemini-shell": 800_000, "claude-dc": 180_000, "somebody": 17_000} {
		if got := b.Of(agent); got != want {
			t.Errorf("%s has %d, want %d", agent, got, want)
		}
	}
	// Who says "unknown" and not "default" means those that are not known.
	write(t, file, "[tool_envelope.agent_budgets]\nunknown = 9000\n")
	if s, err = load(t); err != nil || s.ToolEnvelope.Budgets()["unknown"] != 9000 {
		t.Fatal(err)
	}
	if budgets := s.ToolEnvelope.Budgets(); budgets.Of("somebody") != 9000 {
		t.Errorf("%v", budgets)
	}
	for text, want := range map[string]string{
		"[tool_envelope.workspace]\nrespect_gitignore = false\n":  "respect_gitignore must be true",
		"[tool_envelope.workspace]\nallow_outside_root = true\n":  "allow_outside_root must be false",
		"[tool_envelope.grep]\npreview_matches = 0\n":             "tool_envelope.grep.preview_matches must be 1 to",
		"[tool_envelope.grep]\ntimeout_ms = 60000\n":              "tool_envelope.grep.timeout_ms must be 1 to 30000",
		"[tool_envelope.cat]\nmax_output_chars = 100\n":           "tool_envelope.cat.max_output_chars must be 4000 to",
		"[tool_envelope.agent_budgets]\nx = 10\n":                 "tool_envelope.agent_budgets.x must be at least 4000",
		"[tool_envelope.greps]\nx = 10\n":                         `unknown key "tool_envelope.greps`,
		"[tool_envelope.agent_budgets]\nclaude-dc = \"plenty\"\n": "agent_budgets",
	} {
		write(t, file, text)
		if _, err := load(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A teServer stands in for a server of a root, and keeps what it is asked.
type teServer struct {
	*httptest.Server
	asked  []map[string]any
	header http.Header
}

// serveTe registers a stand-in for root whose answer is reply.
func serveTe(t *testing.T, root, data string, status int, matches, reply string) *teServer {
	s := &teServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var fields map[string]any
		if body, _ := io.ReadAll(r.Body); len(body) > 0 {
			if err := json.Unmarshal(body, &fields); err != nil {
				t.Error(err)
			}
		}
		fields = mergeQuery(fields, r)
		s.asked, s.header = append(s.asked, fields), r.Header
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		w.Header().Set("X-Matches", matches)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, reply)
	}))
	t.Cleanup(s.Close)
	servers := registry.Registry{Dir: filepath.Join(data, "servers")}
	if err := os.MkdirAll(servers.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := servers.Add(registry.Registration{PID: 1, URL: s.URL, Root: root}); err != nil {
		t.Fatal(err)
	}
	return s
}

func mergeQuery(fields map[string]any, r *http.Request) map[string]any {
	if fields == nil {
		fields = map[string]any{}
	}
	for k, v := range r.URL.Query() {
		fields[k] = v[0]
	}
	fields["/"] = r.URL.Path
	return fields
}

// teFolder is a root with a folder in it that is the working folder, and a data folder.
func teFolder(t *testing.T) (root, data string) {
	hermetic(t)
	for _, name := range []string{"TE_AGENT_ID", "LLMC_TE_AGENT_ID", "TE_SESSION_ID", "LLMC_TE_SESSION_ID"} {
		t.Setenv(name, "")
	}
	root, err := folder.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "src", "lib", "a.go"), "package lib\n")
	t.Chdir(filepath.Join(root, "src"))
	return root, t.TempDir()
}

func TestTeRequests(t *testing.T) {
	root, data := teFolder(t)
	s := serveTe(t, root, data, 200, "3", "the answer\n")
	t.Setenv("TE_AGENT_ID", "claude-dc")
	t.Setenv("LLMC_TE_SESSION_ID", "s1")
	common := func(path string, fields map[string]any) map[string]any {
		all := map[string]any{"/": "/" + path, "base": "src", "format": "te", "project": root, "path": "src"}
		for k, v := range fields {
			if all[k] = v; v == nil {
				delete(all, k)
			}
		}
		return all
	}
	for _, test := range []struct {
		args string
		want map[string]any
	}{
		{"grep connect", common("grep", map[string]any{"pattern": "connect", "syntax": "basic"})},
		{"grep -rniw -F -g *.go -m 5 --limit 7 connect lib", common("grep", map[string]any{
			"pattern": "connect", "syntax": "basic", "path": "src/lib", "ignore_case": true, "word": true, "literal": true, "glob": []any{"*.go"}, "max_count": 5.0, "limit": 7.0})},
		{"-i grep connect ..", common("grep", map[string]any{"pattern": "connect", "syntax": "basic", "raw": true, "path": "."})},
		{"grep -P -2 -B1 conn lib ../src", common("grep", map[string]any{
			"pattern": "conn", "syntax": "re2", "before": 1.0, "after": 2.0, "path": nil, "paths": []any{"src/lib", "src"}})},
		{"grep -E -hoc -e a -e b --exclude-dir x --exclude *.md", common("grep", map[string]any{
			"pattern": "a\nb", "syntax": "extended", "only_matching": true, "count": true, "no_filename": true, "no_line_number": true,
			"exclude": []any{"*.md"}, "exclude_dir": []any{"x"}})},
		{"cat -n lib/a.go", common("cat", map[string]any{"path": "src/lib/a.go", "number": true})},
		{"find lib .. -maxdepth 2 -not -newer lib/a.go", common("find", map[string]any{
			"path": nil, "paths": []any{"src/lib", "."}, "written": []any{"lib", ".."},
			"expression": []any{"-maxdepth", "2", "-not", "-newer", "src/lib/a.go"}})},
		{"cat lib/a.go --start 2", common("cat", map[string]any{"path": "src/lib/a.go", "start": 2.0})},
		{"find . -iname a*.go -type f", common("find", map[string]any{"name": []any{"[aA]*.[gG][oO]"}, "type": "f"})},
		{"grep -- -name find", common("grep", map[string]any{"pattern": "-name", "syntax": "basic", "path": "src/find"})},
		{"--handle res_1 --chunk 2", map[string]any{"/": "/handles/res_1", "chunk": "2", "format": "te"}},
		{"--list-handles", map[string]any{"/": "/handles", "format": "te"}},
		{"coach report", map[string]any{"/": "/coach/report", "format": "te"}},
	} {
		s.asked = nil
		out, err := execute(t, append([]string{"--data-dir", data, "te"}, strings.Fields(test.args)...)...)
		if err != nil || string(out) != "the answer\n" || len(s.asked) != 1 {
			t.Errorf("te %s: %q, %v, %d requests", test.args, out, err, len(s.asked))
			continue
		}
		if diff := cmp.Diff(test.want, s.asked[0]); diff != "" {
			t.Errorf("te %s:\n%s", test.args, diff)
		}
		if s.header.Get("X-Agent-Id") != "claude-dc" || s.header.Get("X-Session-Id") != "s1" {
			t.Errorf("te %s: %v", test.args, s.header)
		}
	}
}

// The exit codes are grep's, and an error is the envelope's for agents and a sentence
// for people.
func TestTeExitCodes(t *testing.T) {
	root, data := teFolder(t)
	failure := te.Failure("grep", "invalid_pattern", "")
	for _, test := range []struct {
		agent, matches, reply string
		status, code          int
		out                   string
	}{
		{"", "2", "found\n", 200, 0, "found\n"},
		{"", "0", "header\n", 200, 1, "header\n"},
		{"", "", failure, 400, 2, failure},
		{"human-cli", "", failure, 400, 2, ""},
		{"", "", te.Failure("grep", "internal", ""), 500, 2, te.Failure("grep", "internal", "")},
	} {
		t.Setenv("TE_AGENT_ID", test.agent)
		serveTe(t, root, data, test.status, test.matches, test.reply)
		out, err := execute(t, "te", "grep", "x", "--data-dir", data)
		if invocation.ExitCode(err) != test.code || string(out) != test.out {
			t.Errorf("%+v: %d, %q", test, invocation.ExitCode(err), out)
		}
	}
	// A process that took the place of a server is passed over, and so is a server that
	// does not have the root: then this process answers.
	for _, stranger := range []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") },
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
			w.WriteHeader(http.StatusConflict)
		},
	} {
		other := httptest.NewServer(stranger)
		if _, err := (registry.Registry{Dir: filepath.Join(data, "servers")}).Add(registry.Registration{PID: 1, URL: other.URL, Root: root}); err != nil {
			t.Fatal(err)
		}
		t.Setenv("TE_AGENT_ID", "")
		out, err := execute(t, "te", "find", "--data-dir", data)
		if invocation.ExitCode(err) != 0 || !strings.HasPrefix(string(out), "# TE_BEGIN_META\n{\"v\":1,\"cmd\":\"find\",\"matches\":2}\n") {
			t.Errorf("%d, %q", invocation.ExitCode(err), out)
		}
		other.Close()
	}
}

func TestTeHelp(t *testing.T) {
	hermetic(t)
	out, err := execute(t, "te", "--help")
	if err != nil || !strings.Contains(string(out), "--list-handles") || !strings.Contains(string(out), "quarry te [") {
		t.Errorf("%v\n%s", err, out)
	}
}
