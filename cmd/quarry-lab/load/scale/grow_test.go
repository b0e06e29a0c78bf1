package scale

import (
	"bytes"
	"flag"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// small are two sources of a few files each.
var small = map[string]string{
	"shop/go.mod":           "module example.com/shop\n",
	"shop/cart/cart.go":     "package cart\n\nimport \"example.com/shop/price\"\n\n// AddProduct uses computeTotal.\nfunc AddProduct() int { return price.ComputeTotal(1) }\n",
	"shop/price/price.go":   "package price\n\nfunc ComputeTotal(n int) int { return roundPrice(n) }\n\nfunc (r *Receipt) WriteLine() {}\n\ntype Receipt struct{}\n\nfunc roundPrice(n int) int { return n }\n",
	"tools/lib/measure.py":  "class MeasureTape:\n    def unroll_completely(self):\n        return self\n",
	"tools/bin/program.py":  "from lib.measure import MeasureTape\n\ndef start_program():\n    MeasureTape().unroll_completely()\n",
	"tools/bin/picture.png": "\x89PNG\x00",
}

func makeSources(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range small {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "shop") + "," + filepath.Join(dir, "tools")
}

// tree reads what was grown.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGrow(t *testing.T) {
	from := makeSources(t)
	grow := func(seed uint64) map[string]string {
		dir := filepath.Join(t.TempDir(), "out")
		r, err := growTree(t.Context(), growOptions{from: from, n: 10, seed: seed, heaps: 0.9}, dir)
		if err != nil {
			t.Fatal(err)
		}
		files := tree(t, dir)
		if r.Files != 10 || len(files) != 10 || r.Copies != 3 {
			t.Errorf("made %+v, and there are %d files", r, len(files))
		}
		return files
	}
	files := grow(7)
	for name, text := range small {
		if got, ok := files["part000/"+name]; (filepath.Ext(name) == ".go" || filepath.Ext(name) == ".py") && got != text || name == "tools/bin/picture.png" && ok {
			t.Errorf("the first copy of %s is not as it was: %q", name, got)
		}
	}
	if again := grow(7); !sameFiles(files, again) {
		t.Error("the same seed makes another tree")
	}
	if other := grow(8); sameFiles(files, other) {
		t.Error("another seed makes the same tree")
	}
	renamed := 0
	for name, text := range files {
		if strings.HasPrefix(name, "part001/") && !strings.Contains(text, "shop/price") && strings.Contains(text, "example.com/") {
			renamed++
		}
	}
	if renamed == 0 {
		t.Error("the second copy imports the packages of the first")
	}
	if _, err := growTree(t.Context(), growOptions{from: from, n: 10, heaps: 0.9}, filepath.Dir(strings.Split(from, ",")[0])); err == nil {
		t.Error("it grows a tree where there are files")
	}
}

func sameFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return true
}

func TestDefinitions(t *testing.T) {
	for text, want := range map[string][]string{
		"func (r *Receipt) WriteLine() {}": {"WriteLine"},
		"func ComputeTotal(n int)":         {"ComputeTotal"},
		"class MeasureTape:\n  def go":     {"MeasureTape", "go"},
		"pub fn poll_next<T>()":            {"poll_next"},
		"class = 5; type 9lives":           nil,
		"func (":                           nil,
		"export const answer = 42":         {"answer"},
	} {
		var got []string
		definitions([]byte(text), func(name []byte) { got = append(got, string(name)) })
		if !slices.Equal(got, want) {
			t.Errorf("%q defines %q, want %q", text, got, want)
		}
	}
}

func TestExchange(t *testing.T) {
	for _, c := range []struct {
		name   string
		choice int
		want   string
	}{
		{"parseRequest", 0, "volumRequest"}, {"parseRequest", 1, "parseVolum"}, {"MAX_SIZE", 1, "MAX_VOLUM"},
		{"read_file", 1, "read_volum"}, {"Reader", 0, "Volum"}, {"_private", 0, "_private_volum"},
	} {
		if got := exchange(c.name, "volum", c.choice); got != c.want {
			t.Errorf("%s, %d: %s, want %s", c.name, c.choice, got, c.want)
		}
	}
}

func TestScaleCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scale.csv")
	for _, n := range []int{1000, 100, 10_000, 100} {
		r := scaleReport{Files: n, Indexed: n, Bytes: int64(n) * 500, ReadyCPU: 0.5 * math.Sqrt(float64(n)), Hybrid95: 1.25}
		if err := appendScale(path, r); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := readScale(path)
	if err != nil || len(rows) != 3 || rows[0].Files != 100 || rows[2].Bytes != 5_000_000 || rows[1].Hybrid95 != 1.25 {
		t.Fatalf("read %+v, %v", rows, err)
	}
	if factor, exponent, ok := law(rows, "ready_cpu_seconds"); !ok || math.Abs(factor-0.5) > 0.01 || math.Abs(exponent-0.5) > 0.01 {
		t.Errorf("the law of a square root: %v * n^%v", factor, exponent)
	}
	if _, _, ok := law(rows[:1], "ready_cpu_seconds"); ok {
		t.Error("one point has a law")
	}
	if err := os.WriteFile(path, []byte("files,bogus\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readScale(path); err == nil {
		t.Error("an unknown column is taken")
	}
}

var update = flag.Bool("update", false, "write the table of figures into docs/scale.md")

func TestLaws(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "scale.csv")
	for _, n := range []int{100, 1000} {
		r := scaleReport{Files: n, Indexed: n, Bytes: int64(n), Symbols: n, FoundCPU: 1, PeakRSS: int64(n), Hybrid50: 1, HybridCPU: 1}
		if err := appendScale(path, r); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"laws", "--csv", path}, &out, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "symbols") || !strings.Contains(out.String(), "files^1.00") {
		t.Errorf("the laws: %s", out.String())
	}
}

// The page's table is made of the file of figures next to it.
func TestScaleTable(t *testing.T) {
	const page = "../../../../docs/scale.md"
	rows, err := readScale("../../../../docs/scale/figures.csv")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`(?m)^\| \|( [\d,]+ \|)+\n(\|.*\n)+`).FindIndex(text)
	if at == nil {
		t.Fatalf("%s has no table with a column for each size", page)
	}
	want := scaleTable(rows)
	if *update {
		if err := os.WriteFile(page, slices.Concat(text[:at[0]], []byte(want), text[at[1]:]), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got := string(text[at[0]:at[1]]); got != want {
		t.Errorf("%s differs from figures.csv; with -update it is written:\n%s\nwant\n%s", page, got, want)
	}
}

func TestWithCommas(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0, 0, "0"}, {0.04, 1, "0.0"}, {0.25, 1, "0.3"}, {9.96, 1, "10.0"}, {999, 0, "999"}, {1000, 0, "1,000"},
		{1234.5, 1, "1,234.5"}, {95921, 0, "95,921"}, {1_923_302, 0, "1,923,302"},
	} {
		if got := withCommas(c.v, c.decimals); got != c.want {
			t.Errorf("%v with %d decimals: %s, want %s", c.v, c.decimals, got, c.want)
		}
	}
}
