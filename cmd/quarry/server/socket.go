package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"sync"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/socket"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/version"
)

// errShutdown ends a server that a client has asked to end.
var errShutdown = errors.New("a client asked for the shutdown")

// A socketSet is the Unix sockets of a server, also those of projects that come later. It
// is safe for concurrent use.
type socketSet struct {
	settings *config.Settings
	log      *slog.Logger
	server   *socket.Server // set before anything is served

	mu   sync.Mutex
	open []*socket.Socket
}

// locks is where this user's servers lock what they make elsewhere.
func (k *socketSet) locks() string { return registry.Open(*k.settings).Dir }

// listen makes the sockets of the roots that the server begins with. One that the user has
// named and cannot be made is an error; without one that a client may look for, the server
// does its work.
func (k *socketSet) listen(claims []*registry.Claim, written []string) error {
	for _, path := range k.settings.Server.Socket {
		one, err := socket.Listen(k.locks(), path, "", fs.FileMode(k.settings.Server.SocketMode))
		if err != nil {
			return errors.Join(err, k.close())
		}
		k.open = append(k.open, one)
	}
	for _, c := range claims {
		ways := []string{c.Root}
		for _, w := range written {
			if real, err := folder.Real(w); err == nil && real == c.Root {
				ways = append(ways, w)
			}
		}
		k.open = append(k.open, k.hashed(c.Root, ways...)...)
	}
	return nil
}

// hashed makes the sockets where llm-tldr's clients look for the daemon of a root, which
// may be written in several ways.
func (k *socketSet) hashed(root string, ways ...string) (its []*socket.Socket) {
	if !k.settings.Server.TldrSocket {
		return nil
	}
	for _, path := range socket.Names(config.SocketFolders(), ways...) {
		one, err := socket.Listen(k.locks(), path, root, fs.FileMode(k.settings.Server.SocketMode))
		if err != nil {
			k.log.Warn("clients of llm-tldr will not find this server", "root", root, "err", err)
			continue
		}
		if err := one.Hold(); err != nil {
			k.log.Warn("a daemon of llm-tldr may take the socket of this server away", "root", root, "err", err)
		}
		its = append(its, one)
	}
	return its
}

// serve answers on the sockets that the server begins with, until ctx ends.
func (k *socketSet) serve(ctx context.Context) error {
	k.mu.Lock()
	first := k.open
	k.mu.Unlock()
	if len(first) == 0 {
		return nil
	}
	return k.server.Serve(ctx, first...)
}

// add answers on the sockets of a root that has come later, until ctx ends or end is
// called, which waits for that. It returns their paths.
func (k *socketSet) add(ctx context.Context, root string) (paths []string, end func() error) {
	its := k.hashed(root, root)
	if len(its) == 0 {
		return nil, func() error { return nil }
	}
	k.mu.Lock()
	k.open = append(k.open[:len(k.open):len(k.open)], its...)
	k.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- k.server.Serve(ctx, its...) }()
	return pathsOf(its), func() error {
		cancel()
		err := <-ended
		k.mu.Lock()
		defer k.mu.Unlock()
		k.open = slices.DeleteFunc(slices.Clone(k.open), func(s *socket.Socket) bool { return slices.Contains(its, s) })
		return err
	}
}

// close closes sockets that were not served.
func (k *socketSet) close() error {
	var err error
	for _, s := range k.open {
		err = errors.Join(err, s.Close())
	}
	k.open = nil
	return err
}

// paths are those of all sockets.
func (k *socketSet) paths() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return pathsOf(k.open)
}

// about returns the paths of the sockets that are about a root; first says that it is
// the first.
func (k *socketSet) about(root string, first bool) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var its []*socket.Socket
	for _, s := range k.open {
		if s.Project == root || s.Project == "" && first {
			its = append(its, s)
		}
	}
	return pathsOf(its)
}

func pathsOf(sockets []*socket.Socket) []string {
	var paths []string
	for _, s := range sockets {
		paths = append(paths, s.Path)
	}
	return paths
}

// connections counts those that are open.
func (k *socketSet) connections() int { return k.server.Connections() }

// socketServer returns what answers on the sockets.
func (s *server) socketServer() (*socket.Server, error) {
	opt := socket.Options{
		Asker: s.http.Socket(), Logger: s.Log, Version: version.Release, Panicked: s.http.Panicked,
		Work: func(project string) (parsed, reused uint64) {
			p, _ := s.project(project)
			return p.Work.Parsed, p.Work.Reused
		},
	}
	if s.Settings.Server.AllowShutdown {
		opt.Shutdown = func() {
			select {
			case s.ended <- struct{}{}:
			default: // somebody was first
			}
		}
	}
	return socket.New(opt)
}

// project returns a project by its name or root.
func (s *server) project(named string) (api.ProjectInfo, bool) {
	all := s.projects.List(context.Background())
	i := api.FindProject(len(all), func(i int) (name, root string) { return all[i].Name, all[i].Root }, named)
	if i < 0 {
		return api.ProjectInfo{}, false
	}
	return all[i], true
}

// awaitShutdown returns errShutdown when a client asked for the shutdown.
func awaitShutdown(ctx context.Context, ended <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return nil
	case <-ended:
		return errShutdown
	}
}
