package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
)

// Listen opens the listeners for Serve. With the host "" or "localhost" it
// binds 127.0.0.1 and ::1 on one port, because clients differ in which of the
// two they try first; a machine without ::1 gets the first only. Any other host
// is bound as it is.
//
// A port that is taken on either address is given up for the next one, at most
// retry times. Port 0 means any free port. The address returned is that of the
// first listener.
func Listen(ctx context.Context, host string, port, retry int) ([]net.Listener, string, error) {
	hosts := []string{host}
	if host == "" || host == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for try := 0; ; try++ {
		ls, err := listenAll(ctx, hosts, port)
		if err == nil {
			return ls, ls[0].Addr().String(), nil
		}
		// With port 0 a retry draws another port: the one drawn for the first
		// address may be taken on the second.
		attempts := retry
		if port == 0 {
			attempts = max(retry, 9)
		}
		if !errors.Is(err, syscall.EADDRINUSE) || try >= attempts || port == 65535 {
			return nil, "", fmt.Errorf("api: listen: %w", err)
		}
		if port != 0 {
			port++
		}
	}
}

func listenAll(ctx context.Context, hosts []string, port int) (ls []net.Listener, err error) {
	var lc net.ListenConfig
	if err := ctx.Err(); err != nil { // Listen looks at ctx only while it resolves names
		return nil, err
	}
	for i, h := range hosts {
		l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(h, strconv.Itoa(port)))
		if err != nil && i > 0 && (errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)) {
			continue // no IPv6 here
		}
		if err != nil {
			for _, l := range ls {
				l.Close()
			}
			return nil, err
		}
		if port == 0 {
			port = l.Addr().(*net.TCPAddr).Port
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// maxHeader bounds the header of a request, in bytes.
const maxHeader = 64 << 10

// httpServer sets every timeout by itself. There is no ReadTimeout: it would
// stand in for a missing IdleTimeout and cut keep-alive connections, and its end
// cancels handlers that are at work; the body has its own deadline, in decode.go.
func (s *Server) httpServer(base context.Context) *http.Server {
	hs := &http.Server{
		Handler:           s.handler,
		TLSConfig:         s.opt.TLS,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: s.limits.HeaderTimeout,
		IdleTimeout:       s.limits.IdleTimeout,
		// From the end of the header: the body, the work, and the time for a slow
		// reader to take the response.
		WriteTimeout:   s.limits.BodyTimeout + s.limits.Timeout + s.limits.WriteTimeout,
		MaxHeaderBytes: maxHeader, // room for an 8 KiB query in a query string, percent-encoded
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	s.countConnections(hs)
	return hs
}
