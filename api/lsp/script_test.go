package lsp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/api/lsp"
)

var update = flag.Bool("update", false, "write the answers of the scripts")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestScripts plays the scripts in testdata. Each line of "script" is a message: a method with its
// parameters as JSON, or with FILE:LINE:CHARACTER and, as JSON, what else it has; "note" is before
// a notification. $ITEM is the first thing of the last answer. "want" has the answers, with what the
// server logged before. Every message both ways is checked by the protocol's model.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	m := readModel(t)
	requests := 0
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := write(t, ar)
			e := edit(t, m, lsp.Options{Open: opening(serve(t, dir)), Version: "1.2.3"})
			p := player{editor: e, dir: dir}
			for i, f := range ar.Files {
				switch f.Name {
				case "capabilities":
					p.capabilities = f.Data
				case "script":
					p.play(string(f.Data))
				case "want":
					if *update {
						ar.Files[i].Data = p.out.Bytes()
					} else if diff := cmp.Diff(string(f.Data), p.out.String()); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				}
			}
			if err := e.close(); err != nil {
				t.Error(err)
			}
			if requests += e.last; !*update {
				return
			}
			if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	if requests < 200 && !t.Failed() {
		t.Errorf("%d requests in all, and 200 are wanted", requests)
	}
}

// A player plays a script.
type player struct {
	*editor
	dir          string
	capabilities []byte
	out          bytes.Buffer
	item         json.RawMessage
}

func (p *player) play(script string) {
	p.t.Helper()
	var capabilities map[string]any
	if err := json.Unmarshal(p.capabilities, &capabilities); err != nil {
		p.t.Fatal(err)
	}
	p.say("initialize", p.open(p.dir, capabilities))
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		rest, note := strings.CutPrefix(line, "note ")
		method, params, _ := strings.Cut(rest, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case note:
			p.notify(method, p.params(params))
			fmt.Fprintf(&p.out, "%s\n", line)
		default:
			fmt.Fprintf(&p.out, "\n")
			p.say(rest, p.call(method, p.params(params)))
		}
	}
}

// params reads the parameters of a line.
func (p *player) params(text string) any {
	p.t.Helper()
	text = strings.ReplaceAll(text, "$ROOT", p.dir)
	text = strings.ReplaceAll(text, "$ITEM", string(p.item))
	out := map[string]any{}
	if place, more, _ := strings.Cut(text, " "); text != "" && !strings.HasPrefix(text, "{") {
		parts := strings.Split(place, ":")
		out["textDocument"] = map[string]any{"uri": "file://" + p.dir + "/" + parts[0]}
		if len(parts) == 3 {
			line, err1 := strconv.ParseFloat(parts[1], 64)
			character, err2 := strconv.ParseFloat(parts[2], 64)
			if err1 != nil || err2 != nil {
				p.t.Fatalf("no place: %q", place)
			}
			out["position"] = map[string]any{"line": line, "character": character}
		}
		text = more
	}
	if text != "" {
		var more map[string]any
		if err := json.Unmarshal([]byte(text), &more); err != nil {
			p.t.Fatalf("%v: %s", err, text)
		}
		maps.Copy(out, more)
	}
	return out
}

// say writes the answer to a line.
func (p *player) say(line string, m message) {
	fmt.Fprintf(&p.out, "%s\n", line)
	p.t.Helper()
	for _, n := range slices.Concat(p.notes) {
		fmt.Fprintf(&p.out, "  ! %s %s\n", n.Method, p.plain(n.Params))
	}
	p.notes = nil
	if m.Error != nil {
		fmt.Fprintf(&p.out, "  %d %s\n", m.Error.Code, p.plain([]byte(m.Error.Message)))
		return
	}
	var list []json.RawMessage
	if p.item = m.Result; json.Unmarshal(m.Result, &list) == nil && len(list) > 0 {
		p.item = list[0]
		for _, one := range list {
			fmt.Fprintf(&p.out, "  %s\n", p.plain(one))
		}
		return
	}
	fmt.Fprintf(&p.out, "  %s\n", p.plain(m.Result))
}

// plain replaces what differs from run to run.
func (p *player) plain(text []byte) string {
	return generation.ReplaceAllString(strings.ReplaceAll(string(text), p.dir, "$ROOT"), `"generation":7`)
}

var generation = regexp.MustCompile(`"generation":\d+`)
