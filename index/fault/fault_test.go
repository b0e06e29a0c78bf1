package fault

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTry: a panic is an error with its value and its place.
func TestTry(t *testing.T) {
	if err := Try(func() {}); err != nil {
		t.Errorf("%v without a panic", err)
	}
	cause := errors.New("a cause")
	err := Try(func() { panic(cause) })
	var fault *Error
	if !errors.As(err, &fault) || !errors.Is(err, cause) || !strings.Contains(err.Error(), "TestTry") {
		t.Errorf("%v has neither its cause nor its place", err)
	}
	if err := Try(func() { panic("a word") }); errors.Unwrap(err) != nil || !strings.Contains(err.Error(), "a word") {
		t.Error(err)
	}
}

// TestGroup: all functions run, and who waits gets the panic of one.
func TestGroup(t *testing.T) {
	var g Group
	var ran atomic.Int32
	for i := range 10 {
		g.Go(func() {
			ran.Add(1)
			if i == 3 {
				panic("three")
			}
		})
	}
	err := Try(g.Wait)
	if ran.Load() != 10 || err == nil || !strings.Contains(err.Error(), "three") {
		t.Errorf("%d ran, %v", ran.Load(), err)
	}
	var quiet Group
	quiet.Go(func() {})
	if err := Try(quiet.Wait); err != nil {
		t.Error(err)
	}
}
