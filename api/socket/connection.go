package socket

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
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
	project string             // what requests are about that say nothing
	cancel  context.CancelFunc // ends its requests, when nobody is left to answer
	ended   func() error       // not nil: they have ended

	writing sync.Mutex
	broken  bool // nobody takes replies
}

// serve answers one client. ctx ends the reading, base the work.
func (s *Server) serve(ctx, base context.Context, nc net.Conn, project string) {
	defer nc.Close()
	work, cancel := context.WithCancel(base)
	defer cancel()
	c := &connection{Server: s, Conn: nc, project: project, cancel: cancel, ended: work.Err}
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
	finished := c.read(ctx, work, &requests)
	requests.Wait()
	if !finished && reading() {
		c.linger()
	}
}

// read starts the client's requests, each with the context work, until it sends no more, one
// has no id, or ctx ends. It reports whether the client is done.
func (c *connection) read(ctx, work context.Context, requests *sync.WaitGroup) (finished bool) {
	flight := make(chan struct{}, c.limits.InFlight)
	defer func() { // a line that the parser falls over ends its connection
		if p := recover(); p != nil {
			c.panicked(p)
			finished = true
		}
	}()
	from := &arrival{connection: c, over: func() bool { return ctx.Err() != nil || work.Err() != nil }}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4<<10), c.limits.Line+2) // with its newline, and one byte that says it is too long
	for lines.Scan() && ctx.Err() == nil && !from.late {  // what a deadline leaves is no line
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
		case <-work.Done():
			return false
		}
		requests.Go(func() {
			defer func() { <-flight }()
			defer func() { // a reply that cannot be encoded is one of the server's faults, too
				if p := recover(); p != nil {
					c.panicked(p)
					c.send(failf(codeInternal, "internal error").encode(r))
				}
			}()
			reply, after := c.answer(work, r, c.project)
			c.send(reply.encode(r))
			if after != nil {
				after()
			}
		})
		if !r.kept {
			return false
		}
	}
	switch {
	case errors.Is(lines.Err(), bufio.ErrTooLong):
		return c.tooLong()
	case from.late && ctx.Err() == nil && work.Err() == nil:
		c.send(failf(codeInvalidRequest, "the request did not arrive within %v", c.limits.Arrival).encode(nil))
		return false
	}
	return ctx.Err() == nil
}

// panicked notes a panic that was caught.
func (c *connection) panicked(p any) {
	c.opt.Panicked()
	c.log.Error("panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
}

// An arrival reads what a client sends, within the time that a line may take. Between two
// lines there is none: bridges keep their connections.
type arrival struct {
	*connection
	over  func() bool // nothing is read any more
	since time.Time   // when the line began that is not there yet; zero: none is
	late  bool        // the time was over
}

func (a *arrival) Read(p []byte) (int, error) {
	var until time.Time
	if !a.since.IsZero() {
		until = a.since.Add(a.limits.Arrival)
	}
	_ = a.SetReadDeadline(until)
	// The end may have set its deadline before: here it is seen, or it comes after.
	if a.over() {
		_ = a.SetReadDeadline(time.Unix(1, 0))
	}
	n, err := a.Conn.Read(p)
	a.late = errors.Is(err, os.ErrDeadlineExceeded)
	switch last := bytes.LastIndexByte(p[:n], '\n'); {
	case n == 0:
	case last == n-1:
		a.since = time.Time{}
	case last >= 0 || a.since.IsZero():
		a.since = time.Now()
	}
	return n, err
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
	err := c.ended()
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
