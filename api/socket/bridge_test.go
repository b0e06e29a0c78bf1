package socket

import (
	"encoding/json"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// proxy stands between a client and a socket: it closes the first connections when the
// client has asked, and hands the replies of the others over byte by byte.
func proxy(t *testing.T, to string, broken int) (path string) {
	t.Helper()
	path = filepath.Join(shortDir(t), "p")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			broken--
			if broken >= 0 {
				_, _ = c.Read(make([]byte, 1<<10))
				c.Close()
				continue
			}
			server, err := net.Dial("unix", to)
			if err != nil {
				t.Error(err)
				c.Close()
				return
			}
			all.Go(func() {
				_, _ = io.Copy(server, c)
				server.Close()
			})
			all.Go(func() {
				defer c.Close()
				b := make([]byte, 1)
				for {
					if _, err := server.Read(b); err != nil {
						return
					}
					if _, err := c.Write(b); err != nil {
						return
					}
					time.Sleep(20 * time.Microsecond) // so that they do not come together
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return path
}

// TestBridge runs a JavaScript client as the relay has one against a real server.
func TestBridge(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	ar, err := txtar.ParseFile("testdata/rows.txtar")
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := start(t, Options{Asker: openProject(t, ar).Socket()})
	cmd := exec.CommandContext(t.Context(), node, "testdata/bridge.mjs", path, proxy(t, path, 0), proxy(t, path, 2))
	var complaints strings.Builder
	cmd.Stderr = &complaints
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &complaints)
	}
	type reply struct {
		Success bool
		Status  string
		Error   string
		Code    string
		Result  json.RawMessage
	}
	var got struct {
		One struct {
			Semantic, Context, Impact, Calls, Structure, Extract, Unknown reply
			Lines                                                         []any
		}
		Right   int
		Content string
		Retried string
		Left    int
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	var list []struct {
		File, Signature string
		Line            int
		Score           float64
	}
	one := got.One
	if err := json.Unmarshal(one.Semantic.Result, &list); err != nil || !one.Semantic.Success {
		t.Errorf("semantic: %+v, %v", one.Semantic, err)
	}
	for _, r := range list {
		if r.File == "" || r.Line < 1 || r.Signature == "" || r.Score <= 0 || r.Score > 1 {
			t.Errorf("semantic: %+v", r)
		}
	}
	for name, r := range map[string]reply{"context": one.Context, "impact": one.Impact, "calls": one.Calls, "structure": one.Structure, "extract": one.Extract} {
		if !r.Success || r.Status != "ok" || len(r.Result) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if u := one.Unknown; u.Success || u.Code != "unknown_command" || u.Error != "Unknown command: slow" {
		t.Errorf("an unknown command: %+v", u)
	}
	for i, line := range []string{"auth/token.go:", "token.go", `"callers"`, "auth/token.go:"} {
		if text, ok := one.Lines[i].(string); !ok || !strings.Contains(text, line) || strings.Contains(text, "undefined") || strings.Contains(text, "NaN") {
			t.Errorf("line %d: %v", i, one.Lines[i])
		}
	}
	if got.Right != 100 || got.Left > 1 {
		t.Errorf("%d of 100 at once were right, %d are left", got.Right, got.Left)
	}
	if want := `var ErrForged = errors.New("forged — €")`; got.Content != want {
		t.Errorf("byte by byte: %q", got.Content)
	}
	if got.Retried != "pong" {
		t.Errorf("after two connections that were closed: %q", got.Retried)
	}
}
