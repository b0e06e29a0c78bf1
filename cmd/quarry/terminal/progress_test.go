package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index"
)

func TestCounterLines(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, false, "")
	p.Update(index.Progress{Phase: "files", FilesDone: 1, FilesTotal: 9})
	if out.Len() > 0 {
		t.Errorf("a line at once: %q", out.String())
	}
	for _, now := range []index.Progress{
		{Phase: "walk", FilesDone: 7},
		{Phase: "files", FilesDone: 20, FilesTotal: 90},
		{Phase: "vectors", ChunksDone: 3, ChunksTotal: 4},
	} {
		p.spoke = time.Now().Add(-counterInterval)
		p.Update(now)
	}
	p.End()
	want := "quarry: 7 files\nquarry: 20 of 90 files\nquarry: 3 of 4 chunks with vectors\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBar(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, true, "")
	for done := range 11 {
		p.Update(index.Progress{Phase: "files", FilesDone: done, FilesTotal: 10})
	}
	p.Update(index.Progress{Phase: "vectors", ChunksDone: 1, ChunksTotal: 2})
	p.End()
	if !strings.Contains(out.String(), "files") || strings.Contains(out.String(), "\n") {
		t.Errorf("%q", out.String())
	}
}
