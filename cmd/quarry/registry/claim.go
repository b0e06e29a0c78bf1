package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/version"
)

// otherServerWait is how long a second server waits for the one that holds the root's lock
// to answer, for it may just be starting, or for the lock, which a command that answers without
// a server has while it saves.
const otherServerWait = 5 * time.Second

// A Claim is the lock of a root that this process serves, and its registration.
type Claim struct {
	Root    string
	servers Registry
	log     *slog.Logger
	unlock  func()       // nil: it could not be locked, and other commands do not find the server
	remove  func() error // nil: it is not registered
}

// ClaimAll locks the roots. Those that another server has are left out, and out says
// where that is.
func ClaimAll(ctx context.Context, servers Registry, roots []string, log *slog.Logger, out io.Writer) ([]*Claim, error) {
	var claims []*Claim
	fail := func(err error) ([]*Claim, error) {
		for _, c := range claims {
			err = errors.Join(err, c.Release())
		}
		return nil, err
	}
	for _, root := range roots {
		unlock, reg, err := lockOrFind(ctx, servers, root)
		switch {
		case errors.Is(err, errTaken):
			return fail(err)
		case err != nil: // it serves all the same; it is only harder to find
			log.Warn("other commands will not find this server", "err", err)
		case unlock == nil:
			fmt.Fprintf(out, "quarry: %s is already served at %s\n", root, reg.URL)
			continue
		}
		claims = append(claims, &Claim{Root: root, servers: servers, log: log, unlock: unlock})
	}
	return claims, nil
}

// ClaimOne locks and registers a root that a request has added. The error is a sentence.
func ClaimOne(ctx context.Context, servers Registry, root string) (*Claim, error) {
	unlock, reg, err := lockOrFind(ctx, servers, root)
	if err != nil {
		return nil, err
	}
	if unlock == nil {
		return nil, fmt.Errorf("%s is already served at %s", root, reg.URL)
	}
	return &Claim{Root: root, servers: servers, log: slog.New(slog.DiscardHandler), unlock: unlock}, nil
}

// errTaken says that a process has a root's lock and is no server that answers.
var errTaken = errors.New("another process holds the lock and does not answer")

// lockOrFind locks a root, or finds the server that has it, with a nil unlock. It waits a while
// for one of the two.
func lockOrFind(ctx context.Context, servers Registry, root string) (unlock func(), reg Registration, err error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for deadline := time.Now().Add(otherServerWait); ; {
		unlock, held, err := servers.Lock(root)
		if err != nil || held {
			return unlock, reg, err
		}
		if reg, ok := servers.Find(ctx, root); ok {
			return nil, reg, nil
		}
		if time.Now().After(deadline) {
			return nil, reg, fmt.Errorf("%s: %w", root, errTaken)
		}
		select {
		case <-ctx.Done():
			return nil, reg, fmt.Errorf("%w: %w", errTaken, ctx.Err())
		case <-tick.C:
		}
	}
}

// Announce registers this process as the root's server, at an address and on some
// Unix sockets. instance is what the server says to a client that does not show its token.
func (c *Claim) Announce(url, instance string, known certificate.Pin, sockets ...string) {
	if c.unlock == nil {
		return
	}
	remove, err := c.servers.Add(Registration{PID: os.Getpid(), URL: url, Root: c.Root, Version: version.Release, Started: time.Now().UTC(), Sockets: sockets, Instance: instance, Pin: known})
	if err != nil {
		c.log.Warn("other commands will not find this server", "err", err)
		return
	}
	c.remove = remove
}

// Release takes the registration and the lock away. It does nothing more when it is
// called again.
func (c *Claim) Release() (err error) {
	if c.remove != nil {
		err = c.remove()
		c.remove = nil
	}
	if c.unlock != nil {
		c.unlock()
		c.unlock = nil
	}
	return err
}
