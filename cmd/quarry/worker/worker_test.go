package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue/cataloguetest"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program stands for quarry index: it puts what it is told to index into the depot of $DEPOT as
// a file, and says so. A file named "fails" in the tree has it fail, one named "waits" has it
// wait.
const program = `
for last; do :; done
[ ! -e "$last/fails" ] || { echo 'quarry: no room' >&2; exit 1; }
[ ! -e "$last/waits" ] || { touch "$DEPOT.waits"; exec sleep 60; }
name=; for arg; do [ "$before" != --snapshots-name ] || name=$arg; before=$arg; done
mkdir -p "$DEPOT/$name/snapshots"
(cd "$last" && find . -path ./.git -prune -o -type f -print -exec cat {} +) > "$DEPOT/$name/snapshots/$(printf %064d 0).quarry"
printf '{"files": 2, "chunks": 3, "put": {"sha256": "%064d", "bytes": 5, "latest": true}}' 0
`

// A rig is a catalogue, a remote and what a worker needs.
type rig struct {
	*testing.T
	Options
	url, remote, name string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for the program is a shell script")
	}
	url := cataloguetest.Database(t)
	c, err := catalogue.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	dir := t.TempDir()
	place := depot.Place{Folder: filepath.Join(dir, "depot")}
	if err := os.Mkdir(place.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "gitconfig"))
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	r := &rig{T: t, url: url, remote: filepath.Join(dir, "remote"), name: "example.com/team/shop", Options: Options{
		Catalogue: c, Depot: func(name string) (*depot.Depot, error) { return depot.Open(depot.Options{Place: place, Name: name}) },
		Index: []string{"sh", "-c", program, "sh"}, Variables: []string{"DEPOT=" + place.Folder}, Folder: filepath.Join(dir, "work"),
		Protocols: []string{"file"}, Jobs: 2, Timeout: time.Minute, MaxBytes: 1 << 20, Once: true, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}}
	r.git("init", "--quiet", "--initial-branch=main", r.remote)
	r.commit(map[string]string{"a.go": "package a\n", "b/c.go": "package b\n"})
	if err := c.Add(t.Context(), r.name, r.remote, ""); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) git(args ...string) {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull) // what the worker's git has is not for the remote
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// commit writes files, "" removes one, and commits them.
func (r *rig) commit(files map[string]string) {
	r.Helper()
	for name, text := range files {
		path := filepath.Join(r.remote, name)
		if text == "" {
			if err := os.Remove(path); err != nil {
				r.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.Fatal(err)
		}
	}
	r.git("-C", r.remote, "add", "--all")
	r.git("-C", r.remote, "commit", "--quiet", "--message", "change")
}

// work runs a worker until nothing is left.
func (r *rig) work() {
	r.Helper()
	if err := Run(r.Context(), r.Options); err != nil {
		r.Fatal(err)
	}
	if left, err := os.ReadDir(r.Folder); len(left) != 0 || err != nil {
		r.Errorf("the worker leaves %v, %v", left, err)
	}
}

// look has the remote looked at, and works off what comes of it.
func (r *rig) look() catalogue.Repository {
	r.Helper()
	if err := r.Catalogue.Look(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.work()
	return r.get()
}

func (r *rig) get() catalogue.Repository {
	r.Helper()
	got, err := r.Catalogue.Get(r.Context(), r.name)
	if err != nil {
		r.Fatal(err)
	}
	return got
}

// snapshot is what the stand-in has put.
func (r *rig) snapshot() string {
	text, _ := os.ReadFile(filepath.Join(strings.TrimPrefix(r.Variables[0], "DEPOT="), r.name, "snapshots", strings.Repeat("0", 64)+".quarry"))
	return string(text)
}

// TestWorker follows a repository through commits, failures and its removal.
func TestWorker(t *testing.T) {
	r := newRig(t)
	r.work()
	got := r.get()
	if got.State != catalogue.Indexed || got.Trunk != "main" || got.Files != 2 || got.Note != "" || len(got.Commit) != 40 || got.Seen != got.Commit {
		t.Errorf("%+v", got)
	}
	if s := r.snapshot(); !strings.Contains(s, "./a.go\n") || !strings.Contains(s, "package b") {
		t.Errorf("indexed was %q", s)
	}
	first := got.IndexedAt
	if got = r.look(); !got.IndexedAt.Equal(*first) {
		t.Error("the same commit is indexed again")
	}

	// What git runs for a repository, it does not run here, and what its attributes ask for is not done.
	ran := filepath.Join(t.TempDir(), "ran")
	if err := os.WriteFile(os.Getenv("GIT_CONFIG_GLOBAL"), []byte("[filter \"evil\"]\n\tsmudge = touch "+ran+"\n\tprocess = touch "+ran+"\n[core]\n\thooksPath = "+r.remote+"/hooks\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.commit(map[string]string{
		".gitattributes": "* filter=evil ident text eol=crlf\n", "d.go": "package d // $Id$\n",
		"hooks/post-checkout": "#!/bin/sh\ntouch " + ran + "\n", ".gitmodules": "[submodule \"x\"]\n\tpath = x\n\turl = ext::touch% " + ran + "\n",
	})
	if err := os.Chmod(filepath.Join(r.remote, "hooks/post-checkout"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.git("-C", r.remote, "update-index", "--add", "--cacheinfo", "160000,"+got.Commit+",x")
	r.git("-C", r.remote, "commit", "--quiet", "--message", "hook")
	got = r.look()
	if _, err := os.Stat(ran); err == nil {
		t.Error("something of the repository was run")
	}
	if got.State != catalogue.Indexed || got.Note != "1 submodules are not fetched" || !strings.Contains(r.snapshot(), "package d // $Id$\n") {
		t.Errorf("%+v\n%q", got, r.snapshot())
	}

	// A job that fails waits for its next try, with the reason.
	r.commit(map[string]string{"fails": "x"})
	if got = r.look(); got.State != catalogue.Queued || got.Failure != "the index was not built: no room" || got.Commit == got.Seen {
		t.Errorf("%+v", got)
	}
	r.commit(map[string]string{"fails": ""})
	if got = r.look(); got.State != catalogue.Indexed || got.Failure != "" || got.Commit != got.Seen {
		t.Errorf("%+v", got)
	}

	// One that is too large is set aside at once, and not tried again for the same commit.
	r.commit(map[string]string{"large": strings.Repeat("x", 2<<20)})
	for range 2 {
		if got = r.look(); got.State != catalogue.SetAside || !strings.Contains(got.Failure, "the commit has files of 20") {
			t.Errorf("%+v", got)
		}
	}
	r.git("-C", r.remote, "checkout", "--quiet", "-b", "next", "HEAD~1")
	if err := r.Catalogue.Add(t.Context(), r.name, r.remote, "next"); err != nil {
		t.Fatal(err)
	}
	if r.work(); r.get().State != catalogue.Indexed || r.get().Trunk != "next" {
		t.Errorf("%+v", r.get())
	}
	if err := r.Catalogue.Add(t.Context(), r.name, r.remote, "none"); err != nil {
		t.Fatal(err)
	}
	if r.work(); r.get().Failure != "the remote has no branch none" {
		t.Errorf("%+v", r.get())
	}

	// A remote that is gone is said to be; what there is stays.
	if err := os.Rename(r.remote, r.remote+".away"); err != nil {
		t.Fatal(err)
	}
	if got = r.look(); got.Unreachable == "" || r.snapshot() == "" {
		t.Errorf("%+v", got)
	}

	// Removed is everything.
	if err := r.Catalogue.Remove(t.Context(), r.name); err != nil {
		t.Fatal(err)
	}
	r.work()
	if all, err := r.Catalogue.List(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if left, err := os.ReadDir(strings.TrimPrefix(r.Variables[0], "DEPOT=")); len(left) != 0 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestLost has a worker take up the job of one that has ended without a word, and leave that of
// one that lives.
func TestLost(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	const lost = `update river_job set state = 'running', attempt = $1, max_attempts = 5, attempted_at = now(), attempted_by = array[$2]::text[]`
	for _, c := range []struct {
		attempt int
		want    string
	}{{1, catalogue.Indexed}, {5, catalogue.SetAside}} {
		if err := r.Catalogue.Index(ctx, r.name); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Catalogue.Pool().Exec(ctx, lost+` where state = 'available'`, c.attempt, "dead"); err != nil {
			t.Fatal(err)
		}
		if r.work(); r.get().State != c.want {
			t.Errorf("after %d tries: %+v", c.attempt, r.get())
		}
	}

	alive, err := (&worker{Options: r.Options, id: "alive"}).live(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.end()
	other, err := (&worker{Options: r.Options, id: "other"}).live(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Catalogue.Index(ctx, r.name); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Catalogue.Pool().Exec(ctx, lost+` where state = 'available'`, 1, "other"); err != nil {
		t.Fatal(err)
	}
	if err := alive.reap(ctx); err != nil || r.get().State != catalogue.Running {
		t.Errorf("%v: the job of a worker that lives is %s", err, r.get().State)
	}
	other.end()
	if err := alive.reap(ctx); err != nil || r.get().State != catalogue.Queued {
		t.Errorf("%v: the job of a worker that has ended is %s", err, r.get().State)
	}
}

// TestMute has the database not answer what a worker asks between two jobs, as where the network hangs: it ends, since
// others may have taken its jobs.
func TestMute(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	locked, err := r.Catalogue.Pool().Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := locked.Rollback(ctx); err != nil {
			t.Error(err)
		}
	}()
	if _, err := locked.Exec(ctx, `lock table river_job`); err != nil {
		t.Fatal(err)
	}
	w := &worker{Options: r.Options, id: "mute", askWithin: time.Millisecond}
	w.Poll = time.Hour
	life, err := w.live(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer life.end()
	if err := w.watch(ctx, life); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the lock") {
		t.Errorf("it goes on, or ends with %v", err)
	}
}

// TestStopped stops a worker in the middle of a job: that waits for another one, and it was no
// try.
func TestStopped(t *testing.T) {
	r := newRig(t)
	r.commit(map[string]string{"waits": "x"})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, r.Options) }()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(strings.TrimPrefix(r.Variables[0], "DEPOT=") + ".waits"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the job has not begun")
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("stopped: %v", err)
	}
	if got := r.get(); got.State != catalogue.Queued || got.Failure != "" {
		t.Errorf("%+v", got)
	}
	r.commit(map[string]string{"waits": ""})
	if r.work(); r.get().State != catalogue.Indexed {
		t.Errorf("%+v", r.get())
	}
}

// TestTied kills a process that has started another: that ends, too.
func TestTied(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ties processes to each other")
	}
	if path := os.Getenv("TIED"); path != "" { // the process that is killed
		t.Error(run(exec.Command("sh", "-c", "echo $$ > "+path+".new; mv "+path+".new "+path+"; exec sleep 600")))
		return
	}
	path := filepath.Join(t.TempDir(), "pid")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestTied$")
	cmd.Env = append(os.Environ(), "TIED="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	var pid []byte
	wait("the other has not begun", func() bool { pid, _ = os.ReadFile(path); return len(pid) > 0 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	wait("the other goes on", func() bool {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ") // nobody may have waited for it
	})
}
