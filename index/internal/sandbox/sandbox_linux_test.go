package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The environment of the children, which are this program again: what to try, and a file
// that they must not reach.
const (
	attemptKey = "SANDBOX_ATTEMPT"
	victimKey  = "SANDBOX_VICTIM"
)

// What a child says when it has entered, when what it tried was refused, and when it was not.
const (
	entered = "entered "
	refused = "refused "
	reached = "reached"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(attemptKey); name != "" {
		child(name)
	}
	os.Exit(m.Run())
}

// child enters the sandbox, tries one thing and ends.
func child(name string) {
	// Whoever may not enter must not try, or the attempt would be real.
	try, known := attempts()[name]
	if !known {
		fmt.Println("unknown attempt", name)
		os.Exit(3)
	}
	if early, isEarly := before()[name]; isEarly {
		early()
	}
	report, err := Enter(Limits{Memory: childMemory, Keep: []int{sharedFD}, Parent: os.Getppid(), Required: true})
	if err != nil {
		fmt.Println("not entered:", err)
		os.Exit(4)
	}
	fmt.Println(entered + report.String())
	if err := try(); err != nil {
		fmt.Println(refused + err.Error())
		os.Exit(0)
	}
	fmt.Println(reached)
	os.Exit(0)
}

// Descriptors of a child: shared memory, which it keeps, and a file, which it should lose.
const (
	sharedFD  = 3
	secretFD  = 4
	sharedLen = 1 << 16
)

// childMemory is much more than the children need, also under the race detector.
const childMemory = 512 << 20

// A run is how a child went.
type run struct {
	out, complaint string
	state          *os.ProcessState
	shared         []byte // what it left in shared memory
}

// start runs one attempt in a child of its own.
func start(t *testing.T, name string) run {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	victim := filepath.Join(folder, "victim")
	if err := os.WriteFile(victim, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret, err := os.Open(victim)
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	fd, err := unix.MemfdCreate("sandbox test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	shared := os.NewFile(uintptr(fd), "shared")
	defer shared.Close()
	if err := shared.Truncate(sharedLen); err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), attemptKey+"="+name, victimKey+"="+victim)
	cmd.ExtraFiles = []*os.File{shared, secret}
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	content := make([]byte, 64)
	if _, err := shared.ReadAt(content, 0); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "secret" {
		t.Errorf("the file outside is %q (%v)", text, err)
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 1 {
		t.Errorf("the folder outside has %v (%v)", names, err)
	}
	r := run{out.String(), complaint.String(), cmd.ProcessState, content}
	if strings.HasPrefix(r.out, "not entered: "+ErrIncomplete.Error()) {
		t.Skipf("this kernel: %s", r.out)
	}
	if !strings.HasPrefix(r.out, entered) {
		t.Fatalf("the child did not enter: %v\n%s%s", r.state, r.out, r.complaint)
	}
	return r
}

func (r run) signal() syscall.Signal {
	if status := r.state.Sys().(syscall.WaitStatus); status.Signaled() {
		return status.Signal()
	}
	return 0
}

// TestRefused tries what a parser has no need of. Each attempt fails by an error, ends the
// process by the signal of a forbidden call, or (limits) by a crash that tells its reason.
func TestRefused(t *testing.T) {
	for name, want := range refusals() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, name)
			if strings.Contains(r.out, reached) {
				t.Fatalf("it was possible: %s", r.out)
			}
			switch want {
			case "killed":
				if r.signal() != unix.SIGSYS {
					t.Errorf("ended by %v, want SIGSYS\n%s%s", r.state, r.out, r.complaint)
				}
			case "crash":
				// The race detector has memory of its own, and its own words when there is no more.
				told := strings.Contains(r.complaint, "goroutine ") || strings.Contains(r.complaint, "ThreadSanitizer failed to allocate")
				if r.state.Success() || !told {
					t.Errorf("ended by %v, want a crash with a traceback\n%s%s", r.state, r.out, r.complaint)
				}
			default:
				if !r.state.Success() || !strings.Contains(r.out, refused+want) {
					t.Errorf("ended by %v, want %q\n%s%s", r.state, want, r.out, r.complaint)
				}
			}
		})
	}
}

// TestAllowed does in the sandbox what a parser does: threads, garbage collections, timers,
// memory that grows and is given back, pipes and shared memory.
func TestAllowed(t *testing.T) {
	for name := range duties() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, name)
			if !r.state.Success() || !strings.Contains(r.out, reached) {
				t.Fatalf("ended by %v\n%s%s", r.state, r.out, r.complaint)
			}
			if name == "shared memory" && string(r.shared[:5]) != "hello" {
				t.Errorf("the shared memory has %q", r.shared[:5])
			}
		})
	}
}

// TestReport compares what is reported with what the kernel has.
func TestReport(t *testing.T) {
	r := start(t, "nothing")
	for _, want := range []string{
		entered + "files, network, processes, syscalls, memory (", "memory: in force", "inherited descriptors: in force",
		"no new descriptor: in force", "no core dump: in force", "no file grows: in force", "not dumpable: in force", "system calls: in force",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in %s", want, r.out)
		}
	}
	t.Log(r.out)
}

// TestOrphan is about a parent that ended before the kernel was asked to tell.
func TestOrphan(t *testing.T) {
	if _, err := enter(Limits{Parent: os.Getpid()}); !errors.Is(err, ErrOrphan) {
		t.Errorf("entered, or failed by %v", err)
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0); err != nil {
		t.Error(err)
	}
}

// TestEndsWithParent has a child start a grandchild and end by itself. What both hold of a
// pipe is given up then only if the grandchild ends as well.
func TestEndsWithParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wait, hold, err := os.Pipe() // what the grandchild reads, and nobody writes
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	read, write, err := os.Pipe() // ends when nobody can write any more
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), attemptKey+"=parent")
	cmd.Stdin, cmd.Stdout = wait, write
	ended := cmd.Run()
	wait.Close()
	write.Close()
	// Only a grandchild that does not end meets this deadline.
	if err := read.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(read)
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(out), "grandchild waits") || strings.Contains(string(out), reached) {
		t.Errorf("%v: %s", ended, out)
	}
}
