package command

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry/question"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/git/gittest"
	"github.com/quarry-search/quarry/index/suite"
	"github.com/quarry-search/quarry/index/verify"
)

var everywhere = flag.Bool("everywhere", false, "TestHostileProgram makes each case by itself, too, and not only two of many")

// hostileCase is one repository with the worst of all cases, and a git of its own.
func hostileCase(name string, names ...string) gittest.Case {
	all := gittest.Case{Name: name}
	for _, c := range gittest.Cases() {
		if slices.Contains(names, c.Name) {
			all.Script += c.Script
		}
	}
	all.Script += `printf '#!/bin/sh\nexec "%s"\n' "$C" > git; chmod +x git; for p in ls-files diff config; do cp git git-$p; done` + "\n"
	return all
}

// TestHostileProgram has the program do all that asks git in repositories that name programs
// in every way that is known. None may run; each command answers; and the server ends when it
// is told to, also while git waits for a pipe.
func TestHostileProgram(t *testing.T) {
	maker := gittest.New(t)
	program := linkProgram(t)
	t.Setenv("QUARRY_BACKEND", "go")
	t.Setenv("PATH", ".:"+os.Getenv("PATH"))
	cases := []gittest.Case{
		hostileCase("filters", "filter", "filter of a strange name", "filter in config.worktree", "textconv", "external diff", "hooks elsewhere", "promised blob", "signatures", "nested submodule", "attributes as a pipe"),
		hostileCase("commands", "fsmonitor", "hooks", "aliases", "pager", "include by condition", "fsmonitor in config.worktree", "sparse index and upload pack", "trace", "nested repository"),
	}
	if *everywhere {
		cases = append(cases, gittest.Cases()...)
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			place := maker.Make(t, gittest.Kinds[i%len(gittest.Kinds)], c)
			run := func(args ...string) string {
				cmd := exec.CommandContext(t.Context(), program, args...)
				cmd.Dir = place.Root
				cmd.Stdin = strings.NewReader("--- a/a.go\n+++ b/a.go\n@@ -1,1 +1,1 @@\n-package a\n+package b\n")
				out, err := cmd.CombinedOutput()
				if code := cmd.ProcessState.ExitCode(); code != 0 && code != question.Affected {
					t.Errorf("%q: %v\n%s", args, err, out)
				}
				if strings.Contains(string(out), gittest.Outsider) {
					t.Errorf("%q: something outside is told:\n%s", args, out)
				}
				return string(out)
			}
			data := t.TempDir()
			run("index", "--root", place.Root, "--data-dir", data)
			if out := run("search", "func f", "--root", place.Root, "--data-dir", data); !strings.Contains(out, "a.go") {
				t.Errorf("the search finds %s", out)
			}
			run("impact", "--diff", "-", "--root", place.Root, "--data-dir", data)
			askAllInProcess(t, place)

			sockets, err := os.MkdirTemp("", "q") // the name of a socket is short
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(sockets)
			path := filepath.Join(sockets, "s")
			left := make(chan struct{})
			t.Cleanup(func() { // after the server
				<-left
				if ran := place.Ran(t); len(ran) > 0 {
					t.Errorf("%d programs ran", len(ran))
				}
				if opened := place.Opened(t); len(opened) > 0 {
					t.Errorf("%q are opened outside", opened)
				}
			})
			serveProcess(t, place.Root, "--socket", path) // until it is told to end, below a request
			answer, err := askSocket(path, `{"cmd":"change_impact","git":true,"git_base":"HEAD~1"}`)
			if err != nil || !strings.Contains(answer, `"status"`) {
				t.Errorf("change_impact: %s, %v", answer, err)
			}
			go func() {
				defer close(left)
				_, _ = askSocket(path, `{"cmd":"change_impact","git":true}`) // with an answer or without
			}()
		})
	}
}

// askAllInProcess does what the commands do that build, update, prove and read the history.
func askAllInProcess(t *testing.T, place gittest.Place) {
	t.Helper()
	x, err := index.Open(place.Root, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := x.Update(t.Context(), []string{filepath.Join(place.Work, "a.go")}); err != nil {
		t.Error(err)
	}
	if _, err := x.Verify(t.Context(), verify.VerifyOptions{}); err != nil {
		t.Error(err)
	}
	if s := x.Status(0); s.Coverage.Indexed == 0 {
		t.Errorf("%+v", s.Coverage)
	}
	if _, err := suite.Make(t.Context(), place.Root, suite.Options{}); err != nil && !strings.Contains(err.Error(), "no doc comments") {
		t.Error(err)
	}
}
