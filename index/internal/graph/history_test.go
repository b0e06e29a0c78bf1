package graph_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
)

// TestHistories goes between commits of made-up projects that lie far apart, as a checkout
// does, and compares the graph after each with one that is built afresh: files are there,
// gone, renamed, and functions are renamed, moved to other files and differently used in
// many files at once. The functions are passed around as values, of which some variables
// see more than are kept, and what is around them comes from outside the project. Each of
// the seeds has shown a difference where updates depended on what there was before.
func TestHistories(t *testing.T) {
	for _, language := range slices.Sorted(maps.Keys(dialects)) {
		seeds := dialects[language].seeds
		if testing.Short() { // what runs concurrently is the same for all
			if language != "go" {
				continue
			}
			seeds = seeds[:1]
		}
		for _, seed := range seeds {
			t.Run(fmt.Sprintf("%s-%d", language, seed), func(t *testing.T) { testHistory(t, dialects[language], seed, 0) })
		}
	}
	if testing.Short() {
		return
	}
	t.Run("without room", func(t *testing.T) { testHistory(t, dialects["php"], 0, 200) })
}

func testHistory(t *testing.T, d dialect, seed uint64, memos int) {
	p := languages.NewParser()
	defer p.Close()
	r := rand.New(rand.NewPCG(seed, 3))
	made := newProgram(r, 14, 6)
	commits := []program{made}
	for range 4 {
		made = made.changed(r)
		commits = append(commits, made)
	}
	put := func(g *graph.Graph, name, text string) {
		f, tree := p.ParseTree(source.Language(name, []byte(text)), []byte(text))
		// A graph lets go of parts of what it is given.
		g.Put(name, ir.Restore(snapshot.NewDecoder(coded(lower.File(&f, tree))), nil))
	}
	at := commits[0].files(d)
	g := graph.New()
	g.Memos(memos)
	for name, text := range at {
		put(g, name, text)
	}
	g.Resolve()
	for n := range 8 {
		next := commits[r.IntN(len(commits))].files(d)
		if n%2 == 1 { // an edit of one file on the way
			name := slices.Sorted(maps.Keys(at))[r.IntN(len(at))]
			next = maps.Clone(at)
			next[name] = commits[r.IntN(len(commits))].files(d)[name]
			if next[name] == "" {
				delete(next, name)
			}
		}
		for name, text := range next {
			if at[name] != text {
				put(g, name, text)
			}
		}
		for name := range at {
			if _, ok := next[name]; !ok {
				g.Remove(name)
			}
		}
		g.Resolve()
		fresh := graph.New()
		fresh.Memos(memos)
		for name, text := range next {
			put(fresh, name, text)
		}
		fresh.Resolve()
		shown := 0
		err := graph.Compare(t.Context(), g, fresh, func(d frozen.Difference) {
			if shown++; shown <= 4 {
				t.Errorf("after change %d: %s %s: %s, which only one has (fresh: %v)", n, d.What, d.Path, d.Text, d.Lack)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if shown > 0 {
			t.Fatalf("after change %d of %d files %d differ", n, len(next), shown)
		}
		at = next
	}
}

// A program is what a project in some language is written from.
type program map[string][]routine // by file

// A routine is a function that gets one, and returns one.
type routine struct {
	name  string
	steps []step
}

// A step is a statement: what it does, and the routines that it names.
type step struct{ kind, a, b int }

func newProgram(r *rand.Rand, files, each int) program {
	p := program{}
	for len(p) < files {
		p[fmt.Sprintf("part%d", r.IntN(40))] = newRoutines(r, each)
	}
	return p
}

func newRoutines(r *rand.Rand, n int) []routine {
	var all []routine
	for range n {
		x := routine{name: fmt.Sprintf("run%d", r.IntN(10_000))}
		for range 2 + r.IntN(4) {
			x.steps = append(x.steps, step{r.IntN(7), r.IntN(1000), r.IntN(1000)})
		}
		all = append(all, x)
	}
	return all
}

// changed returns a later version: of a third of the files, each of these things happens
// to some.
func (p program) changed(r *rand.Rand) program {
	next := maps.Clone(p)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		all := slices.Clone(p[name])
		switch r.IntN(12) {
		case 0: // renamed
			delete(next, name)
			next[fmt.Sprintf("part%d", r.IntN(40))] = all
		case 1:
			if len(next) > 3 {
				delete(next, name)
			}
		case 2: // another next to it
			next[fmt.Sprintf("part%d", r.IntN(40))] = newRoutines(r, 4)
		case 3: // its routines have other names
			for i := range all {
				all[i].name = fmt.Sprintf("run%d", r.IntN(10_000))
			}
			next[name] = all
		case 4: // they do something else
			for i := range all {
				all[i].steps = newRoutines(r, 1)[0].steps
			}
			next[name] = all
		case 5: // they go on in another order
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			next[name] = all
		}
	}
	return next
}

// files writes a program in a language.
func (p program) files(d dialect) map[string]string {
	type place struct{ file, name string }
	var all []place
	for _, file := range slices.Sorted(maps.Keys(p)) {
		for _, x := range p[file] {
			all = append(all, place{file, x.name})
		}
	}
	out := map[string]string{}
	for file, routines := range p {
		used := map[string]string{}
		name := func(n int) string {
			to := all[n%len(all)]
			if to.file != file {
				used[to.name] = to.file
			}
			return fmt.Sprintf(d.name, to.file, to.name)
		}
		var body strings.Builder
		for _, x := range routines {
			fmt.Fprintf(&body, d.head, x.name)
			for i, s := range x.steps {
				text := strings.NewReplacer("$a", name(s.a), "$b", name(s.b), "$i", fmt.Sprint(i)).Replace(d.steps[s.kind])
				body.WriteString(text)
			}
			body.WriteString(d.tail)
		}
		top := fmt.Sprintf(d.top, file)
		for _, name := range slices.Sorted(maps.Keys(used)) {
			if d.imports != "" {
				top += fmt.Sprintf(d.imports, used[name], name)
			}
		}
		out["app/"+file+d.ext] = top + body.String() + d.end
	}
	out["app/"+d.common] = d.shared
	return out
}

// A dialect is how a program is written in a language. Its steps: to register a routine; to
// call one with another; to call what came in; to take from outside; to keep in a
// container; to return one; to return what came in, or out of the container.
type dialect struct {
	ext, top, imports, name, head, tail, end string
	common, shared                           string
	steps                                    [7]string
	seeds                                    []uint64
}

var dialects = map[string]dialect{
	"go": {
		seeds: []uint64{1, 2, 3, 4},
		ext:   ".go", top: "package app\n\nimport \"example.com/lib\"\n\nvar _ = lib.Use // %s\n", name: "%[2]s",
		head: "\nfunc %s(x Routine) Routine {\n\tkept := []Routine{x}\n\tout := lib.Open(x)\n", tail: "\tout.Close()\n\treturn kept[0]\n}\n",
		common: "common.go", shared: "package app\n\ntype Routine func(Routine) Routine\n\nvar all []Routine\n\nfunc register(r Routine) { all = append(all, r) }\n\n" +
			"func dispatch(x Routine) {\n\tfor _, r := range all {\n\t\tr(x)\n\t}\n}\n",
		steps: [7]string{"\tregister($a)\n", "\ty$i := $a($b)\n\ty$i(x)\n", "\tx($a)\n\tdispatch(x)\n", "\tout = lib.Open$i($a)\n\tout.Read(x)\n",
			"\tkept = append(kept, $a)\n", "\tif out != nil {\n\t\treturn $a\n\t}\n", "\tif out == nil {\n\t\treturn x(x)\n\t}\n"},
	},
	"python": {
		seeds: []uint64{0, 1, 3, 4},
		ext:   ".py", top: "# %s\nimport lib\nfrom .common import register, dispatch\n", imports: "from .%s import %s\n", name: "%[2]s",
		head: "\n\ndef %s(x):\n    kept = [x]\n    out = lib.open(x)\n", tail: "    out.close()\n    return kept[0]\n",
		common: "common.py", shared: "everything = []\n\n\ndef register(r):\n    everything.append(r)\n    return r\n\n\ndef dispatch(x):\n    for r in everything:\n        r(x)\n    return x\n",
		steps: [7]string{"    register($a)\n", "    y$i = $a($b)\n    y$i(x)\n", "    x($a)\n    dispatch(x).run()\n", "    out = lib.open$i($a)\n    out.read(x)\n",
			"    kept = [kept, $a]\n", "    if out:\n        return $a\n", "    if not out:\n        return x(x)\n"},
	},
	"typescript": {
		seeds: []uint64{1, 4, 9, 11},
		ext:   ".ts", top: "// %s\nimport lib from \"lib\";\nimport { register, dispatch } from \"./common\";\n", imports: "import { %[2]s } from \"./%[1]s\";\n", name: "%[2]s",
		head: "\nexport function %s(x: any): any {\n  let kept: any = [x];\n  let out: any = lib.open(x);\n", tail: "  out.close();\n  return kept[0];\n}\n",
		common: "common.ts", shared: "const all: any[] = [];\nexport function register(r: any) {\n  all.push(r);\n  return r;\n}\nexport function dispatch(x: any) {\n  for (const r of all) r(x);\n  return x;\n}\n",
		steps: [7]string{"  register($a);\n", "  const y$i = $a($b);\n  y$i(x);\n", "  x($a);\n  dispatch(x).run();\n", "  out = lib.open$i($a);\n  out.read(x);\n",
			"  kept = [kept, $a];\n", "  if (out) return $a;\n", "  if (!out) return x(x);\n"},
	},
	"java": {
		seeds: []uint64{1, 2, 3, 4},
		ext:   ".java", top: "package app;\n\nclass %s {\n", name: "%s::%s",
		head: "\n    static Routine %s(Routine x) {\n        var kept = java.util.List.of(x);\n        var out = lib.Files.open(x);\n", tail: "        out.close();\n        return kept.get(0);\n    }\n", end: "}\n",
		common: "Routine.java", shared: "package app;\n\ninterface Routine {\n    Routine run(Routine x);\n}\n\nclass Common {\n    static java.util.List<Routine> all = new java.util.ArrayList<>();\n" +
			"    static Routine register(Routine r) { all.add(r); return r; }\n    static void dispatch(Routine x) { for (Routine r : all) { r.run(x); } }\n}\n",
		steps: [7]string{"        Common.register($a);\n", "        Routine r$i = $a;\n        var y$i = r$i.run($b);\n        y$i.run(x);\n", "        x.run($a);\n        Common.dispatch(x);\n",
			"        out = lib.Files.open$i($a);\n        out.read(x).toString();\n", "        kept = java.util.List.of(x, $a);\n        kept.get(0).run(x);\n", "        if (out != null) { return $a; }\n", "        if (out == null) { return x.run(x); }\n"},
	},
	"php": {
		seeds: []uint64{0, 1, 2, 3},
		ext:   ".php", top: "<?php // %s\n", name: "%[2]s(...)",
		head: "\nfunction %s($x) {\n    $kept = [$x];\n    $out = Lib\\open($x);\n", tail: "    $out->close();\n    return $kept[0];\n}\n",
		common: "common.php", shared: "<?php\nclass Common {\n    public static $all = [];\n}\nfunction register($r) { Common::$all[] = $r; return $r; }\nfunction dispatch($x) { foreach (Common::$all as $r) { $r($x); } return $x; }\n",
		steps: [7]string{"    register($a);\n", "    $r$i = $a;\n    $y$i = $r$i($b);\n    $y$i($x);\n", "    $x($a);\n    dispatch($x)->run();\n", "    $out = Lib\\open$i($a);\n    $out->read($x);\n",
			"    $kept = [$kept, $a];\n", "    if ($out) { return $a; }\n", "    if (!$out) { return $x($x); }\n"},
	},
}
