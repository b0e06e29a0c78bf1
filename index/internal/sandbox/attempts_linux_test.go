package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempts are all that a child can be asked to do: it succeeds by returning nil.
func attempts() map[string]func() error {
	all := duties()
	for name, of := range forbidden() {
		all[name] = of.try
	}
	all["nothing"] = func() error { return nil }
	all["wait"] = func() error {
		fmt.Println("grandchild waits")
		_, err := os.Stdin.Read(make([]byte, 1))
		return err
	}
	all["parent"] = nil // does not enter, see before
	return all
}

// before is what is done outside the sandbox, first.
func before() map[string]func() {
	return map[string]func(){
		"every thread":       startThreads,
		"landlock by itself": landlockAlone,
		"parent":             haveChild,
	}
}

// refusals says how each forbidden thing should end.
func refusals() map[string]string {
	all := map[string]string{}
	for name, of := range forbidden() {
		all[name] = of.want
	}
	return all
}

type attempt struct {
	want string // the error's beginning, "killed" or "crash"
	try  func() error
}

const notPermitted = "operation not permitted"

func call(number uintptr, args ...uintptr) func() error {
	return func() error {
		var a [6]uintptr
		copy(a[:], args)
		if _, _, errno := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
			return errno
		}
		return nil
	}
}

func only(_ any, err error) error { return err }

func bare(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}

// forbidden are the things that must not be possible. None would do harm if it were.
func forbidden() map[string]attempt {
	victim := os.Getenv(victimKey)
	all := map[string]attempt{}
	for name, try := range map[string]func() error{
		"read a file":               func() error { return only(os.ReadFile(victim)) },
		"read a relative file":      func() error { return only(os.ReadFile("victim")) },
		"read memory as a file":     func() error { return only(os.Open("/proc/self/mem")) },
		"open a device":             func() error { return only(os.OpenFile("/dev/null", os.O_WRONLY, 0)) },
		"list a folder":             func() error { return only(os.ReadDir("/")) },
		"create a file":             func() error { return only(os.Create(victim + ".new")) },
		"overwrite a file":          func() error { return os.WriteFile(victim, nil, 0o600) },
		"truncate a file":           func() error { return os.Truncate(victim, 0) },
		"remove a file":             func() error { return syscall.Unlink(victim) },
		"rename a file":             func() error { return os.Rename(victim, victim+".new") },
		"make a folder":             func() error { return os.Mkdir(victim+".d", 0o700) },
		"make a link":               func() error { return os.Symlink("/", victim+".l") },
		"describe a file":           func() error { return only(os.Stat(victim)) },
		"change a mode":             func() error { return os.Chmod(victim, 0) },
		"change folder":             func() error { return os.Chdir("/") },
		"open memory as a file":     func() error { return only(unix.MemfdCreate("x", 0)) },
		"make a pipe":               func() error { return unix.Pipe2(make([]int, 2), 0) },
		"copy a descriptor":         func() error { return only(unix.Dup(0)) },
		"copy one by fcntl":         func() error { return only(unix.FcntlInt(0, unix.F_DUPFD, 10)) },
		"have a signal sent":        func() error { return only(unix.FcntlInt(0, unix.F_SETOWN, os.Getppid())) },
		"signal the parent":         func() error { return unix.Kill(os.Getppid(), 0) },
		"signal a thread of it":     func() error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
		"raise a limit":             func() error { return setrlimit(unix.RLIMIT_DATA, unix.RLIM_INFINITY, unix.RLIM_INFINITY) },
		"ask for another's limit":   func() error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_CORE, nil, &unix.Rlimit{}) },
		"be dumpable again":         func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
		"outlive the parent":        func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
		"be another user":           call(unix.SYS_SETRESUID, 1, 1, 1),
		"shared memory of System V": call(unix.SYS_SHMGET, 0, 4096, unix.IPC_CREAT|0o600),
		"fork by clone":             func() error { return forks(unix.SYS_CLONE, uintptr(unix.SIGCHLD)) },
		"thread of its own network": call(unix.SYS_CLONE, unix.CLONE_THREAD|unix.CLONE_SIGHAND|unix.CLONE_VM|unix.CLONE_NEWNET),
		"memory that runs": func() error {
			return only(unix.Mmap(-1, 0, 4096, unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE))
		},
		"memory made to run": func() error {
			m, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err != nil {
				return nil // which is a failure of the test
			}
			return unix.Mprotect(m, unix.PROT_READ|unix.PROT_EXEC)
		},
		"every thread": threadsRefused,
	} {
		all[name] = attempt{notPermitted, func() error { return bare(try()) }}
	}
	all["read what was inherited"] = attempt{"bad file descriptor", func() error {
		return only(unix.Read(secretFD, make([]byte, 6)))
	}}
	all["fork by clone3"] = attempt{"function not implemented", call(unix.SYS_CLONE3, 0, 0)}
	all["map too much"] = attempt{"cannot allocate memory", func() error {
		return only(unix.Mmap(-1, 0, childMemory+1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE))
	}}
	path, argv := []byte("/bin/true\x00"), []uintptr{0}
	for name, try := range map[string]func() error{
		"run a program":         call(unix.SYS_EXECVE, uintptr(unsafe.Pointer(&path[0])), uintptr(unsafe.Pointer(&argv[0])), 0),
		"run an open file":      call(unix.SYS_EXECVEAT, sharedFD, uintptr(unsafe.Pointer(&path[9])), 0, 0, unix.AT_EMPTY_PATH),
		"trace the parent":      func() error { return unix.PtraceAttach(os.Getppid()) },
		"read another's memory": call(unix.SYS_PROCESS_VM_READV, uintptr(os.Getppid()), 0, 0, 0, 0, 0),
		"take a descriptor":     call(unix.SYS_PIDFD_GETFD, 0, 0, 0),
		"socket TCP":            call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0),
		"socket UDP":            call(unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_DGRAM, 0),
		"socket Unix":           call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0),
		"socket netlink":        call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, 0),
		"connect":               call(unix.SYS_CONNECT, 0, 0, 0),
		"mount":                 call(unix.SYS_MOUNT, 0, 0, 0, 0, 0),
		"new namespace":         call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER),
		"program in the kernel": call(unix.SYS_BPF, 0, 0, 0),
		"calls by a ring":       call(unix.SYS_IO_URING_SETUP, 1, 0),
		"another list of calls": call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, 0),
	} {
		all[name] = attempt{"killed", try}
	}
	// It opens /dev/null first.
	all["run by os/exec"] = attempt{notPermitted, func() error { return bare(exec.Command("/bin/true").Run()) }}
	all["allocate too much"] = attempt{"crash", func() error {
		var all [][]byte
		for range 2 * childMemory >> 20 {
			all = append(all, make([]byte, 1<<20))
		}
		runtime.KeepAlive(all)
		return nil
	}}
	all["recurse without end"] = attempt{"crash", func() error { return fmt.Errorf("%d", recurse(0)) }}
	all["panic"] = attempt{"crash", func() error { panic("planted") }}
	all["fault"] = attempt{"crash", func() error {
		m, err := unix.Mmap(-1, 0, 4096, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return nil // which is a failure of the test
		}
		return errors.New(string(m[:1]))
	}}
	all["abort"] = attempt{"crash", func() error {
		err := unix.Kill(os.Getpid(), unix.SIGABRT)
		time.Sleep(time.Minute)
		return err
	}}
	return all
}

func recurse(n int) int {
	if n < 0 {
		return 0
	}
	var room [1024]byte
	room[n%len(room)] = byte(n)
	return recurse(n+1) + int(room[(n+1)%len(room)])
}

// forks makes a process, which ends at once.
func forks(number, flags uintptr) error {
	pid, _, errno := unix.RawSyscall6(number, flags, 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

// threads are goroutines that had a thread each before the process entered. What they are
// sent they do on it.
var threads struct {
	tasks []chan func() error
	done  chan error
}

func startThreads() {
	threads.done = make(chan error)
	for range 8 {
		tasks, ready := make(chan func() error), make(chan bool)
		threads.tasks = append(threads.tasks, tasks)
		go func() {
			runtime.LockOSThread()
			ready <- true
			for task := range tasks {
				threads.done <- task()
			}
		}()
		<-ready
	}
}

// threadsRefused returns nil if one of the threads can open a folder, or make a pipe.
func threadsRefused() error {
	var last error
	for _, tasks := range threads.tasks {
		for _, task := range []func() error{call(unix.SYS_CHDIR, 0), call(unix.SYS_PIPE2, 0, 0)} {
			tasks <- task
			if last = <-threads.done; !errors.Is(last, unix.EPERM) {
				return nil
			}
		}
	}
	return last
}

// landlockAlone shows that Landlock alone, which Enter has behind the list of calls, refuses
// files on threads that were there before.
func landlockAlone() {
	startThreads()
	version, err := takePaths()
	if err != nil {
		fmt.Println(entered+"without:", err)
		fmt.Println(reached)
		os.Exit(0)
	}
	fmt.Println(entered + version)
	victim := os.Getenv(victimKey)
	for _, tasks := range threads.tasks {
		for _, task := range []func() error{
			func() error { return only(os.Open(victim)) },
			func() error { return os.Remove(victim) },
			func() error { return only(os.Create(victim + ".new")) },
			func() error { return only(os.ReadDir("/")) },
		} {
			tasks <- task
			if err := <-threads.done; !errors.Is(err, unix.EACCES) {
				fmt.Println("a thread was not refused:", err)
				os.Exit(5)
			}
		}
	}
	fmt.Println(reached)
	os.Exit(0)
}

// haveChild starts a child that waits in the sandbox, and ends by a signal when that is
// there.
func haveChild() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), attemptKey+"=wait")
	cmd.Stdin = os.Stdin
	// The grandchild's end of the outer pipe is what tells that it has ended.
	cmd.ExtraFiles = []*os.File{os.Stdout}
	said, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	for lines := bufio.NewScanner(said); lines.Scan(); {
		fmt.Println(lines.Text())
		if strings.Contains(lines.Text(), "waits") {
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		}
	}
	os.Exit(6)
}

// duties are what must stay possible.
func duties() map[string]func() error {
	return map[string]func() error{
		"landlock by itself": nil, // does not enter, see before
		"goroutines on threads": func() error {
			var all sync.WaitGroup
			for range 16 {
				all.Go(func() {
					runtime.LockOSThread() // a thread that ends with the goroutine
					for range 50 {
						_ = make([]byte, 1<<16)
						runtime.Gosched()
					}
				})
			}
			all.Wait()
			return nil
		},
		"garbage collection": func() error {
			for range 20 {
				work := make([][]byte, 0, 1000)
				for i := range 1000 {
					work = append(work, make([]byte, 10*i))
				}
				runtime.KeepAlive(work)
				runtime.GC()
			}
			debug.FreeOSMemory()
			return nil
		},
		"memory grows and is given back": func() error {
			for range 3 * childMemory / (64 << 20) {
				work := make([]byte, 64<<20)
				for i := 0; i < len(work); i += 4096 {
					work[i] = 1
				}
				runtime.KeepAlive(work)
				work = nil
				debug.FreeOSMemory()
			}
			return nil
		},
		"timers and preemption": func() error {
			stop := time.After(20 * time.Millisecond)
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			busy := make(chan bool)
			go func() { // has no call in its loop, so that Go interrupts it by a signal
				for n := 0; ; n++ {
					select {
					case <-busy:
						return
					default:
					}
				}
			}()
			for {
				select {
				case <-tick.C:
				case <-stop:
					busy <- true
					return nil
				}
			}
		},
		"local time": func() error { _ = time.Now().Local().String(); return nil },
		"shared memory": func() error {
			m, err := unix.Mmap(sharedFD, 0, sharedLen, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			if err != nil {
				return err
			}
			copy(m, "hello")
			return unix.Munmap(m)
		},
		"standard streams": func() error {
			if n, err := os.Stdin.Read(make([]byte, 1)); n != 0 || err == nil {
				return errors.New("no end of the input")
			}
			return only(os.Stderr.WriteString("told\n"))
		},
		"a panic that is recovered": func() (err error) {
			defer func() {
				if recover() == nil {
					err = errors.New("no panic")
					return
				}
				err = nil
			}()
			var nowhere *byte
			return errors.New(string(*nowhere))
		},
	}
}
