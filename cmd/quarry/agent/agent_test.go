package agent

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what Install makes into the archives")

// A sample is an archive of testdata: the comment's last line says the agent and,
// of the texts, what an archive cannot hold; before and after are the file
// without and with the entry, error is why it is left alone.
type sample struct {
	agent            Agent
	crlf, bom, chomp bool
	before           []byte // nil: there is no file
	after, err       string
	archive          *txtar.Archive
	path             string
}

const sampleCommand = "/opt/quarry"

func samples(t testing.TB) []sample {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d samples, %v", len(paths), err)
	}
	var all []sample
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := sample{path: path, archive: archive}
		lines := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n")
		for _, word := range strings.Fields(lines[len(lines)-1]) {
			switch word {
			case "crlf":
				s.crlf = true
			case "bom":
				s.bom = true
			case "chomp":
				s.chomp = true
			default:
				a, ok := Find(word)
				if !ok {
					t.Fatalf("%s: no agent is called %q", path, word)
				}
				s.agent = a
			}
		}
		for _, f := range archive.Files {
			switch f.Name {
			case "before":
				s.before = append([]byte{}, s.form(f.Data)...)
			case "after":
				s.after = string(s.form(f.Data))
			case "error":
				s.err = strings.TrimSpace(string(f.Data))
			default:
				t.Fatalf("%s: %q is no part of a sample", path, f.Name)
			}
		}
		all = append(all, s)
	}
	return all
}

func (s *sample) form(text []byte) []byte {
	if s.chomp {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if s.crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if s.bom {
		text = append(bytes.Clone(bom), text...)
	}
	return text
}

// TestSamples holds an installation to what the samples say of it, to doing
// nothing the second time, and to being undone to the byte.
func TestSamples(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(strings.TrimSuffix(filepath.Base(s.path), ".txtar"), func(t *testing.T) {
			after, undo, err := s.agent.Install(s.before, sampleCommand)
			if err != nil {
				got := err.Error()
				if r := (*Refusal)(nil); errors.As(err, &r) && r.Line > 0 {
					got = fmt.Sprintf("%d: %s", r.Line, got)
				}
				if *update && s.err != "" {
					s.write(t, "error", []byte(got+"\n"))
				} else if got != s.err {
					t.Errorf("refused: %s, want %q", got, s.err)
				}
				return
			}
			if s.err != "" {
				t.Fatalf("not refused, want %q:\n%s", s.err, after)
			}
			if *update {
				text := bytes.ReplaceAll(bytes.TrimPrefix(after, bom), []byte("\r\n"), []byte("\n"))
				if s.chomp {
					text = append(bytes.Clone(text), '\n')
				}
				s.write(t, "after", text)
			} else if diff := cmp.Diff(s.after, string(after)); diff != "" {
				t.Errorf("-want +installed:\n%s", diff)
			}
			holds(t, s.agent, s.before, after, undo)
		})
	}
}

func (s *sample) write(t *testing.T, name string, text []byte) {
	t.Helper()
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == name {
			s.archive.Files[i].Data = text
			if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	s.archive.Files = append(s.archive.Files, txtar.File{Name: name, Data: text})
	if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// holds checks what is true of every installation.
func holds(t *testing.T, a Agent, before, after []byte, undo Undo) {
	t.Helper()
	again, none, err := a.Install(after, sampleCommand)
	if err != nil || !bytes.Equal(again, after) || none.After != "" {
		t.Errorf("installed twice: %v\n%q\n%q", err, after, again)
	}
	if undo.After == "" { // the entry was there
		return
	}
	back, was, err := a.Uninstall(after, undo)
	if err != nil || !was || !bytes.Equal(back, before) || (back == nil) != (before == nil) {
		t.Errorf("undone: %v, %v\nbefore    %q\ninstalled %q\nundone    %q", was, err, before, after, back)
	}
	// Without the notes it is gone, and nothing else is.
	bare, was, err := a.Uninstall(after, Undo{})
	if err != nil || !was {
		t.Errorf("uninstalled without notes: %v, %v", was, err)
	}
	if entry, err := a.check(mustCut(after), mustCut(bare)); err != nil || entry != nil {
		t.Errorf("uninstalled without notes: %v, %v\n%s", entry, err, bare)
	}
	// And the second time there is nothing to do.
	if still, was, err := a.Uninstall(bare, undo); err != nil || was || !bytes.Equal(still, bare) {
		t.Errorf("uninstalled twice: %v, %v\n%q\n%q", was, err, bare, still)
	}
}

func mustCut(text []byte) []byte {
	_, body := cut(text)
	return body
}

// TestUninstallOfAnyForm: an entry that somebody has written in a form that Install
// does not write goes too, with all that is below it, or is refused with its line.
func TestUninstallOfAnyForm(t *testing.T) {
	codex, _ := Find("codex")
	cursor, _ := Find("cursor")
	opencode, _ := Find("opencode")
	for _, test := range []struct {
		agent               Agent
		before, after, want string
	}{
		{codex, "[mcp_servers]\nquarry = { command = \"x\" } # mine\ndocs = { command = \"y\" }\n", "[mcp_servers]\ndocs = { command = \"y\" }\n", ""},
		{codex, "a = 1\nmcp_servers.quarry.command = \"x\"\nmcp_servers.quarry.args = [\n  \"mcp\",\n]\nb = 2", "a = 1\nb = 2", ""},
		{codex, "[mcp_servers.quarry]\r\ncommand = \"x\"\r\n\r\n[mcp_servers.quarry.env]\r\nA = \"b\"\r\n\r\n[tui]\r\n", "\r\n[tui]\r\n", ""},
		{codex, "[tui]\n\n[mcp_servers.quarry]\ncommand = \"x\"\n\n[mcp_servers.quarry.env]\nA = \"b\"", "[tui]\n", ""},
		{codex, "a = 1\nmcp_servers = { quarry = { command = \"x\" } }\n", "", "2: mcp_servers.quarry is inside an inline table: delete it by hand"},
		// What follows on the line must not become a part of the comment above.
		{cursor, "{\"mcpServers\": {\n // note\n \"quarry\": {}, \"x\": {}}}", "{\"mcpServers\": {\n // note\n \"x\": {}}}", ""},
		{cursor, "{\"mcpServers\": {\n // note\n \"quarry\": {}}}", "{\"mcpServers\": {\n // note\n}}", ""},
		{opencode, `{"mcp": {"quarry": {"type": "local"}, "servers": {"quarry": {"type": "local"}, "a": {}}}}`, `{"mcp": { "servers": { "a": {}}}}`, ""},
		{opencode, `{"mcp": {"servers": {"type": "local", "command": ["quarry"]}}}`, `{"mcp": {"servers": {"type": "local", "command": ["quarry"]}}}`, ""},
		{opencode, `{"mcp": {"servers": 1, "quarry": true}}`, `{"mcp": {"servers": 1}}`, ""},
		{opencode, "{\n\"mcp\": 1}", "", `2: "mcp" is not an object`},
	} {
		after, _, err := test.agent.Uninstall([]byte(test.before), Undo{})
		got := ""
		if r := (*Refusal)(nil); errors.As(err, &r) {
			got = fmt.Sprintf("%d: %s", r.Line, r.Reason)
		}
		if string(after) != test.after || got != test.want {
			t.Errorf("%q becomes %q, %q\nwant %q, %q", test.before, after, got, test.after, test.want)
		}
	}
}
