package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-search/quarry/index/answer"
)

func TestSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		first := s.get(sessionKey{"", "0", "/"})
		for i := range MaxSessions {
			s.get(sessionKey{"", fmt.Sprint(i), "/"})
		}
		if s.Count() != MaxSessions || s.get(sessionKey{"", "0", "/"}) != first {
			t.Errorf("%d sessions", s.Count())
		}
		s.get(sessionKey{"", "more", "/"})
		if s.byKey[sessionKey{"", "1", "/"}] != nil || s.byKey[sessionKey{"", "0", "/"}] == nil || s.Count() != MaxSessions {
			t.Error("it is not the one that waited longest that went")
		}
		time.Sleep(sessionIdle)
		s.get(sessionKey{"", "0", "/"})
		time.Sleep(time.Second)
		if s.Count() != 1 || s.get(sessionKey{"", "0", "/"}) != first {
			t.Errorf("%d sessions after two hours", s.Count())
		}
		// By size: a session of some megabytes does not fit twenty times.
		long := strings.Repeat("x", 1<<20)
		for i := range 20 {
			one := s.get(sessionKey{"", fmt.Sprint("big", i), "/"})
			for n := range 5 {
				one.sent.Add(answer.Lines{File: fmt.Sprint(n, long), Hash: 1, From: 1, To: 1})
			}
			s.grown(one)
		}
		sum := 0
		for e := s.order.Front(); e != nil; e = e.Next() {
			sum += e.Value.(*session).bytes
		}
		if s.bytes != sum || sum > SessionBytes || sum < SessionBytes/2 {
			t.Errorf("%d bytes are counted, there are %d", s.bytes, sum)
		}
		s.grown(first) // it was forgotten
		if s.bytes != sum {
			t.Error("what is forgotten is counted")
		}
	})
}

// Who waits for a session in vain gives back what it has.
func TestReaderGivesUp(t *testing.T) {
	s := New()
	held, err := s.Reader(t.Context(), "s", false, map[string]string{"b": "/b"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.Reader(ctx, "s", false, map[string]string{"a": "/a", "b": "/b"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	a, err := s.Reader(t.Context(), "s", false, map[string]string{"a": "/a"})
	if err != nil {
		t.Fatal(err)
	}
	a.Release()
	held.Release()
	held.Release()
	both, err := s.Reader(t.Context(), "s", false, map[string]string{"a": "/a", "b": "/b"})
	if err != nil {
		t.Fatal(err)
	}
	both.Release()
}

// TestUse asks what sessions were sent: that of one root, the last used first, from 0 again
// once it forgets.
func TestUse(t *testing.T) {
	s := New()
	ask := func(id string, forget bool, tokens, raw int) {
		t.Helper()
		rd, err := s.Reader(t.Context(), id, forget, map[string]string{"shop": "/shop", "depot": "/depot"})
		if err != nil {
			t.Fatal(err)
		}
		b := NewBill()
		b.Add("shop", tokens)
		b.File("shop", "a.go", raw)
		b.File("shop", "a.go", raw) // once
		rd.Record(b)
		rd.Release()
	}
	ask("one", false, 10, 100)
	ask("two", false, 5, 50)
	ask("one", false, 1, 100)
	said := func(root string, n int) (text string) {
		for _, u := range s.Of(t.Context(), root, n) {
			text += fmt.Sprint(u.ID, " ", u.Sent, " ", u.Raw, "; ")
		}
		return text
	}
	for _, tc := range []struct {
		root string
		n    int
		want string
	}{{"/shop", 9, "one 11 200; two 5 50; "}, {"/shop", 1, "one 11 200; "}, {"/depot", 9, "one 0 0; two 0 0; "}, {"/none", 9, ""}} {
		if got := said(tc.root, tc.n); got != tc.want {
			t.Errorf("%s, %d: %q", tc.root, tc.n, got)
		}
	}
	ask("two", true, 1, 1)
	if got := said("/shop", 9); got != "two 1 1; one 11 200; " {
		t.Errorf("after one forgot: %q", got)
	}
}
