package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/verify"
)

func TestVerifyRequests(t *testing.T) {
	x := newFake(t)
	var asked verify.VerifyOptions
	var left time.Duration
	x.verify = func(ctx context.Context, opt verify.VerifyOptions) (verify.Verification, error) {
		asked = opt
		end, _ := ctx.Deadline()
		left = time.Until(end).Round(time.Second)
		return verify.Verification{Differences: []verify.Difference{}, Changed: []string{}, Unchecked: []string{}, State: x.State()}, nil
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, tc := range []struct {
		body   string
		status int
		want   verify.VerifyOptions
		left   time.Duration
		has    string
	}{
		{"", 200, verify.VerifyOptions{Limit: 100}, 10 * time.Minute, `"differences":[],`},
		{`{"sample":20,"seed":"7","limit":5,"timeout_ms":90000}`, 200, verify.VerifyOptions{Sample: 20, Seed: 7, Limit: 5}, 90 * time.Second, `"index":{"state":"ready"`},
		{`{"timeout_ms":99999999,"limit":20000,"project":"shop"}`, 200, verify.VerifyOptions{Limit: 10000}, 10 * time.Minute, `"clamped":["limit","timeout_ms"]`},
		{`{"sample":-1}`, 400, verify.VerifyOptions{}, 0, "sample must be"},
		{`{"seed":1.5}`, 400, verify.VerifyOptions{}, 0, "seed must be"},
		{`{"limit":0}`, 400, verify.VerifyOptions{}, 0, "limit must be"},
		{`{"project":"other"}`, 409, verify.VerifyOptions{}, 0, "wrong_project"},
	} {
		asked, left = verify.VerifyOptions{}, 0
		r := c.post(h, "/verify", tc.body)
		if r.status != tc.status || !strings.Contains(string(r.body), tc.has) {
			t.Errorf("%s: %d %s", tc.body, r.status, r.body)
		}
		if fmt.Sprint(asked) != fmt.Sprint(tc.want) || left != tc.left {
			t.Errorf("%s: asked for %+v within %v", tc.body, asked, left)
		}
	}
	if r := c.get(h, "/verify"); r.status != 405 || r.header.Get("Allow") != "POST" {
		t.Errorf("GET: %d, Allow %q", r.status, r.header.Get("Allow"))
	}
	for err, status := range map[error]int{
		verify.ErrNotBuilt: 429, context.DeadlineExceeded: 504, answer.ErrClosed: 503,
	} {
		x.verify = func(context.Context, verify.VerifyOptions) (verify.Verification, error) {
			return verify.Verification{}, err
		}
		if r := c.post(h, "/verify", ""); r.status != status || (r.header.Get("Retry-After") == "1") != (status == 429 || status == 503) {
			t.Errorf("%v: %d %s", err, r.status, r.body)
		}
	}
}

// One verification runs at a time, and searches go on alongside it.
func TestOneVerification(t *testing.T) {
	x := newFake(t)
	entered := make(chan bool)
	release := make(chan bool)
	x.verify = func(context.Context, verify.VerifyOptions) (verify.Verification, error) {
		entered <- true
		<-release
		return verify.Verification{Differences: []verify.Difference{}, Changed: []string{}, Unchecked: []string{}, State: x.State()}, nil
	}
	// Slower than the server lets a search be: its deadline for writing is another one.
	s := newServer(t, x, Options{Limits: Limits{Slots: 1, Queue: 1, Timeout: 200 * time.Millisecond}})
	hs := s.httpServer(t.Context())
	hs.WriteTimeout = 300 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ls, addr, err := Listen(ctx, "localhost", 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		_ = hs.Serve(ls[0])
	}()
	defer func() {
		cancel()
		for _, l := range ls[1:] {
			l.Close()
		}
		hs.Close()
		<-ended
	}()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	first := make(chan int)
	go func() {
		resp, err := client.Post("http://"+addr+"/verify", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Error(err)
			first <- 0
			return
		}
		var text bytes.Buffer
		_, err = text.ReadFrom(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Error(err)
		}
		first <- resp.StatusCode
	}()
	<-entered
	c, h := newChecker(t), s.Handler()
	if r := c.post(h, "/verify", ""); r.status != 429 || r.header.Get("Retry-After") != "1" || !strings.Contains(string(r.body), "another verification") {
		t.Errorf("a second one: %d %s", r.status, r.body)
	}
	if r := c.post(h, "/search", `{"query":"a"}`); r.status != 200 {
		t.Errorf("a search: %d %s", r.status, r.body)
	}
	time.Sleep(500 * time.Millisecond)
	close(release)
	if status := <-first; status != 200 {
		t.Errorf("the first one: %d", status)
	}
	go func() { <-entered }()
	if r := c.post(h, "/verify", ""); r.status != 200 {
		t.Errorf("a third one: %d %s", r.status, r.body)
	}
}

// A response that would be too long says what it leaves out.
func TestVerifyIsCut(t *testing.T) {
	x := newFake(t)
	x.verify = func(context.Context, verify.VerifyOptions) (verify.Verification, error) {
		v := verify.Verification{Changed: []string{}, Unchecked: []string{}, Total: 900, State: x.State()}
		for range 900 {
			v.Differences = append(v.Differences, verify.Difference{Kind: "edge", Path: "a.go", Detail: strings.Repeat("x", 90)})
		}
		return v, nil
	}
	r := newChecker(t).post(newServer(t, x, Options{Limits: Limits{Response: 16 << 10}}).Handler(), "/verify", `{"limit":1000}`)
	var body wire.Verification
	r.decode(t, &body)
	if len(r.body) > 16<<10 || len(body.Differences) < 50 || !body.Truncated || body.Total != 900 {
		t.Errorf("%d bytes, %d differences of %d, truncated %v", len(r.body), len(body.Differences), body.Total, body.Truncated)
	}
}

// The whole way, with a change that nobody tells the index of.
func TestVerifyRealIndex(t *testing.T) {
	t.Parallel() // it waits for the watcher that there is not
	x, _ := openReal(t)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	if r := c.post(h, "/verify", ""); r.status != 429 {
		t.Errorf("before the first build: %d %s", r.status, r.body)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var body wire.Verification
	if r := c.post(h, "/verify", ""); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	} else {
		r.decode(t, &body)
	}
	if !body.Proved || body.Files < 3 || body.Root != x.Root() || body.Index.State != answer.Ready {
		t.Errorf("%+v", body)
	}
	if err := os.WriteFile(filepath.Join(x.Root(), "new.go"), []byte("package shop\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := c.post(h, "/verify", "")
	r.decode(t, &body)
	want := []string{"file new.go"}
	var got []string
	for _, d := range body.Differences {
		got = append(got, d.Kind+" "+d.Path)
	}
	if diff := cmp.Diff(want, got); r.status != 200 || diff != "" || body.Proved || len(body.Unchecked) != 1 {
		t.Errorf("%d %s\n%s", r.status, r.body, diff)
	}
	kinds := map[any]bool{}
	for _, k := range c.doc.Components.Schemas["Difference"].Value.Properties["kind"].Value.Enum {
		kinds[k] = true
	}
	for _, k := range verify.DifferenceKinds() {
		if !kinds[k] || len(kinds) != len(verify.DifferenceKinds()) {
			t.Errorf("kind %s: documented are %v", k, kinds)
		}
	}
}
