package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
)

const (
	// headerGateway is what each answer of a gateway says who it is by.
	headerGateway = "Quarry-Gateway"
	// headerForwarded is of requests that another gateway hands on: whoever gets one answers.
	headerForwarded = "Quarry-Forwarded"
	// headerUnread is of answers of a gateway that has not read the catalogue yet.
	headerUnread = "Quarry-Gateway-Unread"

	probeEvery  = 2 * time.Second
	probeWithin = time.Second
	dialWithin  = time.Second
	// maxSlow is how many probes in a row may take too long: a machine may be busy.
	maxSlow = 2
)

// Peers are the gateways of a cluster, of which this one may be one. Each repository has an
// order of them, by rendezvous hashing: the first that answers has it in memory, so that one
// that comes or goes moves only the repositories that are its own.
type Peers struct {
	id     string // of this process
	all    []*peer
	client *http.Client
	log    *slog.Logger
	meters *Meters
	unread func() error // why this gateway knows no repositories yet, see Gateway.Unread
}

type peer struct {
	url  *url.URL
	self atomic.Bool
	down atomic.Bool
	slow int // how often it has not answered in time, one probe after the other

	waits sync.Map // by *waiting, what ends a request that waits for it
}

// A waiting is a request that waits for a peer.
type waiting struct{ end context.CancelFunc }

// NewPeers returns the gateways at some addresses; nil of none.
func NewPeers(addresses []string, log *slog.Logger, meters *Meters) (*Peers, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DialContext = dialer.DialContext
	transport.MaxIdleConnsPerHost = 64
	p := &Peers{id: rand.Text(), client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, log: log, meters: meters, unread: func() error { return nil }}
	for _, a := range addresses {
		u, err := url.Parse(a) // they have been checked
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, &peer{url: u})
	}
	return p, nil
}

// order returns the gateways for a repository, the one first that it belongs to.
func (p *Peers) order(name string) []*peer {
	type ranked struct {
		*peer
		weight uint64
	}
	all := make([]ranked, len(p.all))
	for i, one := range p.all {
		all[i] = ranked{one, xxhash.Sum64String(one.url.String() + "\x00" + name)}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(b.weight, a.weight) })
	out := make([]*peer, len(all))
	for i, one := range all {
		out[i] = one.peer
	}
	return out
}

// before returns those that come before this one for a repository, and answer.
func (p *Peers) before(name string) (list []*peer) {
	for _, one := range p.order(name) {
		if one.self.Load() {
			break
		}
		if !one.down.Load() {
			list = append(list, one)
		}
	}
	return list
}

// others returns those that answer besides this one.
func (p *Peers) others() (list []*peer) {
	for _, one := range p.all {
		if !one.self.Load() && !one.down.Load() {
			list = append(list, one)
		}
	}
	return list
}

// up counts those that answer.
func (p *Peers) up() (n int) {
	for _, one := range p.all {
		if !one.down.Load() {
			n++
		}
	}
	return n
}

// run looks which gateways answer, and which is this one, until ctx ends.
func (p *Peers) run(ctx context.Context) error {
	defer p.client.CloseIdleConnections()
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		p.probe(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// probe asks all gateways how they are.
func (p *Peers) probe(ctx context.Context) {
	done := make(chan struct{})
	for _, one := range p.all {
		go func() {
			p.ask(ctx, one)
			done <- struct{}{}
		}()
	}
	for range p.all {
		<-done
	}
}

func (p *Peers) ask(ctx context.Context, one *peer) {
	within, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(within, http.MethodGet, one.url.JoinPath("health").String(), http.NoBody)
	if err != nil {
		panic(err) // the address has been checked
	}
	answer, err := p.client.Do(r)
	self := false
	if err == nil {
		answer.Body.Close()
		self = answer.Header.Get(headerGateway) == p.id
		switch {
		case answer.StatusCode != http.StatusOK || answer.Header.Get(headerGateway) == "":
			err = fmt.Errorf("it is no gateway: status %d", answer.StatusCode)
		case answer.Header.Get(headerUnread) != "" && !self:
			err = errUnread
		}
	}
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, context.DeadlineExceeded) && one.slow < maxSlow:
		one.slow++
	case err != nil:
		p.lost(one, err)
	default:
		one.slow = 0
		one.self.Store(self)
		if one.down.Swap(false) {
			p.log.Info("a gateway answers again", "peer", one.url.String())
		}
	}
}

var errUnread = errors.New("it does not know its repositories yet: the catalogue does not answer it")

// lost notes that a gateway does not answer: what waits for it asks the next one.
func (p *Peers) lost(one *peer, err error) {
	if !one.down.Swap(true) {
		p.log.Warn("a gateway does not answer", "peer", one.url.String(), "err", err)
	}
	one.waits.Range(func(w, _ any) bool {
		w.(*waiting).end()
		return true
	})
}
