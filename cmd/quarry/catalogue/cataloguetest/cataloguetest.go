// Package cataloguetest starts a server of PostgreSQL for a test.
package cataloguetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Database starts a server that has nothing in it and returns the address of its database. The
// test is skipped where PostgreSQL is not installed.
func Database(t testing.TB) (url string) {
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
	data := filepath.Join(dir, "data")
	own(t, dir)
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(filepath.Dir(initdb), name), args...)
		unprivileged(t, cmd)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("%s: %v\n%s%s", name, err, out, log)
		}
	}
	run("initdb", "--pgdata", data, "--auth", "trust", "--username", "quarry", "--no-sync", "--encoding", "UTF8", "--locale", "C")
	options := []string{"-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=50"}
	run("pg_ctl", "--pgdata", data, "--wait", "--log", filepath.Join(dir, "log"), "--options", strings.Join(options, " "), "start")
	t.Cleanup(func() { run("pg_ctl", "--pgdata", data, "--mode", "immediate", "stop") })
	return "postgres://quarry@/postgres?host=" + dir
}
