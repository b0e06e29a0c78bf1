package agent

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// rounds is how many random documents of each agent are tried.
const rounds = 1000

// mark is a value that generated documents have once; an edit by the user
// replaces it.
const mark = "1234567"

// TestAnyDocument checks on random documents that an installation is idempotent,
// and undone to the byte; and that it is undone when the user has edited what is
// around it in between.
func TestAnyDocument(t *testing.T) {
	for _, a := range All() {
		t.Run(a.Name, func(t *testing.T) {
			edited := 0
			for seed := range uint64(rounds) {
				g := generator{rand.New(rand.NewPCG(seed, 7)), a.syntax}
				text := g.document(a)
				after, undo, err := a.Install(text, sampleCommand)
				if err != nil {
					t.Fatalf("seed %d: refused: %v\n%s", seed, err, text)
				}
				holds(t, a, text, after, undo)
				if text, ok := g.edit(text, a.syntax); ok && undo.After != "" {
					edited++
					other, ok := g.edit(after, a.syntax)
					if !ok {
						t.Fatalf("seed %d: the installation has changed more than its entry\n%s", seed, after)
					}
					back, _, err := a.Uninstall(other, undo)
					if err != nil || !bytes.Equal(back, text) {
						t.Errorf("seed %d: %v\nedited    %q\nwith it   %q\nundone    %q", seed, err, text, other, back)
					}
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			if edited < rounds/4 {
				t.Errorf("only %d of %d documents were edited", edited, rounds)
			}
		})
	}
}

// FuzzInstall checks the same on bytes that may be anything: an edit is refused,
// or holds.
func FuzzInstall(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(uint8(0), s.before)
		f.Add(uint8(1), s.before)
		f.Add(uint8(4), []byte(s.after))
	}
	all := All()
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		a := all[int(which)%len(all)]
		// Whatever there is, without notes it is gone or refused.
		bare, _, err := a.Uninstall(text, Undo{})
		if err == nil {
			if entry, err := a.check(mustCut(text), mustCut(bare)); err != nil || entry != nil {
				t.Errorf("uninstalled: %v, %v\n%q\n%q", entry, err, text, bare)
			}
		}
		after, undo, err := a.Install(text, sampleCommand)
		if err != nil {
			return
		}
		again, _, err := a.Install(after, sampleCommand)
		if err != nil || !bytes.Equal(again, after) {
			t.Errorf("installed twice: %v\n%q\n%q", err, after, again)
		}
		if undo.After == "" {
			return
		}
		back, was, err := a.Uninstall(after, undo)
		if err != nil || !was || !bytes.Equal(back, text) {
			t.Errorf("undone: %v, %v\nbefore    %q\ninstalled %q\nundone    %q", was, err, text, after, back)
		}
	})
}

// A generator makes documents in all the ways in which people and programs
// write them.
type generator struct {
	*rand.Rand
	syntax syntax
}

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) document(a Agent) []byte {
	if g.IntN(20) == 0 {
		return nil
	}
	text := g.pick("", "", "\n", "  ")
	if g.IntN(20) > 0 {
		if a.syntax == toml {
			text = g.toml()
		} else {
			text = g.json(a)
		}
	}
	if g.IntN(3) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if g.IntN(8) == 0 {
		text = string(bom) + text
	}
	return []byte(text)
}

// edit does what a user may do: another value, and a comment at the top.
func (g generator) edit(text []byte, s syntax) ([]byte, bool) {
	if bytes.Count(text, []byte(mark)) != 1 {
		return nil, false
	}
	text = bytes.Replace(text, []byte(mark), []byte(`["a", 2]`), 1)
	comment := "// mine\n"
	if s == toml {
		comment = "# mine\n"
	}
	at := len(text) - len(mustCut(text))
	return apply(text, splice{at, at, comment}), true
}

// A layout is how the objects of a document are written.
type layout struct {
	unit     string // "": all on one line
	colon    string
	comments bool
	trailing bool
}

func (g generator) json(a Agent) string {
	l := layout{unit: g.pick("", "  ", "    ", "\t"), colon: g.pick(":", ": ", " : "), comments: g.IntN(2) == 0, trailing: g.IntN(3) == 0}
	path := a.tables[g.IntN(len(a.tables))]
	root := g.object(l, 0, path, 2)
	return g.extra(l, "") + root + g.extra(l, "") + g.pick("", "\n", "\n\n", " ", "\n// the end", "\n/* the end */\n")
}

// extra is white space and comments that may stand between two tokens.
func (g generator) extra(l layout, indent string) string {
	switch g.IntN(9) {
	case 0:
		return " "
	case 1:
		if l.unit != "" {
			return "\n" + indent
		}
	case 2:
		if l.comments {
			return g.pick(" /* a { comment */", "/* // */ ")
		}
	case 3:
		if l.comments && l.unit != "" {
			return g.pick(" // a } comment\n", " // \"quarry\": {} \n\n") + indent
		}
	}
	return ""
}

// object writes an object that has the table of servers at the end of path, or
// some of it, or not.
func (g generator) object(l layout, depth int, path []string, most int) string {
	var members []string
	add := func(key, value string) { members = append(members, fmt.Sprintf("%q%s%s", key, l.colon, value)) }
	for i := range g.IntN(most + 1) {
		add(fmt.Sprintf("k%d", i), g.pick("true", "-1.5e3", `"a \"quarry\" // b"`, `["x", {"y": null}]`, "{}", "[ ]"))
	}
	if depth == 0 && g.IntN(4) > 0 {
		add("mark", mark)
	}
	switch {
	case depth < len(path) && g.IntN(4) > 0:
		add(path[depth], g.object(l, depth+1, path, most))
	case depth == len(path) && g.IntN(3) > 0:
		add("other", `{"command": "x", "args": []}`)
	}
	if depth == len(path) && g.IntN(4) == 0 {
		add(Name, g.pick(`{"command":"old"}`, `{"env": {"A": "b"}, "command": ["old", "mcp"], "type": "local"}`, `{"url": "http://localhost"}`, `{}`, "true"))
	}
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	indent := "\n" + strings.Repeat(l.unit, depth+1)
	if l.unit == "" {
		indent = g.pick("", " ")
	}
	text := "{"
	for i, m := range members {
		text += g.extra(l, indent[min(1, len(indent)):]) + indent + m + g.extra(l, "")
		if i < len(members)-1 || l.trailing {
			text += ","
		}
	}
	if len(members) > 0 && l.unit != "" {
		text += g.extra(l, "") + "\n" + strings.Repeat(l.unit, depth)
	}
	return text + g.extra(l, "") + "}"
}

func (g generator) toml() string {
	parts := []string{
		"[mcp_servers.docs] # docs\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"docs\",\n]\n",
		"[mcp_servers.docs.env]\nA = 'b'\n",
		"[projects.\"/home/you\"]\ntrust_level = \"trusted\"\n",
		"  [tui]\n  theme = \"\"\"\n[mcp_servers.quarry]\n\"\"\"\n",
		"[[hooks]]\nat = 2026-01-01T00:00:00Z\n[[hooks]]\n",
		"# [mcp_servers.quarry]\n# command = \"x\"\n",
		g.pick("[mcp_servers.quarry]\ncommand = 'old'\n", "[mcp_servers.quarry] # mine\nargs = [\"serve\"] # x\ncommand = \"old\"\ntimeout = 3\n",
			"[mcp_servers.\"quarry\"]\nurl = \"http://localhost\"\n", "[mcp_servers.quarry]\n"),
	}
	text := g.pick("", "# settings\n") + "model = \"x\" # it\n" + g.pick("", "mark = "+mark+"\n", "mark = "+mark+"\n\n")
	for _, p := range parts {
		if g.IntN(2) == 0 {
			text += g.pick("", "\n", "\n", "# note\n") + p
		}
	}
	text += g.pick("", "", "\n", "# the end\n", "\n\n")
	if g.IntN(3) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}
