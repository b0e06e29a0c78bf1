package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"
)

// A server is a peer's, kept running.
type server struct {
	url  string
	http *http.Client
	stop func()
}

// start starts the server of a peer and waits until it is ready.
func (f *foundPeer) start(ctx context.Context, p place) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := f.command(ctx, f.serve(p, address))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is ended by a signal
	}()
	s := &server{url: "http://" + address, http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 1}}}
	s.stop = func() {
		s.http.CloseIdleConnections()
		cancel()
		<-ended
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if text, err := s.get(ctx, f.ping); err == nil && f.ready(text) {
			return s, nil
		}
		select {
		case <-ended:
			s.stop()
			return nil, errors.New("the server ended at once")
		case <-ctx.Done():
			s.stop()
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	s.stop()
	return nil, errors.New("the server does not become ready")
}

func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", resp.Status, text)
	}
	return text, err
}

// repeat gets a path n times and returns the last answer and the median of the times.
func (s *server) repeat(ctx context.Context, n int, path string) (out []byte, wall time.Duration, err error) {
	var took []time.Duration
	for range n {
		began := time.Now()
		if out, err = s.get(ctx, path); err != nil {
			return nil, 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return out, took[len(took)/2], nil
}
