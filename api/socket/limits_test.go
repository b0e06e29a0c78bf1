package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestFailures holds what goes wrong to one form.
func TestFailures(t *testing.T) {
	path, _, _ := start(t, Options{Limits: Limits{Timeout: 50 * time.Millisecond}, Asker: askerFunc(func(ctx context.Context, endpoint string, f map[string]any) (int, []byte, error) {
		switch f["pattern"] {
		case "refused":
			return 404, []byte(`{"error":"not_found","message":"there is none: é"}`), nil
		case "late":
			<-ctx.Done()
			return 0, nil, ctx.Err()
		case "large":
			return 0, nil, errors.New("too large")
		case "broken":
			return 200, []byte("<html>"), nil
		case "text":
			return 200, []byte("# é\n"), nil
		}
		panic("a mistake")
	})})
	c := dial(t, path)
	for _, w := range []string{
		`refused {"code":"not_found","error":"there is none: \u00e9","id":1,"message":"there is none: \u00e9","status":"error","success":false}`,
		`late {"code":"timeout","error":"the request did not finish in time","id":1,"message":"the request did not finish in time","status":"error","success":false}`,
		`large {"code":"internal","error":"the answer cannot be sent: it is too large, or damaged","id":1,"message":"the answer cannot be sent: it is too large, or damaged","status":"error","success":false}`,
		`broken {"code":"internal","error":"the answer cannot be sent: it is too large, or damaged","id":1,"message":"the answer cannot be sent: it is too large, or damaged","status":"error","success":false}`,
		`text","format":"te {"id":1,"result":"# \u00e9\n","status":"ok","success":true}`,
		`panic {"code":"internal","error":"internal error","id":1,"message":"internal error","status":"error","success":false}`,
	} {
		pattern, want, _ := strings.Cut(w, " ")
		c.say(`{"id":1,"cmd":"grep","pattern":"` + pattern + "\"}\n")
		if got := c.hear(); got != want {
			t.Errorf("%s: %s", pattern, got)
		}
	}
}

// TestConnections refuses those that are too many, in words.
func TestConnections(t *testing.T) {
	path, s, _ := start(t, Options{Limits: Limits{Connections: 2}})
	ask := func(c *client) fields {
		c.say("{\"id\":1,\"cmd\":\"ping\"}\n")
		return c.reply()
	}
	a, b := dial(t, path), dial(t, path)
	if ask(a)["success"] != true || ask(b)["success"] != true || s.Connections() != 2 {
		t.Fatalf("%d connections", s.Connections())
	}
	if f := dial(t, path).reply(); f["code"] != "rate_limited" {
		t.Errorf("a third: %v", f)
	}
	a.Close()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		c := dial(t, path)
		if _, err := io.WriteString(c, "{\"id\":1,\"cmd\":\"ping\"}\n"); err != nil {
			continue // it is refused already
		}
		if c.reply()["success"] == true {
			break
		}
		c.Close()
		if time.Now().After(deadline) {
			t.Fatal("no room after one has gone")
		}
	}
}

// TestSlowReader gives a client up that takes nothing.
func TestSlowReader(t *testing.T) {
	big := []byte(`{"x":"` + strings.Repeat("x", 4<<20) + `"}`)
	path, s, _ := start(t, Options{Limits: Limits{Write: 50 * time.Millisecond}, Asker: askerFunc(func(context.Context, string, map[string]any) (int, []byte, error) {
		return 200, big, nil
	})})
	c := dial(t, path)
	c.say("{\"id\":1,\"cmd\":\"grep\",\"pattern\":\"x\"}\n{\"id\":2,\"cmd\":\"grep\",\"pattern\":\"x\"}\n")
	for deadline := time.Now().Add(10 * time.Second); s.Connections() != 0 || s.books.read("").sessions["total_requests"] == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections", s.Connections())
		}
	}
}

// TestEnd lets requests in flight finish, ends idle connections, and cancels what takes
// longer than the grace.
func TestEnd(t *testing.T) {
	begun := make(chan string, 2)
	asker := askerFunc(func(ctx context.Context, endpoint string, f map[string]any) (int, []byte, error) {
		begun <- f["pattern"].(string)
		if f["pattern"] == "long" {
			<-ctx.Done()
			return 0, nil, ctx.Err()
		}
		time.Sleep(100 * time.Millisecond)
		return echo(ctx, endpoint, f)
	})
	path, _, stop := start(t, Options{Asker: asker, Limits: Limits{Grace: 500 * time.Millisecond, Timeout: time.Hour}})
	idle, short, long := dial(t, path), dial(t, path), dial(t, path)
	idle.say(`{"cmd":"pi`)
	short.say("{\"id\":1,\"cmd\":\"grep\",\"pattern\":\"short\"}\n")
	long.say("{\"id\":1,\"cmd\":\"grep\",\"pattern\":\"long\"}\n")
	<-begun
	<-begun
	ended := make(chan struct{})
	began := time.Now()
	go func() {
		stop()
		close(ended)
	}()
	if f := short.reply(); f["success"] != true {
		t.Errorf("in flight: %v", f)
	}
	if rest := idle.hear(); rest != "" {
		t.Errorf("idle: %s", rest)
	}
	<-ended
	if took := time.Since(began); took < 400*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

// TestShutdown ends a server whose operator lets clients do that, after the answer.
func TestShutdown(t *testing.T) {
	path, _, _ := start(t, Options{})
	c := dial(t, path)
	c.say("{\"cmd\":\"shutdown\"}\n")
	if f := c.reply(); f["code"] != "forbidden" {
		t.Errorf("%v", f)
	}
	asked := make(chan struct{})
	path, _, _ = start(t, Options{Shutdown: func() { close(asked) }})
	c = dial(t, path)
	c.say("{\"cmd\":\"shutdown\"}\n")
	if f := c.reply(); f["status"] != "shutting_down" || f["success"] != true {
		t.Errorf("%v", f)
	}
	<-asked
}

// TestProject puts the socket's project into requests that name none.
func TestProject(t *testing.T) {
	s, err := New(Options{Asker: askerFunc(echo)})
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]any{`{}`: "/root", `{"project":""}`: "/root", `{"project":null}`: "/root", `{"project":"other"}`: "other"} {
		r, fault := parse([]byte(strings.Replace(given, "{", `{"cmd":"grep","pattern":"x",`, 1)))
		if fault != nil {
			r, fault = parse([]byte(`{"cmd":"grep","pattern":"x"}`))
		}
		if fault != nil {
			t.Fatal(fault)
		}
		out, _ := s.answer(t.Context(), r, "/root")
		body, _ := out.(answer)["result"].(fields)
		if got := body.object("fields")["project"]; got != want {
			t.Errorf("%s: %v", given, out)
		}
	}
}

// FuzzLine holds every line to one reply of ASCII that is JSON.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{`{"cmd":"ping","id":1}`, `{"cmd":"semantic","query":"é😀"}`, `{"cmd":"calls","target":"x","id":{"a":[1]}}`, `{"cmd":"extract","file":"a\u0000"}`, `[`, `{"maxResults":"7","cmd":"search","pattern":"("}`, "\xff", `{"cmd":"change_impact","files":["a",1,null]}`, `{"cmd":"track","hook":"h","metrics":{"a":1e400}}`} {
		f.Add([]byte(seed))
	}
	var log bytes.Buffer
	s, err := New(Options{Asker: askerFunc(echo), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		log.Reset()
		r, fault := parse(text)
		var reply []byte
		switch {
		case fault != nil:
			reply = fault.encode(nil)
		case r == nil:
			return
		default:
			out, _ := s.answer(t.Context(), r, "")
			reply = out.encode(r)
		}
		if strings.Contains(log.String(), "panic") {
			t.Fatalf("%q: %s", text, &log)
		}
		var v struct {
			Success *bool   `json:"success"`
			Error   *string `json:"error"`
		}
		if err := json.Unmarshal(reply, &v); err != nil || v.Success == nil || *v.Success == (v.Error != nil) {
			t.Fatalf("%q: %s %v", text, reply, err)
		}
		if bytes.Count(reply, []byte("\n")) != 1 || !bytes.HasSuffix(reply, []byte("\n")) || bytes.ContainsFunc(reply, func(c rune) bool { return c >= utf8.RuneSelf }) {
			t.Fatalf("%q: %q", text, reply)
		}
	})
}
