package chunk

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden cuts the first file of each archive, whose language is the
// archive's comment, and compares with the file "want".
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	parser := lang.NewParser()
	defer parser.Close()
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			language, _, _ := strings.Cut(string(a.Comment), "\n")
			src := a.Files[0].Data
			file := parser.Parse(language, src)
			got := describe(&file, src, Split(&file, src))
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			check(t, src, Split(&file, src))
		})
	}
}

// describe prints a line for each chunk: lines, bytes, flags, symbol, and the
// line it leads with.
func describe(f *syntax.File, src []byte, chunks []Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		first := 1 + bytes.Count(src[:c.Start], []byte("\n"))
		fmt.Fprintf(&b, "%d-%d %d bytes", first, c.LastLine, c.End-c.Start)
		if c.Head {
			b.WriteString(" head")
		}
		if c.Defines {
			b.WriteString(" defines")
		}
		if c.Symbol >= 0 {
			s := f.Symbols[c.Symbol]
			fmt.Fprintf(&b, " %s", strings.TrimPrefix(s.Parent+"."+s.Name, "."))
		}
		lead, _, _ := bytes.Cut(src[c.Lead:c.End], []byte("\n"))
		fmt.Fprintf(&b, " @%d %s\n", c.Line, bytes.TrimSpace(lead))
	}
	return b.String()
}

// check holds what is promised of every cut.
func check(t *testing.T, src []byte, chunks []Chunk) {
	t.Helper()
	at := 0
	for _, c := range chunks {
		if c.Start < at || c.End <= c.Start || c.Lead < c.Start || c.Lead >= c.End {
			t.Fatalf("chunk %+v after byte %d", c, at)
		}
		if c.End-c.Start > Limit {
			t.Errorf("chunk of %d bytes at %d", c.End-c.Start, c.Start)
		}
		if lost := bytes.TrimSpace(src[at:c.Start]); len(lost) > 0 {
			t.Errorf("lost %q", lost)
		}
		if want := 1 + bytes.Count(src[:c.Lead], []byte("\n")); c.Line != want {
			t.Errorf("line %d of byte %d, want %d", c.Line, c.Lead, want)
		}
		if want := 1 + bytes.Count(src[:c.End-1], []byte("\n")); c.LastLine != want {
			t.Errorf("last line %d of byte %d, want %d", c.LastLine, c.End, want)
		}
		at = c.End
	}
	if lost := bytes.TrimSpace(src[at:]); len(lost) > 0 {
		t.Errorf("lost %q at the end", lost)
	}
}

// TestRandom cuts random texts with random symbols: nested, overlapping lines,
// with and without comments, whatever a grammar may report.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var src []byte
		for range r.IntN(120) {
			switch r.IntN(8) {
			case 0:
				src = append(src, '\n')
			case 1:
				src = append(src, strings.Repeat("é long ", r.IntN(500))...)
				src = append(src, '\n')
			case 2:
				src = append(src, strings.Repeat("ü", r.IntN(1500))...)
				src = append(src, "\r\n"...)
			default:
				src = append(src, strings.Repeat("\t", r.IntN(4))...)
				src = append(src, strings.Repeat("x+", r.IntN(40))...)
				src = append(src, '\n')
			}
		}
		f := syntax.File{HeadEnd: r.IntN(len(src)+1) * r.IntN(2)}
		symbols(r, src, f.HeadEnd, len(src), 0, &f.Symbols)
		chunks := Split(&f, src)
		check(t, src, chunks)
		for _, c := range chunks {
			if c.Symbol >= len(f.Symbols) || c.Defines && c.Symbol < 0 {
				t.Fatalf("chunk %+v with %d symbols", c, len(f.Symbols))
			}
		}
		if diff := cmp.Diff(chunks, Split(&f, src)); diff != "" {
			t.Fatalf("a second cut differs:\n%s", diff)
		}
	}
}

// symbols fills [start,end) with symbols, in order, containers first.
func symbols(r *rand.Rand, src []byte, start, end, depth int, out *[]syntax.Symbol) {
	for start < end && r.IntN(5) > 0 && depth < 4 {
		doc := start + r.IntN(end-start)
		from := doc + r.IntN(min(40, end-doc))
		to := from + 1 + r.IntN(end-from)
		line := 1 + bytes.Count(src[:from], []byte("\n"))
		*out = append(*out, syntax.Symbol{
			Name: "s", Start: from, End: to, DocStart: doc, Line: line, NameLine: line,
			EndLine: 1 + bytes.Count(src[:to-1], []byte("\n")),
		})
		symbols(r, src, from+1, to, depth+1, out)
		start = to
	}
}

func TestEmpty(t *testing.T) {
	for _, src := range []string{"", "\n\n", "   "} {
		if chunks := Split(&syntax.File{}, []byte(src)); len(chunks) != 0 {
			t.Errorf("%q gives %v", src, chunks)
		}
	}
}
