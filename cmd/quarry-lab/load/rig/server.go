package rig

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// AskEvery is how long a client waits between two questions about the same.
const AskEvery = 2 * time.Millisecond

// SampleEvery is how often the memory of a process is looked at.
const SampleEvery = 100 * time.Millisecond

// A Server is a running quarry serve.
type Server struct {
	Cmd   *exec.Cmd
	URL   string
	Began time.Time
	rest  chan struct{} // closed when its error output has ended
}

// Serving is the line with which a server says where it listens.
var Serving = regexp.MustCompile(`^quarry: serving .* at (http://\S+) \(`)

// Start starts quarry serve with some more arguments.
func Start(ctx context.Context, name, root, data string, more ...string) (*Server, error) {
	args := append([]string{"serve", root, "--port", "0", "--data-dir", data, "--log-level", "warn"}, more...)
	p := &Server{Cmd: exec.CommandContext(ctx, name, args...), rest: make(chan struct{})}
	p.Cmd.Cancel = func() error { return p.Cmd.Process.Signal(os.Interrupt) }
	lines, err := p.Cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	p.Began = time.Now()
	if err := p.Cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	in := bufio.NewScanner(lines)
	var said []string
	for in.Scan() {
		if m := Serving.FindStringSubmatch(in.Text()); m != nil {
			p.URL = m[1]
			break
		}
		said = append(said, in.Text())
	}
	go func() {
		defer close(p.rest)
		for in.Scan() {
		}
	}()
	if p.URL == "" {
		return nil, errors.Join(fmt.Errorf("%s does not serve: %s", name, strings.Join(said, "; ")), p.End())
	}
	return p, nil
}

// End asks the server to stop and waits for it.
func (p *Server) End() error {
	err := p.Cmd.Process.Signal(os.Interrupt)
	<-p.rest
	return errors.Join(err, p.Cmd.Wait())
}

// Until asks when until it says so.
func (p *Server) Until(ctx context.Context, when func(context.Context) (bool, error)) error {
	return p.UntilEvery(ctx, 5*AskEvery, when)
}

// UntilEvery is Until with so long between two questions.
func (p *Server) UntilEvery(ctx context.Context, wait time.Duration, when func(context.Context) (bool, error)) error {
	for {
		if ok, err := when(ctx); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// Get asks for a path and decodes the answer: ErrUnavailable while there is none.
func (p *Server) Get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusServiceUnavailable {
		return ErrUnavailable
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// ErrUnavailable is an answer of 503.
var ErrUnavailable = errors.New("not yet")

// Kill ends the server with no warning.
func (p *Server) Kill() error {
	err := p.Cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-p.rest
	_ = p.Cmd.Wait() // it says that it was killed
	return err
}

// Pause waits, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
