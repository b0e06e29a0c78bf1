package git

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seeds are configurations that git and we read alike, or both refuse.
var seeds = []string{
	"[core]\n\tbare = false\n\tignoreCase\n",
	"[core] bare = yes # no\n[Core]\nBARE=no;\n",
	"[core]\n\teol = \"l\"f \n\tworktree = \" a b \"  c # d\n",
	"[core]\n\tworktree = a\\\n  b\\tc\\\"d\\\\e\n",
	"[remote \"a]\\\"b\"]\n\turl = x\n[core]\n\teol = lf\n",
	"[core.sub]\n\teol = crlf\n[core]\n\teol=lf",
	"\ufeff[core]\r\n\teol = lf\r\n",
	"; nothing\n# at all\n",
	"[core]\n\tx y = z\n",
	"[core\n\teol = lf\n",
	"[core]\n\teol = \"lf\n",
	"[core]\n\teol = l\\f\n",
	"[core]\n\t1x = y\n",
	"[include]\n\tpath = /etc/passwd\n[extensions]\n\tworktreeConfig = true\n",
}

// TestParse compares our reading of configurations with git's.
func TestParse(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, text := range seeds {
		name := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out, refused := exec.CommandContext(t.Context(), "git", "config", "--file", name, "--no-includes", "--null", "--list").Output()
		want := settings{}
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			key, value, ok := strings.Cut(entry, "\n")
			if !ok {
				value = "true"
			}
			if strings.Count(key, ".") == 1 {
				want[key] = value
			}
		}
		got := settings{}
		err := got.parse(text)
		if (err != nil) != (refused != nil) {
			t.Errorf("%q: %v; git: %v", text, err, refused)
		} else if d := cmp.Diff(want, got); d != "" && err == nil {
			t.Errorf("%q; git, ours: %s", text, d)
		}
	}
}

// TestWritten shows that nothing but what is allowed reaches git.
func TestWritten(t *testing.T) {
	r := Repository{dir: "/a b\"\\c", user: settings{"core.eol": "lf", "core.excludesfile": "/etc/passwd"}, layout: layout{settings: settings{
		"core.autocrlf": "input", "core.eol": "evil", "core.filemode": "no", "core.fsmonitor": "evil", "core.hookspath": "evil",
		"core.sshcommand": "evil", "core.symlinks": "false\n[core]\nfsmonitor=evil", "core.worktree": "evil", "diff.external": "evil",
	}}}
	got := settings{}
	if err := got.parse(r.written()); err != nil {
		t.Fatal(err)
	}
	want := settings{
		"core.repositoryformatversion": "0", "core.bare": "false", "core.fsmonitor": "false", "core.untrackedcache": "false",
		"core.commitgraph": "false", "core.bigfilethreshold": "16m", "core.hookspath": os.DevNull, "core.attributesfile": os.DevNull,
		"core.excludesfile": "/a b\"\\c/ignore", "core.autocrlf": "input", "core.eol": "lf", "core.filemode": "no",
		"gc.auto": "0", "maintenance.auto": "false", "protocol.allow": "never", "submodule.recurse": "false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzSettings: what is read of any bytes and written for git reads as the same, and holds no
// setting that is not among those that are passed.
func FuzzSettings(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	empty := Repository{dir: "/d", layout: layout{settings: settings{}}}
	base := settings{}
	if err := base.parse(empty.written()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := layout{settings: settings{}}
		if l.parse(text) != nil || l.check() != nil {
			return
		}
		r := Repository{dir: "/d", layout: l}
		got, want := settings{}, maps.Clone(base)
		if err := got.parse(r.written()); err != nil {
			t.Fatalf("%v: %s", err, r.written())
		}
		for _, p := range passed {
			if value, ok := l.settings[p.name]; ok && p.may(value) {
				want[p.name] = value
			}
		}
		if l.sha256 {
			want["core.repositoryformatversion"], want["extensions.objectformat"] = "1", "sha256"
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	})
}
