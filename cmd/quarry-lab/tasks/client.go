package tasks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// protocolVersion is that of the Model Context Protocol that the client speaks.
const protocolVersion = "2025-06-18"

// A client talks to quarry mcp over its standard input and output, a message a line.
type client struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int
}

// A toolAnswer is the result of tools/call.
type toolAnswer struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
}

func (a *toolAnswer) text() string {
	all := ""
	for _, c := range a.Content {
		all += c.Text
	}
	return all
}

// connect starts the program and greets it.
func connect(ctx context.Context, program string, args ...string) (*client, error) {
	c := &client{cmd: exec.CommandContext(ctx, program, args...)}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<20)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	hello := map[string]any{"protocolVersion": protocolVersion, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "quarry-lab", "version": "1"}}
	if err := c.request("initialize", hello, nil); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if err := c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *client) send(message map[string]any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(line, '\n'))
	return err
}

// request sends a request and waits for its answer; what else comes until then is passed over.
func (c *client) request(method string, params, into any) error {
	c.last++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("no answer to %s: %w", method, err)
		}
		var got struct {
			ID     *int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &got); err != nil {
			return fmt.Errorf("the answer to %s: %w", method, err)
		}
		switch {
		case got.ID == nil || *got.ID != c.last:
			continue
		case got.Error != nil:
			return fmt.Errorf("%s: %s", method, got.Error.Message)
		case into == nil:
			return nil
		}
		return json.Unmarshal(got.Result, into)
	}
}

// call calls a tool.
func (c *client) call(tool string, arguments json.RawMessage) (a toolAnswer, err error) {
	return a, c.request("tools/call", map[string]any{"name": tool, "arguments": arguments}, &a)
}

// close ends the input, at which the program ends.
func (c *client) close() error {
	err := c.in.Close()
	return errors.Join(err, c.cmd.Wait())
}
