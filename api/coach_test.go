package api

import (
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/coach"

	"github.com/quarry-search/quarry/api/wire"
)

// The report of a coach that is off has no forms, and says why.
func TestCoachIsOff(t *testing.T) {
	c, h := newChecker(t), newServer(t, newFake(t), Options{}).Handler()
	r := c.get(h, "/coach/report")
	const want = `{"enabled":false,"message":"the coach is turned off: every answer has its default form, and none is scored","commands":{"cat":[],"find":[],"grep":[]}}` + "\n"
	if r.status != 200 || string(r.body) != want {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.do(h, request(http.MethodHead, "/coach/report", "")); r.status != 200 || len(r.body) > 0 {
		t.Errorf("HEAD: %d %s", r.status, r.body)
	}
	if r := c.post(h, "/coach/report", "{}"); r.status != 405 {
		t.Errorf("POST: %d %s", r.status, r.body)
	}
}

// One that is on has all forms, whether they were given or not.
func TestCoachReport(t *testing.T) {
	learning := coach.Open(coach.Options{Source: rand.NewPCG(1, 2)})
	for i := range 40 {
		learning.Saw("s", coach.Action{Kind: coach.Search, Cmd: "grep", Form: 2 + i%4/3, Query: "x"}) // 30 of one, 10 of the next
		if i%2 == 0 {
			learning.Saw("s", coach.Action{Kind: coach.Other})
		} else {
			learning.Saw("s", coach.Action{Kind: coach.Retrieve, Handle: "of another answer"})
		}
	}
	learning.Saw("t", coach.Action{Kind: coach.Search, Cmd: "grep", Form: 3, Query: "x"})
	learning.Saw("t", coach.Action{Kind: coach.Search, Cmd: "grep", Query: "x"})

	var body wire.CoachReport
	r := newChecker(t).get(newServer(t, newFake(t), Options{Coach: learning}).Handler(), "/coach/report")
	r.decode(t, &body)
	if r.status != 200 || !body.Enabled || body.Message != "" || len(body.Commands.Cat) != 3 || len(body.Commands.Find) != 3 {
		t.Errorf("%d %s", r.status, r.body)
	}
	two, minus := 2.0, -1.0
	want := []wire.CoachForm{
		{V: 1, Preview: 10, HotZone: true, Density: "medium"},
		{V: 2, Preview: 5, HotZone: true, Density: "high", N: 30, Scored: 20, Mean: &two, Share: 30.0 / 41, Best: true},
		{V: 3, Preview: 25, HotZone: true, Density: "medium", N: 11, Scored: 1, Mean: &minus, Share: 11.0 / 41},
		{V: 4, Preview: 10, Density: "low"},
		{V: 5, Preview: 50, HotZone: true, Density: "low"},
	}
	if diff := cmp.Diff(want, body.Commands.Grep); diff != "" {
		t.Error(diff)
	}
}
