// Package lsp offers an index to editors over the Language Server Protocol, on standard input
// and output.
//
// It answers nothing by itself. Each request asks endpoints of the HTTP interface, through an
// Asker, with the files that the editor has open and not saved as an overlay, and puts the places
// of the answer in the terms of the protocol. Where the protocol has no place to say that an
// answer is incomplete, that goes to the log of the editor. What no symbol can be found for is an
// error or nothing, as the protocol has it; an empty list from an index that is still being built
// is an error.
//
// It alone knows the libraries of the protocol: their types are made from its meta model.
package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// An Asker answers a request as an endpoint of the HTTP interface, such as "/calls", would: fields
// are those of its body, and the answer is a pointer to its struct of api/wire. It is used by many
// goroutines at once. What the endpoint refuses is a *wire.Problem; another error means that
// nobody answered. ctx ends the work as well as the wait.
type Asker interface {
	Ask(ctx context.Context, endpoint string, fields map[string]any) (answer any, text string, err error)
}

// Options configure a Server. Only Open is needed.
type Options struct {
	// Open returns who is asked about a root, an absolute path, when a client has said which it
	// is. It is called once for each client.
	Open    func(root string) (Asker, error)
	Root    string       // which root clients are told about; "": the one that they name
	Version string       // of the program; "": "dev"
	Logger  *slog.Logger // nil: nothing is logged

	// Patience is how long requests wait for an index that is being built, all of a client
	// together; 0: 10 s. When it is over, they answer with what there is.
	Patience time.Duration
	// Poll is the time between two looks at such an index; 0: 500 ms.
	Poll time.Duration
	// Rest is the time without a change after which the diagnostics of a file are published; 0:
	// 400 ms.
	Rest time.Duration
}

// A Server speaks the protocol with one client at a time. It keeps nothing between two.
type Server struct{ opt Options }

// New returns a Server.
func New(opt Options) *Server {
	opt.Version = cmp.Or(opt.Version, "dev")
	opt.Patience = cmp.Or(opt.Patience, 10*time.Second)
	opt.Poll = cmp.Or(opt.Poll, 500*time.Millisecond)
	opt.Rest = cmp.Or(opt.Rest, 400*time.Millisecond)
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Server{opt}
}

// ErrNoShutdown says that a client has ended the server without the request that comes before.
var ErrNoShutdown = errors.New("the client has ended the server without shutting it down")

// Run serves one client until ctx ends, the client says exit, or in ends. It returns ErrNoShutdown
// where the client should have said shutdown first.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := newFrames(in, out)
	c := &client{
		opt: &s.opt, conn: jsonrpc2.NewConn(jsonrpc2.NewStream(f), jsonrpc2.WithCodec(codec{})),
		calls: map[jsonrpc2.ID]context.CancelFunc{}, open: map[string]*document{}, timers: map[string]*time.Timer{}, said: map[string]bool{}, texts: newTexts(), left: s.opt.Patience,
		exited: make(chan struct{}),
	}
	// The library takes the context of a request back when that is answered, and contexts that were
	// made of it break then. So requests have one of their own.
	c.conn.Go(ctx, func(own context.Context, req *jsonrpc2.Request) (any, error) {
		return c.handle(ctx, req, func() { jsonrpc2.Async(own) })
	})
	select {
	case <-c.exited:
	case <-c.conn.Done():
	case <-ctx.Done():
	}
	cancel()
	c.end()
	if err := c.conn.Close(); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, context.Canceled) {
		s.opt.Logger.Debug("lsp: closing", "error", err)
	}
	if c.phase() == exiting {
		return ErrNoShutdown
	}
	return nil
}

// codec encodes parameters and results as the protocol has its types.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error)      { return protocol.Marshal(v) }
func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }

// The phases of a client. Before it has initialized the server, and after it has shut it down,
// requests are errors.
const (
	starting = iota
	initialized
	down
	exiting // without having shut it down
)

// A client is one, with what it has told.
type client struct {
	opt    *Options
	conn   jsonrpc2.Conn
	exited chan struct{}
	exit   sync.Once

	// Of the initialization; nothing changes afterwards.
	asker     Asker
	root      string // as the client spells it
	real      string // the same without links
	encoding  protocol.PositionEncodingKind
	progress  bool // it shows the progress of the server's work
	pulls     bool // it asks for diagnostics by itself
	hierarchy bool // it takes symbols that have children
	markdown  bool

	texts *texts
	work  sync.WaitGroup // of the background

	mu     sync.Mutex
	calls  map[jsonrpc2.ID]context.CancelFunc // those that are at work
	state  int
	open   map[string]*document   // those that are open, by absolute path
	timers map[string]*time.Timer // until the diagnostics of a document are made
	left   time.Duration          // of the patience
	said   map[string]bool        // why diagnostics are not complete, as it was noted
}

func (c *client) phase() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// end ends what goes on in the background, and waits for it.
func (c *client) end() {
	c.mu.Lock()
	for _, t := range c.timers {
		if t.Stop() {
			c.work.Done()
		}
	}
	clear(c.timers)
	c.mu.Unlock()
	c.work.Wait()
	c.texts.close()
}

// log has the client note something. Who takes no notifications has no use for it.
func (c *client) log(ctx context.Context, kind protocol.MessageType, format string, args ...any) {
	_ = c.conn.Notify(ctx, protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: kind, Message: "quarry: " + fmt.Sprintf(format, args...)})
}
