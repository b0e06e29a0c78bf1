package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/search"
)

// A client that goes away while its search runs ends the search, is counted,
// and makes no noise.
func TestClientGone(t *testing.T) {
	var log journal
	x := newFake(t)
	entered, left := make(chan bool), make(chan bool)
	x.search = func(ctx context.Context, _ search.Query) (search.Answer, error) {
		entered <- true
		<-ctx.Done()
		close(left)
		return search.Answer{}, ctx.Err()
	}
	s := newServer(t, x, Options{Logger: log.logger(slog.LevelInfo)})
	port, _ := serve(t, s)
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{\"query\":\"a\"}")
	<-entered
	conn.Close()
	select {
	case <-left:
	case <-time.After(5 * time.Second):
		t.Fatal("the search goes on")
	}
	deadline := time.Now().Add(5 * time.Second)
	for !strings.Contains(string(newChecker(t).get(s.Handler(), "/metrics").body), `quarry_request_seconds_count{code="499",endpoint="/search"} 1`) {
		if time.Now().After(deadline) {
			t.Fatal("not counted")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if log.String() != "" {
		t.Errorf("logged %s", log.String())
	}
}

// Clients that begin a request and stop do not hold the server.
func TestHalfOpen(t *testing.T) {
	port, _ := serve(t, newServer(t, newFake(t), Options{Limits: Limits{HeaderTimeout: 50 * time.Millisecond, BodyTimeout: 50 * time.Millisecond}}))
	for _, tc := range []struct{ name, sent, want string }{
		{"nothing", "", ""},
		{"half a header", "POST /search HTTP/1.1\r\nHost: local", ""},
		{"no body", "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n", "did not arrive within 50ms"},
		{"half a body", "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{\"que", "did not arrive within 50ms"},
		{"half a chunk", "POST /search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"que", "did not arrive within 50ms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, tc.sent)
			conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			got, err := io.ReadAll(conn)
			if err != nil {
				t.Fatalf("the connection was not closed: %v", err)
			}
			if !strings.Contains(string(got), tc.want) {
				t.Errorf("got %q", got)
			}
		})
	}
	// A client that closes its half in the middle of a body counts as gone.
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{\"que")
	conn.(*net.TCPConn).CloseWrite()
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the connection was not closed: %v", err)
	}
}

func TestShutdown(t *testing.T) {
	for _, tc := range []struct {
		name  string
		grace time.Duration
		done  bool // the request in flight gets its response
	}{{"within grace", 10 * time.Second, true}, {"beyond grace", 50 * time.Millisecond, false}} {
		t.Run(tc.name, func(t *testing.T) {
			x := newFake(t)
			entered, finish := make(chan bool), make(chan bool)
			x.search = func(ctx context.Context, _ search.Query) (search.Answer, error) {
				entered <- true
				select {
				case <-finish:
					return search.Answer{State: x.State()}, nil
				case <-ctx.Done():
					return search.Answer{}, ctx.Err()
				}
			}
			s := newServer(t, x, Options{Limits: Limits{Grace: tc.grace}})
			ctx, cancel := context.WithCancel(context.Background())
			ls, addr, err := Listen(ctx, "", 0, 9)
			if err != nil {
				t.Fatal(err)
			}
			served, asked := make(chan error, 1), make(chan error, 1)
			go func() { served <- s.Serve(ctx, ls...) }()
			go func() {
				_, err := newOsgrepClient(t, "http://"+addr).search("a", 1, "")
				asked <- err
			}()
			<-entered
			cancel()
			if tc.done {
				deadline := time.Now().Add(5 * time.Second)
				for { // new connections are refused before the old request is done
					conn, err := net.Dial("tcp", addr)
					if err != nil {
						break
					}
					conn.Close()
					if time.Now().After(deadline) {
						t.Fatal("still listening")
					}
					time.Sleep(time.Millisecond)
				}
				close(finish)
			}
			if err := <-asked; (err == nil) != tc.done {
				t.Errorf("the request: %v", err)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
	if err := newServer(t, newFake(t), Options{}).Serve(context.Background()); err == nil {
		t.Error("no listeners: no error")
	}
}

func TestServeReportsListener(t *testing.T) {
	ls, _, err := Listen(context.Background(), "127.0.0.1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ls[0].Close()
	if err := newServer(t, newFake(t), Options{}).Serve(context.Background(), ls...); err == nil {
		t.Error("no error")
	}
}
