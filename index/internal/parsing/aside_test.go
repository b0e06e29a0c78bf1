package parsing

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// impatient returns a parser that waits for no text, and what it is told when one is done.
func impatient(t *testing.T, p *Pool) (*syntax.Parser, <-chan struct{}) {
	t.Helper()
	finished := make(chan struct{}, 100)
	parser := lang.All().NewRemoteParser(p.Impatient(false, time.Nanosecond, func() { finished <- struct{}{} }))
	t.Cleanup(parser.Close)
	return parser, finished
}

// TestAside: who does not wait for a text has its tree, or its fault, when it is asked for
// again, and it is parsed once.
func TestAside(t *testing.T) {
	pool := newPool(t, Options{Size: 1})
	p, finished := impatient(t, pool)
	for _, c := range []struct {
		text  []byte
		fault syntax.Fault
	}{{[]byte(strings.Repeat("def f(x):\n    return g(x)\n", 100)), syntax.NoFault}, {text("abort", 0), syntax.Crashed}} {
		if f, tree := p.ParseTree("python", c.text); f.Fault != syntax.Unfinished || tree != nil {
			t.Fatalf("fault %q, a tree: %v", f.Fault, tree != nil)
		}
		<-finished
		started := pool.Counts().Started
		f, tree := p.ParseTree("python", c.text)
		if f.Fault != c.fault || (tree != nil) != (c.fault == syntax.NoFault) {
			t.Errorf("fault %q, want %q; a tree: %v", f.Fault, c.fault, tree != nil)
		}
		if tree != nil && len(f.Symbols) != 100 {
			t.Errorf("%d symbols", len(f.Symbols))
		}
		if n := pool.Counts().Started; n != started || len(pool.asides) > 0 {
			t.Errorf("%d workers more, %d texts aside", n-started, len(pool.asides))
		}
	}
	if f := pool.Fault(syntax.KeyOf("python", 0)); f != syntax.NoFault || len(finished) > 0 {
		t.Errorf("fault %q, %d more are done", f, len(finished))
	}
}

// TestAsideOfAnother: two texts that have one key do not have one tree.
func TestAsideOfAnother(t *testing.T) {
	pool := newPool(t, Options{Size: 1})
	done := make(chan struct{}, 2)
	e := pool.Impatient(false, time.Nanosecond, func() { done <- struct{}{} })
	parse := func(text string) (nodes int, fault syntax.Fault) {
		_, fault = e.Parse("python", 1, []byte(text), func(n int) []byte {
			nodes = n
			return make([]byte, n*syntax.NodeSize)
		})
		return nodes, fault
	}
	texts := []string{"x = 1\n", "x = [1, 2, 3]\n"}
	var nodes [2]int
	for range 2 {
		for i, s := range texts {
			n, fault := parse(s)
			if nodes[i] = n; fault == syntax.Unfinished {
				<-done
			} else if fault != syntax.NoFault {
				t.Fatal(fault)
			}
		}
	}
	if nodes[0] == 0 || nodes[0] >= nodes[1] {
		t.Errorf("the trees have %d nodes", nodes)
	}
}

// TestAsidesAreFew: where there is no room aside, texts are waited for; what nobody collects
// makes room.
func TestAsidesAreFew(t *testing.T) {
	pool := newPool(t, Options{Size: 1})
	p, finished := impatient(t, pool)
	healthy := func(n int) syntax.File { return p.Parse("python", fmt.Appendf(nil, "def f%d(): pass\n", n)) }
	for n := range asidesFor {
		if f := p.Parse("python", text("loop", n)); f.Fault != syntax.Unfinished {
			t.Fatalf("fault %q", f.Fault)
		}
	}
	if f := healthy(0); f.Fault != syntax.NoFault || len(f.Symbols) != 1 {
		t.Errorf("fault %q, %d symbols", f.Fault, len(f.Symbols))
	}
	for range asidesFor {
		<-finished
	}
	for n := range 2 * asidesFor { // and are not asked for again
		if f := healthy(1 + n); f.Fault != syntax.Unfinished {
			t.Errorf("fault %q", f.Fault)
		}
		<-finished
	}
	if n := len(pool.asides); n != asidesFor {
		t.Errorf("%d texts are aside", n)
	}
	if c := pool.Counts(); c.Late != asidesFor {
		t.Errorf("%+v", c)
	}
}

// TestLargeAsides: large texts are set aside one at a time.
func TestLargeAsides(t *testing.T) {
	pool := newPool(t, Options{Size: 2})
	p, finished := impatient(t, pool)
	large := func(n int) []byte { return append(text("loop", n), strings.Repeat("# much\n", asideBytes/8)...) }
	if f := p.Parse("python", large(0)); f.Fault != syntax.Unfinished {
		t.Errorf("fault %q", f.Fault)
	}
	if f := p.Parse("python", large(1)); f.Fault != syntax.Late {
		t.Errorf("fault %q", f.Fault)
	}
	if f := p.Parse("python", text("loop", 2)); f.Fault != syntax.Unfinished {
		t.Errorf("fault %q", f.Fault)
	}
	for range 2 {
		<-finished
	}
}

// TestCloseAside: a pool that is closed does not wait until texts aside are done.
func TestCloseAside(t *testing.T) {
	pool := NewPool(Options{Command: []string{os.Args[0], "worker"}, Time: time.Hour})
	p, finished := impatient(t, pool)
	if f := p.Parse("python", text("loop", 0)); f.Fault != syntax.Unfinished {
		t.Fatalf("fault %q", f.Fault)
	}
	pool.Close()
	<-finished
	if c := pool.Counts(); c.Live != 0 || c.Late != 0 {
		t.Errorf("%+v", c)
	}
}
