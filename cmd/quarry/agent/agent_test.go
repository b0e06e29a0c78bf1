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
	"golang.org/x/tools/txtar"
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
