package api

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
)

func closeAll(ls []net.Listener) {
	for _, l := range ls {
		l.Close()
	}
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

func TestListen(t *testing.T) {
	ctx := context.Background()
	ls, addr, err := Listen(ctx, "localhost", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(ls)
	if want := net.JoinHostPort("127.0.0.1", strconv.Itoa(port(ls[0]))); addr != want {
		t.Errorf("address %s, want %s", addr, want)
	}
	for _, l := range ls {
		if a := l.Addr().(*net.TCPAddr); !a.IP.IsLoopback() || a.Port != port(ls[0]) {
			t.Errorf("listens on %v", a)
		}
	}

	// The port is taken: the next free one, or none.
	if _, _, err := Listen(ctx, "localhost", port(ls[0]), 0); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("error %v", err)
	}
	more, _, err := Listen(ctx, "localhost", port(ls[0]), 9)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(more)
	if n := port(more[0]) - port(ls[0]); n < 1 || n > 9 {
		t.Errorf("%d ports further", n)
	}

	// Taken on one of the two addresses is taken.
	if len(ls) == 2 {
		p := port(ls[0])
		ls[0].Close()
		if _, _, err := Listen(ctx, "localhost", p, 0); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("error %v", err)
		}
		one, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p)))
		if err != nil {
			t.Errorf("the first listener was not closed: %v", err)
		} else {
			one.Close()
		}
	}

	if _, _, err := Listen(ctx, "192.0.2.1", 0, 9); err == nil {
		t.Error("listens on an address of another machine")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if ls, _, err := Listen(canceled, "localhost", 0, 9); err == nil {
		closeAll(ls)
		t.Error("listens after the end of its context")
	}
}
