package flow_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/lang"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFlow compares the graphs of the functions in testdata with what is written there. A
// file NAME.txtar has one source, and the parts "cfg", "dfg" and "slice": what is asked
// is in its comment, a line for each question.
func TestFlow(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	p := lang.NewParser()
	defer p.Close()
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			language, _, _ := strings.Cut(filepath.Base(name), "-")
			language = strings.TrimSuffix(language, ".txtar")
			src := a.Files[0].Data
			_, tree := p.ParseTree(language, src)
			if tree == nil {
				t.Fatalf("nothing parses %s", language)
			}
			files := a.Files[:1:1]
			for line := range strings.Lines(string(a.Comment)) {
				words := strings.Fields(line)
				if len(words) == 0 || strings.HasPrefix(words[0], "#") {
					continue
				}
				at := lineStart(src, number(t, words[1]))
				f, ok := flow.At(language, tree, at)
				if !ok {
					t.Fatalf("%s has no flow", language)
				}
				v := view{src, flow.Graph(language, tree, f)}
				var out string
				switch words[0] {
				case "cfg":
					out = v.cfg()
				case "dfg":
					out = v.dfg()
				case "backward", "forward":
					out = v.slice(number(t, words[2]), words[0] == "forward")
				default:
					t.Fatalf("what is %s?", words[0])
				}
				files = append(files, txtar.File{Name: strings.Join(words, " "), Data: []byte(out)})
			}
			got := txtar.Format(&txtar.Archive{Comment: a.Comment, Files: files})
			if want := txtar.Format(a); !bytes.Equal(got, want) {
				if *update {
					if err := os.WriteFile(name, got, 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				t.Errorf("%s:\n%s", name, got)
			}
		})
	}
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lineStart returns the offset of the first byte of a line that is no space.
func lineStart(src []byte, line int) int {
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(src[at:], '\n') + 1
	}
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	return at
}

// A view prints a graph.
type view struct {
	src []byte
	g   *walk.Graph
}

func (v view) line(at int) int { return bytes.Count(v.src[:at], []byte("\n")) + 1 }

func (v view) text(s *walk.Step) string {
	text := strings.Join(strings.Fields(string(v.src[s.Start:s.End])), " ")
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return text
}

func (v view) cfg() string {
	var b strings.Builder
	s := flow.ShapeOf(v.g)
	for id := range s.Blocks {
		block := &s.Blocks[id]
		fmt.Fprintf(&b, "%d", id)
		if block.Dominator < 0 {
			b.WriteString(" unreachable")
		} else if id != 0 {
			fmt.Fprintf(&b, " after %d", block.Dominator)
		}
		if block.Loop > 0 {
			fmt.Fprintf(&b, " loop %d", block.Loop)
		}
		b.WriteString("\n")
		for _, i := range block.Steps {
			step := &v.g.Steps[i]
			fmt.Fprintf(&b, "\t%s", step.Kind)
			if i > walk.Leave {
				fmt.Fprintf(&b, " %d: %s", v.line(step.Start), v.text(step))
			}
			b.WriteString("\n")
		}
		for _, e := range block.Next {
			fmt.Fprintf(&b, "\t-> %d %s\n", e.To, e.Kind)
		}
	}
	fmt.Fprintf(&b, "complexity %d\n", s.Complexity)
	for _, g := range v.g.Gaps {
		fmt.Fprintf(&b, "gap %d: %s\n", v.line(g.Start), g.Why)
	}
	return b.String()
}

func (v view) dfg() string {
	pairs, _ := flow.Reach(v.g)
	var lines []string
	for _, p := range pairs {
		def, use := &v.g.Steps[p.Def.Step].Access[p.Def.Access], &v.g.Steps[p.Use.Step].Access[p.Use.Access]
		sign := "->"
		if def.Weak {
			sign = "~>"
		}
		lines = append(lines, fmt.Sprintf("%04d %s %s%s -> %s%s %d %s\n", v.line(use.Start), sign, v.g.Vars[def.Var].Name, def.Path, v.g.Vars[use.Var].Name, use.Path, v.line(def.Start), v.text(&v.g.Steps[p.Def.Step])))
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}

func (v view) slice(line int, forward bool) string {
	deps, _ := flow.Depend(v.g)
	var from []int
	for i := range v.g.Steps {
		if s := &v.g.Steps[i]; i > walk.Leave && v.line(s.Start) <= line && line <= v.line(max(s.Start, s.End-1)) {
			from = append(from, i)
		}
	}
	byLine := map[int]string{}
	for _, l := range sliceOf(deps, from, forward) {
		s := &v.g.Steps[l.Step]
		n := v.line(s.Start)
		if _, is := byLine[n]; !is && l.Step > walk.Leave {
			byLine[n] = fmt.Sprintf("%s %d", l.Reason, v.line(v.g.Steps[l.Of].Start))
			if l.Step == l.Of {
				byLine[n] = "asked"
			}
		}
	}
	var b strings.Builder
	for n, text := range strings.Split(string(v.src), "\n") {
		if why, is := byLine[n+1]; is {
			fmt.Fprintf(&b, "%d %s\t# %s\n", n+1, text, why)
		}
	}
	return b.String()
}

// A sliceLine is a step of a slice, and why it is there.
type sliceLine struct {
	Step   int
	Reason flow.Reason
	Of     int // the step that it is there for; itself for one that was asked about
}

// sliceOf returns the steps that some steps depend on, themselves included; forward those that
// depend on them. Each has the reason that was found first.
func sliceOf(deps []flow.Dependence, from []int, forward bool) []sliceLine {
	near := map[int][]flow.Dependence{}
	for _, d := range deps {
		if forward {
			near[d.On] = append(near[d.On], d)
		} else {
			near[d.From] = append(near[d.From], d)
		}
	}
	seen := map[int]bool{}
	var list []sliceLine
	for _, s := range from {
		if !seen[s] {
			seen[s] = true
			list = append(list, sliceLine{Step: s, Of: s})
		}
	}
	for i := 0; i < len(list); i++ {
		at := list[i].Step
		for _, d := range near[at] {
			to := d.On
			if forward {
				to = d.From
			}
			if !seen[to] {
				seen[to] = true
				list = append(list, sliceLine{Step: to, Reason: d.Reason, Of: at})
			}
		}
	}
	return list
}
