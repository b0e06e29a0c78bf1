package throttle

import (
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestGiveWay: work waits for an answer to end, and not at all without one.
func TestGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(nil)
		w := g.Worker()
		began := time.Now()
		w.Wait(nil, false)
		if took := time.Since(began); took != 0 {
			t.Errorf("with nobody there it took %s", took)
		}
		time.Sleep(10 * time.Millisecond) // a piece of work
		done := g.Answer()
		go func() { time.Sleep(7 * time.Millisecond); done() }()
		began = time.Now()
		w.Wait(nil, false)
		if took := time.Since(began); took != 7*time.Millisecond {
			t.Errorf("an answer of 7 ms held work back for %s", took)
		}
	})
}

// TestProgress: under answers without end, work has a fifth of its time.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(nil)
		defer g.Answer()()
		w := g.Worker()
		began := time.Now()
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			w.Wait(nil, true)
		}
		if took := time.Since(began); took != 100*(patience+1)*10*time.Millisecond {
			t.Errorf("a second of work took %s", took)
		}
		time.Sleep(time.Hour)
		began = time.Now()
		w.Wait(nil, false)
		if took := time.Since(began); took != mostWait {
			t.Errorf("after long work it gave way for %s", took)
		}
	})
}

// TestYield: parts of a piece of work give way to answers, too, and under answers without
// end the piece takes no longer than if it had none.
func TestYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(func(time.Time) string { return "on battery" })
		w := g.Worker()
		began := time.Now()
		w.Yield(nil)
		if took := time.Since(began); took != 0 {
			t.Errorf("with nobody there it took %s", took)
		}
		done := g.Answer()
		time.Sleep(10 * time.Millisecond) // a part
		go func() { time.Sleep(7 * time.Millisecond); done() }()
		began = time.Now()
		w.Yield(nil)
		if took := time.Since(began); took != 7*time.Millisecond {
			t.Errorf("an answer of 7 ms held work back for %s", took)
		}
		done = g.Answer()
		defer done()
		began = time.Now()
		for range 100 {
			time.Sleep(100 * time.Microsecond)
			w.Yield(nil)
		}
		if took := time.Since(began); took != 100*(patience+1)*100*time.Microsecond {
			t.Errorf("a piece of 10 ms in 100 parts took %s", took)
		}
		stop := make(chan struct{})
		close(stop)
		time.Sleep(time.Hour)
		began = time.Now()
		w.Yield(stop)
		if took := time.Since(began); took != 0 {
			t.Errorf("work that is to stop gave way for %s", took)
		}
	})
}

// TestPause: work stands while the policy says so, unless it is small, somebody expedited,
// or it is to stop.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var battery atomic.Bool
		battery.Store(true)
		var asked atomic.Int64
		g := New(func(time.Time) string {
			asked.Add(1)
			if battery.Load() {
				return "on battery"
			}
			return ""
		})
		w := g.Worker()
		began := time.Now()
		w.Wait(nil, true)
		if took := time.Since(began); took != 0 || g.Paused() != "" {
			t.Errorf("small work stood for %s: %q", took, g.Paused())
		}

		through := make(chan time.Duration)
		wait := func(stop <-chan struct{}) {
			began := time.Now()
			g.Worker().Wait(stop, false)
			through <- time.Since(began)
		}
		go wait(nil)
		time.Sleep(90 * time.Second)
		if g.Paused() != "on battery" {
			t.Errorf("paused: %q", g.Paused())
		}
		if n := asked.Load(); n > 95 {
			t.Errorf("the policy was asked %d times in 90 s", n)
		}
		battery.Store(false)
		if took := <-through; took < 90*time.Second || took > 91*time.Second {
			t.Errorf("paused for %s", took)
		}
		if g.Paused() != "" {
			t.Errorf("paused: %q, and nothing waits", g.Paused())
		}

		battery.Store(true)
		time.Sleep(policyEvery)
		go wait(nil)
		time.Sleep(5 * time.Second)
		done := g.Expedite()
		if took := <-through; took != 5*time.Second {
			t.Errorf("the work was expedited after 5 s, and it took %s", took)
		}
		w.Wait(nil, false)
		done()

		stop := make(chan struct{})
		go wait(stop)
		time.Sleep(3 * time.Second)
		close(stop)
		if took := <-through; took != 3*time.Second {
			t.Errorf("stopped after 3 s, and it took %s", took)
		}
	})
}

// TestNil: nothing needs a Gate.
func TestNil(t *testing.T) {
	var g *Gate
	g.Answer()()
	g.Expedite()()
	w := g.Worker()
	w.Wait(nil, false)
	w.Yield(nil)
	if g.Paused() != "" {
		t.Error("a gate that is not there is paused")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBattery(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"no battery":             {map[string]string{"AC/type": "Mains\n", "AC/online": "1\n"}, false},
		"plugged in":             {map[string]string{"AC/type": "Mains\n", "AC/online": "1\n", "BAT0/type": "Battery\n", "BAT0/status": "Charging\n"}, false},
		"full":                   {map[string]string{"AC/type": "Mains\n", "AC/online": "0\n", "BAT0/type": "Battery\n", "BAT0/status": "Full\n"}, false},
		"unplugged":              {map[string]string{"AC/type": "Mains\n", "AC/online": "0\n", "BAT0/type": "Battery\n", "BAT0/status": "Discharging\n"}, true},
		"weak charger":           {map[string]string{"ucsi/type": "USB\n", "ucsi/online": "1\n", "BAT0/type": "Battery\n", "BAT0/status": "Discharging\n"}, false},
		"a mouse":                {map[string]string{"hid/type": "Battery\n", "hid/scope": "Device\n", "hid/status": "Discharging\n"}, false},
		"nothing is told":        {nil, false},
		"a battery and no mains": {map[string]string{"BAT0/type": "Battery\n", "BAT0/status": "Discharging\n"}, true},
	} {
		dir := t.TempDir()
		for path, text := range c.files {
			write(t, filepath.Join(dir, path), text)
		}
		m := Machine{Battery: true, Power: dir}
		if got := m.Policy(time.Now()) != ""; got != c.want {
			t.Errorf("%s: on battery %v", name, got)
		}
	}
}

// TestLoad: the time of others counts, that of this process does not, and between the
// two bounds all stays as it was.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	m := Machine{Load: true, Proc: dir}
	if m.Check() == nil {
		t.Error("a system that tells nothing is fine")
	}
	now, user, idle, own := time.Unix(0, 0), 0, 0, 0
	look := func(step time.Duration, others, ours, free int) bool {
		t.Helper()
		now, user, own, idle = now.Add(step), user+others+ours, own+ours, idle+free
		write(t, filepath.Join(dir, "stat"), "cpu  "+strconv.Itoa(user)+" 0 0 "+strconv.Itoa(idle)+" 0 0 0 0 0 0\ncpu0 1 2 3\n")
		write(t, filepath.Join(dir, "self", "stat"), "7 (a (b) c) S 1 1 1 0 -1 0 0 0 0 0 "+strconv.Itoa(own)+" 0 0 0 20 0 9 0\n")
		return m.Policy(now) != ""
	}
	for i, step := range []struct {
		after              time.Duration
		others, ours, free int
		want               bool
	}{
		{time.Second, 200, 0, 0, false},   // the first look has nothing to compare with
		{time.Second, 0, 200, 0, false},   // all of it is ours
		{time.Second, 90, 110, 0, false},  // not half
		{time.Second, 120, 80, 0, true},   // more than half
		{time.Second, 90, 0, 110, true},   // between the two
		{time.Second, 40, 0, 160, false},  // quiet
		{time.Second, 90, 0, 110, false},  // between the two
		{time.Minute, 2000, 0, 0, false},  // too long ago
		{time.Second, 200, 0, 0, true},    // and now not
		{time.Minute, 0, 0, 12000, true},  // too long ago
		{time.Second, 10, 100, 90, false}, // quiet, but for us
	} {
		if got := look(step.after, step.others, step.ours, step.free); got != step.want {
			t.Errorf("step %d: paused %v", i, got)
		}
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

// TestSystem reads the real figures, where there are any.
func TestSystem(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("this system has no /proc")
	}
	m := Machine{Battery: true, Load: true}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	r, err := m.read(time.Now())
	if err != nil || r.total == 0 || r.busy == 0 || r.busy > r.total || r.own > r.busy {
		t.Errorf("%+v, %v", r, err)
	}
}
