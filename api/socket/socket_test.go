package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/api/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// askerFunc is an Asker for tests.
type askerFunc func(ctx context.Context, endpoint string, f map[string]any) (int, []byte, error)

// Ask makes of a status and a body what a server answers.
func (a askerFunc) Ask(ctx context.Context, endpoint string, f map[string]any) (answer any, text string, err error) {
	status, body, err := a(ctx, endpoint, f)
	var v map[string]any
	var p wire.Problem
	switch {
	case err != nil:
		return nil, "", err
	case status >= 400:
		if err := json.Unmarshal(body, &p); err != nil {
			return nil, "", err
		}
		return nil, "", &p
	case f["raw"] == true || f["format"] == "te":
		return nil, string(body), nil
	}
	err = json.Unmarshal(body, &v)
	return v, "", err
}

// echo answers with what it was asked.
func echo(_ context.Context, endpoint string, f map[string]any) (int, []byte, error) {
	body, err := json.Marshal(map[string]any{"endpoint": endpoint, "fields": f})
	return 200, body, err
}

// shortDir returns a folder whose path leaves room for a socket's name.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// start serves on a socket until the test ends, or stop is called.
func start(t testing.TB, opt Options) (path string, s *Server, stop func()) {
	t.Helper()
	if opt.Asker == nil {
		opt.Asker = askerFunc(echo)
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(t.TempDir(), filepath.Join(shortDir(t), "s.sock"), "", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	var once atomic.Bool
	stop = func() {
		if once.CompareAndSwap(false, true) {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("serve: %v", err)
			}
		}
	}
	t.Cleanup(stop)
	return l.Path, s, stop
}

// A client is a connection of a test.
type client struct {
	t testing.TB
	*net.UnixConn
	lines *bufio.Reader
}

func dial(t testing.TB, path string) *client {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &client{t, c.(*net.UnixConn), bufio.NewReader(c)}
}

func (c *client) say(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// hear returns the next reply, "" at the end, which is a reset where the server has not read
// all that was said.
func (c *client) hear() string {
	c.t.Helper()
	line, err := c.lines.ReadString('\n')
	if err != nil && (!errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) || line != "") {
		c.t.Fatalf("%q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// reply is hear, decoded.
func (c *client) reply() fields {
	c.t.Helper()
	line := c.hear()
	var f fields
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		c.t.Fatalf("%q: %v", line, err)
	}
	return f
}

// TestFraming says things in all the ways in which a line can come.
func TestFraming(t *testing.T) {
	path, _, _ := start(t, Options{Limits: Limits{Line: 1000}})
	pong := func(f fields) bool { return f["success"] == true && f["message"] == "pong" }

	t.Run("without an id it is answered and closed", func(t *testing.T) {
		c := dial(t, path)
		c.say("{\"cmd\":\"ping\"}\n{\"cmd\":\"ping\"}\n")
		if f := c.reply(); !pong(f) || f["status"] != "ok" {
			t.Errorf("%v", f)
		}
		if more := c.hear(); more != "" {
			t.Errorf("more: %s", more)
		}
	})
	t.Run("half closed, without a newline", func(t *testing.T) {
		c := dial(t, path)
		c.say(`{"cmd":"ping"}`)
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if f := c.reply(); !pong(f) {
			t.Errorf("%v", f)
		}
		if more := c.hear(); more != "" {
			t.Errorf("more: %s", more)
		}
	})
	t.Run("ids of any type come back as they are", func(t *testing.T) {
		c := dial(t, path)
		for _, id := range []string{`"a"`, `""`, `1`, `0.10`, `123456789012345678901234567890`, `null`, `true`, `[1,"x"]`, `{"a":{"b":[]}}`, `"\u00e9\ud83d\ude00"`} {
			c.say(`{"id":` + id + ",\"cmd\":\"ping\"}\r\n\n")
			line := c.hear()
			if !strings.Contains(line, `"id":`+id+`,`) {
				t.Errorf("%s: %s", id, line)
			}
		}
	})
	t.Run("a line may come byte by byte", func(t *testing.T) {
		c := dial(t, path)
		for _, b := range []byte(`{"id":1,"cmd":"grep","pattern":"` + "é😀" + "\"}\n") {
			c.say(string([]byte{b}))
		}
		line := c.hear()
		if !strings.Contains(line, `"pattern":"\u00e9\ud83d\ude00"`) {
			t.Error(line)
		}
	})
	t.Run("what is no request is answered, and the connection stays", func(t *testing.T) {
		c := dial(t, path)
		for _, bad := range []string{`{"cmd":`, `[]`, `null`, `"x"`, `{} {}`, `{"id":1,"cmd":"ping"} x`, "\xff", strings.Repeat("[", 900), `{"cmd":1e999999}x`} {
			c.say(bad + "\n")
			f := c.reply()
			if f["success"] != false || f["code"] != "invalid_request" || !strings.HasPrefix(f.text("error"), "Invalid JSON: ") || f["message"] != f["error"] || f["id"] != nil {
				t.Errorf("%s: %v", bad, f)
			}
		}
		c.say(`{"id":2,"cmd":"ping"}` + "\n")
		if f := c.reply(); !pong(f) {
			t.Errorf("%v", f)
		}
	})
	t.Run("the longest line, and one that is longer", func(t *testing.T) {
		c := dial(t, path)
		head := `{"id":1,"cmd":"ping","x":"`
		c.say(head + strings.Repeat("x", 1000-len(head)-2) + "\"}\n")
		if f := c.reply(); !pong(f) {
			t.Errorf("%v", f)
		}
		c.say(head + strings.Repeat("x", 1000-len(head)-1) + "\"}\n" + `{"id":3,"cmd":"ping"}` + "\n")
		if f := c.reply(); f["code"] != "payload_too_large" {
			t.Errorf("%v", f)
		}
		if more := c.hear(); more != "" {
			t.Errorf("more: %s", more)
		}
	})
	t.Run("a line without an end", func(t *testing.T) {
		c := dial(t, path)
		go func() {
			for range 100 {
				if _, err := c.Write(bytes.Repeat([]byte("x"), 1000)); err != nil {
					return
				}
			}
		}()
		if f := c.reply(); f["code"] != "payload_too_large" {
			t.Errorf("%v", f)
		}
	})
	t.Run("commands that there are not", func(t *testing.T) {
		c := dial(t, path)
		for cmd, want := range map[string]string{
			`"bogus"`: "unknown_command Unknown command: bogus", `""`: "invalid_request Missing required parameter: cmd", `7`: "invalid_request Missing required parameter: cmd",
			`"` + strings.Repeat("é", 300) + `"`: "unknown_command Unknown command: " + strings.Repeat("é", 100) + "...",
		} {
			c.say(`{"id":1,"cmd":` + cmd + "}\n")
			if f := c.reply(); f.text("code")+" "+f.text("error") != want {
				t.Errorf("%s: %v", cmd, f)
			}
		}
	})
}

// TestOrder answers each request when it is ready.
func TestOrder(t *testing.T) {
	slow := make(chan struct{})
	path, _, _ := start(t, Options{Asker: askerFunc(func(ctx context.Context, endpoint string, f map[string]any) (int, []byte, error) {
		if endpoint == "/search" {
			<-slow
		}
		return echo(ctx, endpoint, f)
	})})
	c := dial(t, path)
	c.say("{\"id\":1,\"cmd\":\"semantic\",\"query\":\"x\"}\n{\"id\":2,\"cmd\":\"ping\"}\n")
	if f := c.reply(); f.number("id") != 2 {
		t.Errorf("first: %v", f)
	}
	close(slow)
	if f := c.reply(); f.number("id") != 1 || f["success"] != true {
		t.Errorf("then: %v", f)
	}
}

// TestBackpressure sends more requests than may be at work at once.
func TestBackpressure(t *testing.T) {
	var running, most atomic.Int64
	path, _, _ := start(t, Options{Limits: Limits{InFlight: 4, Asks: 3}, Asker: askerFunc(func(ctx context.Context, endpoint string, f map[string]any) (int, []byte, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Millisecond)
		return echo(ctx, endpoint, f)
	})})
	c := dial(t, path)
	go func() {
		for i := range 200 {
			fmt.Fprintf(c, "{\"id\":%d,\"cmd\":\"grep\",\"pattern\":\"x\"}\n", i)
		}
	}()
	seen := map[int]bool{}
	for range 200 {
		seen[c.reply().number("id")] = true
	}
	if len(seen) != 200 || most.Load() != 3 {
		t.Errorf("%d answers, %d at once", len(seen), most.Load())
	}
}
