package coach

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A clock is the time of a test.
type clock struct{ now time.Time }

func (c *clock) wait(d time.Duration) { c.now = c.now.Add(d) }

// open returns a Coach with a clock of its own and fixed draws.
func open(t *testing.T, path string, seed uint64) (*Coach, *clock) {
	t.Helper()
	at := &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return Open(Options{Path: path, Now: func() time.Time { return at.now }, Source: rand.NewPCG(seed, 1)}), at
}

// record returns the record of a form.
func record(t *testing.T, c *Coach, cmd string, id int) Record {
	t.Helper()
	for _, r := range c.Report()[cmd] {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no record of form %d of %s", id, cmd)
	return Record{}
}

func TestStrategies(t *testing.T) {
	for _, cmd := range Commands() {
		all := strategies(cmd)
		if len(all) < 3 || Default(cmd) != all[0] {
			t.Errorf("%s: %d forms, by default %+v", cmd, len(all), Default(cmd))
		}
		seen := map[Strategy]bool{}
		for i, s := range all {
			if s.ID != i+1 || s.Preview <= 0 || !slices.Contains([]Density{High, Medium, Low}, s.Density) {
				t.Errorf("%s: form %+v in place %d", cmd, s, i+1)
			}
			s.ID = 0
			if seen[s] {
				t.Errorf("%s: form %d is another one, too", cmd, i+1)
			}
			seen[s] = true
		}
	}
	if got := Default("rm"); got != (Strategy{}) {
		t.Errorf("a command without forms: %+v", got)
	}
}

// An agent likes one form: it reads on after 70 % of such answers, and after 30 % of the
// others. Otherwise it asks again.
func TestConvergence(t *testing.T) {
	const before, after = 500, 2_000
	for _, cmd := range Commands() {
		for _, liked := range strategies(cmd) {
			for seed := range uint64(3) {
				c, at := open(t, "", seed)
				agent := rand.New(rand.NewPCG(seed, 7))
				chosen := 0
				for i := range before + after {
					s := c.Choose(cmd)
					if i >= before && s == liked {
						chosen++
					}
					kind := Search
					if cmd == "cat" {
						kind = Read
					}
					name := "agent" + strconv.Itoa(i%3)
					c.Saw(name, Action{Kind: kind, Cmd: cmd, Form: s.ID, Query: "open connection", Files: []string{"pool.go"}})
					at.wait(time.Second)
					likes := 0.3
					if s == liked {
						likes = 0.7
					}
					if agent.Float64() < likes {
						c.Saw(name, Action{Kind: Other, Cmd: "calls"})
					} else {
						c.Saw(name, Action{Kind: kind, Cmd: cmd, Query: "open the connection", Files: []string{"pool.go"}})
					}
					at.wait(time.Second)
				}
				share := float64(chosen) / after
				t.Logf("%s, form %d, seed %d: %.3f", cmd, liked.ID, seed, share)
				if share <= 0.8 {
					t.Errorf("%s: form %d has %.3f of the answers after the first %d", cmd, liked.ID, share, before)
				}
				if r := record(t, c, cmd, liked.ID); !r.Best || !r.Enough || r.N != r.Scored || r.Mean < 0.8 || r.Mean > 1.4 {
					t.Errorf("%s: %+v", cmd, r)
				}
			}
		}
	}
}

// Where one form always does and the others never, the first answers are enough.
func TestConvergesSoon(t *testing.T) {
	c, _ := open(t, "", 3)
	for range 500 {
		s := c.Choose("grep")
		c.Saw("agent", Action{Kind: Search, Cmd: "grep", Form: s.ID, Query: "token", Files: []string{"a.go"}})
		next := Action{Kind: Search, Cmd: "grep", Query: "token"}
		if s.ID == 4 {
			next = Action{Kind: Read, Cmd: "cat", Files: []string{"a.go"}}
		}
		c.Saw("agent", next)
	}
	if r := record(t, c, "grep", 4); r.Share <= 0.8 || r.Mean != 2 || r.N < 400 {
		t.Errorf("%+v", r)
	}
}

// Before anything was scored, all forms are tried in turn, but for the draws.
func TestChooseTies(t *testing.T) {
	c, _ := open(t, "", 1)
	for i := range 100 {
		s := c.Choose("cat")
		c.Saw("s"+strconv.Itoa(i), Action{Kind: Read, Cmd: "cat", Form: s.ID})
	}
	for _, r := range c.Report()["cat"] {
		if r.N < 30 || r.N > 37 || r.Scored != 0 || r.Best || r.Enough {
			t.Errorf("%+v", r)
		}
	}
	// A bad one comes after those of which nothing is known.
	c, _ = open(t, "", 1)
	c.kept[form{"find", 1}] = count{N: 1, Scored: 1, Sum: -1}
	c.kept[form{"find", 2}] = count{N: 5}
	c.kept[form{"find", 3}] = count{N: 5}
	got := map[int]int{}
	for range 1000 {
		got[c.Choose("find").ID]++
	}
	if got[2] < 800 || got[1] < 40 || got[3] < 40 {
		t.Errorf("%v", got)
	}
	if r := record(t, c, "find", 1); !r.Best || r.Mean != -1 || r.Enough {
		t.Errorf("the only one that was scored: %+v", r)
	}
}

func TestReport(t *testing.T) {
	c, _ := open(t, "", 1)
	c.kept[form{"grep", 2}] = count{N: 60, Scored: 30, Sum: 45}
	c.since[form{"grep", 2}] = count{N: 20, Scored: 10, Sum: 15}
	c.since[form{"grep", 5}] = count{N: 20, Scored: 20, Sum: 30}
	r := c.Report()
	if len(r) != 3 || len(r["grep"]) != 5 || len(r["cat"]) != 3 || len(r["find"]) != 3 {
		t.Fatalf("%+v", r)
	}
	want := []Record{
		{Strategy: Strategy{2, 5, true, High}, N: 80, Scored: 40, Mean: 1.5, Share: 0.8, Enough: true},
		{Strategy: Strategy{5, 50, true, Low}, N: 20, Scored: 20, Mean: 1.5, Share: 0.2, Best: true},
	}
	if got := []Record{r["grep"][1], r["grep"][4]}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := r["grep"][0]; got != (Record{Strategy: Default("grep")}) {
		t.Errorf("one that was never given: %+v", got)
	}
}

// A Coach that is turned off.
func TestNil(t *testing.T) {
	var c *Coach
	if got := c.Choose("cat"); got != Default("cat") {
		t.Errorf("%+v", got)
	}
	c.Saw("s", Action{Kind: Search, Cmd: "grep", Form: 1})
	for _, cmd := range Commands() {
		if got := c.Report()[cmd]; got == nil || len(got) != 0 {
			t.Errorf("%s: %#v", cmd, got)
		}
	}
	if err := c.Save(); err != nil {
		t.Error(err)
	}
	if got := Open(Options{}).Choose("rm"); got != (Strategy{}) {
		t.Errorf("a command without forms: %+v", got)
	}
}

// Many sessions at once; the race detector looks on.
func TestConcurrent(t *testing.T) {
	c := Open(Options{Path: t.TempDir() + "/coach.json"})
	const each = 200
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := "s" + strconv.Itoa(i)
			for j := range each {
				s := c.Choose("grep")
				c.Saw(name, Action{Kind: Search, Cmd: "grep", Form: s.ID, Handle: "h", Query: "q"})
				c.Saw(name, Action{Kind: Retrieve, Handle: "h"})
				if j%50 == 0 {
					if err := c.Save(); err != nil {
						t.Error(err)
					}
					c.Report()
				}
			}
		})
	}
	wg.Wait()
	n := 0
	for _, r := range c.Report()["grep"] {
		n += r.N
		if r.N != r.Scored || r.N > 0 && r.Mean != 1 {
			t.Errorf("%+v", r)
		}
	}
	if n != 8*each {
		t.Errorf("%d answers, want %d", n, 8*each)
	}
}
