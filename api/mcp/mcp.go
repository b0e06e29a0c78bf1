// Package mcp offers an index to models over the Model Context Protocol: a few tools,
// resources for files and symbols, over standard input and output or streamable HTTP.
//
// It answers nothing by itself. Each tool asks one endpoint of the HTTP interface,
// through an Asker, and hands on less of the answer: what costs tokens and tells a model
// nothing is left out, what says that the answer is cut, stale or incomplete never is.
// It alone knows the SDK of the protocol.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-search/quarry/api/wire"
)

// An Asker answers a request as an endpoint of the HTTP interface, such as "/search",
// would: fields are those of its body, and the answer is a pointer to its struct of
// api/wire, or a text where the fields want one. It is used by many goroutines at once. What
// the endpoint refuses is a *wire.Problem; another error means that nobody answered. ctx ends
// the work as well as the wait.
type Asker interface {
	Ask(ctx context.Context, endpoint string, fields map[string]any) (answer any, text string, err error)
}

// A Connection asks a server over HTTP: the answer is its status and body.
type Connection interface {
	Ask(ctx context.Context, endpoint string, fields map[string]any) (status int, body []byte, err error)
}

// Remote returns an Asker that asks another process.
func Remote(c Connection) Asker { return remote{c} }

type remote struct{ Connection }

// A garbledError is an answer that nobody understands: an error of the protocol.
type garbledError struct{ error }

// Ask implements Asker.
func (r remote) Ask(ctx context.Context, endpoint string, fields map[string]any) (answer any, text string, err error) {
	status, body, err := r.Connection.Ask(ctx, endpoint, fields)
	raw := fields["raw"] == true
	switch {
	case err != nil:
		return nil, "", err
	case status == http.StatusOK && raw:
		return nil, string(body), nil
	case status == http.StatusOK:
		if answer, err = wire.Decode(endpoint, body); err != nil {
			return nil, "", &garbledError{err}
		}
		return answer, "", nil
	case raw: // a refusal is JSON only where no text is asked for
		fields = maps.Clone(fields)
		delete(fields, "raw")
		if _, _, err := r.Ask(ctx, endpoint, fields); err != nil {
			return nil, "", err
		}
	}
	p := &wire.Problem{}
	if json.Unmarshal(body, p) != nil || p.Code == "" {
		return nil, "", fmt.Errorf("%s was answered %d", endpoint, status)
	}
	return nil, "", p
}

// Options configure a Server. Only Asker is needed.
type Options struct {
	Asker   Asker
	Version string       // of the program; "": "dev"
	Logger  *slog.Logger // nil: nothing is logged

	Panicked func() // called with each panic that was caught; nil: nobody counts them

	// Patience is how long calls wait for an index that is being built, from the first
	// of them on; 0: 10 s. When it is over, all answer with what there is.
	Patience time.Duration
	// Poll is the time between two looks at such an index, and between two notifications
	// of progress; 0: 500 ms.
	Poll time.Duration
}

// A Server speaks the protocol with any number of clients. It is safe for concurrent use
// and keeps nothing of a client between two calls.
type Server struct {
	asker    Asker
	log      *slog.Logger
	patience patience
	poll     time.Duration
	panicked func()
	sdk      *sdk.Server
}

// instructions go to every model that connects: when to use what.
const instructions = `Quarry has an index of this repository that follows every change. It answers in milliseconds and few tokens.
Find code by meaning or name: search. Work on a symbol: context (definition, callers, callees, types, tests).
Before a change: impact (who breaks, which tests to run; takes a diff, too). Who calls what: calls; how one reaches another: trace. What decides a line: slice.
Whole files are rarely needed: outline shows signatures, summarize a few lines, read a range of lines.
Targets are a name, Type.method, file:name or file:line. Answers say when they are cut, stale or incomplete.`

// New returns a Server.
func New(opt Options) *Server {
	s := &Server{
		asker:    opt.Asker,
		log:      opt.Logger,
		patience: patience{most: cmp.Or(opt.Patience, 10*time.Second)},
		poll:     cmp.Or(opt.Poll, 500*time.Millisecond),
		panicked: opt.Panicked,
	}
	if s.panicked == nil {
		s.panicked = func() {}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.sdk = sdk.NewServer(
		&sdk.Implementation{Name: "quarry", Title: "Quarry code search", Version: cmp.Or(opt.Version, "dev")},
		&sdk.ServerOptions{
			Instructions:      instructions,
			CompletionHandler: s.complete,
			// The lists never change, and nothing is logged to clients.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		})
	s.sdk.AddReceivingMiddleware(s.receive)
	for _, t := range tools() {
		s.sdk.AddTool(t.definition(), s.handler(t))
	}
	s.addResources()
	return s
}

// Run serves one client until ctx ends or the client goes: the calls in flight are ended
// then, and it returns nil.
func (s *Server) Run(ctx context.Context, t sdk.Transport) error {
	err := s.sdk.Run(ctx, t)
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil // it went while an answer that it had cancelled was written
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("mcp: %w", err)
	}
	return nil
}

// Lines returns the transport of a program that its client has started: a message on
// each line of in and out, which are closed in the end if they can be. A line has at most
// 4 MiB.
func Lines(in io.Reader, out io.Writer) sdk.Transport {
	r, ok := in.(io.ReadCloser)
	if !ok {
		r = io.NopCloser(in)
	}
	w, ok := out.(io.WriteCloser)
	if !ok {
		w = unclosed{out}
	}
	return &sdk.IOTransport{Reader: r, Writer: w, MaxLineLength: 4 << 20}
}

// unclosed is a writer that has nothing to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// requestKey finds, in the context of a call, that of the HTTP request that brought it.
type requestKey struct{}

// Handler returns the handler of streamable HTTP, for bodies of at most so many bytes.
// It checks neither token nor origin.
//
// There are no sessions: each POST stands for itself, with one JSON-RPC message that is
// answered by a stream that ends with its result. So clients do not notice that a server
// was started again, nothing is kept for those that never say goodbye, and every version
// of the protocol is spoken, the newest of which knows no sessions.
func (s *Server) Handler(maxBody int64) http.Handler {
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless:                    true,
		Logger:                       s.log,
		MaxRequestBodyBytes:          maxBody,
		PropagateRequestCancellation: true,
		// Who may ask is decided before, by rules that know the names of this machine.
		DisableLocalhostProtection: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
	})
}

// receive is around every request. It ends the work of an HTTP request that nobody waits
// for, whatever the version of the protocol: without sessions its answer is lost. It
// keeps a panic from ending the process. And it refuses streams that would last for ever
// to tell of changes that never come.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		if method == "subscriptions/listen" {
			return nil, errNoSubscriptions
		}
		if request, ok := ctx.Value(requestKey{}).(context.Context); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(request, cancel)()
		}
		defer func() {
			if p := recover(); p != nil {
				s.panicked()
				s.log.ErrorContext(ctx, "panic", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, errInternal
			}
		}()
		res, err = next(ctx, method, req)
		return res, encodable(err)
	}
}

// encodable repairs an error that has data which is no JSON, as the library makes it of a
// URI with a control character: the answer would be empty.
func encodable(err error) error {
	var e *jsonrpc.Error
	if errors.As(err, &e) && len(e.Data) > 0 && !json.Valid(e.Data) {
		return &jsonrpc.Error{Code: e.Code, Message: e.Message}
	}
	return err
}
