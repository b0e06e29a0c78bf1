package ignore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const anyRoom = 1 << 30

// oneByOne is Match by a look at each pattern.
func oneByOne(ps []pattern, path, base string, folder bool) (out, decided bool) {
	for i := len(ps) - 1; i >= 0; i-- {
		if ps[i].match(path, base, folder) {
			return !ps[i].negate, true
		}
	}
	return false, false
}

func compare(t *testing.T, text, path string) {
	t.Helper()
	base := path[strings.LastIndexByte(path, '/')+1:]
	ps, l := parsePatterns(text), Parse(text, anyRoom)
	for _, folder := range []bool{false, true} {
		out, decided := l.Match(path, base, folder)
		if wantOut, want := oneByOne(ps, path, base, folder); decided != want || want && out != wantOut {
			t.Fatalf("%q, folder %t, of %q: out %t, decided %t; one by one %t, %t", path, folder, text, out, decided, wantOut, want)
		}
	}
}

// TestList compares a list with its patterns one by one, on drawn patterns and paths that
// have much in common.
func TestList(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	draw := func(parts []string, n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	patterns := []string{"a", "b", "ab", "*", "?", "**", "/", "/**/", "**/", "/**", "[ab]", "[!a]", "[^b/]", "[[:alpha:]]", `\*`, `\a`, `\/`, "[", "!", "a/", "lib", ".", "[]a]", "[a-c-e]", "[[:x:]]", `\`}
	paths := []string{"a", "b", "ab", "lib", "*", "c", "-", "é", "."}
	decided := 0
	for range 30000 {
		var lines []string
		for range 1 + r.IntN(12) {
			lines = append(lines, draw(patterns, 8))
		}
		text := strings.Join(lines, "\n")
		elements := make([]string, 1+r.IntN(5))
		for i := range elements {
			elements[i] = draw(paths, 3)
		}
		path := strings.Join(elements, "/")
		compare(t, text, path)
		if _, yes := Parse(text, anyRoom).Match(path, elements[len(elements)-1], false); yes {
			decided++
		}
	}
	if decided < 5000 || decided > 25000 {
		t.Errorf("the patterns decide %d of 30000 paths: they say little", decided)
	}
}

// TestListLong has so many patterns that their places fill many words, at whose borders
// each of them ends up once.
func TestListLong(t *testing.T) {
	var lines []string
	for i := range 130 {
		lines = append(lines, fmt.Sprintf("%sx*%d", strings.Repeat("p", i), i), fmt.Sprintf("%sd/**/e%d?", strings.Repeat("q", i), i), fmt.Sprintf("!**/%d/**/x/**", i), fmt.Sprintf("/r%d*/**", i))
	}
	text := strings.Join(lines, "\n")
	for i := range 130 {
		for _, path := range []string{
			fmt.Sprintf("%sxyz%d", strings.Repeat("p", i), i), fmt.Sprintf("%sd/e%d!", strings.Repeat("q", i), i), fmt.Sprintf("%sd/1/2/e%d!", strings.Repeat("q", i), i),
			fmt.Sprintf("%d/x/y", i), fmt.Sprintf("1/%d/2/x/y/z", i), fmt.Sprintf("r%dx/y", i), fmt.Sprintf("r%d", i),
		} {
			compare(t, text, path)
		}
	}
}

// TestParseBounds: patterns beyond the room are left out, literal ones are not, and the
// work of a byte is bounded by the room.
func TestParseBounds(t *testing.T) {
	const room = 1 << 10
	hostile := strings.Repeat("*a*a*a*a*a*a*a*b\n", 60000) + "last\n"
	l := Parse(hostile, room)
	if l.Left() < 59900 || l.Left() == 60000 || l.Size() > room {
		t.Errorf("%d left out, size %d", l.Left(), l.Size())
	}
	if n := len(l.name.start); n > room/64+1 {
		t.Errorf("%d words of places in a room of %d characters", n, room)
	}
	for name, want := range map[string]bool{"aaaaaaab": true, "aab": false, "last": true} {
		if out, _ := l.Match(name, name, false); out != want {
			t.Errorf("%s: out %t", name, out)
		}
	}
	if Parse("# nothing\n\n", room) != nil || Parse("[\n*.o\n", anyRoom).Left() != 0 {
		t.Error("nothing is left out of these")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("**/a*b/[!c]?", "x/aab/d")
	f.Add(strings.Repeat("a*", 40)+"b", strings.Repeat("a", 200))
	f.Add("[", "[")
	f.Add(`\`, `\`)
	f.Add("/a/**/**/b/", "a/c/b")
	f.Add("/a**/*\n!a?\nb\n*.c", "a")
	f.Fuzz(func(t *testing.T, text, path string) {
		if len(text) > 1000 || len(path) > 1000 || path == "" {
			return
		}
		compare(t, text, path)
	})
}

// ordinary is an ignore file as many repositories have one.
const ordinary = "*.o\n*.a\n*.so\n*.py[cod]\n__pycache__/\nbuild/\n/dist\n*.egg-info/\n.env\n*.log\n!keep.log\nnode_modules/\n/docs/_build/\n" +
	"*.swp\n*~\n.DS_Store\n.idea/\n*.iml\n/target/\n**/*.rs.bk\ncoverage.*\n.coverage\nhtmlcov/\n.tox\n*.mo\n*.pot\n/vendor/*/tmp\nThumbs.db\n"

func BenchmarkMatch(b *testing.B) {
	paths := []string{"index/internal/source/ignore.go", "README.md", "cmd/quarry/command/testdata/script/index.txtar", "src/main/java/com/example/App.java"}
	for name, text := range map[string]string{"ordinary": ordinary, "hostile": strings.Repeat("*a*a*a*a*a*a*a*b\n", 1900)} {
		l, ps := Parse(text, 32<<10), parsePatterns(text)
		for i, match := range []func(path, base string) (bool, bool){
			func(path, base string) (bool, bool) { return l.Match(path, base, false) },
			func(path, base string) (bool, bool) { return oneByOne(ps, path, base, false) },
		} {
			b.Run(name+[]string{"/list", "/one-by-one"}[i], func(b *testing.B) {
				for b.Loop() {
					for _, p := range paths {
						match(p, p[strings.LastIndexByte(p, '/')+1:])
					}
				}
			})
		}
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			Parse(ordinary, 32<<10)
		}
	})
}
