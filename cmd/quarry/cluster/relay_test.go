package cluster_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A gate is what traffic passes, unless it is closed.
type gate struct {
	mu     sync.Mutex
	closed chan struct{} // closed when the gate is open again; nil: it is open
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed == nil {
		g.closed = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

// pass returns when the gate is open, or done is closed.
func (g *gate) pass(done <-chan struct{}) {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed == nil {
		return
	}
	select {
	case <-closed:
	case <-done:
	}
}

// A relay is a network between two processes, which can be cut or hang.
type relay struct {
	net.Listener
	network, to string
	hang        gate
	end         chan struct{}
	work        sync.WaitGroup

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

func newRelay(t *testing.T, network, to string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: l, network: network, to: to, end: make(chan struct{}), conns: map[net.Conn]bool{}}
	r.work.Go(r.accept)
	t.Cleanup(func() {
		l.Close()
		close(r.end)
		r.sever(true)
		r.work.Wait()
	})
	return r
}

func (r *relay) accept() {
	for {
		in, err := r.Accept()
		if err != nil {
			return
		}
		r.work.Go(func() { r.serve(in) })
	}
}

func (r *relay) serve(in net.Conn) {
	defer in.Close()
	r.hang.pass(r.end)
	if !r.keep(in) {
		return
	}
	defer r.drop(in)
	out, err := net.Dial(r.network, r.to)
	if err != nil {
		return
	}
	defer out.Close()
	if !r.keep(out) {
		return
	}
	defer r.drop(out)
	var both sync.WaitGroup
	both.Go(func() { r.copy(out, in) })
	both.Go(func() { r.copy(in, out) })
	both.Wait()
}

// copy passes bytes on until one end has gone.
func (r *relay) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		r.hang.pass(r.end)
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.cut {
		r.conns[c] = true
	}
	return !r.cut
}

func (r *relay) drop(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

// sever cuts all connections, and those that come, or lets them be made again.
func (r *relay) sever(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = cut
	for c := range r.conns {
		c.Close()
	}
}

func (r *relay) address() string { return r.Addr().String() }

// A front is what a process sees of the store. It can be closed for all, and hold one request at a point.
type front struct {
	*httptest.Server
	hang gate

	mu    sync.Mutex
	down  bool
	match func(r *http.Request) bool // which request is held; nil: none
	at    point
	held  chan struct{} // closed when it is
	free  chan struct{} // closed when it may go on
}

// A point of a request.
type point int

const (
	beforeIt point = iota
	halfway        // of its body
	afterIt        // the store has done it, and nobody is told
)

func newFront(t *testing.T, store string) *front {
	t.Helper()
	to, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	f := &front{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // which is signed
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) },
		ErrorLog:     nil,
	}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.hang.pass(r.Context().Done())
		down, hold, held, free := f.take(r)
		if down {
			panic(http.ErrAbortHandler)
		}
		stop := func() {
			close(held)
			select {
			case <-free:
			case <-r.Context().Done():
			}
		}
		switch {
		case !hold:
		case f.at == beforeIt:
			stop()
		case f.at == halfway:
			r.Body = &stopping{ReadCloser: r.Body, left: r.ContentLength / 2, stop: stop}
		case f.at == afterIt:
			proxy.ServeHTTP(discarding{http.Header{}}, r)
			stop()
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		f.hang.open()
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// take says what becomes of a request: the first that matches is held.
func (f *front) take(r *http.Request) (down, hold bool, held, free chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.match != nil && f.match(r) {
		f.match = nil
		return f.down, true, f.held, f.free
	}
	return f.down, false, nil, nil
}

// hold has the next request that matches held at a point, and returns what is closed then, and lets it go.
func (f *front) hold(at point, match func(r *http.Request) bool) (held <-chan struct{}, release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.match, f.at, f.held, f.free = match, at, make(chan struct{}), make(chan struct{})
	free := f.free
	return f.held, sync.OnceFunc(func() {
		f.mu.Lock()
		f.match = nil
		f.mu.Unlock()
		close(free)
	})
}

func (f *front) refuse(down bool) {
	f.mu.Lock()
	f.down = down
	f.mu.Unlock()
	if down {
		f.CloseClientConnections()
	}
}

// A stopping body stops once, after some bytes.
type stopping struct {
	io.ReadCloser
	left int64
	stop func()
}

func (s *stopping) Read(p []byte) (int, error) {
	if s.left == 0 && s.stop != nil {
		s.stop()
		s.stop = nil
	}
	if s.left > 0 {
		p = p[:min(int64(len(p)), s.left)]
	}
	n, err := s.ReadCloser.Read(p)
	s.left = max(0, s.left-int64(n))
	return n, err
}

// discarding is an answer that nobody gets.
type discarding struct{ header http.Header }

func (d discarding) Header() http.Header         { return d.header }
func (d discarding) Write(p []byte) (int, error) { return len(p), nil }
func (d discarding) WriteHeader(int)             {}

// holdsAt names the folder in which a test says which processes wait, see wait.
const holdsAt = "QUARRY_TEST_HOLDS"

// wait has the program that indexes stop where the test wants that: it says who its parent is, and goes on when the
// folder that it has made is gone.
func wait(args []string) {
	dir := os.Getenv(holdsAt)
	if dir == "" || len(args) == 0 || args[0] != "index" {
		return
	}
	if _, err := os.Stat(filepath.Join(dir, "build")); err != nil {
		return
	}
	if os.Mkdir(filepath.Join(dir, "build", "at"), 0o700) != nil {
		return // another one waits
	}
	_ = os.WriteFile(filepath.Join(dir, "build", "pid"), []byte(strconv.Itoa(os.Getppid())), 0o600)
	for {
		if _, err := os.Stat(filepath.Join(dir, "build")); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// heldGit is a git that stops before it fetches where the test wants that, as wait does.
func heldGit(t *testing.T, git string) string {
	t.Helper()
	dir := t.TempDir()
	text := strings.ReplaceAll(`#!/bin/sh
case " $* " in *" fetch "*)
	if [ -d "$`+holdsAt+`/fetch" ] && mkdir "$`+holdsAt+`/fetch/at" 2>/dev/null; then
		echo $PPID > "$`+holdsAt+`/fetch/pid"
		while [ -d "$`+holdsAt+`/fetch" ]; do sleep 0.02; done
	fi;;
esac
exec GIT "$@"
`, "GIT", git)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
