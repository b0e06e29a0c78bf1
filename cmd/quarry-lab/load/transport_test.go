package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
)

// heard is what a way of asking has sent, in the form that all ways share.
type heard struct {
	command string
	target  any
}

// fakeTransports answers in all three ways: a target of "gone" is not found.
func fakeTransports(t *testing.T) (open map[string]func() (Transport, error), asked chan heard) {
	asked = make(chan heard, 10)
	ended := make(chan bool, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /calls", func(w http.ResponseWriter, r *http.Request) {
		var f map[string]any
		if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
			t.Error(err)
		}
		asked <- heard{"calls", f["target"]}
		if f["target"] == "gone" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"not_found"}`)
			return
		}
		fmt.Fprint(w, `{"edges":[]}`)
	})
	mux.HandleFunc("DELETE /mcp", func(_ http.ResponseWriter, r *http.Request) { ended <- r.Header.Get("Mcp-Session-Id") == "s1" })
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     int
			Method string
			Params struct {
				Name      string
				Arguments map[string]any
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		switch {
		case q.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{}}`, q.ID)
			return
		case r.Header.Get("Mcp-Session-Id") != "s1":
			t.Error("a request without the session")
		case q.Method != "tools/call":
			w.WriteHeader(http.StatusAccepted)
			return
		}
		asked <- heard{q.Params.Name, q.Params.Arguments["target"]}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
		gone := q.Params.Arguments["target"] == "gone"
		fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"isError\":%v,\"content\":[{\"text\":\"not_found: no\"}]}}\n\n", q.ID, gone)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan bool)
	go func() {
		defer close(served)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewScanner(conn)
			for in.Scan() {
				var f map[string]any
				if err := json.Unmarshal(in.Bytes(), &f); err != nil {
					t.Error(err)
				}
				asked <- heard{fmt.Sprint(f["cmd"]), f["target"]}
				if f["target"] == "gone" {
					fmt.Fprintf(conn, `{"id":%v,"success":false,"error":"no","code":"not_found"}`+"\n", f["id"])
					continue
				}
				fmt.Fprintf(conn, `{"id":%v,"success":true,"result":[]}`+"\n", f["id"])
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-served
		if !<-ended {
			t.Error("the session of MCP was not ended")
		}
	})
	return map[string]func() (Transport, error){
		"http":   func() (Transport, error) { return dialHTTP(server.URL), nil },
		"socket": func() (Transport, error) { return dialSocket(t.Context(), path) },
		"mcp":    func() (Transport, error) { return dialMCP(t.Context(), server.URL) },
	}, asked
}

// TestTransports asks the same in each way.
func TestTransports(t *testing.T) {
	all, asked := fakeTransports(t)
	for name, open := range all {
		w, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for target, code := range map[string]string{"there": "", "gone": "not_found"} {
			got, err := w.Ask(context.WithoutCancel(t.Context()), "/calls", map[string]any{"target": target})
			if err != nil || got.Code != code || len(got.Text) == 0 {
				t.Errorf("%s %s: %q %s, %v", name, target, got.Code, got.Text, err)
			}
			if h := <-asked; h.command != "calls" || h.target != target {
				t.Errorf("%s %s: the server heard %+v", name, target, h)
			}
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
