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
// to answer: it may just be starting.
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
		unlock, held, err := servers.Lock(root)
		switch {
		case err != nil: // it serves all the same; it is only harder to find
			log.Warn("other commands will not find this server", "err", err)
		case !held:
			reg, err := elsewhere(ctx, servers, root)
			if err != nil {
				return fail(err)
			}
			fmt.Fprintf(out, "quarry: %s is already served at %s\n", root, reg.URL)
			continue
		}
		claims = append(claims, &Claim{Root: root, servers: servers, log: log, unlock: unlock})
	}
	return claims, nil
}

// ClaimOne locks and registers a root that a request has added. The error is a sentence.
func ClaimOne(ctx context.Context, servers Registry, root string) (*Claim, error) {
	unlock, held, err := servers.Lock(root)
	if err != nil {
		return nil, err
	}
	if !held {
		reg, err := elsewhere(ctx, servers, root)
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s is already served at %s", root, reg.URL)
	}
	return &Claim{Root: root, servers: servers, log: slog.New(slog.DiscardHandler), unlock: unlock}, nil
}

// elsewhere finds the server that holds a root's lock.
func elsewhere(ctx context.Context, servers Registry, root string) (Registration, error) {
	reg, ok, err := servers.Await(ctx, root, otherServerWait, nil)
	if err == nil && !ok {
		err = fmt.Errorf("another process holds the lock of %s and does not answer", root)
	}
	return reg, err
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
