package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index/suite"
)

// comparePeers measures all peers and writes the tables.
func comparePeers(ctx context.Context, o options, out, errOut io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "quarry-peers-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if filepath.Base(o.quarry) != o.quarry {
		if o.quarry, err = filepath.Abs(o.quarry); err != nil {
			return err
		}
	}
	var subjects []subject
	for _, root := range o.repos {
		s, err := newSubject(root)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	var questions suite.Suite
	if o.suite != "" {
		if questions, err = suite.Read(o.suite); err != nil {
			return err
		}
	}
	c := comparison{o: o, dir: dir, log: errOut}
	var r report
	r.machine = machineLine(ctx)
	for _, p := range peers(o.quarry) {
		if ctx.Err() != nil { // what has been measured is worth keeping
			r.peers = append(r.peers, outcome{foundPeer: foundPeer{peer: p, printed: "unknown", why: "stopped before it"}})
			continue
		}
		f := find(ctx, p, o.bin)
		fmt.Fprintf(errOut, "%s %s %s\n", f.name, f.printed, f.why)
		r.peers = append(r.peers, c.peer(ctx, &f, subjects, questions))
	}
	r.subjects, r.questions = subjects, questions
	text := r.String()
	if o.out == "" {
		_, err := io.WriteString(out, text)
		return err
	}
	page, err := os.ReadFile(o.out)
	if err != nil {
		return fmt.Errorf("cannot read the page: %w", err)
	}
	if page, err = between(page, text); err != nil {
		return fmt.Errorf("%s: %w", o.out, err)
	}
	return os.WriteFile(o.out, page, 0o644)
}

// A comparison is what all peers have in common.
type comparison struct {
	o   options
	dir string
	log io.Writer
}

// An outcome is what became of a peer.
type outcome struct {
	foundPeer
	built    []built  // in the order of the subjects
	answered []cells  // as above
	callers  []string // by language, sorted; then the median of a question
	quality  string   // cells of the table
}

// A built index, or why there is none.
type built struct {
	cost   cost
	disk   int64
	update cost
	err    error
	again  error // of the update
}

// cells are the texts of a table by their column.
type cells map[string]string

func (c comparison) peer(ctx context.Context, f *foundPeer, subjects []subject, questions suite.Suite) outcome {
	o := outcome{foundPeer: *f}
	if f.why != "" {
		return o
	}
	dir := filepath.Join(c.dir, f.name)
	for i, s := range subjects {
		p, err := newPlace(s.root, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			o.built, o.answered = append(o.built, built{err: err}), append(o.answered, nil)
			continue
		}
		b := c.build(ctx, f, s, p)
		o.built = append(o.built, b)
		answers := cells{}
		if b.err == nil {
			answers = c.ask(ctx, f, s, p)
		}
		o.answered = append(o.answered, answers)
		fmt.Fprintf(c.log, "  %s: built in %s, %v\n", s.name, b.cost.wall.Round(time.Millisecond), b.err)
	}
	if f.callers != nil {
		o.callers = callerCells(measureCallers(ctx, f, filepath.Join(dir, "planted")))
	}
	if len(questions) > 0 && f.answer != nil {
		q, err := measureQuality(ctx, f, questions, c.o.corpus, filepath.Join(dir, "questions"))
		switch {
		case err != nil:
			o.quality = "cannot run: " + reason(err.Error(), err) + " | | "
		default:
			o.quality = fmt.Sprintf("%.3f | %.3f | %.1f", q.ndcg, q.recall, q.median)
		}
		fmt.Fprintf(c.log, "  questions: %s\n", o.quality)
	}
	return o
}

// build builds the index, and brings it up to date after a line was added to a file.
func (c comparison) build(ctx context.Context, f *foundPeer, s subject, p place) (b built) {
	if f.index == nil {
		return b
	}
	before := size(p.root)
	if _, b.cost, b.err = f.do(ctx, f.index(p)); b.err != nil {
		return b
	}
	b.disk = size(p.data) + size(p.root) - before // some keep it below the root
	if f.update == nil {
		return b
	}
	at := filepath.Join(p.root, s.edited)
	text, err := os.ReadFile(at)
	if err == nil {
		err = os.WriteFile(at, append(text, '\n', '\n'), 0o644)
	}
	if err != nil {
		b.again = err
		return b
	}
	_, b.update, b.again = f.do(ctx, f.update(p))
	return b
}

// ask asks all that the peer can answer about a folder.
func (c comparison) ask(ctx context.Context, f *foundPeer, s subject, p place) cells {
	all := cells{}
	note := func(column string, found int, wall time.Duration, err error) {
		switch {
		case err != nil:
			all[column] = "failed: " + reason(err.Error(), err)
		case found >= 0:
			all[column] = fmt.Sprintf("%s (%d)", milliseconds(wall), found)
		default:
			all[column] = milliseconds(wall)
		}
	}
	var kept *server
	if f.serve != nil {
		var err error
		if kept, err = f.start(ctx, p); err != nil {
			note(s.queries[0].name, -1, 0, err)
			return all
		}
		defer kept.stop()
	}
	for _, q := range s.queries {
		if f.search != nil {
			out, wall, err := f.repeat(ctx, c.o.runs, f.search(p, q))
			found := 0
			if err == nil {
				found = f.lines(out)
			}
			note(q.name, found, wall, err)
		}
		if kept != nil && f.over != nil {
			out, wall, err := kept.repeat(ctx, c.o.runs, f.over(q))
			note("server: "+q.name, f.overLines(out), wall, err)
		}
	}
	if f.define != nil {
		_, wall, err := f.repeat(ctx, c.o.runs, f.define(p, s.define))
		note("definition", -1, wall, err)
	}
	if f.structure != nil {
		_, wall, err := f.repeat(ctx, min(c.o.runs, 3), f.structure(p))
		note("structure", -1, wall, err)
	}
	return all
}

// callerCells are the precision and recall of each language, those of all, and the
// median of a question's time.
func callerCells(scores map[string]*score, err error) []string {
	if err != nil {
		return []string{"failed: " + reason(err.Error(), err)}
	}
	var row []string
	sum := new(score)
	for _, language := range slices.Sorted(maps.Keys(scores)) {
		s := scores[language]
		row = append(row, s.String())
		sum.wanted += s.wanted
		sum.given += s.given
		sum.common += s.common
		sum.took = append(sum.took, s.took...)
	}
	return append(row, sum.String(), fmt.Sprintf("%.0f ms", median(sum.took)))
}

// milliseconds prints a time with two digits or so.
func milliseconds(d time.Duration) string {
	ms := d.Seconds() * 1e3
	if ms < 10 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// between puts a text between the markers of a page.
func between(page []byte, text string) ([]byte, error) {
	const begin, end = "<!-- peers: begin -->\n", "<!-- peers: end -->"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		return nil, errors.New("the page has no markers")
	}
	return []byte(before + begin + text + end + after), nil
}
