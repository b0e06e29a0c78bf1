package command

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/pflag"
)

// A mode is the permissions of a file, written as chmod has them: "0660".
type mode fs.FileMode

func (m mode) String() string { return fmt.Sprintf("%04o", uint32(m)) }
func (mode) Type() string     { return "mode" }

func (m *mode) Set(text string) error { return m.UnmarshalText([]byte(text)) }

func (m *mode) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 8, 32)
	if err != nil || v > 0o777 || v&0o600 != 0o600 {
		return fmt.Errorf("%q is not a mode such as 0600 or 0660, with which the owner may connect", text)
	}
	*m = mode(v)
	return nil
}

// bindSockets declares the flags of Unix sockets.
func (s *settings) bindSockets(fs *pflag.FlagSet) {
	fs.Var(&s.Server.Socket, "socket", "a Unix socket to answer on, for the first project; may be given several times")
	fs.Var(&s.Server.SocketMode, "socket-mode", "who may connect to the sockets, as chmod has it")
	fs.BoolVar(&s.Server.TldrSocket, "tldr-socket", s.Server.TldrSocket, "answer on the Unix sockets where clients of llm-tldr look for a daemon of the root")
	fs.BoolVar(&s.Server.AllowShutdown, "allow-shutdown", s.Server.AllowShutdown, "let clients of the Unix sockets end the server")
}

// socketFolders are where clients of llm-tldr look for sockets: the folder for temporary
// files, and on a Mac, whose is another for each user, /tmp, which some of them assume.
func socketFolders() []string {
	dirs := []string{os.TempDir()}
	if runtime.GOOS == "darwin" && !slices.Contains(dirs, "/tmp") {
		dirs = append(dirs, "/tmp")
	}
	return dirs
}
