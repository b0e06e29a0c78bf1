//go:build unix

package parsing

import (
	"syscall"
	"testing"
	"time"
)

// TestStopped: a worker that does not go on is replaced.
func TestStopped(t *testing.T) {
	pool := newPool(t, Options{Time: 20 * time.Millisecond})
	p := remote(t, pool)
	if _, tree := p.ParseTree("rust", []byte("fn f() {}")); tree == nil {
		t.Error("a healthy text has no tree")
	}
	pool.sets[0].mu.Lock()
	err := pool.sets[0].idle[0].cmd.Process.Signal(syscall.SIGSTOP)
	pool.sets[0].mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if f, tree := p.ParseTree("rust", []byte("fn g() {}")); tree == nil {
		t.Errorf("fault %q", f.Fault)
	}
}
