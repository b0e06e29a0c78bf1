package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
	"github.com/quarry-search/quarry/index/flow"
)

// analysed has a program for each language: lib.EXT has "twice", which doubles and returns, and
// "lost", which nothing uses; main.EXT calls twice. # is where the name of the file's folder is.
var analysed = []struct{ language, ext, lib, main string }{
	{"bash", "sh", "twice() {\n  local m=$(( $1 * 2 ))\n  echo \"$m\"\n}\nlost() {\n  echo 1\n}\n", "source ./lib.sh\nrun() {\n  twice 3\n}\nrun\n"},
	{"c", "c", "#include \"lib.h\"\nint twice(int n) {\n  int m = n * 2;\n  return m;\n}\nstatic int lost(int n) {\n  return n;\n}\n", "#include \"lib.h\"\nint main(void) {\n  return twice(3);\n}\n"},
	{"cpp", "cpp", "#include \"lib.hpp\"\nint twice(int n) {\n  int m = n * 2;\n  return m;\n}\nstatic int lost(int n) {\n  return n;\n}\n", "#include \"lib.hpp\"\nint main() {\n  return twice(3);\n}\n"},
	{"csharp", "cs", "namespace App;\nstatic class Lib {\n  internal static int twice(int n) {\n    int m = n * 2;\n    return m;\n  }\n  private static int lost(int n) {\n    return n;\n  }\n}\n", "namespace App;\nclass Program {\n  static void Main() {\n    Lib.twice(3);\n  }\n}\n"},
	{"elixir", "ex", "defmodule Lib do\n  def twice(n) do\n    m = n * 2\n    m\n  end\n  defp lost(n) do\n    n\n  end\nend\n", "defmodule Main do\n  def main(_) do\n    Lib.twice(3)\n  end\nend\n"},
	{"go", "go", "package main\n\nfunc twice(n int) int {\n\tm := n * 2\n\treturn m\n}\n\nfunc lost(n int) int {\n\treturn n\n}\n", "package main\n\nfunc main() {\n\tprintln(twice(3))\n}\n"},
	{"java", "java", "package app;\nclass Lib {\n  static int twice(int n) {\n    int m = n * 2;\n    return m;\n  }\n  private static int lost(int n) {\n    return n;\n  }\n}\n", "package app;\nclass Main {\n  public static void main(String[] args) {\n    Lib.twice(3);\n  }\n}\n"},
	{"javascript", "js", "export function twice(n) {\n  const m = n * 2;\n  return m;\n}\nfunction lost(n) {\n  return n;\n}\n", "import { twice } from \"./lib.js\";\nfunction run() {\n  return twice(3);\n}\nrun();\n"},
	{"kotlin", "kt", "package app\ninternal fun twice(n: Int): Int {\n  val m = n * 2\n  return m\n}\nprivate fun lost(n: Int): Int {\n  return n\n}\n", "package app\nfun main() {\n  println(twice(3))\n}\n"},
	{"php", "php", "<?php\nfunction twice($n) {\n  $m = $n * 2;\n  return $m;\n}\nfunction lost($n) {\n  return $n;\n}\n", "<?php\nrequire 'lib.php';\nfunction run() {\n  return twice(3);\n}\nrun();\n"},
	{"python", "py", "def twice(n):\n    m = n * 2\n    return m\n\n\ndef lost(n):\n    return n\n", "from lib import twice\n\n\ndef main():\n    return twice(3)\n\n\nmain()\n"},
	{"ruby", "rb", "def twice(n)\n  m = n * 2\n  return m\nend\n\ndef lost(n)\n  n\nend\n", "require_relative \"lib\"\n\ndef run\n  twice(3)\nend\n\nrun\n"},
	{"rust", "rs", "pub fn twice(n: i32) -> i32 {\n    let m = n * 2;\n    return m;\n}\n\nfn lost(n: i32) -> i32 {\n    n\n}\n", "mod lib;\n\nfn main() {\n    lib::twice(3);\n}\n"},
	{"scala", "scala", "package app\nobject Lib {\n  def twice(n: Int): Int = {\n    val m = n * 2\n    return m\n  }\n  private def lost(n: Int): Int = {\n    n\n  }\n}\n", "package app\nobject Main {\n  def main(args: Array[String]): Unit = {\n    Lib.twice(3)\n  }\n}\n"},
	{"swift", "swift", "func twice(_ n: Int) -> Int {\n  let m = n * 2\n  return m\n}\nprivate func lost(_ n: Int) -> Int {\n  return n\n}\n", "func run() -> Int {\n  return twice(3)\n}\nprint(run())\n"},
	{"tsx", "tsx", "export function twice(n: number) {\n  const m = n * 2;\n  return m;\n}\nfunction lost(n: number) {\n  return n;\n}\n", "import { twice } from \"./lib\";\nexport const App = () => <p>{twice(3)}</p>;\n"},
	{"typescript", "ts", "export function twice(n: number): number {\n  const m = n * 2;\n  return m;\n}\nfunction lost(n: number): number {\n  return n;\n}\n", "import { twice } from \"./lib\";\nfunction run(): number {\n  return twice(3);\n}\nrun();\n"},
}

// analysesTable is between these marks in docs/languages.md.
const (
	analysesBegin = "<!-- analyses: made by TestAnalyses -->\n"
	analysesEnd   = "<!-- end of analyses -->\n"
)

// TestAnalyses asks every analysis about a small program in each language, and holds the table in
// docs/languages.md to what works.
func TestAnalyses(t *testing.T) {
	var b strings.Builder
	b.WriteString("| language | `/calls` | `/cfg` | `/dfg` | `/slice` | `/flows` | `/dead` | `/arch` |\n|---|---|---|---|---|---|---|---|\n")
	for _, a := range analysed {
		fmt.Fprintf(&b, "| %s |", a.language)
		for _, cell := range analyses(t, a.ext, a.lib, a.main) {
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	const file = "../docs/languages.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), analysesBegin)
	was, after, ok2 := strings.Cut(rest, analysesEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	if was == b.String() {
		return
	}
	if updating() {
		if err := os.WriteFile(file, []byte(before+analysesBegin+b.String()+analysesEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is not as it works:\n%s", file, b.String())
}

// analyses returns a cell for each: yes, or "-" for a language without.
func analyses(t *testing.T, ext, lib, main string) (cells []string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"lib." + ext: lib, "main." + ext: main, "go.mod": "module app\n\ngo 1.24\n", "lib.h": "int twice(int n);\n", "lib.hpp": "int twice(int n);\n"} {
		if name == "go.mod" && ext != "go" || strings.HasPrefix(name, "lib.h") && !slices.Contains([]string{"c", "cpp"}, ext) {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := Open(root, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	line := strings.Count(lib[:max(strings.Index(lib, "n * 2"), strings.Index(lib, "$1"))], "\n") + 2 // that of the return
	unsupported := func(err error) string {
		var none *answer.UnsupportedError
		if err != nil && !errors.As(err, &none) {
			t.Errorf("%s: %v", ext, err)
		}
		return "-"
	}
	cell := func(works bool, err error) {
		switch {
		case err != nil:
			cells = append(cells, unsupported(err))
		case works:
			cells = append(cells, "yes")
		default:
			cells = append(cells, "no")
		}
	}
	target := "lib." + ext + ":twice"
	called, err := x.Calls(t.Context(), calls.CallsQuery{Target: target, Direction: calls.Callers})
	cell(len(called.Edges) == 1, err)
	control, err := x.Control(t.Context(), flow.ControlQuery{Target: target})
	cell(len(control.Blocks) > 3, err)
	data, err := x.Data(t.Context(), flow.DataQuery{Target: target, Variable: ""})
	cell(slices.ContainsFunc(data.Edges, func(e flow.DefUse) bool { return strings.TrimPrefix(e.Variable, "$") == "m" }), err)
	slice, err := x.Slice(t.Context(), flow.SliceQuery{Target: fmt.Sprintf("lib.%s:%d", ext, line)})
	lines := slices.DeleteFunc(slice.Lines, func(l flow.SliceLine) bool { return l.Reason == "syntax" })
	cell(len(lines) == 2, err)
	flows, err := x.Flows(t.Context(), flow.FlowsQuery{Source: []string{"func:twice"}, Sink: []string{"word:return"}, Sanitizer: []string{flow.NoSanitizer}})
	if len(flows.NotLooked) > 0 {
		cells = append(cells, "-")
	} else {
		cell(len(flows.Flows) == 1, err)
	}
	gone, err := x.Dead(t.Context(), dead.Query{Confidence: dead.Possible, Exports: dead.IgnoreExports})
	if err == nil && slices.ContainsFunc(gone.NotLooked, func(s string) bool {
		return slices.Contains(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == ':' }), languageOf(x, "lib."+ext))
	}) {
		cells = append(cells, "-")
	} else {
		cell(slices.ContainsFunc(gone.Dead, func(f dead.Finding) bool { return strings.HasSuffix(f.Symbol, "lost") }), err)
	}
	arch, err := x.Architecture(t.Context(), architecture.Query{Level: "file", Section: "matrix", Kinds: []string{"imports", "types", "calls"}})
	cell(slices.ContainsFunc(arch.Matrix, func(c architecture.Cell) bool { return c.From == "main."+ext }), err)
	return cells
}

func languageOf(x *Index, file string) string { return x.View.Record(file).Lang }
