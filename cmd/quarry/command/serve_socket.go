package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/socket"
	"github.com/quarry-search/quarry/cmd/quarry/host"
)

// errShutdown ends a server that a client has asked to end.
var errShutdown = errors.New("a client has asked for the end")

// writtenRoots returns the absolute paths of the roots as the user has them, links not
// resolved: clients may hash them so.
func writtenRoots(s settings, args []string) []string {
	if len(args) == 0 {
		args = []string{"."}
		if s.rootGiven {
			args = []string{s.Root}
		}
	}
	var roots []string
	for _, arg := range args {
		if abs, err := filepath.Abs(arg); err == nil {
			roots = append(roots, abs)
		} else {
			roots = append(roots, arg)
		}
	}
	return roots
}

// listenSockets makes the sockets of some roots. One that the user has named and cannot
// be made is an error; without one that a client may look for, the server does its work.
func (s *settings) listenSockets(claims []*claim, written []string, log *slog.Logger) (sockets []*socket.Socket, err error) {
	for _, path := range s.Server.Socket {
		one, err := socket.Listen(path, "", fs.FileMode(s.Server.SocketMode))
		if err != nil {
			return nil, errors.Join(err, closeSockets(sockets))
		}
		sockets = append(sockets, one)
	}
	if !s.Server.TldrSocket {
		return sockets, nil
	}
	for _, c := range claims {
		ways := []string{c.root}
		for _, w := range written {
			if real, err := realPath(w); err == nil && real == c.root {
				ways = append(ways, w)
			}
		}
		for _, path := range socket.Names(socketFolders(), ways...) {
			one, err := socket.Listen(path, c.root, fs.FileMode(s.Server.SocketMode))
			if err != nil {
				log.Warn("clients of llm-tldr will not find this server", "root", c.root, "err", err)
				continue
			}
			sockets = append(sockets, one)
		}
	}
	return sockets, nil
}

func socketPaths(sockets []*socket.Socket) []string {
	var paths []string
	for _, s := range sockets {
		paths = append(paths, s.Path)
	}
	return paths
}

// socketsOf returns the sockets that are about a root; first says that it is the first.
func socketsOf(sockets []*socket.Socket, root string, first bool) []*socket.Socket {
	var its []*socket.Socket
	for _, s := range sockets {
		if s.Project == root || s.Project == "" && first {
			its = append(its, s)
		}
	}
	return its
}

func closeSockets(sockets []*socket.Socket) error {
	var err error
	for _, s := range sockets {
		err = errors.Join(err, s.Close())
	}
	return err
}

// socketServer returns what answers on the sockets. ended is told when a client wants
// the end.
func (s *settings) socketServer(server *api.Server, h *host.Host, log *slog.Logger, ended chan<- struct{}) (*socket.Server, error) {
	about := func(project string) (api.ProjectInfo, bool) {
		all := h.List()
		i := api.FindProject(len(all), func(i int) (name, root string) { return all[i].Name, all[i].Root }, project)
		if i < 0 {
			return api.ProjectInfo{}, false
		}
		return all[i], true
	}
	opt := socket.Options{
		Asker: server, Logger: log, Version: release,
		Diff: func(ctx context.Context, project, base string) (string, error) {
			p, ok := about(project)
			if !ok {
				return "", errors.New("there is no such project")
			}
			return gitDiff(ctx, p.Root, base)
		},
		Work: func(project string) (parsed, reused uint64) {
			p, _ := about(project)
			return p.Work.Parsed, p.Work.Reused
		},
	}
	if s.Server.AllowShutdown {
		opt.Shutdown = func() {
			select {
			case ended <- struct{}{}:
			default: // somebody was first
			}
		}
	}
	return socket.New(opt)
}

// awaitShutdown returns errShutdown when a client has asked for the end.
func awaitShutdown(ctx context.Context, ended <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return nil
	case <-ended:
		return errShutdown
	}
}

// maxGitDiff is how many bytes of a diff the endpoint takes.
const maxGitDiff = 900 << 10

// gitDiff returns what has changed below a root since a revision, "" for the last commit.
// Its error is a sentence.
func gitDiff(ctx context.Context, root, base string) (string, error) {
	if base == "" {
		base = "HEAD"
	}
	if strings.HasPrefix(base, "-") {
		return "", fmt.Errorf("%q is no revision", base)
	}
	// What the repository's owner has configured to be run for a diff is not run.
	cmd := exec.CommandContext(ctx, "git", "-C", root, "-c", "core.fsmonitor=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--relative", base, "--", ".")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("git cannot be asked: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("git cannot be asked: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(out, maxGitDiff+1))
	if len(text) > maxGitDiff {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return "", fmt.Errorf("the diff since %s is larger than %d bytes", base, maxGitDiff)
	}
	if waited := cmd.Wait(); err == nil {
		err = waited
	}
	if err != nil {
		return "", fmt.Errorf("git does not say what has changed since %s: %s", base, lastLine(said.String()))
	}
	return string(text), nil
}
