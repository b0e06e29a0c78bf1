package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/quarry-search/quarry/api/wire"
)

// A request is one on its way, with the documents as they were when it came.
type request struct {
	*client
	method    string
	documents map[string]*document
}

// A method answers a request with its parameters, which are JSON. The result nil is null.
type method func(ctx context.Context, r *request, params []byte) (any, error)

// on reads the parameters of a method.
func on[P any](answer func(*request, context.Context, *P) (any, error)) method {
	return func(ctx context.Context, r *request, params []byte) (any, error) {
		var p P
		if len(params) == 0 {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s has no parameters", r.method)
		}
		if err := protocol.Unmarshal(params, &p); err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the parameters of %s: %v", r.method, err)
		}
		return answer(r, ctx, &p)
	}
}

// methods are those that are answered while the server is initialized.
func methods() map[string]method {
	return map[string]method{
		protocol.MethodCallHierarchyIncomingCalls:       on((*request).incomingCalls),
		protocol.MethodCallHierarchyOutgoingCalls:       on((*request).outgoingCalls),
		protocol.MethodCodeLensResolve:                  on((*request).resolveLens),
		protocol.MethodTextDocumentCodeLens:             on((*request).lenses),
		protocol.MethodTextDocumentDeclaration:          on((*request).declaration),
		protocol.MethodTextDocumentDefinition:           on((*request).definition),
		protocol.MethodTextDocumentDiagnostic:           on((*request).pulled),
		protocol.MethodTextDocumentDocumentHighlight:    on((*request).highlights),
		protocol.MethodTextDocumentDocumentSymbol:       on((*request).documentSymbols),
		protocol.MethodTextDocumentFoldingRange:         on((*request).foldings),
		protocol.MethodTextDocumentHover:                on((*request).hover),
		protocol.MethodTextDocumentImplementation:       on((*request).implementation),
		protocol.MethodTextDocumentPrepareCallHierarchy: on((*request).prepareCalls),
		protocol.MethodTextDocumentPrepareTypeHierarchy: on((*request).prepareTypes),
		protocol.MethodTextDocumentReferences:           on((*request).references),
		protocol.MethodTextDocumentSelectionRange:       on((*request).selections),
		protocol.MethodTextDocumentTypeDefinition:       on((*request).typeDefinition),
		protocol.MethodTypeHierarchySubtypes:            on((*request).subtypes),
		protocol.MethodTypeHierarchySupertypes:          on((*request).supertypes),
		protocol.MethodWorkspaceExecuteCommand:          on((*request).execute),
		protocol.MethodWorkspaceSymbol:                  on((*request).workspaceSymbols),
	}
}

// notifications are handled in their order, before what comes after them.
func notifications() map[string]method {
	return map[string]method{
		protocol.MethodTextDocumentDidOpen:   on((*request).opened),
		protocol.MethodTextDocumentDidChange: on((*request).changed),
		protocol.MethodTextDocumentDidClose:  on((*request).closed),
		protocol.MethodTextDocumentDidSave:   on((*request).saved),
	}
}

// handle answers one message. Notifications have no answer: what is wrong with them is logged. After
// release the next message is handled, and this one goes on.
func (c *client) handle(ctx context.Context, req *jsonrpc2.Request, release func()) (result any, err error) {
	name := req.Method()
	defer func() {
		if p := recover(); p != nil {
			c.opt.Logger.ErrorContext(ctx, "panic", "method", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.NewError(jsonrpc2.InternalError, "internal error")
		}
		if !req.IsCall() && err != nil {
			c.log(ctx, protocol.MessageTypeWarning, "%v", err)
			result, err = nil, nil
		}
	}()
	r := &request{client: c, method: name}
	if !req.IsCall() {
		return nil, c.notified(ctx, r, req.Params())
	}
	switch phase := c.phase(); {
	case phase == starting && name == protocol.MethodInitialize:
		return initialize(ctx, r, req.Params())
	case phase == starting:
		return nil, jsonrpc2.NewError(jsonrpc2.Code(protocol.ErrorCodesServerNotInitialized), "the server is not initialized")
	case phase != initialized:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	case name == protocol.MethodInitialize:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is initialized already")
	case name == protocol.MethodShutdown:
		c.setState(down)
		return nil, nil
	}
	answer := methods()[name]
	if answer == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %s", name)
	}
	id := req.ID()
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	r.documents = maps.Clone(c.open)
	c.calls[id] = cancel
	c.mu.Unlock()
	defer func() {
		cancel()
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	release()
	result, err = answer(ctx, r, req.Params())
	if err != nil {
		return nil, refusal(ctx, err)
	}
	return result, nil
}

func (c *client) setState(state int) {
	c.mu.Lock()
	c.state = state
	c.mu.Unlock()
}

// notified handles a notification. Those that are not known, and those that come too early, are
// passed over, as the protocol wants it.
func (c *client) notified(ctx context.Context, r *request, params []byte) error {
	switch phase := c.phase(); {
	case r.method == protocol.MethodExit:
		if phase != down {
			c.setState(exiting)
		}
		c.exit.Do(func() { close(c.exited) })
	case r.method == protocol.MethodCancelRequest:
		var p protocol.CancelParams
		if err := protocol.Unmarshal(params, &p); err != nil {
			return fmt.Errorf("the parameters of %s: %w", r.method, err)
		}
		c.stop(p.ID)
	case phase != initialized:
	case r.method == protocol.MethodInitialized:
		c.follow(ctx)
	default:
		if handle := notifications()[r.method]; handle != nil {
			_, err := handle(ctx, r, params)
			return err
		}
	}
	return nil
}

// stop ends the work of a request. One that is answered, or that there never was, is passed over.
func (c *client) stop(token protocol.ProgressToken) {
	var id jsonrpc2.ID
	switch token := token.(type) {
	case protocol.Integer:
		id = jsonrpc2.NewNumberID(int64(token))
	case protocol.String:
		id = jsonrpc2.NewStringID(string(token))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.calls[id]; cancel != nil {
		cancel()
	}
}

// refusal makes an error of the protocol of one.
func refusal(ctx context.Context, err error) error {
	var own *jsonrpc2.Error
	var p *wire.Problem
	switch {
	case errors.As(err, &own):
		return own
	case ctx.Err() != nil:
		return jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled), "cancelled")
	case errors.As(err, &p) && p.Code == wire.CodeInvalidRequest:
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s", p.Message)
	case errors.As(err, &p):
		return jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "%s", p.Message)
	}
	return jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "%v", err)
}
