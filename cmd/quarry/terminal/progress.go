package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index"
)

const (
	// counterInterval is the time between two lines where there is no terminal.
	counterInterval = 5 * time.Second
	// barInterval is the least time between two states of a bar.
	barInterval = 100 * time.Millisecond
	// barWidth is how many columns a bar is wide.
	barWidth = 30
)

// A Progress shows how a build is going: a bar on a terminal, a line now and
// then elsewhere. It is not safe for concurrent use; index.Index calls Update
// from one goroutine.
type Progress struct {
	out      io.Writer
	label    string // stands before each line
	terminal bool
	phase    string
	shown    int       // columns of the bar; 0: none is shown
	spoke    time.Time // when the last line, or state of the bar, was written
}

// NewProgress returns one that writes to out, which may be a terminal.
func NewProgress(out io.Writer, terminal bool, label string) *Progress {
	return &Progress{
		out:      out,
		label:    label,
		terminal: terminal,
		spoke:    time.Now(), // a short build says nothing
	}
}

// IsTerminal reports whether a command's input or output is one.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // the only other such device that one writes to
	return err == nil && !os.SameFile(info, null)
}

// Update shows how far the build is.
func (p *Progress) Update(now index.Progress) {
	done, total, what := now.FilesDone, now.FilesTotal, "files"
	if now.Phase == "vectors" {
		done, total, what = now.ChunksDone, now.ChunksTotal, "chunks with vectors"
	}
	if !p.terminal {
		if time.Since(p.spoke) < counterInterval {
			return
		}
		p.spoke = time.Now()
		if total > 0 {
			fmt.Fprintf(p.out, "quarry: %s%d of %d %s\n", p.label, done, total, what)
		} else {
			fmt.Fprintf(p.out, "quarry: %s%d %s\n", p.label, done, what)
		}
		return
	}
	if p.phase != now.Phase {
		p.End()
		p.phase = now.Phase
	}
	if total == 0 || p.shown > 0 && time.Since(p.spoke) < barInterval {
		return
	}
	full := min(done, total) * barWidth / total
	line := fmt.Sprintf("%s [%s%s] %d/%d", what, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), done, total)
	fmt.Fprintf(p.out, "\r%-*s", p.shown, line)
	p.shown, p.spoke = max(p.shown, len(line)), time.Now()
}

// End takes the bar away. Update may follow it.
func (p *Progress) End() {
	if p.shown > 0 {
		fmt.Fprintf(p.out, "\r%*s\r", p.shown, "")
		p.shown = 0
	}
}

// Build builds an index once, and shows on out how that is going.
func Build(ctx context.Context, x *index.Index, out io.Writer) (index.Report, error) {
	bar := NewProgress(out, IsTerminal(out), "")
	defer bar.End()
	return x.BuildOnce(ctx, bar.Update)
}
