package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// A claim is the lock of a root that this process serves, and its registration.
type claim struct {
	root    string
	servers registry
	log     *slog.Logger
	unlock  func()       // nil: it could not be locked, and other commands do not find the server
	remove  func() error // nil: it is not registered
}

// claimAll locks the roots. Those that another server has are left out, and out says
// where that is.
func claimAll(ctx context.Context, servers registry, roots []string, log *slog.Logger, out io.Writer) ([]*claim, error) {
	var claims []*claim
	fail := func(err error) ([]*claim, error) {
		for _, c := range claims {
			err = errors.Join(err, c.release())
		}
		return nil, err
	}
	for _, root := range roots {
		unlock, held, err := servers.lock(root)
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
		claims = append(claims, &claim{root: root, servers: servers, log: log, unlock: unlock})
	}
	return claims, nil
}

// claimOne locks and registers a root that a request has added. The error is a sentence.
func claimOne(ctx context.Context, servers registry, root string) (*claim, error) {
	unlock, held, err := servers.lock(root)
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
	return &claim{root: root, servers: servers, log: slog.New(slog.DiscardHandler), unlock: unlock}, nil
}

// elsewhere finds the server that holds a root's lock.
func elsewhere(ctx context.Context, servers registry, root string) (registration, error) {
	reg, ok, err := servers.await(ctx, root, otherServerWait, nil)
	if err == nil && !ok {
		err = fmt.Errorf("another process holds the lock of %s and does not answer", root)
	}
	return reg, err
}

// announce registers this process as the root's server, at an address and on some
// Unix sockets. instance is what the server says to a client that does not show its token.
func (c *claim) announce(url, instance string, known pin, sockets ...string) {
	if c.unlock == nil {
		return
	}
	remove, err := c.servers.add(registration{PID: os.Getpid(), URL: url, Root: c.root, Version: release, Started: time.Now().UTC(), Sockets: sockets, Instance: instance, pin: known})
	if err != nil {
		c.log.Warn("other commands will not find this server", "err", err)
		return
	}
	c.remove = remove
}

// release takes the registration and the lock away. It does nothing more when it is
// called again.
func (c *claim) release() (err error) {
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
