package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// machine is a home for one test, with the ledger in it.
type machine struct {
	*testing.T
	Places
	Ledger
}

func newMachine(t *testing.T) machine {
	home := t.TempDir()
	return machine{t, Places{
		Home: home, Config: filepath.Join(home, ".config"), XDG: filepath.Join(home, ".config"),
		Codex: filepath.Join(home, ".codex"), Gemini: home, Root: filepath.Join(home, "shop"),
	}, Ledger{filepath.Join(home, "data", "agents.json")}}
}

func (m machine) agent(name string) Agent {
	m.Helper()
	a, ok := Find(name)
	if !ok {
		m.Fatalf("no agent is called %q", name)
	}
	return a
}

func (m machine) install(name string, s Scope, command string) Change {
	m.Helper()
	c, err := PlanInstall(m.agent(name), m.Places, s, command)
	if err != nil {
		m.Fatal(err)
	}
	if c.Changes() {
		if err := c.Apply(m.Ledger, 0o600); err != nil {
			m.Fatal(err)
		}
	}
	return c
}

func (m machine) uninstall(name string, s Scope) {
	m.Helper()
	for _, p := range PlanUninstall(m.agent(name), m.Places, s, m.Ledger) {
		if p.Err != nil {
			m.Fatal(p.Err)
		}
		if p.Change.Changes() {
			if err := p.Change.Apply(m.Ledger, 0o600); err != nil {
				m.Fatal(err)
			}
		}
	}
}

func (m machine) write(path, text string, mode os.FileMode) string {
	m.Helper()
	path = filepath.Join(m.Home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		m.Fatal(err)
	}
	return path
}

func (m machine) read(path string) string {
	m.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		m.Fatal(err)
	}
	return string(text)
}

// files lists what there is below the home.
func (m machine) files() []string {
	m.Helper()
	var all []string
	err := filepath.WalkDir(m.Home, func(path string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(m.Home, path); rel != "." {
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
	return all
}

// TestFilesComeAndGo: what install makes, uninstall takes away, the folders and
// the ledger among it, for every agent and scope.
func TestFilesComeAndGo(t *testing.T) {
	for _, a := range All() {
		for _, s := range []Scope{User, Project} {
			m := newMachine(t)
			m.Ledger.Path = filepath.Join(m.Home, "agents.json")
			c := m.install(a.Name, s, sampleCommand)
			if got := m.read(c.File); got != string(c.After) || !strings.Contains(got, Name) {
				t.Errorf("%s, %s: %s holds %q", a.Name, s, c.File, got)
			}
			if again := m.install(a.Name, s, sampleCommand); again.Changes() {
				t.Errorf("%s, %s: installed twice:\n%s", a.Name, s, again.Diff())
			}
			m.uninstall(a.Name, s)
			if left := m.files(); len(left) > 0 {
				t.Errorf("%s, %s: uninstall left %v", a.Name, s, left)
			}
		}
	}
}

// TestFoldersStay: a folder that somebody has put something into is not removed.
func TestFoldersStay(t *testing.T) {
	m := newMachine(t)
	m.install("vscode", User, sampleCommand)
	m.write(".config/Code/User/settings.json", "{}", 0o644)
	m.uninstall("vscode", User)
	want := []string{".config", ".config/Code", ".config/Code/User", ".config/Code/User/settings.json", "data"}
	if left := m.files(); !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}

// TestModeAndLink: a file keeps its mode, and a link stays one.
func TestModeAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are others on Windows")
	}
	m := newMachine(t)
	const before = "model = \"x\"\n"
	target := m.write("dotfiles/codex.toml", before, 0o640)
	link := filepath.Join(m.Codex, "config.toml")
	if err := os.Mkdir(m.Codex, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "dotfiles", "codex.toml"), link); err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		info, err := os.Lstat(link)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Fatalf("the link is none any more: %v, %v", info, err)
		}
		if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if got := m.read(target); !strings.HasPrefix(got, want) {
			t.Errorf("%q", got)
		}
		if left, _ := filepath.Glob(filepath.Join(m.Home, "*", ".quarry-*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	}
	m.install("codex", User, sampleCommand)
	check(before + "\n[mcp_servers.quarry]\n")
	m.uninstall("codex", User)
	check(before)
	if got := m.read(target); got != before {
		t.Errorf("undone: %q", got)
	}
	// One that leads nowhere is said so, and not replaced.
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	c, err := PlanInstall(m.agent("codex"), m.Places, User, sampleCommand)
	if err == nil {
		err = c.Apply(m.Ledger, 0o600)
	}
	if err == nil || !strings.Contains(err.Error(), "config.toml: it is a link to ") {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

// TestChangedMeanwhile: a file that is not what the change was shown for is left
// alone.
func TestChangedMeanwhile(t *testing.T) {
	m := newMachine(t)
	c, err := PlanInstall(m.agent("claude"), m.Places, User, sampleCommand)
	if err != nil {
		t.Fatal(err)
	}
	path := m.write(".claude.json", `{"numStartups": 1}`, 0o600)
	if err := c.Apply(m.Ledger, 0o600); err == nil || !strings.Contains(err.Error(), ".claude.json: it was changed meanwhile") {
		t.Errorf("%v", err)
	}
	if got := m.read(path); got != `{"numStartups": 1}` {
		t.Errorf("%q", got)
	}
}

// TestOwnEntryComesBack: the user's own entry is noted once, and comes back
// after several installations, unless it was edited.
func TestOwnEntryComesBack(t *testing.T) {
	m := newMachine(t)
	const before = `{"mcpServers": {"quarry": {"command": "mine", "args": ["serve"]}}}`
	path := m.write(".claude.json", before, 0o600)
	m.install("claude", User, "/opt/1/quarry")
	m.install("claude", User, "/opt/2/quarry")
	m.uninstall("claude", User)
	if got := m.read(path); got != before {
		t.Errorf("undone: %q", got)
	}
	m.uninstall("claude", User)
	if got := m.read(path); got != `{"mcpServers": {}}` {
		t.Errorf("uninstalled twice: %q", got)
	}
	m.write(".claude.json", before, 0o600)
	m.install("claude", User, "/opt/1/quarry")
	m.write(".claude.json", strings.Replace(m.read(path), "/opt/1", "/opt/mine", 1), 0o600)
	m.uninstall("claude", User)
	if got := m.read(path); got != `{"mcpServers": {}}` {
		t.Errorf("an edited entry: %q", got)
	}
}

// TestRewrittenByItsAgent: Claude Code rewrites its file, with other entries
// and in its own layout; only what is Quarry's goes.
func TestRewrittenByItsAgent(t *testing.T) {
	m := newMachine(t)
	path := m.write(".claude.json", `{"numStartups":1}`, 0o600)
	m.install("claude", User, sampleCommand)
	m.write(".claude.json", `{
  "mcpServers": {
    "quarry": {
      "type": "stdio",
      "command": "/opt/quarry",
      "args": [
        "mcp"
      ],
      "env": {}
    }
  },
  "numStartups": 2
}`, 0o600)
	m.uninstall("claude", User)
	if got := m.read(path); got != "{\n  \"numStartups\": 2\n}" {
		t.Errorf("%q", got)
	}
}

// TestLedgerIsLost: without its notes the entry goes all the same.
func TestLedgerIsLost(t *testing.T) {
	m := newMachine(t)
	c := m.install("cursor", User, sampleCommand)
	if err := os.RemoveAll(filepath.Dir(m.Ledger.Path)); err != nil {
		t.Fatal(err)
	}
	m.uninstall("cursor", User)
	if got := m.read(c.File); got != "{\n  \"mcpServers\": {\n  }\n}\n" {
		t.Errorf("%q", got)
	}
}

func TestLedgerOfAnotherForm(t *testing.T) {
	m := newMachine(t)
	for text, want := range map[string]string{
		`{"form": 2, "files": {}}`: "has form 2, and this program writes 1",
		"{":                        "unexpected end of JSON input",
	} {
		m.write("data/agents.json", text, 0o600)
		c, err := PlanInstall(m.agent("claude"), m.Places, User, sampleCommand)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Apply(m.Ledger, 0o600); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if got := m.read(m.Ledger.Path); got != text {
			t.Errorf("the ledger was written: %q", got)
		}
		if _, err := os.Stat(c.File); err == nil {
			t.Error("installed without a note of how to undo it")
		}
	}
}

// TestNoFile: what cannot be a configuration is refused with its path.
func TestNoFile(t *testing.T) {
	m := newMachine(t)
	if err := os.MkdirAll(filepath.Join(m.Codex, "config.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := PlanInstall(m.agent("codex"), m.Places, User, sampleCommand); err == nil || !strings.HasSuffix(err.Error(), "config.toml: it is not a file") {
		t.Errorf("%v", err)
	}
	m.write(".claude.json", "{\n\"a\"}", 0o600)
	_, err := PlanInstall(m.agent("claude"), m.Places, User, sampleCommand)
	if err == nil || !strings.Contains(err.Error(), ".claude.json:2: not JSON: ") {
		t.Errorf("%v", err)
	}
	if all := PlanUninstall(m.agent("claude"), m.Places, User, m.Ledger); len(all) != 1 || all[0].Err == nil {
		t.Errorf("%v", all)
	}
}

// TestPlaces holds the folders that the makers' variables name against the files.
func TestPlaces(t *testing.T) {
	p := Places{Home: "/h", Config: "/h/Library", XDG: "/x", Claude: "/c", Codex: "/d", Gemini: "/g", Root: "/r"}
	for name, want := range map[string][2]string{
		"claude":   {"/c/.claude.json", "/r/.mcp.json"},
		"codex":    {"/d/config.toml", "/r/.codex/config.toml"},
		"cursor":   {"/h/.cursor/mcp.json", "/r/.cursor/mcp.json"},
		"gemini":   {"/g/.gemini/settings.json", "/r/.gemini/settings.json"},
		"opencode": {"/x/opencode/opencode.json", "/r/opencode.json"},
		"vscode":   {"/h/Library/Code/User/mcp.json", "/r/.vscode/mcp.json"},
	} {
		a, _ := Find(name)
		for i, s := range []Scope{User, Project} {
			files := a.Files(p, s)
			if got := filepath.ToSlash(files[len(files)-1]); got != want[i] {
				t.Errorf("%s, %s: %s, want %s", name, s, got, want[i])
			}
		}
	}
	m := newMachine(t)
	if slices.ContainsFunc(All(), func(a Agent) bool { return a.Present(m.Places) }) {
		t.Error("an agent is found in an empty home")
	}
	jsonc := m.write(".config/opencode/opencode.jsonc", "{}", 0o600)
	if c := m.install("opencode", User, sampleCommand); c.File != jsonc {
		t.Errorf("%s was written, though there is %s", c.File, jsonc)
	}
	if !m.agent("opencode").Present(m.Places) || m.agent("codex").Present(m.Places) {
		t.Error("agents are not found by their folders")
	}
}

// TestDiff: the change is shown, and of a file of one long line what is around it.
func TestDiff(t *testing.T) {
	long := `{"history":["` + strings.Repeat("0123456789", 100) + `"],"token":"secret","last":true}`
	a, _ := Find("claude")
	after, _, err := a.Install([]byte(long), sampleCommand)
	if err != nil {
		t.Fatal(err)
	}
	got := string(Change{Agent: a, File: "f", Before: []byte(long), After: after}.Diff())
	want := `--- f
+++ f
@@ byte 1044 @@
-...123456789"],"token":"secret","last":true}
+...123456789"],"token":"secret","last":true,"mcpServers":{"quarry":{"type":"stdio","command":"/opt/quarry","args":["mcp"]}}}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	none := Change{Agent: a, File: "f", Before: after, After: bytes.Clone(after)}
	if none.Changes() || len(none.Diff()) > 0 {
		t.Errorf("no change is shown as\n%s", none.Diff())
	}
	made := string(Change{Agent: a, File: "f", After: []byte("a\n")}.Diff())
	if want := "--- " + os.DevNull + "\n+++ f\n@@ -0,0 +1,1 @@\n+a\n"; made != want {
		t.Errorf("%q, want %q", made, want)
	}
}
