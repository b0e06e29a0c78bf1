package oserror

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTransient asks about each error of the table as the package os hands it out.
func TestTransient(t *testing.T) {
	seen := map[syscall.Errno]string{}
	for _, e := range Table() {
		if e.Name == "" || e.Why == "" || strings.HasSuffix(e.Why, ".") {
			t.Errorf("%+v: a name and a sentence without a full stop are needed", e)
		}
		if e.Errno == 0 {
			if !strings.HasPrefix(e.Name, "ERROR_") {
				t.Errorf("%s has no number", e.Name)
			}
			continue
		}
		if other, ok := seen[e.Errno]; ok {
			t.Errorf("%s and %s are one error", other, e.Name)
		}
		seen[e.Errno] = e.Name
		for _, err := range []error{
			e.Errno,
			&fs.PathError{Op: "open", Path: "x", Err: e.Errno},
			os.NewSyscallError("pipe", e.Errno),
			fmt.Errorf("read: %w", &os.LinkError{Op: "link", Old: "a", New: "b", Err: e.Errno}),
			errors.Join(io.EOF, e.Errno),
		} {
			if got := Transient(err); got != e.Transient {
				t.Errorf("%s as %T: transient %v, want %v", e.Name, err, got, e.Transient)
			}
		}
	}
	for _, err := range []error{nil, io.EOF, io.ErrUnexpectedEOF, fs.ErrClosed, fs.ErrNotExist, syscall.Errno(0), syscall.Errno(9999), errors.New("too many open files")} {
		if Transient(err) {
			t.Errorf("%v is called transient", err)
		}
	}
}

// TestTable holds the page for operators to the table.
func TestTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| error | passes | why |\n|---|---|---|\n"
	for _, e := range Table() {
		passes := "no"
		if e.Transient {
			passes = "yes"
		}
		want += fmt.Sprintf("| `%s` | %s | %s |\n", e.Name, passes, e.Why)
	}
	if !strings.Contains(string(page), "\n"+want+"\n") {
		t.Errorf("docs/operations.md does not have this table:\n%s", want)
	}
}

// TestBackoff looks at the intervals, which chance makes shorter and longer by half.
func TestBackoff(t *testing.T) {
	var b Backoff
	mean := First
	different := false
	for i := range 40 {
		next := b.Next()
		if next < mean/2 || next > mean*3/2+time.Millisecond {
			t.Errorf("interval %d is %v, want half to one and a half of %v", i, next, mean)
		}
		different = different || next != mean
		mean = min(2*mean, Longest)
	}
	if !different {
		t.Error("nothing is left to chance")
	}
	b.Reset()
	if next := b.Next(); next > First*3/2+time.Millisecond {
		t.Errorf("after Reset: %v", next)
	}
}
