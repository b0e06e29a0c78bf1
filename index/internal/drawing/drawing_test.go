package drawing

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata")

// loop has what a control-flow graph has: a branch, a loop, an edge to itself, one without an end.
func loop() *Graph {
	return &Graph{
		Title: "a loop",
		Nodes: []Node{
			{Lines: []string{"entry"}, Style: Strong}, {Lines: []string{"1  i := 0", "if i < n"}}, {Lines: []string{"3  i++"}},
			{Lines: []string{"5  return"}}, {Lines: []string{"7  never"}, Style: Faded}, {Lines: nil, Style: Alert},
		},
		Edges: []Edge{
			{From: 0, To: 1}, {From: 1, To: 2, Label: "true"}, {From: 2, To: 1, Label: "back"}, {From: 1, To: 3, Label: "false"},
			{From: 0, To: 3, Dashed: true}, {From: 3, To: 3, Label: "self", Alert: true},
		},
	}
}

func TestForms(t *testing.T) {
	for _, form := range []string{DOT, Mermaid, SVG} {
		got, err := Draw(form, loop())
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", "loop."+form)
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
		if again, _ := Draw(form, loop()); again != got {
			t.Errorf("%s: two drawings of one graph differ", form)
		}
	}
	if _, err := Draw("png", loop()); err == nil {
		t.Error("there is a drawing of no form")
	}
}

// elements are those of an SVG, which must be well formed, with their text.
func elements(t *testing.T, svg string) (names []string, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return names, text
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			names = append(names, token.Name.Local)
			for _, a := range token.Attr {
				if !slices.Contains([]string{"xmlns", "role", "width", "height", "viewBox", "class", "transform", "d", "x", "y", "rx"}, a.Name.Local) {
					t.Errorf("an attribute %s", a.Name.Local)
				}
			}
		case xml.CharData:
			text += string(token)
		}
	}
}

// TestHostile: names of the indexed code are text, whatever is in them.
func TestHostile(t *testing.T) {
	bad := "</text><script>alert(1)</script>\" onload=\"x\x00\x1b[31m\u202e\u2028\ufffe\xff]]>&amp;%s\n`*_#[]\\l"
	g := &Graph{Title: bad, Nodes: []Node{{Lines: []string{bad, bad}}, {Lines: []string{"b"}}}, Edges: []Edge{{From: 0, To: 1, Label: bad}}}
	svg, err := Draw(SVG, g)
	if err != nil {
		t.Fatal(err)
	}
	names, text := elements(t, svg)
	for _, n := range names {
		if !slices.Contains([]string{"svg", "title", "desc", "style", "rect", "g", "path", "text"}, n) {
			t.Errorf("an element %s", n)
		}
	}
	if strings.Count(text, "<script>alert(1)</script>") != 4 { // title, two lines and the label
		t.Errorf("%q", text)
	}
	for _, form := range []string{DOT, Mermaid, SVG} {
		got, err := Draw(form, g)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(got, "\x00\x1b\u202e\u2028\ufffe") || !utf8.ValidString(got) {
			t.Errorf("%s has controls: %q", form, got)
		}
		if form == DOT && strings.Count(strings.ReplaceAll(strings.ReplaceAll(got, `\\`, ""), `\"`, ""), `"`)%2 != 0 {
			t.Errorf("a string ends early: %s", got)
		}
		if form == Mermaid && strings.Contains(got, "<script") {
			t.Errorf("an element: %s", got)
		}
	}
}

// TestLayout draws random graphs: boxes of a rank do not overlap and keep their order, each edge
// goes down from rank to rank, or in one step, and nothing is outside of the picture.
func TestLayout(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := &Graph{Title: "random"}
		for i := range 1 + r.IntN(60) {
			g.Nodes = append(g.Nodes, Node{Lines: []string{strings.Repeat("x", r.IntN(90)), fmt.Sprint(i)}})
		}
		for range r.IntN(3 * len(g.Nodes)) {
			g.Edges = append(g.Edges, Edge{From: r.IntN(len(g.Nodes)), To: r.IntN(len(g.Nodes))})
		}
		width, high := make([]float64, len(g.Nodes)), make([]float64, len(g.Nodes))
		for i := range g.Nodes {
			width[i], high[i] = 20+float64(r.IntN(300)), 20+float64(r.IntN(80))
		}
		l := layOut(g, width, high)
		for _, rank := range l.ranks {
			for i := 1; i < len(rank); i++ {
				a, b := &l.boxes[rank[i-1]], &l.boxes[rank[i]]
				if a.x+a.width/2 > b.x-b.width/2-gapThread+1e-6 {
					t.Fatalf("seed %d: boxes at %v and %v overlap", seed, *a, *b)
				}
			}
		}
		for i, e := range g.Edges {
			way := l.routes[i].boxes
			if e.From == e.To {
				if len(way) != 0 {
					t.Fatalf("seed %d: an edge to itself goes %v", seed, way)
				}
				continue
			}
			from, to := way[0], way[len(way)-1]
			if l.routes[i].back {
				from, to = to, from
			}
			if from != e.From || to != e.To {
				t.Fatalf("seed %d: edge %v goes %v", seed, e, way)
			}
			for j := 1; j < len(way); j++ {
				if l.boxes[way[j]].rank != l.boxes[way[j-1]].rank+1 || l.boxes[way[j]].y <= l.boxes[way[j-1]].y {
					t.Fatalf("seed %d: edge %v does not go down", seed, e)
				}
			}
		}
		for i := range l.boxes {
			if b := &l.boxes[i]; b.x-b.width/2 < -1e-6 || b.y-b.high/2 < -1e-6 {
				t.Fatalf("seed %d: a box is outside: %v", seed, *b)
			}
		}
		elements(t, g.svg())
	}
}

// TestSize: what is too large is refused with its size, and what is as large as may be is drawn.
func TestSize(t *testing.T) {
	g := &Graph{Nodes: make([]Node, MaxNodes)}
	for i := range MaxEdges {
		g.Edges = append(g.Edges, Edge{From: i * 7 % MaxNodes, To: i * i % MaxNodes})
	}
	svg, err := Draw(SVG, g)
	if err != nil || len(svg) > 900<<10 {
		t.Errorf("%d bytes, %v", len(svg), err)
	}
	for _, large := range []*Graph{{Nodes: make([]Node, MaxNodes+1)}, {Edges: make([]Edge, MaxEdges+1)}} {
		if _, err := Draw(SVG, large); !errors.As(err, new(*SizeError)) {
			t.Errorf("%v", err)
		}
	}
}
