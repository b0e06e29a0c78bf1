package index

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/trace"
)

// TestComplete says of each target how many callers there are, or of two how many ways, and
// whether these are all, or why they may not be.
func TestComplete(t *testing.T) {
	names, err := filepath.Glob("testdata/complete*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { complete(t, name) })
	}
}

func complete(t *testing.T, name string) {
	x, a := plain(t, name)
	var b strings.Builder
	say := func(line string, total int, c *answer.Completeness) {
		fmt.Fprintf(&b, "%s: %d, %v\n", line, total, c.Complete)
		for _, why := range c.Because {
			fmt.Fprintf(&b, "  %s\n", why)
		}
	}
	for line := range strings.Lines(part(a, "targets")) {
		line = strings.TrimSpace(line)
		if from, to, two := strings.Cut(line, " "); two {
			w, err := x.Trace(t.Context(), trace.Query{Target: from, To: to})
			if err != nil {
				t.Fatal(err)
			}
			say(line, len(w.Paths), &w.Completeness)
			continue
		}
		c, err := x.Calls(t.Context(), calls.CallsQuery{Target: line, Direction: calls.Callers})
		if err != nil {
			t.Fatal(err)
		}
		say(line, c.Total, &c.Completeness)
	}
	golden(t, name, a, b.String())
}

// TestRegexBeside says that lines of files that the index leaves out match, too.
func TestRegexBeside(t *testing.T) {
	x, _ := plain(t, "testdata/complete.txtar")
	for pattern, want := range map[string]bool{`gen\(\)`: true, `deeper`: false} {
		a, err := x.Search(t.Context(), search.Query{Text: pattern, Mode: search.Regex})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(a.Cuts) == "[left_out]"; got != want || a.Truncated != want {
			t.Errorf("%s: cuts %v, truncated %v", pattern, a.Cuts, a.Truncated)
		}
	}
}

// TestCompleteOneName asks for what may call methods of classes that all have one name, and
// may all be above each other: each is looked at once, or there would be no end.
func TestCompleteOneName(t *testing.T) {
	root := t.TempDir()
	for n := range 300 {
		write(t, root, fmt.Sprintf("m%d.py", n), "class Meta(Base.Meta):\n    def run(self):\n        pass\n")
	}
	write(t, root, "last.py", "class Last(Meta, Outside):\n    def run(self):\n        pass\n")
	x := build(t, root)
	for target, want := range map[string]string{"m7.py:run": "[]", "last.py:run": "[Last.run may be called through Outside, which is not in the index]"} {
		a, err := x.Calls(t.Context(), calls.CallsQuery{Target: target, Direction: calls.Callers})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(a.Because); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

// Compilers take code with NUL bytes in it, or in UTF-16, which is in no search.
func TestCompleteUndecoded(t *testing.T) {
	root := t.TempDir()
	write(t, root, "A.java", "class A {\n  private static void lost() {}\n  static void nul() {}\n  static void wide() {}\n  static void none() {}\n}\n")
	write(t, root, "B.java", "class B {\n  // \x00\n  void b() { A.nul(); }\n}\n")
	write(t, root, "b.c", "/* \x00 */ void f(void) { none(); }\n")
	write(t, root, "D.java", "class D {\n  // \xe9 wide none\n}\n") // which is read
	wide := "\xff\xfe"
	for _, c := range []byte("class C { void c() { A.wide(); } }\n") {
		wide += string([]byte{c, 0})
	}
	write(t, root, "C.java", wide)
	x := build(t, root)
	for target, want := range map[string]string{
		"A.java:nul":  "[nul is named in B.java, which is not read for its NUL bytes or its encoding]",
		"A.java:wide": "[wide is named in C.java, which is not read for its NUL bytes or its encoding]",
		"A.java:none": "[]",
	} {
		a, err := x.Calls(t.Context(), calls.CallsQuery{Target: target, Direction: calls.Callers})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(a.Because); got != want || a.Complete != (want == "[]") {
			t.Errorf("%s: %v, %s, want %s", target, a.Complete, got, want)
		}
	}
	found, err := x.Dead(t.Context(), dead.Query{Kind: "method"})
	if err != nil {
		t.Fatal(err)
	}
	var sure []string
	for _, f := range found.Dead {
		sure = append(sure, f.Symbol+" "+f.Confidence)
	}
	slices.Sort(sure)
	if want := []string{"A.lost certain", "A.none certain", "A.nul likely", "A.wide likely"}; !slices.Equal(sure, want) {
		t.Errorf("dead: %q, want %q", sure, want)
	}
}

// The place that is told of several that there is a doubt about is one in production, even where
// tests come first by their path.
func TestDoubtOfProduction(t *testing.T) {
	root := t.TempDir()
	write(t, root, "__tests__/ips.test.js", "const req = require('../lib/request')\ntest('ips', () => {})\n")
	write(t, root, "lib/request.js", "module.exports = {\n  ips () {\n    return []\n  }\n}\n")
	write(t, root, "lib/context.js", "delegate(proto, 'request').method('ips')\n")
	a, err := build(t, root).Calls(t.Context(), calls.CallsQuery{Target: "lib/request.js:ips", Direction: calls.Callers})
	if err != nil {
		t.Fatal(err)
	}
	if want := "ips is named by a string in lib/context.js:1, which may have it called"; a.Complete || !slices.Contains(a.Because, want) {
		t.Errorf("complete %v, because %q", a.Complete, a.Because)
	}
}

// What a test is called by is read by people: nothing is called by it, as it may be by another
// string.
func TestTitlesOfTests(t *testing.T) {
	root := t.TempDir()
	write(t, root, "lib/style.ts", "export function norm() {}\nexport function clone() {}\nexport function show() {}\n")
	write(t, root, "__tests__/style.spec.ts", `import { norm, clone, show } from '../lib/style'
describe('norm', () => {
  test.each([1])("norm", () => { norm() })
})
test('show', () => { show() })
test(
  'show',
  () => { run('clone') },
)
`)
	x := build(t, root)
	for target, want := range map[string]string{
		"norm":  "[]",
		"show":  "[]",
		"clone": "[clone is named by a string in __tests__/style.spec.ts:8, which may have it called]",
	} {
		a, err := x.Calls(t.Context(), calls.CallsQuery{Target: target, Direction: calls.Callers})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(a.Because); got != want || a.Complete != (want == "[]") {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

// A group of examples of RSpec may have any module mixed in where RSpec is configured: a call
// without a receiver is none of the library for certain.
func TestExamplesOfModules(t *testing.T) {
	const doubt = "[capture is called in spec/shop_spec.rb:3, where the call graph does not know what that is]"
	for include, want := range map[string]string{
		"config.include Helpers":                             "[]", // it is followed
		"[Helpers].each { |helper| config.include(helper) }": doubt,
	} {
		root := t.TempDir()
		write(t, root, "spec/helpers.rb", "module Helpers\n  def capture\n    yield\n  end\n  def unused\n  end\nend\nRSpec.configure { |config| "+include+" }\n")
		write(t, root, "spec/shop_spec.rb", "RSpec.describe 'shop' do\n  it 'says nothing' do\n    out = capture do\n      1\n    end\n  end\nend\n")
		x := build(t, root)
		for target, want := range map[string]string{"Helpers.capture": want, "Helpers.unused": "[]"} {
			a, err := x.Calls(t.Context(), calls.CallsQuery{Target: target, Direction: calls.Callers})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(a.Because); got != want {
				t.Errorf("%s, %s: %s, want %s", include, target, got, want)
			}
		}
	}
}
