package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// patience is how long one process may take.
const patience = 5 * time.Minute

// A cost is what a process has taken.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes of the largest process; at least what this program itself had when it started it
}

// do runs a step of a peer. An exit code that means "none" is no error; another one is,
// with what the program said.
func (f *foundPeer) do(ctx context.Context, s step) (out []byte, c cost, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := f.command(ctx, s)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err = cmd.Run()
	c.wall = time.Since(began)
	if cmd.ProcessState != nil {
		c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			c.peak = use.Maxrss << 10
		}
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, c, fmt.Errorf("stopped after %s", c.wall.Round(time.Second))
	case errors.As(err, &exit) && s.none != 0 && exit.ExitCode() == s.none:
		err = nil
	case err != nil:
		err = errors.New(reason(stderr.String()+"\n"+stdout.String(), err))
	}
	return stdout.Bytes(), c, err
}

func (f *foundPeer) command(ctx context.Context, s step) *exec.Cmd {
	program, ok := f.paths[s.args[0]]
	if !ok {
		program = s.args[0]
	}
	cmd := exec.CommandContext(ctx, program, s.args[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), s.env...)
	// The children of a program that hangs would keep its output open.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// repeat runs a step n times and returns the output of the last one and the median of
// the wall times.
func (f *foundPeer) repeat(ctx context.Context, n int, s step) (out []byte, wall time.Duration, err error) {
	var took []time.Duration
	for range n {
		var c cost
		if out, c, err = f.do(ctx, s); err != nil {
			return nil, 0, err
		}
		took = append(took, c.wall)
		if c.wall > 10*time.Second {
			break // a median of such times would take too long
		}
	}
	slices.Sort(took)
	return out, took[len(took)/2], nil
}

// size returns the bytes of all files below a folder, and of a file.
func size(path string) (n int64) {
	// What cannot be read, or is gone by now, counts as nothing.
	_ = filepath.WalkDir(path, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// newPlace copies a folder for one peer, without links.
func newPlace(root, dir string) (place, error) {
	p := place{filepath.Join(dir, "root"), filepath.Join(dir, "data")}
	if err := os.MkdirAll(p.data, 0o755); err != nil {
		return p, err
	}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(p.root, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
	if err != nil {
		return p, fmt.Errorf("cannot copy the folder: %w", err)
	}
	return p, nil
}

// relative makes a path of a peer's output relative to its root, with slashes.
func (p place) relative(path string) string {
	path = strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(p.root)+"/")
	return strings.TrimPrefix(path, "./")
}
