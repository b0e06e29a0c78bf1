package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// A servedProcess is quarry serve in a process of its own.
type servedProcess struct {
	registry.Remote
	pid int
}

// serveProcess serves root until the test ends, and returns when the first build has
// ended.
func serveProcess(t *testing.T, root string, flags ...string) servedProcess {
	t.Helper()
	cmd := exec.Command(linkProgram(t), append([]string{"serve", root, "--port", "0", "--data-dir", t.TempDir(), "--backend", "go", "--tldr-socket=false"}, flags...)...)
	lines, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		address := regexp.MustCompile(` at (http://\S+) `)
		for in := bufio.NewScanner(lines); in.Scan(); {
			if m := address.FindStringSubmatch(in.Text()); m != nil {
				said <- m[1]
			}
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	select {
	case url := <-said:
		s := servedProcess{registry.Remote{URL: url}, cmd.Process.Pid}
		eventually(t, func() error {
			ready, err := s.Ready(t.Context())
			if err == nil && !ready {
				err = errors.New("the server does not become ready")
			}
			return err
		})
		return s
	case <-drained:
		t.Fatal("the server has ended")
	case <-time.After(time.Minute):
		t.Fatal("the server does not say where it listens")
	}
	panic("not reached")
}

// ticks is how much time on a processor the process has had, in hundredths of a second.
func (s servedProcess) ticks(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	sum := 0
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// threads calls f with the status of each thread.
func (s servedProcess) threads(t *testing.T, f func(status string)) {
	t.Helper()
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", s.pid))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no threads: %v", err)
	}
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil { // it may have ended
			f(string(text))
		}
	}
}

// TestAtRest: a second after the last change a server takes no time on the processors.
func TestAtRest(t *testing.T) {
	root := t.TempDir()
	edit := func(n, round int) {
		write(t, filepath.Join(root, fmt.Sprintf("lamp%d.go", n)), fmt.Sprintf("package lamp\n\n// Lamp%d is number %d.\nfunc Lamp%d() { Lamp%d() }\n", n, round, n, n+1))
	}
	for n := range 100 {
		edit(n, 0)
	}
	s := serveProcess(t, root)
	for n := range 100 {
		edit(n, 1)
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(time.Second)
	// What is saved ten seconds after the last change is not waited for.
	const look = 5 * time.Second
	before := s.ticks(t)
	time.Sleep(look)
	// A tick is 10 ms, and a server that does nothing has none or one. A ticker that looks
	// at something every 100 ms has that, too: see the bound as one on work, not on wakes.
	if n := s.ticks(t) - before; n > 10 {
		t.Errorf("%d ms on the processors in %s with nothing to do", 10*n, look)
	}
	if st, err := s.state(t); err != nil || st != "ready" {
		t.Errorf("state %q, %v", st, err)
	}
}

// state is the state of the index.
func (s servedProcess) state(t *testing.T) (string, error) {
	var body struct {
		Index struct {
			State string `json:"state"`
		} `json:"index"`
	}
	err := s.Ask(t.Context(), registry.ProbeTimeout, "/status?skipped=0", nil, &body)
	return body.Index.State, err
}

// TestCPUs: all threads of a server are bound to as many processors as it may use.
func TestCPUs(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("there is one processor only")
	}
	root := t.TempDir()
	for n := range 50 {
		write(t, filepath.Join(root, fmt.Sprintf("lamp%d.go", n)), fmt.Sprintf("package lamp\n\nfunc Lamp%d() {}\n", n))
	}
	s := serveProcess(t, root, "--cpus", "1")
	allowed := map[string]int{}
	s.threads(t, func(status string) {
		_, rest, _ := strings.Cut(status, "Cpus_allowed_list:")
		list, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		allowed[list]++
	})
	if len(allowed) != 1 {
		t.Fatalf("threads by their processors: %v", allowed)
	}
	for list := range allowed {
		if _, err := strconv.Atoi(list); err != nil {
			t.Errorf("the threads may use %s", list)
		}
	}
}

// TestUseProcessors: what is restored is what was there.
func TestUseProcessors(t *testing.T) {
	before := processorsOf(t)
	restore, err := machine.UseProcessors(1)
	if err != nil {
		t.Fatal(err)
	}
	if now := processorsOf(t); strings.ContainsAny(now, "-,") {
		t.Errorf("bound to %s", now)
	}
	restore()
	if now := processorsOf(t); now != before {
		t.Errorf("restored to %s, before %s", now, before)
	}
	restore, err = machine.UseProcessors(runtime.NumCPU() + 1)
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	if now := processorsOf(t); now != before {
		t.Errorf("more than there are: %s, before %s", now, before)
	}
}

func processorsOf(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
	list, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	return list
}
