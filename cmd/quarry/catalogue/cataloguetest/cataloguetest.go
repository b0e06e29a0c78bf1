// Package cataloguetest starts a server of PostgreSQL for a test.
package cataloguetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Database starts a server that has nothing in it and returns the address of its database. The
// test is skipped where PostgreSQL is not installed.
func Database(t testing.TB) (url string) {
	t.Helper()
	return New(t).URL
}

// A Server is one of PostgreSQL, which can be killed and started again.
type Server struct {
	testing.TB
	URL    string // of its database
	Socket string // where it listens

	dir, bin string
}

// New starts a server that has nothing in it. The test is skipped where PostgreSQL is not installed.
func New(t testing.TB) *Server {
	t.Helper()
	initdb, err := exec.LookPath("initdb")
	if err != nil { // Debian has it outside the PATH, by version
		all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
		if len(all) == 0 {
			t.Skip("PostgreSQL is not installed: sh scripts/debian.sh initdb postgresql")
		}
		initdb = slices.Max(all)
	}
	dir, err := os.MkdirTemp("", "quarry-pg") // short: its socket's path may have 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	own(t, dir)
	s := &Server{TB: t, URL: "postgres://quarry@/postgres?host=" + dir, Socket: filepath.Join(dir, ".s.PGSQL.5432"), dir: dir, bin: filepath.Dir(initdb)}
	s.must(s.run("initdb", "--pgdata", s.data(), "--auth", "trust", "--username", "quarry", "--no-sync", "--encoding", "UTF8", "--locale", "C"))
	s.must(s.start())
	t.Cleanup(func() { s.must(s.run("pg_ctl", "--pgdata", s.data(), "--mode", "immediate", "stop")) })
	return s
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	unprivileged(s, cmd)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("%s: %w\n%s%s", name, err, out, log)
	}
	return nil
}

func (s *Server) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *Server) start() error {
	options := []string{"-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=50"}
	return s.run("pg_ctl", "--pgdata", s.data(), "--wait", "--log", filepath.Join(s.dir, "log"), "--options", strings.Join(options, " "), "start")
}

// Kill ends the server as a machine that loses power does.
func (s *Server) Kill() {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	s.must(err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	s.must(err)
	p, err := os.FindProcess(pid)
	s.must(err)
	s.must(p.Kill())
}

// Start starts it again, once all of its processes have ended.
func (s *Server) Start() {
	s.Helper()
	var err error
	for range 100 {
		if err = s.start(); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.Fatal(err)
}
