package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// readUser reads from the configuration of the user and of the system, whose word counts,
// where the user's ignore file is and how the user's files lie on the disk. Reading a
// configuration runs nothing. The Client is locked.
func (c *Client) readUser(ctx context.Context) error {
	names := make([]string, 0, len(passed)+1)
	for _, p := range passed {
		names = append(names, strings.TrimPrefix(p.name, "core."))
	}
	environ := append(c.environ(), "GIT_DIR="+filepath.Join(c.scratch.dir, "none"))
	out, err := run(ctx, command{
		dir: c.scratch.dir, environ: environ, most: maxConfig, timeout: c.opt.Timeout,
		args: []string{"config", "--includes", "--null", "--get-regexp", `^core\.(excludesfile|` + strings.Join(names, "|") + `)$`},
	})
	if err != nil && !isExit(err, 1) { // 1: there is none
		if ctx.Err() != nil || errors.Is(err, exec.ErrNotFound) {
			return err
		}
		return refuse("the user's git configuration cannot be read: %v", err)
	}
	s := settings{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if name, value, ok := strings.Cut(entry, "\n"); ok {
			s[name] = value
		} else if name != "" {
			s[name] = "true"
		}
	}
	c.user, c.userText = &s, nil
	name := userIgnore(s["core.excludesfile"])
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil // as git
	}
	if f, _, err = plain(f, maxIgnore); err != nil {
		return refuse("the user's ignore file: %v", err)
	}
	defer f.Close()
	if c.userText, err = slurp(f, maxIgnore); err != nil {
		return refuse("the user's ignore file: %v", err)
	}
	return nil
}

// userIgnore returns where the user's ignore file is, "" for nowhere. See core.excludesFile in
// git-config(1).
func userIgnore(set string) string {
	home := variable("HOME")
	rest, atHome := strings.CutPrefix(set, "~/")
	switch {
	case atHome && home != "":
		return filepath.Join(home, filepath.FromSlash(rest))
	case set != "":
		if name := filepath.FromSlash(set); filepath.IsAbs(name) {
			return name
		}
		return ""
	case variable("XDG_CONFIG_HOME") != "":
		return filepath.Join(variable("XDG_CONFIG_HOME"), "git", "ignore")
	case home != "":
		return filepath.Join(home, ".config", "git", "ignore")
	}
	return ""
}

func isExit(err error, code int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == code
}

// environ is the environment of a git that may read the user's configuration: without what
// a hook or a script may have set to point git at another repository.
func (c *Client) environ() []string {
	kept := environment(func(name string) bool {
		return strings.HasPrefix(name, "GIT_CONFIG_") && name != "GIT_CONFIG_PARAMETERS"
	})
	return append(kept, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// environ is the environment of a git that reads no configuration but ours.
func (r *Repository) environ(objects string) []string {
	kept := environment(func(string) bool { return false })
	return append(kept,
		"GIT_DIR="+r.dir,
		"GIT_WORK_TREE="+r.place.top,
		"GIT_INDEX_FILE="+filepath.Join(r.dir, "index"),
		"GIT_OBJECT_DIRECTORY="+objects,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_ALLOW_PROTOCOL=",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=", "SSH_ASKPASS=",
		"GIT_PAGER=cat",
		"LC_ALL=C",
	)
}

// environment returns the process's own: without git's variables but those that are kept and
// the one that says where git's programs are, and with no folder on the path that depends on
// where git is started, which is in the work tree.
func environment(keep func(name string) bool) []string {
	var kept []string
	for _, e := range os.Environ() {
		name, value, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "GIT_") && name != "GIT_EXEC_PATH" && !keep(name),
			name == "SSH_ASKPASS", name == "LC_ALL", name == "LANGUAGE":
			continue
		case strings.EqualFold(name, "PATH"):
			var dirs []string
			for _, dir := range filepath.SplitList(value) {
				if filepath.IsAbs(dir) {
					dirs = append(dirs, dir)
				}
			}
			e = fmt.Sprintf("%s=%s", name, strings.Join(dirs, string(filepath.ListSeparator)))
		}
		kept = append(kept, e)
	}
	return kept
}

func variable(name string) string {
	value := ""
	for _, e := range os.Environ() {
		if n, v, _ := strings.Cut(e, "="); n == name {
			value = v
		}
	}
	return value
}

// ceilings are the folders above which the user lets git look for no repository.
func ceilings() []string { return filepath.SplitList(variable("GIT_CEILING_DIRECTORIES")) }
