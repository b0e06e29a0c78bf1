package command

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/server"
)

// A server goes on with what earlier ones in its data folder have learnt.
func TestServeCoach(t *testing.T) {
	hermetic(t)
	root, data := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n")
	kept := filepath.Join(data, "coach.json")
	write(t, kept, `{"version":1,"commands":{"cat":{"2":{"n":40,"scored":30,"sum":45}}}}`)
	type report struct {
		Enabled  bool
		Commands map[string][]struct {
			V, N, Scored int
			Mean         *float64
			Best, Enough bool
		}
	}
	ask := func(flags ...string) (r report, log string) {
		s := startServer(t, root, append([]string{"--data-dir", data, "--backend", "none"}, flags...)...)
		if err := s.Ask(t.Context(), registry.ProbeTimeout, "/coach/report", nil, &r); err != nil {
			t.Fatal(err)
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		return r, s.log.String()
	}
	if r, _ := ask(); r.Enabled || len(r.Commands["cat"]) > 0 {
		t.Errorf("turned off: %+v", r)
	}
	r, log := ask("--coach")
	if cat := r.Commands["cat"]; !r.Enabled || len(cat) != 3 || cat[1].V != 2 || cat[1].N != 40 || cat[1].Mean == nil || *cat[1].Mean != 1.5 || !cat[1].Best || !cat[1].Enough {
		t.Errorf("%+v", r)
	}
	if strings.Contains(log, "coach") {
		t.Errorf("a whole file is complained of: %s", log)
	}

	write(t, kept, `{"version":1,`)
	r, log = ask("--coach")
	if cat := r.Commands["cat"]; len(cat) != 3 || cat[1].N != 0 || cat[1].Mean != nil || cat[1].Best {
		t.Errorf("a damaged file is believed: %+v", r)
	}
	if !strings.Contains(log, "the coach starts over") {
		t.Errorf("the log says nothing of a damaged file: %s", log)
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != `{"version":1,` {
		t.Errorf("with nothing counted, the file was written: %s, %v", text, err)
	}
}

// What is counted goes to the data folder.
func TestOpenCoach(t *testing.T) {
	hermetic(t)
	data := t.TempDir()
	s, err := load(t, "--data-dir", data)
	if err != nil || server.OpenCoach(&s, slog.New(slog.DiscardHandler)) != nil {
		t.Errorf("a coach that nobody has turned on: %v", err)
	}
	if s, err = load(t, "--data-dir", data, "--coach"); err != nil {
		t.Fatal(err)
	}
	c := server.OpenCoach(&s, slog.New(slog.DiscardHandler))
	c.Saw("s", coach.Action{Kind: coach.Search, Cmd: "grep", Form: c.Choose("grep").ID})
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(data, "coach.json")); err != nil || !strings.Contains(string(text), `"grep"`) {
		t.Errorf("%s, %v", text, err)
	}
}
