package api

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-search/quarry/index/search"
)

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newFake(t)
		s := newServer(t, x, Options{})
		c, h := newChecker(t), s.Handler()
		idle := func(want time.Duration) {
			t.Helper()
			if got := s.Idle(); got != want {
				t.Errorf("idle for %v, want %v", got, want)
			}
		}
		time.Sleep(time.Minute)
		idle(time.Minute)
		for _, probe := range []string{"/health", "/ready", "/metrics"} {
			c.get(h, probe)
		}
		idle(time.Minute)
		for _, target := range []string{"/search?query=a", "/status", "/nothing", "/search"} {
			c.get(h, target)
			idle(0)
			time.Sleep(time.Second)
			idle(time.Second)
		}
		// As long as something runs, and from its end.
		x.search = func(context.Context, search.Query) (search.Answer, error) {
			time.Sleep(5 * time.Second)
			idle(0)
			return search.Answer{State: x.State()}, nil
		}
		c.get(h, "/search?query=a")
		idle(0)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() {
			h.ServeHTTP(httptest.NewRecorder(), request("GET", "/events", "").WithContext(ctx))
			close(done)
		}()
		time.Sleep(time.Hour)
		idle(0)
		cancel()
		<-done
		time.Sleep(time.Second)
		idle(time.Second)
	})
}
