package config

import (
	"os"
	"runtime"
	"slices"

	"github.com/spf13/pflag"
)

// bindSockets declares the flags of Unix sockets.
func (s *Settings) bindSockets(fs *pflag.FlagSet) {
	fs.Var(&s.Server.Socket, "socket", "a Unix socket to answer on, about the first project; may be repeated")
	fs.Var(&s.Server.SocketMode, "socket-mode", "who may connect to the sockets, as chmod has it")
	fs.BoolVar(&s.Server.TldrSocket, "tldr-socket", s.Server.TldrSocket, "answer on the Unix sockets where clients of llm-tldr look for a daemon of the root")
	fs.BoolVar(&s.Server.AllowShutdown, "allow-shutdown", s.Server.AllowShutdown, "let clients of the Unix sockets end the server")
}

// SocketFolders are where clients of llm-tldr look for sockets: the folder for temporary
// files, and on a Mac, whose is another for each user, /tmp, which some of them assume.
func SocketFolders() []string {
	dirs := []string{os.TempDir()}
	if runtime.GOOS == "darwin" && !slices.Contains(dirs, "/tmp") {
		dirs = append(dirs, "/tmp")
	}
	return dirs
}
