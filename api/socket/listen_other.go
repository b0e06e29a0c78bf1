//go:build !unix

package socket

import (
	"errors"
	"io/fs"
)

// Listen fails: this system has no Unix sockets with an owner and a mode.
func Listen(_, path, _ string, _ fs.FileMode) (*Socket, error) {
	return nil, errors.New("socket: this system has no Unix sockets for " + path)
}

// Hold does nothing: there are no sockets here.
func (s *Socket) Hold() error { return nil }
