package callgraph

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestRecorded compares Quarry with what compilers have said of projects, and checks the
// answers about callers. With -update, and the compiler in the variable, it is asked again.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		name, variable string
		calls          func(dir, compiler string) ([]byte, error)
	}{
		{"typescript", "TYPESCRIPT", func(dir, compiler string) ([]byte, error) {
			o := typescriptOptions{configs: []string{"tsconfig.json"}, compiler: compiler, node: "node"}
			return o.calls(t.Context(), dir)
		}},
		{"java", "JAVA", func(dir, compiler string) ([]byte, error) {
			o := javaOptions{jvmOptions{sources: []string{"."}, java: compiler}}
			return o.calls(t.Context(), dir)
		}},
		{"csharp", "CSHARP", func(dir, compiler string) ([]byte, error) {
			o := csharpOptions{sources: []string{"."}, flags: []string{"-r:System.Core"}, mono: "mono", mcs: "mcs", compiler: compiler}
			return o.calls(t.Context(), dir)
		}},
		{"python", "PYTHON", func(dir, compiler string) ([]byte, error) {
			o := pythonOptions{python: compiler}
			return o.calls(t.Context(), dir)
		}},
		{"ruby", "RUBY", func(dir, compiler string) ([]byte, error) {
			o := rubyOptions{command: compiler + " test_cart.rb"}
			return o.calls(t.Context(), dir)
		}},
		{"php", "PHP", func(dir, compiler string) ([]byte, error) {
			o := phpOptions{command: compiler + " CartTest.php"}
			return o.calls(t.Context(), dir)
		}},
		{"rust", "RUST", func(dir, compiler string) ([]byte, error) {
			o := rustOptions{rustc: compiler, cargo: "cargo"}
			return o.calls(t.Context(), dir)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := "testdata/" + c.name + ".txtar"
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir, want := unpack(t, a)
			recorded := filepath.Join(dir, "calls.jsonl")
			text, err := os.ReadFile(recorded)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(recorded); err != nil {
				t.Fatal(err)
			}
			if compiler := os.Getenv(c.variable); compiler != "" {
				said, err := c.calls(dir, compiler)
				if err != nil {
					t.Fatal(err)
				}
				if *update {
					text = said
					a.Files[len(a.Files)-2].Data = said
				} else if d := cmp.Diff(string(text), string(said)); d != "" {
					t.Errorf("the compiler: -recorded +now:\n%s", d)
				}
			}
			truth, err := readCalls(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			truth.observed = c.name == "python" || c.name == "ruby" || c.name == "php"
			checkResult(t, a, name, dir, want, truth)
		})
	}
}

// checkResult compares what a measurement prints with the last file of an archive.
func checkResult(t *testing.T, a *txtar.Archive, name, dir, want string, truth truth) {
	t.Helper()
	r, err := (&measurement{draw: 100}).result(t.Context(), dir, truth)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := r.writeText(&got, true); err != nil {
		t.Fatal(err)
	}
	if *update {
		a.Files[len(a.Files)-1].Data = []byte(got.String())
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestGCC compares Quarry with graphs that GCC has written. With -update, and the compiler in
// GCC, they are written again.
func TestGCC(t *testing.T) {
	const name = "testdata/gcc.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir, want := unpack(t, a)
	o := gccOptions{sources: []string{"."}, c: "gcc", cpp: "g++"}
	all := newUnits(dir)
	n := 0
	for i, f := range a.Files {
		source, ok := strings.CutSuffix(f.Name, ".ci")
		if !ok {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name)); err != nil {
			t.Fatal(err)
		}
		info := f.Data
		if os.Getenv("GCC") != "" {
			if info, err = o.compile(t.Context(), dir, source, filepath.Join(t.TempDir(), "a.o")); err != nil {
				t.Fatal(err)
			}
			if *update {
				a.Files[i].Data = info
			} else if d := cmp.Diff(string(f.Data), string(info)); d != "" {
				t.Errorf("the compiler: -recorded +now:\n%s", d)
			}
		}
		if err := all.read(n, bytes.NewReader(info)); err != nil {
			t.Fatal(err)
		}
		n++
	}
	checkResult(t, a, name, dir, want, all.truth())
}

func TestFunctionName(t *testing.T) {
	for label, want := range map[string]string{
		"h":                              "h",
		"int helper(int)":                "helper",
		"virtual B::~B()":                "~B",
		"T twice(T) [with T = int]":      "twice",
		"V V::operator+(const V&) const": "operator+",
		"R F::operator()(int)":           "operator()",
		"main()::<lambda(int)>":          "<lambda",
		"std::vector<int> ns::C<T>::get(const char*) [with T = int]": "get",
		"V::operator bool() const":                                   "operator bool",
	} {
		if got := functionName(label); got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
}

func TestWithoutCompiler(t *testing.T) {
	dir, none := t.TempDir(), filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"A.java", "a.c", "tsconfig.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		"callgraph: run the TypeScript compiler": {"typescript", dir, "--node", none},
		"callgraph: run javac on":                {"java", dir, "--java", none},
		"callgraph: no source of C or C++":       {"gcc", dir, "--c", none},
		"callgraph: no sources of Java":          {"java", t.TempDir()},
		"callgraph: run the tests of":            {"python", dir, "--python", none},
		"callgraph: build the Rust compiler":     {"rust", dir, "--rustc", none},
	} {
		out, err := run(t, args...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

func TestReadCallsBroken(t *testing.T) {
	for _, text := range []string{"{", `{"at":["a.ts",1],"kind":"direct"}`, `{"at":["a.ts",1,2],"kind":"direct","to":[[1,2,3]]}`, `{"function":["a.ts"]}`} {
		if _, err := readCalls(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
