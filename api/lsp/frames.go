package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// Bounds of a message.
const (
	maxBody   = 64 << 20 // bytes
	maxHeader = 8 << 10  // bytes of a line of a header
)

// frames is the connection of a client, without what would end it: the library closes a connection
// at the first header or body that is none, and here such a message is answered with an error of
// the protocol, and the next one read.
type frames struct {
	in     *bufio.Reader
	bodies chan []byte   // those that were read; closed at the end
	rest   []byte        // of a message that is being handed over
	closed chan struct{} // by Close

	mu   sync.Mutex // of what follows
	out  io.Writer
	over bool
}

// newFrames begins to read. That ends with in alone: who waits for a message need not wait longer
// than to Close.
func newFrames(in io.Reader, out io.Writer) *frames {
	f := &frames{in: bufio.NewReaderSize(in, maxHeader), out: out, bodies: make(chan []byte), closed: make(chan struct{})}
	go f.pump()
	return f
}

func (f *frames) pump() {
	defer close(f.bodies)
	for {
		body, err := f.next()
		if err != nil {
			return
		}
		select {
		case f.bodies <- body:
		case <-f.closed:
			return
		}
	}
}

// Read hands over messages that the library will take.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		var body []byte
		ok := false
		select {
		case body, ok = <-f.bodies:
		case <-f.closed:
		}
		if !ok {
			return 0, io.EOF
		}
		if refusal := refuse(body); refusal != nil {
			if _, err := f.Write(framed(jsonrpc2.AppendResponse(nil, jsonrpc2.ID{}, nil, refusal))); err != nil {
				return 0, err
			}
			continue
		}
		f.rest = framed(body)
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func framed(body []byte) []byte {
	return append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
}

// refuse says what is wrong with a message, nil for nothing.
func refuse(body []byte) error {
	switch {
	case !json.Valid(body):
		return jsonrpc2.NewError(jsonrpc2.ParseError, "the message is no JSON, or its Content-Length is wrong")
	case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")):
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the protocol has no batches")
	}
	if _, err := jsonrpc2.DecodeMessage(body); err != nil {
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the message is no request, notification or response of JSON-RPC 2.0")
	}
	return nil
}

// next reads a message. What is no header is passed over, and so is a body that is too long: it
// gives an empty one, which is no JSON.
func (f *frames) next() ([]byte, error) {
	length, some := -1, false
	for {
		line, err := f.in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // no header is so long
			line = nil
			_, err = f.in.ReadSlice('\n')
		}
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			if length >= 0 {
				break
			}
			if some {
				return nil, nil // a header without a length
			}
			continue
		}
		some = true
		// A body that was longer than its length may end in the line.
		name, value, _ := strings.Cut(string(line[max(bytes.LastIndex(line, []byte("Content-Length")), 0):]), ":")
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n >= 0 {
			length = n
		}
	}
	if length > maxBody {
		_, err := io.CopyN(io.Discard, f.in, int64(length))
		return nil, err
	}
	var body bytes.Buffer // grows with what comes, whatever the length says
	if _, err := io.CopyN(&body, f.in, int64(length)); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// Write writes one message.
func (f *frames) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return 0, io.ErrClosedPipe
	}
	return f.out.Write(p)
}

// Close ends the waiting for a message, and keeps what is still at work from writing. The streams
// are those of the process, and stay open.
func (f *frames) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.over = true
		close(f.closed)
	}
	return nil
}
