package parsing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// TestMain lets the test binary be a worker, and two things that are none.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "worker":
			_, err := Confine(512 << 20)
			if err == nil {
				err = Serve(&ending{Reader: os.Stdin}, os.Stdout, false)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "stranger":
			fmt.Println("usage: stranger")
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

func newPool(t *testing.T, o Options) *Pool {
	t.Helper()
	if o.Command == nil {
		o.Command = []string{os.Args[0], "worker"}
	}
	p := NewPool(o)
	t.Cleanup(p.Close)
	return p
}

// remote returns a parser that has its trees from the pool.
func remote(t *testing.T, p *Pool) *syntax.Parser {
	t.Helper()
	parser := lang.All().NewRemoteParser(p.Engine(false))
	t.Cleanup(parser.Close)
	return parser
}

// TestSameTrees: what a parser finds with workers is what it finds in this process.
func TestSameTrees(t *testing.T) {
	archives, err := filepath.Glob("../lang/*/testdata/symbols/*/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(err, len(archives))
	}
	here := lang.NewParser()
	defer here.Close()
	pool := newPool(t, Options{})
	there := remote(t, pool)
	trees := 0
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			language := filepath.Base(filepath.Dir(name))
			for _, text := range [][]byte{f.Data, f.Data[:len(f.Data)/2]} {
				want, wantTree := here.ParseTree(language, text)
				got, tree := there.ParseTree(language, text)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s %s: %s", name, f.Name, diff)
				}
				if (tree == nil) != (wantTree == nil) {
					t.Fatalf("%s %s: a tree: %v, want %v", name, f.Name, tree != nil, wantTree != nil)
				}
				if tree == nil {
					continue
				}
				trees++
				if got, want := shape(tree), shape(wantTree); got != want {
					t.Fatalf("%s %s: the tree is\n%s\nwant\n%s", name, f.Name, got, want)
				}
			}
		}
	}
	if c := pool.Counts(); trees < 200 || c.Started != 1 || c.Crashed+c.Memory > 0 {
		t.Errorf("%d trees, %+v", trees, c)
	}
}

func shape(t *syntax.Tree) string {
	var b strings.Builder
	var walk func(n syntax.Node)
	walk = func(n syntax.Node) {
		fmt.Fprintf(&b, "(%s %s %d %d %v %v", t.Field(n), t.Kind(n), t.Start(n), t.End(n), t.Named(n), t.Missing(n))
		for c := range t.Children(n) {
			walk(c)
		}
		b.WriteByte(')')
	}
	walk(t.Root())
	return b.String()
}

// hostile are texts that end a worker of the tests, or hold it; see ending. The grammars'
// own faults come and go.
var hostile = []struct {
	word  string
	fault syntax.Fault
}{{"abort", syntax.Crashed}, {"exit", syntax.Crashed}, {"overflow", syntax.Crashed}, {"memory", syntax.OutOfMemory}, {"loop", syntax.Late}}

// An ending is the input of a worker of the tests. Where a request says so, the process
// ends, as it does by a fault of a grammar.
type ending struct {
	io.Reader
	leaked [][]byte
}

func (e *ending) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	_, word, _ := strings.Cut(string(b[:n]), "# worker: ")
	word, _, _ = strings.Cut(word, "\n")
	take := func(mib int) {
		for range mib {
			one := make([]byte, 1<<20)
			for i := 0; i < len(one); i += 4096 {
				one[i] = 1
			}
			e.leaked = append(e.leaked, one)
		}
	}
	switch word {
	case "abort":
		if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(syscall.SIGABRT) == nil {
			select {}
		}
		os.Exit(134) // where there are no signals
	case "exit":
		os.Exit(0)
	case "overflow":
		debug.SetMaxStack(1 << 20)
		runtime.KeepAlive(overflow(1 << 30))
	case "memory":
		take(1 << 20)
	case "leak":
		take(80)
	case "loop":
		for n := 0; ; n++ {
			runtime.KeepAlive(n)
		}
	}
	return n, err
}

func overflow(n int) int {
	if n == 0 {
		return 0
	}
	return overflow(n-1) + 1
}

func text(word string, n int) []byte {
	return fmt.Appendf(nil, "# worker: %s\n# %d\ndef f(): pass\n", word, n)
}

// TestFaults: a text that brings its process down costs nothing but its own tree, once.
func TestFaults(t *testing.T) {
	pool := newPool(t, Options{Time: 2 * time.Second})
	for _, h := range hostile {
		t.Run(h.word, func(t *testing.T) {
			p := remote(t, pool)
			f, tree := p.ParseTree("python", text(h.word, 0))
			if tree != nil || f.Fault != h.fault || f.Grammar || !f.Errors {
				t.Fatalf("fault %q, want %q; tree %v, %+v", f.Fault, h.fault, tree != nil, f)
			}
			started := pool.Counts().Started
			if f, _ := p.ParseTree("python", text(h.word, 0)); f.Fault != h.fault || pool.Counts().Started != started {
				t.Errorf("it was tried again: fault %q, %d workers more", f.Fault, pool.Counts().Started-started)
			}
			if f, tree := p.ParseTree("python", []byte("\n")); f.Fault != syntax.NoFault || tree != nil {
				t.Errorf("a blank text has fault %q", f.Fault)
			}
			if _, tree := p.ParseTree("python", []byte("def f(): pass\n")); tree == nil {
				t.Error("a healthy text has no tree after it")
			}
		})
	}
}

// TestDeepText: a text that overflows the stack of the grammar library, where it is not
// given up for its time first.
func TestDeepText(t *testing.T) {
	p := remote(t, newPool(t, Options{Time: 30 * time.Second}))
	f, tree := p.ParseTree("java", bytes.Repeat([]byte("{[("), 110_000))
	if tree != nil || f.Fault == syntax.NoFault {
		t.Errorf("fault %q, a tree: %v", f.Fault, tree != nil)
	}
}

// TestHealthyBeside: texts that are parsed while others bring workers down all have trees.
func TestHealthyBeside(t *testing.T) {
	pool := newPool(t, Options{Size: 2})
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			p := lang.All().NewRemoteParser(pool.Engine(false))
			defer p.Close()
			for i := range 30 {
				if n == 0 && i%5 == 0 {
					if f := p.Parse("ruby", text("abort", i)); f.Fault != syntax.Crashed {
						t.Errorf("fault %q", f.Fault)
					}
				}
				if f, tree := p.ParseTree("ruby", fmt.Appendf(nil, "def f%d\n  %d\nend\n", n, i)); tree == nil || len(f.Symbols) != 1 {
					t.Errorf("fault %q, %d symbols", f.Fault, len(f.Symbols))
				}
			}
		})
	}
	wg.Wait()
	if c := pool.Counts(); c.Crashed != 6 {
		t.Errorf("%+v", c)
	}
}

// TestKilled: who kills workers, at rest or at work, costs no text its tree.
func TestKilled(t *testing.T) {
	pool := newPool(t, Options{Size: 2})
	p := remote(t, pool)
	long := []byte(strings.Repeat("def f(x):\n    return g(x)\n", 2000))
	process := func() *os.Process {
		one := &pool.sets[0]
		one.mu.Lock()
		defer one.mu.Unlock()
		if len(one.idle) == 0 {
			return nil
		}
		return one.idle[len(one.idle)-1].cmd.Process
	}
	for i := range 20 {
		pool.Warm(1, false)
		target, done := process(), make(chan struct{})
		if target == nil {
			t.Fatal("no worker is idle")
		}
		go func() {
			defer close(done)
			time.Sleep(time.Duration(i) * time.Millisecond / 2)
			_ = target.Kill()
		}()
		if f, tree := p.ParseTree("python", fmt.Appendf(long, "# %d\n", i)); tree == nil || len(f.Symbols) != 2000 {
			t.Fatalf("round %d: fault %q, %d symbols", i, f.Fault, len(f.Symbols))
		}
		<-done
	}
}

// TestLate: a text that takes longer than it may is given up, by the worker or by whoever
// waits for it.
func TestLate(t *testing.T) {
	pool := newPool(t, Options{Time: 20 * time.Millisecond})
	p := remote(t, pool)
	if f, _ := p.ParseTree("rust", bytes.Repeat([]byte("} x (;\n"), 100_000)); f.Fault != syntax.Late {
		t.Errorf("fault %q", f.Fault)
	}
	if _, tree := p.ParseTree("rust", []byte("fn f() {}")); tree == nil {
		t.Error("a healthy text has no tree after it")
	}
}

// TestReplaced: a worker that keeps memory of the texts before is replaced.
func TestReplaced(t *testing.T) {
	pool := newPool(t, Options{Memory: 64 << 20})
	p := remote(t, pool)
	for i := range 4 {
		// Its memory is looked at now and then only.
		big := append(text("leak", i), strings.Repeat("# much\n", lookEvery/6)...)
		if _, tree := p.ParseTree("python", big); tree == nil {
			t.Error("a text has no tree, since its worker leaks")
		}
	}
	c := pool.Counts()
	if c.Replaced != 4 || c.Memory != 0 || c.Live != 0 {
		t.Errorf("%+v", c)
	}
}

// TestStranger: what is no worker is not taken for one.
func TestStranger(t *testing.T) {
	for _, command := range [][]string{{os.Args[0], "stranger"}, {filepath.Join(t.TempDir(), "none")}} {
		p := remote(t, newPool(t, Options{Command: command}))
		if f, tree := p.ParseTree("python", []byte("x = 1\n")); tree != nil || f.Fault != syntax.Unavailable {
			t.Errorf("%q: fault %q", command, f.Fault)
		}
	}
}

// TestSilent: a process that does nothing is not on its way to being a worker.
func TestSilent(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip(err)
	}
	p, err := start([]string{cat})
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	if err := transfer(p.answers.Read, p.answers.SetReadDeadline, make([]byte, 1), time.Millisecond, p.silent(200*time.Millisecond)); !errors.Is(err, errStuck) && !errors.Is(err, errLate) {
		t.Error(err)
	}
}

// TestEnds: workers end with their pool, and a worker ends with its input.
func TestEnds(t *testing.T) {
	pool := newPool(t, Options{Size: 3})
	pool.Warm(3, false)
	p := remote(t, pool)
	if _, tree := p.ParseTree("python", []byte("x = 1\n")); tree == nil {
		t.Fatal("no tree")
	}
	if c := pool.Counts(); c.Live != 3 {
		t.Errorf("%+v", c)
	}
	pool.Close()
	if c := pool.Counts(); c.Live != 0 {
		t.Errorf("%+v", c)
	}
	if f, _ := p.ParseTree("python", []byte("y = 1\n")); f.Fault != syntax.Unavailable {
		t.Errorf("a closed pool: fault %q", f.Fault)
	}
	var out bytes.Buffer
	if err := Serve(strings.NewReader(""), &out, false); err != nil || out.String() != hello {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := Serve(strings.NewReader("\xff\xff\xff\xff\xff\xff\xff\xff"), &out, false); err == nil {
		t.Error("a request without end is taken")
	}
}
