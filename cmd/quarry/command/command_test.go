package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue/cataloguetest"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// leakChecked runs the tests and then looks for goroutines that they left.
type leakChecked struct{ *testing.M }

func (m leakChecked) Run() int {
	code := m.M.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

func TestMain(m *testing.M) {
	// Tests that run commands inside this process have this program parse.
	if code, is := engine.ParseWorker(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); is {
		os.Exit(code)
	}
	testscript.Main(leakChecked{m}, map[string]func(){"quarry": program, "ask": askProgram, "renamed": renameTool})
}

// program is main.main, which a test cannot import.
func program() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(invocation.ExitCode(New().ExecuteContext(ctx)))
}

// TestScripts runs every command as a process of its own. Besides the usual
// commands, scripts have:
//
//	exits CODE PROGRAM ARG...   run it and check the exit code
//	listening ROOT              wait until a server of that root is registered, set $URL
//	eventually PATTERN PROGRAM ARG...
//	                            run it until its output matches; "!" before
//	                            eventually: until it does not
//	exec renamed FROM TO        copy a SCIP index as one of another tool
//	exec ask SOCKET LINE        send a line to a Unix socket, and print the answer
//	hashed ROOT                 set $SOCKET to where clients of llm-tldr look
//	sockets NUMBER [MODE]       count the sockets in $TMPDIR
func TestScripts(t *testing.T) {
	testscript.Run(t, scripts("script"))
}

// TestCluster runs those scripts that need a database, which is empty at first.
func TestCluster(t *testing.T) {
	p := scripts("cluster")
	setup, url := p.Setup, cataloguetest.Database(t)
	p.Setup = func(env *testscript.Env) error {
		err := setup(env)
		env.Setenv("QUARRY_DATABASE", url)
		return err
	}
	testscript.Run(t, p)
}

// scripts are those of a folder of testdata.
func scripts(folder string) testscript.Params {
	return testscript.Params{
		Dir:                 filepath.Join("testdata", folder),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// No setting of the machine reaches a script.
			for _, v := range env.Vars {
				if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "QUARRY_") {
					env.Setenv(name, "")
				}
			}
			env.Setenv("TLDR_SOCKET_PATH", "")
			// A socket's path must be short.
			tmp, err := os.MkdirTemp("", "qs")
			if err != nil {
				return err
			}
			env.Defer(func() { _ = os.RemoveAll(tmp) })
			env.Setenv("TMP", tmp)
			env.Setenv("QUARRY_DATA_DIR", filepath.Join(env.WorkDir, "data"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("QUARRY_PORT", "1") // where nothing listens
			env.Setenv("QUARRY_BACKEND", "go")
			env.Setenv("QUARRY_LOG_LEVEL", "warn")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exits,
			"listening":  listening,
			"eventually": repeat,
			"hashed":     hashed,
			"sockets":    countSockets,
		},
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func listening(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listening ROOT")
	}
	root, err := folder.Real(ts.MkAbs(args[0]))
	ts.Check(err)
	servers := registry.Registry{Dir: filepath.Join(ts.Getenv("QUARRY_DATA_DIR"), "servers")}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if reg, ok := servers.Find(context.Background(), root); ok {
			ts.Setenv("URL", reg.URL)
			ts.Setenv("PORT", reg.URL[strings.LastIndexByte(reg.URL, ':')+1:])
			return
		}
	}
	ts.Fatalf("no server of %s within 30 s", root)
}

func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] eventually PATTERN PROGRAM ARG...")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		_ = ts.Exec(args[1], args[2:]...) // no result is an exit code, too
		if pattern.MatchString(ts.ReadFile("stdout")) != neg {
			return
		}
	}
	ts.Fatalf("the output did not come to match within 30 s")
}

// TestInProcess runs a server and its clients inside this process.
func TestInProcess(t *testing.T) {
	root, data := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "retry.go"), "package retry\n\n// Backoff waits longer after each failure.\nfunc Backoff(n int) int { return 1 << n }\n")

	s := startServer(t, root, "--data-dir", data, "--wait")
	eventually(t, func() error {
		out, err := execute(t, "ping", "--ready", "--root", root, "--data-dir", data)
		if err == nil && !bytes.HasPrefix(out, []byte("ready http://")) {
			return fmt.Errorf("ping: %q", out)
		}
		return err
	})
	out, err := execute(t, "search", "backoff", "--root", root, "--data-dir", data, "--compact")
	if err != nil || !bytes.HasPrefix(out, []byte("retry.go:")) {
		t.Errorf("search: %q, %v", out, err)
	}
	// The server sees a file that is new.
	write(t, filepath.Join(root, "jitter.go"), "package retry\n\nfunc Jitterbug() {}\n")
	eventually(t, func() error {
		out, err := execute(t, "search", "jitterbug", "--mode", "lexical", "--root", root, "--data-dir", data, "--compact")
		if err == nil && !bytes.HasPrefix(out, []byte("jitter.go:")) {
			return fmt.Errorf("search: %q", out)
		}
		return err
	})
	for _, line := range []string{"quarry: serving " + root + " at http://127.0.0.1:", "quarry: ready, "} {
		eventually(t, func() error {
			if !strings.Contains(s.log.String(), line) {
				return fmt.Errorf("serve did not say %q:\n%s", line, s.log)
			}
			return nil
		})
	}
	if err := s.stop(); err != nil {
		t.Errorf("serve: %v\n%s", err, s.log)
	}
	if left, _ := filepath.Glob(filepath.Join(data, "servers", "*.json")); len(left) > 0 {
		t.Errorf("serve left %v", left)
	}
}

// execute runs a command in this process and returns its output.
func execute(t *testing.T, args ...string) ([]byte, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := New()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(new(bytes.Buffer))
	err := cmd.ExecuteContext(t.Context())
	return out.Bytes(), err
}

func eventually(t testing.TB, f func() error) {
	t.Helper()
	var err error
	patience := 30 * time.Second
	if _, ok := t.(*testing.B); ok {
		patience = 5 * time.Minute // what is measured is as large as the machine's owner likes
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = f(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestHelp holds every command to a help that shows how it is used.
func TestHelp(t *testing.T) {
	names := []string{}
	for _, cmd := range New().Commands() {
		if cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		names = append(names, cmd.Name())
		if cmd.Short == "" || cmd.Name() != "version" && (cmd.Long == "" || cmd.Example == "") {
			t.Errorf("%s: the help lacks a summary, a description or an example", cmd.Name())
		}
	}
	if want := []string{"arch", "cache", "calls", "cat", "catalogue", "cfg", "context", "dead", "definition", "dfg", "diagnostics", "ensure", "eval", "export", "extract", "find", "flows", "gateway", "graph", "grep", "impact", "importers", "imports", "index", "install", "invalidate", "lsp", "map", "mcp", "open", "ping", "references", "reindex", "related", "search", "serve", "skeleton", "slice", "startup", "status", "stop", "structure", "summarize", "te", "trace", "uninstall", "verify", "version", "worker"}; !slices.Equal(names, want) {
		t.Errorf("commands %v, want %v", names, want)
	}
}

// TestMeant checks which single words are taken for a misspelt command.
func TestMeant(t *testing.T) {
	root := New()
	for word, want := range map[string]string{
		"stauts": "status", "serach": "search", "STAUTS": "status", "cahce": "cache", "sotp": "stop", "refrences": "references", "strutcure": "structure", "summarise": "summarize",
		// Words of code, and of questions.
		"server": "", "call": "", "import": "", "tracer": "", "validate": "", "bind": "", "kind": "", "map": "", "act": "", "ship": "", "": "", "über": "",
	} {
		if got := meant(root, word); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}

// TestStopAsksFirst checks that no process is signalled but the one that a server says
// it is.
func TestStopAsksFirst(t *testing.T) {
	root, data := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n")
	s := startServer(t, root, "--data-dir", data)
	servers := registry.Registry{Dir: filepath.Join(data, "servers")}
	var reg registry.Registration
	eventually(t, func() error {
		var ok bool
		if reg, ok = servers.Find(t.Context(), root); !ok {
			return errors.New("no server")
		}
		return nil
	})
	victim := exec.Command("sleep", "60")
	if err := victim.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		if err := victim.Process.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("the process that only has the number was signalled: %v", err)
		}
		_ = victim.Process.Kill()
		_ = victim.Wait()
	}()
	reg.PID = victim.Process.Pid
	if err := servers.Stop(t.Context(), reg, ""); err == nil || !strings.Contains(err.Error(), "is not the process") {
		t.Errorf("a registration with the number of another process: %v", err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// renameTool copies a SCIP index, which says then that another program has made it.
func renameTool() {
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], bytes.Replace(data, []byte("\x06quarry"), []byte("\x06a tool"), 1), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
