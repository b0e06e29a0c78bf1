package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// A pager is a program that shows long output. It begins with the first byte: who writes
// nothing has none.
type pager struct {
	out         io.Writer
	program     string
	environment []string
	running     *exec.Cmd
	in          io.WriteCloser
	signals     chan os.Signal
	left        bool // the user has ended it
	failed      bool // it cannot be started: the text goes to out
}

func (p *pager) start() {
	cmd := exec.Command("sh", "-c", p.program)
	cmd.Env = append(os.Environ(), p.environment...)
	cmd.Stdout, cmd.Stderr = p.out, os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		// An interrupt is the pager's: this process goes on until the user leaves it.
		p.signals = make(chan os.Signal, 1)
		signal.Notify(p.signals, os.Interrupt)
		err = cmd.Start()
	}
	if p.failed = err != nil; !p.failed {
		p.running, p.in = cmd, in
	}
}

// Write has the pager show text, and drops it when the user has left.
func (p *pager) Write(text []byte) (int, error) {
	if len(text) == 0 {
		return 0, nil
	}
	if p.running == nil && !p.failed {
		p.start()
	}
	switch {
	case p.failed:
		return p.out.Write(text)
	case p.left:
		return len(text), nil
	}
	n, err := p.in.Write(text)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		p.left = true
		return len(text), nil
	}
	return n, err
}

// close waits until the user leaves the pager.
func (p *pager) close() error {
	if p.signals != nil {
		defer signal.Stop(p.signals)
	}
	if p.running == nil {
		return nil
	}
	_ = p.in.Close() // it may have gone
	var exit *exec.ExitError
	if err := p.running.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}
