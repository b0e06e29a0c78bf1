package command

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quarry-search/quarry/api/socket"
)

// askSocket sends a line to a Unix socket, closes its side, and prints all that comes back.
func askSocket(path, line string) (string, error) {
	c, err := net.Dial("unix", path)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(c)
	return string(answer), err
}

// askProgram is askSocket as a program, for scripts: exec ask SOCKET LINE.
func askProgram() {
	answer, err := askSocket(os.Args[1], os.Args[2])
	_, _ = io.WriteString(os.Stdout, answer)
	if err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		os.Exit(1)
	}
}

// hashed sets $SOCKET to where clients look that have the path of a root.
func hashed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hashed ROOT")
	}
	ts.Setenv("SOCKET", socket.Names([]string{ts.Getenv("TMPDIR")}, ts.MkAbs(args[0]))[0])
}

// countSockets checks how many sockets there are in $TMPDIR, and their mode.
func countSockets(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: sockets NUMBER [MODE]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	all, err := filepath.Glob(filepath.Join(ts.Getenv("TMPDIR"), "*.sock"))
	ts.Check(err)
	if len(all) != want {
		ts.Fatalf("there are %d sockets, want %d: %v", len(all), want, all)
	}
	for _, path := range all {
		info, err := os.Lstat(path)
		ts.Check(err)
		if mode := info.Mode(); mode&os.ModeSocket == 0 || !strings.HasSuffix(mode.String(), strings.TrimPrefix(args[1], "-")) {
			ts.Fatalf("%s has the mode %v, want %s", path, mode, args[1])
		}
	}
}
