package peers

import (
	"fmt"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index/suite"
)

// A report is what all peers have come to, as tables in Markdown.
type report struct {
	machine   string
	subjects  []subject
	peers     []outcome
	questions suite.Suite
}

// String writes the tables. Every peer is in the first one, and in each of the others of
// which it does the work.
func (r report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nMeasured %s.\n\n### The programs\n\n", r.machine)
	row(&b, "peer", "package", "version", "state", "remark")
	rule(&b, 5)
	for _, p := range r.peers {
		state := p.why
		if state == "" {
			state = "measured"
			for _, built := range p.built {
				if built.err != nil {
					state = "cannot run: " + reason(built.err.Error(), built.err)
				}
			}
		}
		row(&b, p.name, p.from, p.printed, state, p.remark)
	}
	for i, s := range r.subjects {
		fmt.Fprintf(&b, "\n### %s: %d text files, %.1f MB\n\n", s.name, s.files, float64(s.bytes)/1e6)
		r.builds(&b, i)
		r.answers(&b, i, s)
	}
	r.graphs(&b)
	r.quality(&b)
	b.WriteString("\n")
	return b.String()
}

func (r report) builds(b *strings.Builder, i int) {
	b.WriteString("Building the index, and bringing it up to date after a change of one file:\n\n")
	row(b, "peer", "build, s", "processor, s", "peak, MiB", "disk, MB", "update, s", "processor, s")
	rule(b, 7)
	for _, p := range r.peers {
		switch {
		case p.why != "" || i >= len(p.built):
			row(b, p.name, p.why, "", "", "", "", "")
			continue
		case p.index == nil:
			row(b, p.name, "no index", "", "", "", "", "")
			continue
		}
		c := p.built[i]
		if c.err != nil {
			row(b, p.name, "failed", "", "", "", "", "")
			continue
		}
		update := []string{"none: rebuilds", ""}
		if c.again != nil {
			update[0] = "failed: " + reason(c.again.Error(), c.again)
		} else if p.update != nil {
			update = []string{seconds(c.update.wall), seconds(c.update.cpu)}
		}
		row(b, p.name, seconds(c.cost.wall), seconds(c.cost.cpu), fmt.Sprintf("%.0f", float64(c.cost.peak)/(1<<20)),
			fmt.Sprintf("%.1f", float64(c.disk)/1e6), update[0], update[1])
	}
}

func (r report) answers(b *strings.Builder, i int, s subject) {
	b.WriteString("\nExact searches, whole processes: median in ms, and in brackets how many lines were found:\n\n")
	var columns []string
	for _, q := range s.queries {
		columns = append(columns, q.name)
	}
	r.table(b, i, columns, "")
	b.WriteString("\nThe same of servers that are kept running, over HTTP:\n\n")
	r.table(b, i, columns, "server: ")
	fmt.Fprintf(b, "\nA definition by its name (`%s`), and the structure of the whole folder, in ms:\n\n", s.define)
	r.table(b, i, []string{"definition", "structure"}, "")
	b.WriteString("\nLooked for:")
	for n, q := range s.queries {
		if n > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(b, " %s `%s`", q.name, q.text)
	}
	b.WriteString(".\n")
}

// table has a line for each peer with any of the columns.
func (r report) table(b *strings.Builder, i int, columns []string, prefix string) {
	row(b, append([]string{"peer"}, columns...)...)
	rule(b, 1+len(columns))
	for _, p := range r.peers {
		if i >= len(p.answered) {
			continue
		}
		line, some := []string{p.name}, false
		for _, c := range columns {
			text := p.answered[i][prefix+c]
			some = some || text != ""
			line = append(line, text)
		}
		if some {
			row(b, line...)
		}
	}
}

func (r report) graphs(b *strings.Builder) {
	b.WriteString("\n### Callers of a symbol, in planted projects\n\nPrecision / recall of the calling functions:\n\n")
	row(b, "peer", "Go", "Python", "TypeScript", "all", "median of a question")
	rule(b, 6)
	for _, p := range r.peers {
		if p.peer.callers == nil {
			continue
		}
		line := append([]string{p.name}, p.callers...)
		if p.why != "" {
			line = append(line, p.why)
		}
		for len(line) < 6 {
			line = append(line, "")
		}
		row(b, line...)
	}
}

func (r report) quality(b *strings.Builder) {
	if len(r.questions) == 0 {
		return
	}
	n := 0
	for _, q := range r.questions {
		n += len(q.Queries)
	}
	fmt.Fprintf(b, "\n### Questions: %d about %d repositories\n\n", n, len(r.questions))
	row(b, "peer", "NDCG@10", "recall@10", "median of a question, ms")
	rule(b, 4)
	for _, p := range r.peers {
		switch {
		case p.answer == nil:
		case p.why != "":
			row(b, p.name, p.why, "", "")
		default:
			fmt.Fprintf(b, "| %s | %s |\n", p.name, p.quality)
		}
	}
}

func row(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func rule(b *strings.Builder, columns int) {
	b.WriteString(strings.Repeat("|---", columns) + "|\n")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }
