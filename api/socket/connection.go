package socket

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// lingering is how long a connection that the server ends may go on sending: a close
// before all is read would take the last reply away from the client.
const lingering = time.Second

// A connection is one client. Replies are written whole, one after the other.
type connection struct {
	*Server
	net.Conn
	project string          // what requests are about that say nothing
	ctx     context.Context // of its requests; it ends when nobody is left to answer
	cancel  context.CancelFunc

	writing sync.Mutex
	broken  bool // nobody takes replies
}

// serve answers one client. ctx ends the reading, base the work.
func (s *Server) serve(ctx, base context.Context, nc net.Conn, project string) {
	defer nc.Close()
	c := &connection{Server: s, Conn: nc, project: project}
	c.ctx, c.cancel = context.WithCancel(base)
	defer c.cancel()
	if s.open.Add(1) > int64(s.limits.Connections) {
		s.open.Add(-1) // it keeps nobody else out
		c.send(failf(codeRateLimited, "too many connections").encode(nil))
		c.linger()
		return
	}
	defer s.open.Add(-1)
	past := time.Unix(1, 0)
	// What hangs in a read or a write is woken by a deadline that has passed.
	reading := context.AfterFunc(ctx, func() { _ = nc.SetReadDeadline(past) })
	defer reading()
	working := context.AfterFunc(base, func() { _ = nc.SetDeadline(past) })
	defer working()

	var requests sync.WaitGroup
	finished := c.read(ctx, &requests)
	requests.Wait()
	if !finished && reading() {
		c.linger()
	}
}

// read starts the client's requests until it sends no more, one has no id, or ctx
// ends. It reports whether the client is done.
func (c *connection) read(ctx context.Context, requests *sync.WaitGroup) (finished bool) {
	flight := make(chan struct{}, c.limits.InFlight)
	lines := bufio.NewScanner(c)
	lines.Buffer(make([]byte, 0, 4<<10), c.limits.Line+2) // with its newline, and one byte that says it is too long
	for lines.Scan() && ctx.Err() == nil {
		if len(lines.Bytes()) > c.limits.Line {
			return c.tooLong()
		}
		r, fault := parse(lines.Bytes())
		switch {
		case fault != nil:
			c.send(fault.encode(nil))
			continue
		case r == nil: // an empty line
			continue
		}
		select {
		case flight <- struct{}{}:
		case <-ctx.Done():
			return false
		case <-c.ctx.Done():
			return false
		}
		requests.Go(func() {
			defer func() { <-flight }()
			reply, after := c.answer(c.ctx, r, c.project)
			c.send(reply.encode(r))
			if after != nil {
				after()
			}
		})
		if !r.kept {
			return false
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return c.tooLong()
	}
	return ctx.Err() == nil
}

// tooLong refuses a line of which the end is not in sight: what follows it could not
// be told from it.
func (c *connection) tooLong() bool {
	c.send(failf(codePayloadTooLarge, "the request is longer than %d bytes", c.limits.Line).encode(nil))
	return false
}

// send writes a reply. A client that does not take it in time gets no more.
func (c *connection) send(reply []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.broken {
		return
	}
	// The end of the server may come in between: it sets a deadline after this one,
	// or is seen here.
	_ = c.SetWriteDeadline(time.Now().Add(c.limits.Write))
	err := c.ctx.Err()
	if err == nil {
		_, err = c.Write(reply)
	}
	if err != nil {
		c.broken = true
		c.cancel()
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// linger says that nothing more comes, and waits for the client to have seen it.
func (c *connection) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(lingering))
	_, _ = io.Copy(io.Discard, c.Conn) // it ends with the client's end, or the deadline
}
