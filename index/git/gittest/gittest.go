// Package gittest makes the repositories of an attacker for tests: in each, whatever git can
// be made to run leaves a file, and whatever git can be led to lies in a folder outside.
package gittest

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed hostile.txtar
var hostile []byte

// A Case is a script that makes a repository hostile.
type Case struct {
	Name   string
	Script string
	Bites  string   // a plain git command that runs what it names; "": none does so everywhere
	Slow   bool     // git itself waits for ever
	Asked  []string // names in Outside that are opened to see whether they name the work tree in turn
}

// Cases returns all of them.
func Cases() (all []Case) {
	for _, f := range txtar.Parse(hostile).Files {
		c := Case{Name: f.Name, Script: string(f.Data)}
		for line := range strings.Lines(c.Script) {
			if command, ok := strings.CutPrefix(line, "# bites: "); ok {
				c.Bites = strings.TrimSpace(command)
			}
			if names, ok := strings.CutPrefix(line, "# asks: "); ok {
				c.Asked = strings.Fields(names)
			}
			c.Slow = c.Slow || line == "# slow\n"
		}
		all = append(all, c)
	}
	return all
}

// Kinds are the places in which a repository can be found: at the root, in a repository of
// its own at the root, as a linked work tree of another, as a submodule of the root's.
var Kinds = []string{"root", "nested", "worktree", "submodule"}

// A Place is a hostile repository.
type Place struct {
	Root    string // what is indexed
	Work    string // the work tree of the repository, in Root
	Outside string // a repository that is none of Root's business
	canary  string // the folder of what ran
	reads   *reads // below Outside
	asked   []string
}

// Outsider is in the name of each file of the repository outside and in each of its commits.
const Outsider = "outsider"

const prelude = `set -e
export GIT_TEMPLATE_DIR= GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e
promise() {
	C=$1; shift
	git update-index -q --refresh || true # everything is a copy
	git sparse-checkout init --cone --sparse-index; git sparse-checkout set dir
	id=$(git rev-parse HEAD:other)
	git config core.repositoryFormatVersion 1; git config extensions.partialClone X; git config remote.X.promisor true
	while [ $# -gt 0 ]; do git config "$1" "$2"; shift 2; done
	rm -f "$X/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)"
}
`

// templates makes the places of all kinds, of which those of the cases are copies.
const templates = `
seed() {
	mkdir -p dir/deep other/deep
	echo 'package a' > a.go; echo 'package b' > dir/b.go; echo 'package c' > dir/deep/c.go; echo 'package o' > other/deep/o.go
	echo '*.log' > .gitignore; echo '*.gen' > dir/.gitignore
	git add .; git commit -qm one; echo 'func f() {}' >> a.go; git commit -qam two
	echo 'func g() {}' >> a.go; touch x.log dir/untracked.go
}
git init -q -b main outside; cd outside; touch outsider.go; git add .; git commit -qm outsider; printf '*\n' > ignore; echo '* -diff' > attributes; cd ..
mkdir root nested worktree submodule
cd root; git init -q -b main w; cd w; seed; cd ../..
cd nested; git init -q -b main w; cd w; echo 'package t' > top.go; git add .; git commit -qm top; git init -q -b main inner; cd inner; seed; cd ../../..
cd worktree; git init -q -b main main; cd main; seed; git checkout -q .; git worktree add -q ../w -b other; cd ../w; echo 'func g() {}' >> a.go; touch x.log dir/untracked.go; cd ../..
cd submodule; git init -q -b main lib; cd lib; seed; cd ..; git init -q -b main w; cd w; echo 'package t' > top.go; git add .
git -c protocol.file.allow=always submodule --quiet add ../lib inner 2> /dev/null; git commit -qm top; cd inner; echo 'func g() {}' >> a.go; touch x.log dir/untracked.go; cd ../../..
`

// A Maker makes places.
type Maker struct{ dir string }

// New makes what all places have in common. It skips the test where there is no git.
func New(t testing.TB) *Maker {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh(t, dir, prelude+templates)
	return &Maker{dir}
}

// Make makes a place of a kind and runs the case's script there.
func (m *Maker) Make(t testing.TB, kind string, c Case) Place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh(t, top, `cp -a "$1/$2" "$1/outside" . && mkdir canary`, m.dir, kind)
	top = filepath.Join(top, kind)
	p := Place{Root: filepath.Join(top, "w"), Work: filepath.Join(top, "w"), Outside: filepath.Join(top, "../outside"), canary: filepath.Join(top, "../canary")}
	own := filepath.Join(p.Root, ".git")
	common := own
	switch kind {
	case "nested":
		p.Work = filepath.Join(p.Root, "inner")
		own = filepath.Join(p.Work, ".git")
		common = own
	case "worktree":
		common = filepath.Join(top, "main", ".git")
		own = filepath.Join(common, "worktrees", "w")
		put(t, filepath.Join(p.Work, ".git"), "gitdir: "+own+"\n", 0o666)
		put(t, filepath.Join(own, "gitdir"), filepath.Join(p.Work, ".git")+"\n", 0o666)
	case "submodule":
		own = filepath.Join(p.Root, ".git", "modules", "inner")
		p.Work = filepath.Join(p.Root, "inner")
		common = own
	}
	program := filepath.Join(top, "canary.sh")
	put(t, program, "#!/bin/sh\necho \"$0 $*\" > '"+p.canary+"'/$$\n", 0o777)
	sh(t, p.Work, prelude+"W=$1 D=$2 X=$3 C=$4 O=$5\n"+c.Script, p.Work, own, common, program, p.Outside)
	if ran := p.Ran(t); ran != nil { // by the script itself
		for _, name := range ran {
			if err := os.Remove(filepath.Join(p.canary, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.reads, p.asked = watch(t, p.Outside), c.Asked
	return p
}

// Opened returns what has been opened in Outside since Make or the last call, but for what
// may be asked, with slashes in front; nothing if all is well, and where it cannot be told:
// that is only on Linux.
func (p Place) Opened(t testing.TB) []string {
	t.Helper()
	return slices.DeleteFunc(p.reads.names(t), func(name string) bool { return slices.Contains(p.asked, name) })
}

// Ran returns what has run since Make, nothing if all is well.
func (p Place) Ran(t testing.TB) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(p.canary)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Bite runs the plain git command that the case names, in its work tree.
func (p Place) Bite(t testing.TB, c Case) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", c.Bites)
	cmd.Dir = p.Work
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
	_ = cmd.Run() // what it runs is no good program
}

func sh(t testing.TB, dir, script string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", script, "sh"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(errors.Join(err, errors.New(string(out))))
	}
}

func put(t testing.TB, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}
