package te

import (
	"fmt"
	"regexp"
	"runtime"
	"sync"
	"testing"
)

// A ballast is a value that takes memory.
type ballast []byte

func (b ballast) Weight() int64 { return int64(cap(b)) }

func TestStoreAndLoad(t *testing.T) {
	var s Store
	a := s.Put(Handle{Session: "one", Cmd: "grep", Matches: 7, Value: ballast("a")})
	b := s.Put(Handle{Session: "one", Cmd: "cat", Value: ballast("b")})
	s.Put(Handle{Session: "two", Cmd: "find", Value: ballast("c")})
	if !regexp.MustCompile(`^res_[0-9a-f]{12}$`).MatchString(a) || a == b {
		t.Errorf("handles %q and %q", a, b)
	}
	got, ok := s.Load("", a)
	if !ok || got.Cmd != "grep" || got.Matches != 7 || string(got.Value.(ballast)) != "a" || got.Created.IsZero() {
		t.Errorf("%+v, %v", got, ok)
	}
	if _, ok := s.Load("somebody", a); ok || len(s.List("somebody", "one")) > 0 {
		t.Error("somebody else has it, too")
	}
	list := s.List("", "one")
	if len(list) != 2 || list[0].ID != b || list[1].ID != a {
		t.Errorf("%+v", list)
	}
}

func TestLoadMiss(t *testing.T) {
	var s Store
	if _, ok := s.Load("", "res_0123456789ab"); ok {
		t.Error("an empty store has a handle")
	}
	if list := s.List("", "nobody"); list == nil || len(list) > 0 {
		t.Errorf("%v", list)
	}
	first := s.Put(Handle{Session: "one", Value: ballast{}})
	kept := s.Put(Handle{Session: "two", Value: ballast{}})
	for range maxHandles {
		s.Put(Handle{Session: "one", Value: ballast{}})
	}
	if _, ok := s.Load("", first); ok {
		t.Error("the oldest of 257 is still there")
	}
	if _, ok := s.Load("", kept); !ok {
		t.Error("a session has taken another one's handle away")
	}
	if n := len(s.List("", "one")); n != maxHandles {
		t.Errorf("%d handles of a session", n)
	}
	if id := s.Put(Handle{Value: make(ballast, maxWeight)}); id != "" {
		t.Errorf("%s takes more than there is", id)
	}
}

// Ten thousand handles of a hundred sessions do not take more memory than is allowed.
func TestTenThousandHandles(t *testing.T) {
	var s Store
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 2500 {
				id := s.Put(Handle{Session: fmt.Sprint(worker, i%25), Cmd: "grep", Value: make(ballast, 40<<10)})
				if _, ok := s.Load("", id); !ok && i < 100 {
					t.Errorf("%s is lost", id)
				}
				if _, weight := s.Size(); weight > maxWeight {
					t.Errorf("%d bytes", weight)
				}
			}
		})
	}
	wg.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	n, weight := s.Size()
	if n < 1500 || weight < maxWeight*9/10 || weight > maxWeight {
		t.Errorf("%d handles of %d bytes", n, weight)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > maxWeight*5/4 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	runtime.KeepAlive(&s)
}
