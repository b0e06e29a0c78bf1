package gittest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/quarry-search/quarry/index/internal/sandbox"
	"golang.org/x/sys/unix"
)

// reads are the files and folders below a folder that any process opens, as the kernel
// tells it, inotify(7).
type reads struct {
	queue   *os.File
	folders map[int32]string
}

// confines says whether the system can confine git.
var confines = sync.OnceValue(func() bool {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // for good
		result <- sandbox.RestrictThread(sandbox.Reach{})
	}()
	return !errors.Is(<-result, errors.ErrUnsupported)
})

// watch begins to listen. What is put below the folder later is not heard. Where git cannot
// be confined, or others listen to as much as the system allows, it returns nil.
func watch(t testing.TB, folder string) *reads {
	t.Helper()
	if !confines() {
		t.Log("git cannot be confined here: what it opens is not looked at")
		return nil
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENOSPC) {
		t.Log("what is opened is not looked at: ", err)
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	r := &reads{os.NewFile(uintptr(fd), "inotify"), map[int32]string{}}
	t.Cleanup(func() { _ = r.queue.Close() })
	if err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		id, err := unix.InotifyAddWatch(fd, name, unix.IN_OPEN|unix.IN_ONLYDIR)
		r.folders[int32(id)] = strings.TrimPrefix(name, folder)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	r.names(t) // the walk's own
	return r
}

// names returns what has been opened since the last call, sorted.
func (r *reads) names(t testing.TB) (names []string) {
	t.Helper()
	if r == nil {
		return nil
	}
	raw, err := r.queue.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	b := make([]byte, 64<<10)
	if err := raw.Control(func(fd uintptr) {
		for {
			n, err := unix.Read(int(fd), b)
			if n <= 0 || err != nil {
				return
			}
			all = append(all, b[:n]...)
		}
	}); err != nil {
		t.Fatal(err)
	}
	for len(all) >= unix.SizeofInotifyEvent {
		var e unix.InotifyEvent
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&e)), unix.SizeofInotifyEvent), all)
		name, _, _ := bytes.Cut(all[unix.SizeofInotifyEvent:][:e.Len], []byte{0})
		all = all[unix.SizeofInotifyEvent+int(e.Len):]
		if e.Mask&unix.IN_Q_OVERFLOW != 0 {
			t.Fatal("more has been opened than the kernel tells")
		}
		names = append(names, filepath.Join("/", r.folders[e.Wd], string(name)))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
