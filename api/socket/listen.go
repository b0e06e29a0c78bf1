package socket

import (
	"crypto/md5"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"slices"
)

// A Socket is a Unix socket that is listened on.
type Socket struct {
	net.Listener
	Path    string // absolute
	Project string // what requests are about that name no project; "": the first one

	made os.FileInfo // its file
	held *os.File    // see Hold; nil: none is
}

// Names returns where llm-tldr's clients look for the daemon of a project: in each of
// the folders a name with a hash of the project's path. Some hash the path as they were
// given it, others with all links resolved, so all ways to write it are of use.
func Names(folders []string, roots ...string) []string {
	var names []string
	for _, dir := range folders {
		for _, root := range roots {
			sum := md5.Sum([]byte(root))
			name := filepath.Join(dir, "tldr-"+hex.EncodeToString(sum[:])[:8]+".sock")
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Close takes the socket's file away, if it is still the one that Listen made, and ends
// the listening. In this order nobody finds a file that refuses connections.
func (s *Socket) Close() error {
	if s.held != nil {
		_ = os.Remove(s.held.Name()) // while it is held, so that it is nobody else's
		_ = s.held.Close()
	}
	if now, err := os.Lstat(s.Path); err == nil && os.SameFile(now, s.made) {
		if err := os.Remove(s.Path); err != nil {
			_ = s.Listener.Close()
			return err
		}
	}
	return s.Listener.Close()
}
