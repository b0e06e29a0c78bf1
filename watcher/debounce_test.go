package watcher

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ms = time.Millisecond

// drive runs a debouncer as the loop does, in the fake time of a bubble, and
// returns the batches with the milliseconds at which they went out. handle says
// if a batch fails.
func drive(t *testing.T, d *debouncer, until time.Duration, events map[time.Duration]string, handle func(Batch) bool) []string {
	t.Helper()
	var out []string
	begin := time.Now()
	for time.Since(begin) <= until {
		now := time.Now()
		switch p := events[now.Sub(begin)]; p {
		case "":
		case "*":
			d.lose(now)
		default:
			d.add(p, now)
		}
		if at, ok := d.due(); ok && !now.Before(at) && d.join(now) {
			b := d.take()
			line := fmt.Sprintf("%d: %v", now.Sub(begin).Milliseconds(), b.Paths)
			if b.Rescan {
				line = fmt.Sprintf("%d: rescan", now.Sub(begin).Milliseconds())
			}
			line += fmt.Sprintf(" since %d", b.First.Sub(begin).Milliseconds())
			if handle != nil && handle(b) {
				line += fmt.Sprintf(" failed, %d dropped", d.failed(now))
			}
			out = append(out, line)
		}
		time.Sleep(ms)
	}
	if at, ok := d.due(); ok {
		t.Errorf("still waiting for %v", at.Sub(begin))
	}
	return out
}

func TestDebounce(t *testing.T) {
	storm := make(map[time.Duration]string)
	for i := range 40 {
		storm[time.Duration(i*25)*ms] = "storm"
	}
	always := func(Batch) bool { return true }
	cases := []struct {
		name   string
		limit  int
		until  time.Duration
		events map[time.Duration]string
		handle func(Batch) bool
		want   []string
	}{
		{"one save", 9, 1000 * ms, map[time.Duration]string{5 * ms: "a"}, nil, []string{"65: [a] since 5"}},
		{"each event starts the quiet time again", 9, 1000 * ms,
			map[time.Duration]string{0: "b", 50 * ms: "a", 109 * ms: "b"}, nil, []string{"169: [a b] since 0"}},
		{"after the quiet time a new batch", 9, 1000 * ms,
			map[time.Duration]string{0: "a", 60 * ms: "b", 121 * ms: "c"}, nil,
			[]string{"120: [a b] since 0", "181: [c] since 121"}},
		{"no longer than the delay", 9, 2000 * ms, storm, nil,
			[]string{"500: [storm] since 0", "1025: [storm] since 525"}},
		{"too many", 2, 1000 * ms, map[time.Duration]string{0: "a", 1 * ms: "b", 2 * ms: "a", 3 * ms: "c", 4 * ms: "d"}, nil,
			[]string{"64: rescan since 0"}},
		{"just enough", 2, 1000 * ms, map[time.Duration]string{0: "a", 1 * ms: "b", 2 * ms: "a"}, nil, []string{"62: [a b] since 0"}},
		{"lost notices", 9, 1000 * ms, map[time.Duration]string{0: "a", 1 * ms: "*", 2 * ms: "b"}, nil, []string{"62: rescan since 0"}},
		{"retried once", 9, 4000 * ms, map[time.Duration]string{0: "a"}, always,
			[]string{"60: [a] since 0 failed, 0 dropped", "1120: [a] since 0 failed, 1 dropped"}},
		{"retry joins the next batch", 9, 4000 * ms,
			map[time.Duration]string{0: "a", 500 * ms: "b", 1050 * ms: "c"},
			func(b Batch) bool { return b.Paths[0] == "a" },
			[]string{"60: [a] since 0 failed, 0 dropped", "560: [b] since 500",
				"1120: [a c] since 0 failed, 1 dropped", "2180: [c] since 0"}},
		{"a new change is a new first try", 9, 4000 * ms, map[time.Duration]string{0: "a", 500 * ms: "a"}, always,
			[]string{"60: [a] since 0 failed, 0 dropped", "560: [a] since 500 failed, 0 dropped",
				"1620: [a] since 500 failed, 1 dropped"}},
		{"rescan retried once", 9, 4000 * ms, map[time.Duration]string{0: "*"}, always,
			[]string{"60: rescan since 0 failed, 0 dropped", "1120: rescan since 0 failed, 1 dropped"}},
		{"rescan covers what failed", 9, 4000 * ms, map[time.Duration]string{0: "a", 100 * ms: "*"},
			func(b Batch) bool { return !b.Rescan },
			[]string{"60: [a] since 0 failed, 0 dropped", "160: rescan since 100"}},
		{"two failures wait together", 9, 4000 * ms, map[time.Duration]string{0: "a", 200 * ms: "b"},
			func(b Batch) bool { return len(b.Paths) == 1 },
			[]string{"60: [a] since 0 failed, 0 dropped", "260: [b] since 200 failed, 0 dropped", "1120: [a b] since 0"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &debouncer{quiet: 60 * ms, delay: 500 * ms, limit: c.limit}
				got := drive(t, d, c.until, c.events, c.handle)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestLoopTimes runs the whole loop in fake time: notices come from a fake
// source, the files are real.
func TestLoopTimes(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		src := newFake()
		w, err := New(Options{Root: root})
		check(t, err)
		w.open = func() (source, error) { return src, nil }
		begin := time.Now()
		var got []string
		done := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer close(done)
			if err := w.Run(ctx, func(_ context.Context, b Batch) error {
				got = append(got, fmt.Sprintf("%d: %v", time.Since(begin).Milliseconds(), b.Paths))
				if len(got) == 2 {
					time.Sleep(300 * ms)
					return errors.New("slow and bad")
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}()
		<-w.Ready()
		time.Sleep(time.Hour) // at rest nothing goes out
		begin = time.Now()
		for _, e := range []struct {
			at   time.Duration
			path string
		}{{0, "a"}, {10 * ms, "a"}, {200 * ms, "b"}, {300 * ms, "c"}, {310 * ms, "d"}, {1000 * ms, "e"}} {
			time.Sleep(e.at - time.Since(begin))
			src.write(root, e.path)
		}
		time.Sleep(10 * time.Second)
		cancel()
		<-done
		want := []string{"70: [a]", "260: [b]", "560: [c d]", "1060: [e]", "1620: [b]"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
