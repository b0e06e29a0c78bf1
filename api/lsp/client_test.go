package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/lsp"
	"github.com/quarry-search/quarry/api/mcp"
	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// write puts the files of an archive below "root/" into a folder, without links in its path.
func write(t testing.TB, ar *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, "root/")
		if !ok {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serve returns who answers for an index of a folder, over HTTP as the command does it, once the
// index and its call graph are ready.
func serve(t testing.TB, dir string) lsp.Asker {
	t.Helper()
	x, err := index.Open(dir, index.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx, nil) }()
	s, err := api.New(api.Options{Index: x})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	for deadline := time.Now().Add(time.Minute); x.State().State != answer.Ready; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", x.State())
		}
	}
	c, err := client.New(server.URL, client.Options{Retries: -1, HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Remote(connection{c})
}

// A connection asks a server over HTTP.
type connection struct{ *client.Client }

func (c connection) Ask(ctx context.Context, endpoint string, fields map[string]any) (int, []byte, error) {
	req := client.RawRequest{Method: http.MethodPost, Path: endpoint, Body: fields}
	if endpoint == "/status" {
		req = client.RawRequest{Method: http.MethodGet, Path: endpoint}
	}
	resp, err := c.Raw(ctx, req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

// An editor is the client of a server. It checks every message of both by the protocol's model.
type editor struct {
	t     testing.TB
	model *model // nil: nothing is checked
	in    io.WriteCloser
	out   *bufio.Reader
	came  chan arrived // what was read; nil: nothing is read ahead
	ended chan error
	last  int
	asked map[string]string // methods, by id
	notes []message         // that came since they were last taken
}

type message struct {
	ID     any             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

type arrived struct {
	message
	err error
}

// edit starts a server for an editor. The editor reads whatever it does, as others do.
func edit(t testing.TB, m *model, opt lsp.Options) *editor {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	e := &editor{t: t, model: m, in: inW, out: bufio.NewReader(outR), ended: make(chan error, 1), asked: map[string]string{}, came: make(chan arrived, 10_000)}
	go func() {
		for {
			m, err := e.next()
			e.came <- arrived{m, err}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		err := lsp.New(opt).Run(context.Background(), inR, outW)
		outW.Close()
		inR.Close()
		e.ended <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
	})
	return e
}

func (e *editor) send(v any) {
	e.t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		e.t.Fatal(err)
	}
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (e *editor) raw(text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, text); err != nil {
		e.t.Fatal(err)
	}
}

// checkRequest has the model look at a message of the editor's own.
func (e *editor) checkRequest(method string, params any, call bool) {
	e.t.Helper()
	if e.model == nil {
		return
	}
	text, err := json.Marshal(params)
	if err != nil {
		e.t.Fatal(err)
	}
	e.check(e.model.request(method, decoded(text), call))
}

func (e *editor) check(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Errorf("the protocol's model: %v", err)
	}
}

func decoded(text json.RawMessage) (v any) {
	if json.Unmarshal(text, &v) != nil {
		return text
	}
	return v
}

// read returns the next message.
func (e *editor) read() (message, error) {
	if e.came == nil {
		return e.next()
	}
	select {
	case a := <-e.came:
		if a.err != nil {
			e.came <- a
		} else if e.model != nil {
			switch id := fmt.Sprint(a.ID); {
			case a.Method != "":
				e.check(e.model.request(a.Method, decoded(a.Params), a.ID != nil))
			case a.Error == nil && e.asked[id] != "":
				e.check(e.model.result(e.asked[id], decoded(a.Result)))
			}
		}
		return a.message, a.err
	case <-time.After(time.Minute):
		return message{}, errors.New("nothing comes")
	}
}

// next reads one message.
func (e *editor) next() (message, error) {
	length := -1
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			return message{}, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(n); err != nil {
				return message{}, fmt.Errorf("header %q", line)
			}
		}
	}
	if length < 0 {
		return message{}, errors.New("a header without a length")
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(e.out, body); err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return message{}, fmt.Errorf("%w: %s", err, body)
	}
	return m, nil
}

// call sends a request and returns its answer. What the server says in between is kept.
func (e *editor) call(method string, params any) message {
	e.t.Helper()
	e.last++
	id := e.last
	e.asked[strconv.Itoa(id)] = method
	e.checkRequest(method, params, true)
	m := map[string]any{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	e.send(m)
	return e.answer(id)
}

// answer waits for that of a request.
func (e *editor) answer(id int) message {
	e.t.Helper()
	for {
		m, err := e.read()
		if err != nil {
			e.t.Fatalf("no answer to %s: %v", e.asked[strconv.Itoa(id)], err)
		}
		switch {
		case m.Method != "" && m.ID != nil:
			e.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
			e.notes = append(e.notes, m)
		case m.Method != "":
			e.notes = append(e.notes, m)
		case m.ID == float64(id):
			return m
		default:
			e.t.Fatalf("an answer to nothing: %+v", m)
		}
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	e.checkRequest(method, params, false)
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// open opens a session in a folder.
func (e *editor) open(dir string, capabilities map[string]any) message {
	e.t.Helper()
	m := e.call("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": capabilities})
	e.notify("initialized", map[string]any{})
	return m
}

// close ends the session, and returns how the server ended.
func (e *editor) close() error {
	e.t.Helper()
	e.call("shutdown", nil)
	e.send(map[string]any{"jsonrpc": "2.0", "method": "exit"})
	return e.wait()
}

func (e *editor) wait() error {
	e.t.Helper()
	select {
	case err := <-e.ended:
		return err
	case <-time.After(time.Minute):
		return errors.New("the server does not end")
	}
}

// opening opens what a connection would.
func opening(a lsp.Asker) func(string) (lsp.Asker, error) {
	return func(string) (lsp.Asker, error) { return a, nil }
}

func newReader(r io.Reader) *bufio.Reader { return bufio.NewReader(r) }
