package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A server is a language server that runs as a process of its own, and is asked one request after
// the other.
type server struct {
	name  string
	in    io.WriteCloser
	out   *textproto.Reader
	ended func() error
	id    int
}

// start runs a language server in a folder; command is its program and arguments, split at spaces.
func start(ctx context.Context, command, root string) (*server, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, fmt.Errorf("lsp: the command of a server is empty")
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("lsp: start %s: %w", words[0], err)
	}
	return &server{name: filepath.Base(words[0]), in: in, out: textproto.NewReader(bufio.NewReader(out)), ended: cmd.Wait}, nil
}

// open begins a session, and waits until the server answers: Quarry refuses as long as it builds
// its index.
func (s *server) open(ctx context.Context, root string) error {
	uri := "file://" + filepath.ToSlash(root)
	_, err := s.call("initialize", map[string]any{
		"processId": nil, "rootUri": uri, "workspaceFolders": []any{map[string]any{"uri": uri, "name": "root"}},
		"capabilities": map[string]any{"textDocument": map[string]any{
			"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true},
		}},
	})
	if err != nil {
		return err
	}
	if err := s.send(map[string]any{"jsonrpc": "2.0", "method": "initialized", "params": map[string]any{}}); err != nil {
		return err
	}
	for ctx.Err() == nil {
		m, err := s.ask("workspace/symbol", map[string]any{"query": "a"})
		if err != nil || m.Error == nil {
			return err
		}
		time.Sleep(time.Second / 4)
	}
	return ctx.Err()
}

// close ends the session and waits for the process.
func (s *server) close() error {
	_, err := s.call("shutdown", nil)
	if sent := s.send(map[string]any{"jsonrpc": "2.0", "method": "exit"}); err == nil {
		err = sent
	}
	_ = s.in.Close()
	if ended := s.ended(); err == nil {
		err = ended
	}
	return err
}

func (s *server) send(message any) error {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err != nil {
		return fmt.Errorf("lsp: write to %s: %w", s.name, err)
	}
	return nil
}

// A message is what a server sends: an answer, a notification, or a request of its own.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// call is ask for the result. That a server refuses a request is no error: there is no result then.
func (s *server) call(method string, params any) (json.RawMessage, error) {
	m, err := s.ask(method, params)
	return m.Result, err
}

// ask waits for the answer, and answers what the server asks meanwhile with nothing.
func (s *server) ask(method string, params any) (m message, err error) {
	s.id++
	request := map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method}
	if params != nil {
		request["params"] = params
	}
	if err := s.send(request); err != nil {
		return m, err
	}
	for {
		m, err := s.read()
		switch {
		case err != nil:
			return m, fmt.Errorf("lsp: read from %s: %w", s.name, err)
		case m.Method == "" && string(m.ID) == strconv.Itoa(s.id):
			return m, nil
		case m.Method != "" && m.ID != nil:
			if err := s.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": reply(&m)}); err != nil {
				return m, err
			}
		}
	}
}

// reply is what a client without settings answers: as many nothings as settings are asked for.
func reply(m *message) any {
	if m.Method != "workspace/configuration" {
		return nil
	}
	var p struct{ Items []any }
	_ = json.Unmarshal(m.Params, &p)
	return make([]any, len(p.Items))
}

func (s *server) read() (m message, err error) {
	head, err := s.out.ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(s.out.R, text); err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}
