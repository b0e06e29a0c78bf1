package highlight

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
)

var update = flag.Bool("update", false, "rewrite the classes in testdata")

// letters stand for the classes in testdata.
const letters = ".cCfknoPps" + "t"

// TestClasses compares the classes of texts with those in testdata: below each file is the same text
// with a letter for each character that has a class.
func TestClasses(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	p := lang.NewParser()
	defer p.Close()
	seen := map[string]bool{}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := &txtar.Archive{Comment: a.Comment}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, " classes") {
				continue
			}
			language := source.Language(f.Name, f.Data)
			seen[language] = true
			of := paint(p, language, f.Data)
			var b bytes.Buffer
			if of.because != "" {
				b.WriteString("# " + of.because + "\n")
			}
			for i, r := range string(f.Data) {
				switch {
				case r == '\n' || r == ' ' || r == '\t':
					b.WriteRune(r)
				default:
					b.WriteByte(letters[of.classes[i]])
				}
			}
			out.Files = append(out.Files, f, txtar.File{Name: f.Name + " classes", Data: b.Bytes()})
		}
		switch got := txtar.Format(out); {
		case *update:
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		case !bytes.Equal(got, txtar.Format(a)):
			t.Errorf("%s:\n%s", path, got)
		}
	}
	for _, name := range lang.All().Names() {
		if l, _ := lang.All().Language(name); l.Grammar != nil && !seen[name] {
			t.Errorf("no file of testdata is %s", name)
		}
	}
}

// TestStretches has columns in UTF-16, and lines that end within a string.
func TestStretches(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	src := []byte("a = \"é😀x\" # 😀\nb = '''1\n2'''\n")
	of := paint(p, "python", src)
	var got [][]int
	for at := 0; at < len(src); {
		n := bytes.IndexByte(src[at:], '\n')
		got = append(got, stretches(src[at:at+n], of.classes[at:at+n]))
		at += n + 1
	}
	want := [][]int{
		{2, 3, int(Operator), 4, 10, int(String), 11, 15, int(Comment)},
		{2, 3, int(Operator), 4, 8, int(String)},
		{0, 4, int(String)},
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestMemory keeps what was used last, and no more than its bound.
func TestMemory(t *testing.T) {
	var m memory
	k := func(n uint64) key { return key{"go", n, maxKept / 3} }
	for n := range uint64(3) {
		m.put(k(n), painting{})
	}
	m.get(k(0))
	m.put(k(3), painting{})
	for n, want := range []bool{true, false, true, true} {
		if _, ok := m.get(k(uint64(n))); ok != want {
			t.Errorf("%d is kept: %v", n, ok)
		}
	}
	if m.size > maxKept || len(m.order) != len(m.known) {
		t.Errorf("%d bytes, %d keys of %d", m.size, len(m.order), len(m.known))
	}
}

func BenchmarkPaint(b *testing.B) {
	p := lang.NewParser()
	defer p.Close()
	src, err := os.ReadFile("highlight.go")
	if err != nil {
		b.Fatal(err)
	}
	src = bytes.Repeat(src, 1000/bytes.Count(src, []byte("\n"))+1)
	for b.Loop() {
		paint(p, "go", src)
	}
}
