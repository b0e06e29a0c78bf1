package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"
)

// plainClient returns a client whose connections end with the test.
func plainClient(t *testing.T) *http.Client {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

// until waits for something, for 20 s at most.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// dialPort connects to a server and sends the beginning of a request.
func dialPort(t *testing.T, port, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	// A small window, so that little is enough to fill it.
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// descriptors counts the process's open files, where that can be seen.
func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// endless is an index whose greps write until the client takes nothing more.
type endless struct {
	*fake
	ended chan error
}

func (e endless) GrepRaw(ctx context.Context, _ grep.GrepQuery, _ grep.RawOptions, w io.Writer) (n grep.Printed, err error) {
	line := []byte(strings.Repeat("a line that matches ", 200) + "\n")
	for ; err == nil && ctx.Err() == nil; n.Matches++ {
		_, err = w.Write(line)
	}
	e.ended <- err
	return n, err
}

// Clients that take nothing of a large answer, of an endless one, or of a stream of
// events, and those that send half a request, are given up in time; nothing of them stays.
func TestSlowClients(t *testing.T) {
	x := endless{newFake(t), make(chan error, 10)}
	s := newServer(t, x, Options{Limits: Limits{HeaderTimeout: 100 * time.Millisecond, BodyTimeout: 100 * time.Millisecond,
		Timeout: 20 * time.Second, WriteTimeout: 200 * time.Millisecond, IdleTimeout: 200 * time.Millisecond}})
	port, url := serve(t, s)
	resp, err := plainClient(t).Get(url + "/health")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	until(t, "the first connection stays", func() bool { return s.connections.count() == 0 })
	goroutines, files := runtime.NumGoroutine(), descriptors()
	var conns []net.Conn
	for range 3 {
		for _, text := range []string{
			"",
			"GET /grep?patt",
			"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Half: ",
			"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"query\":",
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
			"POST /relay HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n->relay",
			"GET /grep?pattern=a&raw=true HTTP/1.1\r\nHost: localhost\r\n\r\n",
		} {
			conns = append(conns, dialPort(t, port, text))
		}
	}
	for range 3 {
		select {
		case err := <-x.ended:
			if err == nil {
				t.Error("a client that takes nothing has taken everything")
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a grep that nobody reads goes on")
		}
	}
	until(t, "connections stay", func() bool { return s.connections.count() == 0 })
	if n, _ := s.service.AtWork(); n != 0 {
		t.Errorf("%d slots are held", n)
	}
	for _, c := range conns {
		c.Close()
	}
	until(t, "goroutines or descriptors stay", func() bool { return runtime.NumGoroutine() <= goroutines && descriptors() <= files })
}

// A client that pauses between two requests is not cut off, nor one whose body comes
// slowly but in time, nor one that reads slowly but reads.
func TestPatientClients(t *testing.T) {
	s := newServer(t, newFake(t), Options{Limits: Limits{HeaderTimeout: 300 * time.Millisecond, BodyTimeout: 3 * time.Second, Timeout: 300 * time.Millisecond, WriteTimeout: 300 * time.Millisecond}})
	port, _ := serve(t, s)
	conn := dialPort(t, port, "")
	r := bufio.NewReader(conn)
	ask := func(pause time.Duration) {
		t.Helper()
		body := `{"query":"token"}`
		if _, err := fmt.Fprintf(conn, "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", len(body)); err != nil {
			t.Fatal(err)
		}
		for i := range len(body) {
			if _, err := io.WriteString(conn, body[i:i+1]); err != nil {
				t.Fatal(err)
			}
			time.Sleep(pause)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Errorf("%d %s %v", resp.StatusCode, text, err)
		}
	}
	ask(0)
	time.Sleep(time.Second) // more than any timeout but that of an idle connection
	ask(50 * time.Millisecond)
	time.Sleep(time.Second)
	ask(0)
}

// askOn sends a request on a connection and returns its response.
func askOn(t *testing.T, conn net.Conn, path string) (*http.Response, string) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// Connections are bounded: while requests run on all of them, one too many is answered and
// closed, is told how the server is, and has room when another has gone.
func TestConnections(t *testing.T) {
	x := newFake(t)
	entered, finish := make(chan bool), make(chan bool)
	x.search = func(context.Context, search.Query) (search.Answer, error) {
		entered <- true
		<-finish
		return search.Answer{State: x.State()}, nil
	}
	s := newServer(t, x, Options{Limits: Limits{Connections: 2, Slots: 2}})
	port, _ := serve(t, s)
	first, second := dialPort(t, port, ""), dialPort(t, port, "")
	for _, conn := range []net.Conn{first, second} {
		if _, err := io.WriteString(conn, "GET /search?query=a HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-entered
	}
	resp, text := askOn(t, dialPort(t, port, ""), "/status")
	if resp.StatusCode != 429 || !resp.Close || resp.Header.Get("Retry-After") != "1" || !strings.Contains(text, "2 connections are open already") {
		t.Errorf("a third one: %d %v %s", resp.StatusCode, resp.Header, text)
	}
	for _, probe := range []string{"/health", "/ready"} {
		if resp, text := askOn(t, dialPort(t, port, ""), probe); resp.StatusCode != 200 || !resp.Close {
			t.Errorf("%s: %d %s", probe, resp.StatusCode, text)
		}
	}
	close(finish)
	for _, conn := range []net.Conn{first, second} {
		if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 200 {
			t.Errorf("a request that was there first: %v %v", resp, err)
		}
	}
	until(t, "no room after requests have ended", func() bool {
		resp, _ := askOn(t, dialPort(t, port, ""), "/status")
		return resp.StatusCode == 200 && !resp.Close
	})
	if text := string(newChecker(t).get(s.Handler(), "/metrics").body); !strings.Contains(text, `quarry_rate_limited_total{class="connections"} 1`) {
		t.Error("refusals are not counted")
	}
}

// Connections that are open and ask nothing, however many they are, keep nobody out: the
// one that is quiet for the longest is closed for a new one.
func TestQuietConnections(t *testing.T) {
	const most = 3
	s := newServer(t, newFake(t), Options{Limits: Limits{Connections: most, HeaderTimeout: time.Minute}})
	port, _ := serve(t, s)
	var quiet []net.Conn
	for i := range most + spareConnections + 30 {
		conn := dialPort(t, port, "")
		if i%2 == 0 {
			askOn(t, conn, "/version")
		}
		quiet = append(quiet, conn)
	}
	until(t, "a request is still under way", func() bool {
		s.connections.mu.Lock()
		defer s.connections.mu.Unlock()
		return s.connections.quiet.Len() == len(s.connections.open)
	})
	for _, path := range []string{"/health", "/ready", "/status"} {
		if resp, text := askOn(t, dialPort(t, port, ""), path); resp.StatusCode != 200 || resp.Close {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
	for i, conn := range quiet {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
			t.Errorf("connection %d is still open: %v", i, err)
		}
	}
	until(t, "there are more connections than allowed", func() bool { return s.connections.count() <= most })
}
