package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/quarry-search/quarry/index/internal/sandbox"
)

// maxComplaint bounds what is kept of what git says of an error, in bytes.
const maxComplaint = 16 << 10

// A command is one call of git.
type command struct {
	dir     string
	environ []string
	args    []string
	most    int // bytes of output
	timeout time.Duration
	reach   *sandbox.Reach // what it may use besides git's own files; nil: all
}

// errLarge is the error of an output that is larger than it may be.
var errLarge = errors.New("git's answer is too large")

// errSlow is the error of a git that has not answered in time.
var errSlow = errors.New("git did not answer")

// run runs git and waits until it and what it has started are gone. They end with the
// context, at the deadline, when they say too much, when they wait for something that never
// comes, and, on Linux, with this process however it ends.
func run(ctx context.Context, c command) (out []byte, err error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: git is not installed: %w", ErrRefused, err)
	}
	_, loose := unconfined.Load(program)
	if c.reach != nil && !loose {
		var ended sync.WaitGroup
		ended.Go(func() {
			runtime.LockOSThread() // for good
			if err = sandbox.RestrictThread(withProgram(*c.reach, program)); err == nil {
				out, err = start(ctx, c, program)
			} else {
				err = fmt.Errorf("%w: %w", ErrRefused, err)
			}
		})
		if ended.Wait(); !cannotRun(err) {
			return out, err
		}
		// Only if it was confinement: it may as well be a folder that nobody can enter.
		defer func() {
			if !cannotRun(err) {
				unconfined.Store(program, true)
			}
		}()
	}
	// Linux ends the child with the thread that has started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return start(ctx, c, program)
}

// start is run, on a thread that does not end before it returns.
func start(ctx context.Context, c command, program string) ([]byte, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("%w: %w in %s", ErrRefused, errSlow, c.timeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"--no-pager"}, c.args...)...)
	cmd.Dir, cmd.Env = c.dir, c.environ
	cmd.WaitDelay = time.Second
	out := &bounded{most: c.most, full: func() { stop(errLarge) }}
	complaint := &bounded{most: maxComplaint}
	cmd.Stdout, cmd.Stderr = out, complaint
	apart(cmd)
	err := cmd.Start()
	if err == nil {
		watched := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(watched)
			watch(cmd.Process.Pid, done, func() {
				stop(fmt.Errorf("%w: %w: it waits for something that does not come", ErrRefused, errSlow))
			})
		}()
		err = cmd.Wait()
		close(done)
		<-watched
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, new(*exec.ExitError)):
		if line, _, _ := strings.Cut(strings.TrimSpace(complaint.text.String()), "\n"); line != "" {
			err = fmt.Errorf("%w: %s", err, line)
		}
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: git cannot be run: %w", ErrRefused, err)
	}
	return out.text.Bytes(), nil
}

// bounded keeps what is written, up to a limit, and says when there is more.
type bounded struct {
	text bytes.Buffer
	most int
	full func() // nil: the rest is dropped
}

func (b *bounded) Write(p []byte) (int, error) {
	if n := b.most - b.text.Len(); len(p) > n {
		b.text.Write(p[:n])
		if b.full != nil {
			b.full()
			return n, errLarge
		}
		return len(p), nil
	}
	return b.text.Write(p)
}
