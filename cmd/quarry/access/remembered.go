package access

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	staleAfter = 24 * time.Hour   // without an answer, what was said before is nothing any more
	askedAgain = 10 * time.Second // at the earliest, whatever tokens say
	askWithin  = 5 * time.Second
	maxDoc     = 4 << 20 // bytes of an answer
)

// A remembered is what a server elsewhere has said, which is asked again from time to time. While
// it does not answer, what it said before holds. It is safe for concurrent use.
type remembered[T any] struct {
	of    string // for the log
	ask   func(ctx context.Context) (T, error)
	renew time.Duration
	log   *slog.Logger
	now   func() time.Time
	turn  chan struct{} // has room for the one that asks

	mu    sync.Mutex
	value T
	used  time.Time // when it was last wanted
	got   time.Time // when it was answered last; zero: never
	tried time.Time // when it was last asked
	err   error     // what came of that
}

// remember returns what ask says, which has not been asked yet.
func remember[T any](of string, renew time.Duration, log *slog.Logger, now func() time.Time, ask func(ctx context.Context) (T, error)) *remembered[T] {
	return &remembered[T]{of: of, ask: ask, renew: renew, log: log, now: now, turn: make(chan struct{}, 1), used: now()}
}

// get returns what is known; where that is not enough, the server is asked, unless it has just
// been. known is false where there is nothing that holds; err is why it is not what the server
// says now.
func (r *remembered[T]) get(ctx context.Context, enough func(T) bool) (value T, known bool, err error) {
	value, known, old := r.last()
	if known && enough(value) { // whoever comes while another one asks does not wait
		if !old {
			return value, true, nil
		}
		select {
		case r.turn <- struct{}{}:
		default:
			return value, true, nil
		}
	} else {
		select {
		case r.turn <- struct{}{}:
		case <-ctx.Done():
			return value, false, ctx.Err()
		}
	}
	defer func() { <-r.turn }()
	err = r.again(context.WithoutCancel(ctx))
	value, known, _ = r.last()
	return value, known, err
}

// forgotten reports whether nobody has wanted it for so long that nothing of it holds.
func (r *remembered[T]) forgotten() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now().Sub(r.used) > staleAfter
}

// last returns what is known, and whether it is to be asked for again.
func (r *remembered[T]) last() (value T, known, old bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = r.now()
	age := r.used.Sub(r.got)
	known = !r.got.IsZero() && age <= staleAfter
	return r.value, known, age > r.renew && r.now().Sub(r.tried) > askedAgain
}

// again asks the server, unless it has just been asked.
func (r *remembered[T]) again(ctx context.Context) error {
	r.mu.Lock()
	just, err := !r.tried.IsZero() && r.now().Sub(r.tried) < askedAgain, r.err
	r.mu.Unlock()
	if just {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	value, err := r.ask(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	failed := r.err != nil
	r.tried, r.err = r.now(), err
	switch {
	case err == nil:
		r.value, r.got = value, r.tried
	case !failed:
		r.log.Error("permissions: a server does not answer; what it said before holds", "of", r.of, "err", err)
	}
	return err
}

// getJSON reads what a server has at an address. A status other than 200 is a *statusError.
func getJSON(ctx context.Context, client *http.Client, address string, header http.Header, to any) (http.Header, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxDoc))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode != http.StatusOK:
		return nil, &statusError{address, answer.StatusCode}
	}
	if err := json.Unmarshal(text, to); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return answer.Header, nil
}

type statusError struct {
	address string
	status  int
}

func (e *statusError) Error() string { return fmt.Sprintf("%s: status %d", e.address, e.status) }

// newClient returns one that follows no redirect: what it asks has addresses that were checked.
func newClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
