package command

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

var update = flag.Bool("update", false, "write what the examples of the README and of docs print into these pages")

const (
	repository  = "../../.."
	exampleRoot = "docs/example"     // what the pages serve
	readmeRoot  = "/home/you/quarry" // where their repository lies
	readmeBase  = "localhost:3456"   // and its server
	readmeWait  = 30 * time.Second   // for an output to become the page's
	consoleOpen = "```console\n"     // an example begins
	consoleEnd  = "```\n"            // and ends
)

// page reads a page of the repository.
func page(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// An example is a command of a page and what it prints.
type example struct {
	command, output string
	start, end      int // of the output in the page
}

// readmeExamples finds the commands in the blocks of a Markdown text that are
// marked as a console: lines after "$ ", continued by a backslash, each followed
// by its output.
func readmeExamples(text string) []example {
	var all []example
	inside, at := false, 0
	var open *example
	for line := range strings.Lines(text) {
		switch {
		case !inside:
			inside = line == consoleOpen
			open = nil
		case line == consoleEnd:
			inside = false
		case strings.HasPrefix(line, "$ "):
			all = append(all, example{command: strings.TrimSuffix(line[2:], "\n"), start: at + len(line), end: at + len(line)})
			open = &all[len(all)-1]
		case open != nil && open.output == "" && strings.HasSuffix(open.command, "\\"):
			open.command = strings.TrimSuffix(open.command, "\\") + strings.TrimSpace(line)
			open.start, open.end = at+len(line), at+len(line)
		case open != nil:
			open.output += line
			open.end = at + len(line)
		}
		at += len(line)
	}
	return all
}

// volatile are the fields that differ from run to run.
var volatile = regexp.MustCompile(`"(uptime_s|generation|request_id)":\s*("[^"]*"|\d+)`)

func normalized(output string) string { return volatile.ReplaceAllString(output, `"$1": *`) }

// TestReadme runs the examples of the README and of all pages in docs, each page's in
// order on a copy of the folder that they are about, and compares what they print.
func TestReadme(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	total := map[string]int{}
	for _, path := range append(pages, filepath.Join(repository, "README.md")) {
		name, err := filepath.Rel(repository, path)
		if err != nil {
			t.Fatal(err)
		}
		examples := readmeExamples(string(page(t, name)))
		for _, x := range examples {
			program, _, _ := strings.Cut(x.command, " ")
			total[program]++
		}
		if len(examples) > 0 {
			t.Run(filepath.ToSlash(name), func(t *testing.T) { runPage(t, name, examples) })
		}
	}
	if total["curl"] < 9 || total["quarry"] < 3 {
		t.Errorf("the pages have examples with %v, want 9 with curl and 3 with quarry", total)
	}
}

// runPage runs the examples of a page against a server of its own.
func runPage(t *testing.T, name string, examples []example) {
	text := page(t, name)
	home, err := folder.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(home, exampleRoot)
	if err := os.CopyFS(root, os.DirFS(filepath.Join(repository, exampleRoot))); err != nil {
		t.Fatal(err)
	}
	base, data := serveForReadme(t, root)

	var out strings.Builder
	written := 0
	edited := false // the index may be behind the files
	for _, x := range examples {
		run := func() string {
			got, err := x.run(t, home, base, data)
			if err != nil {
				t.Fatalf("$ %s\n%v", x.command, err)
			}
			if got != "" && !strings.HasSuffix(got, "\n") {
				got += "\n" // as a shell's prompt needs it
			}
			return strings.ReplaceAll(got, home, readmeRoot)
		}
		asks := strings.HasPrefix(x.command, "curl ") || strings.HasPrefix(x.command, "quarry ")
		var got string
		if *update {
			time.Sleep(time.Second) // as a reader would need
		}
		for deadline := time.Now().Add(readmeWait); ; time.Sleep(50 * time.Millisecond) {
			got = run()
			if *update || normalized(got) == normalized(x.output) || !edited || !asks || time.Now().After(deadline) {
				break
			}
		}
		edited = edited || !asks
		if normalized(got) == normalized(x.output) {
			got = x.output
		} else if !*update {
			t.Errorf("$ %s\nprints something else than %s says (make readme corrects that); -page +printed:\n%s",
				x.command, name, cmp.Diff(normalized(x.output), normalized(got)))
		}
		out.Write(text[written:x.start])
		out.WriteString(got)
		written = x.end
	}
	if *update {
		out.Write(text[written:])
		if err := os.WriteFile(filepath.Join(repository, name), []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// serveForReadme serves root until the test ends and returns the address and the data
// folder, once the index is complete.
func serveForReadme(t *testing.T, root string) (base, data string) {
	hermetic(t)
	data = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		cmd := New()
		cmd.SetArgs([]string{"serve", root, "--port", "0", "--data-dir", data, "--backend", "go"})
		cmd.SetErr(&log)
		ended <- cmd.ExecuteContext(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v\n%s", err, log.Bytes())
		}
	})
	eventually(t, func() error {
		out, err := execute(t, "ping", "--ready", "--root", root, "--data-dir", data)
		if f := strings.Fields(string(out)); err == nil && len(f) > 1 {
			base = f[1]
		}
		return err
	})
	return base, data
}

var (
	curlURL  = regexp.MustCompile(`localhost:3456(/[^\s']*)`)
	curlData = regexp.MustCompile(`(?s) -d '([^']*)'`)
	// jqField is how an example formats its output, or one field of it.
	jqField = regexp.MustCompile(` \| jq \.(\w*)$`)
)

// quarryArgs are the arguments of a command of the program; those with spaces are quoted.
var quarryArgs = regexp.MustCompile(`"[^"]*"|\S+`)

// run does what the shell would do with the command. The program runs in the test's
// process. Curl and jq are not on every machine; their few forms in the pages are done here.
func (x example) run(t *testing.T, home, base, data string) (string, error) {
	ctx := t.Context()
	if rest, ok := strings.CutPrefix(x.command, "quarry "); ok {
		args := quarryArgs.FindAllString(rest, -1)
		for i, arg := range args {
			args[i] = strings.Trim(arg, `"`)
		}
		out, err := execute(t, append(args, "--root", filepath.Join(home, exampleRoot), "--data-dir", data)...)
		if code := invocation.ExitCode(err); code == 3 {
			err = nil // something is affected
		}
		return string(out), err
	}
	if !strings.HasPrefix(x.command, "curl -s ") {
		sh := exec.CommandContext(ctx, "sh", "-c", x.command)
		sh.Dir = home
		out, err := sh.CombinedOutput()
		return string(out), err
	}
	command, field := x.command, jqField.FindStringSubmatch(x.command)
	if field != nil {
		command = strings.TrimSuffix(command, field[0])
	}
	url := curlURL.FindStringSubmatch(command)
	if url == nil {
		return "", fmt.Errorf("the address is not of %s", readmeBase)
	}
	method, body := http.MethodGet, ""
	if data := curlData.FindStringSubmatch(command); data != nil {
		method, body = http.MethodPost, data[1]
	}
	req, err := http.NewRequestWithContext(ctx, method, base+url[1], strings.NewReader(body))
	if err != nil {
		return "", err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl does
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil || field == nil {
		return string(out), err
	}
	if field[1] != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(out, &object); err != nil {
			return "", err
		}
		out = object[field[1]]
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, bytes.TrimSpace(out), "", "  "); err != nil {
		return "", err
	}
	return pretty.String() + "\n", nil
}

// TestReadmeSettings holds the pages' tables to the settings, languages and commands there are.
func TestReadmeSettings(t *testing.T) {
	settingsPage, languagesPage, commandsPage := page(t, "docs/settings.md"), page(t, "docs/languages.md"), page(t, "docs/commands.md")
	s := config.Default()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Bind(flags, config.EveryGroup)
	flags.VisitAll(func(f *pflag.Flag) {
		row := fmt.Sprintf("| `--%s` | `QUARRY_%s` |", f.Name, strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
		if !bytes.Contains(settingsPage, []byte(row)) {
			t.Errorf("docs/settings.md lacks the row %s", row)
		}
	})
	sources, err := filepath.Glob("../../../index/internal/lang/*/testdata/symbols/*")
	if err != nil || len(sources) == 0 {
		t.Fatalf("sources of %d languages, %v", len(sources), err)
	}
	for _, of := range sources {
		if name := filepath.Base(of); !regexp.MustCompile(`\b` + name + `\b`).Match(languagesPage) {
			t.Errorf("docs/languages.md lacks %s", name)
		}
	}
	for _, cmd := range New().Commands() {
		if !cmd.IsAvailableCommand() || cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		if !bytes.Contains(commandsPage, []byte("| `"+cmd.Name()+"` |")) {
			t.Errorf("the exit codes in docs/commands.md lack %s", cmd.Name())
		}
	}
}
