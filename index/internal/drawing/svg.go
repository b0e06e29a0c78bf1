package drawing

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// The text of boxes, in pixels and characters.
const (
	letter, line  = 7.3, 16.0 // of a monospace font of 12 pixels
	padX, padY    = 10.0, 7.0
	margin        = 16.0
	mostLetters   = 72
	mostLines     = 12
	arrow         = 7.0
	aside         = 9.0  // an edge upward, of one downward
	selfRoom      = 30.0 // at the right of a box that leads to itself
	sheetOfStyles = `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}.l{font-size:10px;fill:#59636e}.p{fill:#fff}.n{fill:#f6f8fa;stroke:#59636e}.s{stroke-width:2.5}.f{opacity:.6;stroke-dasharray:3 2}.r{stroke:#d1242f}.e{fill:none;stroke:#59636e}.d{stroke-dasharray:5 3}.h{fill:#59636e}.e.r{stroke:#d1242f}.h.r{fill:#d1242f;stroke:none}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.l{fill:#9198a1}.p{fill:#0d1117}.n{fill:#151b23;stroke:#9198a1}.e{stroke:#9198a1}.h{fill:#9198a1}.r,.e.r{stroke:#ff7b72}.h.r{fill:#ff7b72}}`
)

// svg draws the graph. Colours follow the scheme of whoever shows it, and the title is its name for
// a screen reader.
func (g *Graph) svg() string {
	texts := make([][]string, len(g.Nodes))
	width, high := make([]float64, len(g.Nodes)), make([]float64, len(g.Nodes))
	for i := range g.Nodes {
		texts[i] = clipped(g.Nodes[i].Lines)
		widest := 2
		for _, t := range texts[i] {
			widest = max(widest, letters(t))
		}
		width[i], high[i] = float64(widest)*letter+2*padX, float64(max(len(texts[i]), 1))*line+2*padY
	}
	l := layOut(g, width, high)
	right, bottom := 200.0, 0.0
	for i := range l.boxes {
		right = max(right, l.boxes[i].x+l.boxes[i].width/2)
		bottom = max(bottom, l.boxes[i].y+l.boxes[i].high/2)
	}
	right, bottom = right+2*margin+selfRoom, bottom+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`, right, bottom, right, bottom)
	fmt.Fprintf(&b, "<title>%s</title><desc>%d boxes and %d arrows</desc><style>%s</style>\n<rect class=\"p\" width=\"100%%\" height=\"100%%\"/>\n<g transform=\"translate(%g %g)\">\n",
		escaped(g.Title), len(g.Nodes), len(g.Edges), sheetOfStyles, margin, margin)
	for i := range g.Edges {
		l.edge(&b, g, i)
	}
	for i := range g.Nodes {
		x := &l.boxes[i]
		class := [...]string{Plain: "n", Strong: "n s", Faded: "n f", Alert: "n r"}[g.Nodes[i].Style]
		fmt.Fprintf(&b, "<rect class=%q x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>\n", class, max(x.x-x.width/2, 0), x.y-x.high/2, x.width, x.high)
		for j, t := range texts[i] {
			fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x.x-x.width/2+padX, x.y-x.high/2+padY+float64(j)*line+12, escaped(t))
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// edge draws an edge as a curve, with its head and its label.
func (l *layout) edge(b *strings.Builder, g *Graph, i int) {
	e, way := &g.Edges[i], &l.routes[i]
	class := ""
	if e.Dashed {
		class += " d"
	}
	if e.Alert {
		class += " r"
	}
	if len(way.boxes) == 0 {
		n := &l.boxes[e.From]
		x, y := n.x+n.width/2, n.y
		fmt.Fprintf(b, "<path class=\"e%s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>\n", class, x, y-8, x+24, y-16, x+24, y+16, x+arrow, y+8)
		head(b, class, x, y+8, -1, 0)
		label(b, e.Label, x+26, y)
		return
	}
	at := func(j int) (x, y float64) {
		n := &l.boxes[way.boxes[j]]
		switch j {
		case 0:
			return n.x, n.y + n.high/2
		case len(way.boxes) - 1:
			return n.x, n.y - n.high/2
		}
		return n.x, n.y
	}
	last := len(way.boxes) - 1
	x0, y0 := at(0)
	xn, yn := at(last)
	if way.back {
		x0, xn, y0 = x0+aside, xn+aside, y0+arrow
	} else {
		yn -= arrow
	}
	fmt.Fprintf(b, "<path class=\"e%s\" d=\"M%.1f %.1f", class, x0, y0)
	px, py := x0, y0
	for j := 1; j <= last; j++ {
		x, y := at(j)
		if j == last {
			x, y = xn, yn
		}
		half := (y - py) / 2
		fmt.Fprintf(b, "C%.1f %.1f %.1f %.1f %.1f %.1f", px, py+half, x, y-half, x, y)
		px, py = x, y
	}
	b.WriteString("\"/>\n")
	x1, y1 := at(1)
	if way.back {
		head(b, class, x0, y0-arrow, 0, -1)
		xb, yb := at(last - 1) // next to where it begins, which is below
		label(b, e.Label, (xn*2+xb)/3, (yn*2+yb)/3)
		return
	}
	head(b, class, xn, yn+arrow, 0, 1)
	label(b, e.Label, (x0*2+x1)/3, (y0*2+y1)/3)
}

// head draws the head of an arrow that ends at a place, in a direction.
func head(b *strings.Builder, class string, x, y, dx, dy float64) {
	fmt.Fprintf(b, "<path class=\"h%s\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", strings.ReplaceAll(class, " d", ""),
		x, y, x-dx*arrow-dy*arrow/2, y-dy*arrow-dx*arrow/2, x-dx*arrow+dy*arrow/2, y-dy*arrow+dx*arrow/2)
}

// label writes what an arrow says, at its right.
func label(b *strings.Builder, text string, x, y float64) {
	if text != "" {
		fmt.Fprintf(b, "<text class=\"l\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x+4, y+3, escaped(clip(text, mostLetters/2)))
	}
}

// clipped returns at most mostLines lines of at most mostLetters characters.
func clipped(lines []string) []string {
	var out []string
	for i, t := range lines {
		if i == mostLines-1 && len(lines) > mostLines {
			return append(out, fmt.Sprintf("... %d more lines", len(lines)-i))
		}
		out = append(out, clip(t, mostLetters))
	}
	return out
}

func clip(text string, most int) string {
	text = visible(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-3]) + "..."
}

// letters is how many places a text takes in a monospace font; East Asian characters take two.
func letters(text string) (n int) {
	for _, r := range text {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return n
}

// escaped is a text of XML, whose spaces are kept.
func escaped(text string) string {
	return strings.ReplaceAll(html.EscapeString(visible(text)), " ", "\u00a0")
}
