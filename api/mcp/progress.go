package mcp

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-search/quarry/api/wire"
)

// A patience bounds how long calls wait for the indexes that are being built: not each
// of them for so long, but all together, from the first one on. A model that asks ten
// times during a build of a minute loses ten seconds, not a hundred.
type patience struct {
	most time.Duration

	mu    sync.Mutex
	until map[string]time.Time // by root, as long as it is being built
}

// left returns how long a call may wait for a root; ready ends the wait.
func (p *patience) left(root string, ready bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ready {
		delete(p.until, root)
		return 0
	}
	until, ok := p.until[root]
	if !ok {
		if p.until == nil {
			p.until = map[string]time.Time{}
		}
		until = time.Now().Add(p.most)
		p.until[root] = until
	}
	return time.Until(until)
}

// stillBuilding is what is said of what is not there yet, as the index says it of a symbol.
const stillBuilding = "the index is still being built"

// answer asks an endpoint. While the index is being built it waits, as far as there is
// patience, and asks again: an answer says by itself how much of the index it is from,
// but that there is no such symbol says nothing yet.
func (s *Server) answer(ctx context.Context, endpoint string, fields map[string]any, p *progress) (any, error) {
	answer, _, err := s.ask(ctx, endpoint, fields)
	if endpoint == "/status" {
		return answer, err
	}
	var r *refusal
	lost := errors.As(err, &r) && r.code == "not_found"
	if err != nil && !lost {
		return nil, err
	}
	now, ok := indexed{}, false
	if lost {
		now, ok = s.look(ctx, fields)
	} else {
		now, ok = stateOf(answer)
	}
	waited := false
	for ok && now.State == "indexing" && s.patience.left(now.Root, false) > 0 {
		p.say(now.Progress, "indexing")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(s.poll, s.patience.left(now.Root, false))):
		}
		waited = true
		now, ok = s.look(ctx, fields)
	}
	if ok && now.State != "indexing" {
		s.patience.left(now.Root, true)
	}
	if waited || lost && ok && now.State != "indexing" { // the build may have ended between the two
		answer, _, err = s.ask(ctx, endpoint, fields)
		lost = errors.As(err, &r) && r.code == "not_found"
	}
	if lost && ok && now.State == "indexing" && !strings.Contains(r.message, stillBuilding) {
		return nil, &refusal{r.code, r.message + ", so far: " + stillBuilding}
	}
	if err != nil || !ok {
		return answer, err
	}
	return s.resolved(ctx, endpoint, fields, answer, now, p)
}

// resolved asks again for an answer that came before the first call graph, as far as there is
// patience: "none is known" says nothing then, and the graph follows the index by a moment.
func (s *Server) resolved(ctx context.Context, endpoint string, fields map[string]any, answer any, now indexed, p *progress) (any, error) {
	because := fieldOf(reflect.Indirect(reflect.ValueOf(answer)), "incomplete")
	if !because.IsValid() {
		return answer, nil
	}
	key := now.Root + "\x00" // apart from the index, whose wait is over
	for early(because) && s.patience.left(key, false) > 0 {
		p.say(now.Progress, "the call graph is being built")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(s.poll, s.patience.left(key, false))):
		}
		again, _, err := s.ask(ctx, endpoint, fields)
		if err != nil {
			return nil, err
		}
		answer, because = again, fieldOf(reflect.Indirect(reflect.ValueOf(again)), "incomplete")
	}
	if !early(because) {
		s.patience.left(key, true)
	}
	return answer, nil
}

// early reports whether the reasons why an answer is not complete have that there is no call
// graph yet.
func early(because reflect.Value) bool {
	list, ok := because.Interface().([]string)
	return ok && slices.Contains(list, wire.GraphBuilding)
}

// look asks for the state of the index that the fields are about.
func (s *Server) look(ctx context.Context, fields map[string]any) (indexed, bool) {
	about := map[string]any{}
	if project := fields["project"]; project != nil {
		about["project"] = project
	}
	answer, _, err := s.ask(ctx, "/status", about)
	if err != nil {
		return indexed{}, false
	}
	return stateOf(answer)
}

// stateOf returns what an answer says of its index; false: nothing.
func stateOf(answer any) (now indexed, ok bool) {
	if v := reflect.Indirect(reflect.ValueOf(answer)); v.Kind() == reflect.Struct {
		if index := fieldOf(v, "index"); index.IsValid() {
			keep(reflect.ValueOf(&now).Elem(), index)
			return now, true
		}
	}
	return now, false
}

// A progress tells a client that asked for it how far its call is. Without a token it
// tells nothing.
type progress struct {
	send  func(value float64, message string)
	stop  context.CancelFunc
	ended chan struct{}

	mu   sync.Mutex
	last float64
}

// report begins to tell the caller that the call goes on, from the first poll interval
// on: a server may have to be started first. end must be called.
func (s *Server) report(ctx context.Context, req *sdk.CallToolRequest) *progress {
	p := &progress{}
	token := req.Params.GetProgressToken()
	if token == nil {
		return p
	}
	p.send = func(value float64, message string) {
		// A client that takes none has no use for it.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: value, Total: 1, Message: message})
	}
	ctx, p.stop = context.WithCancel(ctx)
	p.ended = make(chan struct{})
	go func() {
		defer close(p.ended)
		tick := time.NewTicker(s.poll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				p.say(0, "waiting for an answer")
			}
		}
	}()
	return p
}

// say tells that a share of the work is done. What is told always rises a little, as the
// protocol wants it.
func (p *progress) say(share float64, message string) {
	if p.send == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = max(share, p.last+(1-p.last)/1000)
	p.send(p.last, message)
}

// end ends the telling, and waits for its end.
func (p *progress) end() {
	if p.send == nil {
		return
	}
	p.stop()
	<-p.ended
}
