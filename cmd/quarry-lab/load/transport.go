package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// AskTimeout is what the relay's clients wait for an answer.
const AskTimeout = 30 * time.Second

// overHTTP keeps one connection alive.
type overHTTP struct {
	url  string
	http *http.Client
}

func dialHTTP(url string) *overHTTP {
	return &overHTTP{url, &http.Client{Timeout: AskTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 1, MaxConnsPerHost: 1}}}
}

func (h *overHTTP) Ask(ctx context.Context, endpoint string, fields map[string]any) (Answer, error) {
	resp, text, err := h.post(ctx, endpoint, fields, nil)
	if err != nil || resp.StatusCode == http.StatusOK {
		return Answer{Text: text}, err
	}
	var problem struct{ Error string }
	if err := json.Unmarshal(text, &problem); err != nil || problem.Error == "" {
		return Answer{}, fmt.Errorf("%s: %s", endpoint, resp.Status)
	}
	return Answer{problem.Error, text}, nil
}

func (h *overHTTP) post(ctx context.Context, path string, body any, header http.Header) (*http.Response, []byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+path, bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for name := range header {
		req.Header.Set(name, header.Get(name))
	}
	resp, err := h.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	return resp, text, err
}

func (h *overHTTP) Close() error {
	h.http.CloseIdleConnections()
	return nil
}

// overSocket keeps one connection to a Unix socket, with an id for each request.
type overSocket struct {
	conn net.Conn
	in   *bufio.Reader
	last int
}

// commands are those of the endpoints whose names differ on the socket.
var commands = map[string]string{"/search": "semantic"}

func dialSocket(ctx context.Context, path string) (*overSocket, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return &overSocket{conn: conn, in: bufio.NewReaderSize(conn, 1<<16)}, nil
}

func (s *overSocket) Ask(_ context.Context, endpoint string, fields map[string]any) (Answer, error) {
	s.last++
	send := map[string]any{"id": s.last, "cmd": strings.TrimPrefix(endpoint, "/")}
	if name, ok := commands[endpoint]; ok {
		send["cmd"] = name
	}
	for name, v := range fields {
		send[name] = v
	}
	line, err := json.Marshal(send)
	if err != nil {
		return Answer{}, err
	}
	if err := s.conn.SetDeadline(time.Now().Add(AskTimeout)); err != nil {
		return Answer{}, err
	}
	if _, err := s.conn.Write(append(line, '\n')); err != nil {
		return Answer{}, err
	}
	if line, err = s.in.ReadBytes('\n'); err != nil {
		return Answer{}, err
	}
	var got struct {
		ID      int
		Success bool
		Error   string
		Code    string
	}
	switch err := json.Unmarshal(line, &got); {
	case err != nil:
		return Answer{}, err
	case got.ID != s.last:
		return Answer{}, fmt.Errorf("the answer to request %d has the id %d", s.last, got.ID)
	case got.Success:
		return Answer{Text: line}, nil
	case got.Code == "":
		return Answer{}, errors.New(got.Error)
	}
	return Answer{got.Code, line}, nil
}

func (s *overSocket) Close() error { return s.conn.Close() }

// overMCP is a session of MCP over streamable HTTP.
type overMCP struct {
	http    *overHTTP
	session string
	last    int
}

// tools are those of MCP that stand for endpoints without a tool of their own.
var tools = map[string]string{"/extract": "context"}

func dialMCP(ctx context.Context, url string) (*overMCP, error) {
	m := &overMCP{http: dialHTTP(url)}
	_, err := m.call(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "quarry-lab", "version": "1"},
	})
	if err != nil {
		return nil, err
	}
	return m, m.notify(ctx, "notifications/initialized")
}

func (m *overMCP) header() http.Header {
	h := http.Header{"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-06-18"}}
	if m.session != "" {
		h.Set("Mcp-Session-Id", m.session)
	}
	return h
}

func (m *overMCP) notify(ctx context.Context, method string) error {
	resp, text, err := m.http.post(ctx, "/mcp", map[string]any{"jsonrpc": "2.0", "method": method}, m.header())
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s %.300s", method, resp.Status, text)
	}
	return err
}

// call sends a request and returns its result.
func (m *overMCP) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	m.last++
	resp, text, err := m.http.post(ctx, "/mcp", map[string]any{"jsonrpc": "2.0", "id": m.last, "method": method, "params": params}, m.header())
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s %.300s", method, resp.Status, text)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		m.session = id
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text = lastEvent(text)
	}
	var got struct {
		ID     int
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	switch err := json.Unmarshal(text, &got); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w in %.300s", method, err, text)
	case got.Error != nil:
		return nil, errors.New(got.Error.Message)
	case got.ID != m.last:
		return nil, fmt.Errorf("the answer to request %d has the id %d", m.last, got.ID)
	}
	return got.Result, nil
}

// lastEvent is the data of a stream's last event: the answer, after the notifications.
func lastEvent(stream []byte) []byte {
	var data []byte
	for line := range bytes.Lines(stream) {
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(rest)) > 0 {
			data = bytes.TrimSpace(rest)
		}
	}
	return data
}

func (m *overMCP) Ask(ctx context.Context, endpoint string, fields map[string]any) (Answer, error) {
	tool := strings.TrimPrefix(endpoint, "/")
	if name, ok := tools[endpoint]; ok {
		tool = name
	}
	delete(fields, "mode")
	if tool == "trace" { // which has this name for it
		fields = map[string]any{"symbol": fields["target"]}
	}
	text, err := m.call(ctx, "tools/call", map[string]any{"name": tool, "arguments": fields})
	if err != nil {
		return Answer{}, err
	}
	var got struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return Answer{}, err
	}
	if !got.IsError {
		return Answer{Text: text}, nil
	}
	for _, code := range tolerated {
		if len(got.Content) > 0 && strings.Contains(got.Content[0].Text, code) {
			return Answer{code, text}, nil
		}
	}
	return Answer{"tool error", text}, nil
}

// close ends the session, which would otherwise stay until it is too old.
func (m *overMCP) Close() error {
	if m.session != "" {
		req, err := http.NewRequest(http.MethodDelete, m.http.url+"/mcp", nil)
		if err != nil {
			return err
		}
		req.Header = m.header()
		resp, err := m.http.http.Do(req)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
	}
	return m.http.Close()
}
