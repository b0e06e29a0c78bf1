package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// load reads the settings as serve would for these flags.
func load(t *testing.T, flags ...string) (config.Settings, error) {
	t.Helper()
	root := New()
	cmd, rest, err := root.Find(append([]string{"serve"}, flags...))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	return config.Load(cmd)
}

// hermetic takes the machine's settings away for one test and returns the
// place of the user's configuration file.
func hermetic(t *testing.T) string {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "QUARRY_") {
			t.Setenv(name, "")
		}
	}
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	return filepath.Join(dir, "quarry", "config.toml")
}

func TestPrecedence(t *testing.T) {
	file := hermetic(t)
	port := func(want int, flags ...string) {
		t.Helper()
		s, err := load(t, flags...)
		if err != nil || s.Server.Port != want {
			t.Errorf("port %d, %v; want %d", s.Server.Port, err, want)
		}
	}
	port(3456)
	write(t, file, "[server]\nport = 4001\n[watch]\ndebounce = \"250ms\"\n")
	port(4001)
	other := filepath.Join(t.TempDir(), "other.toml")
	write(t, other, "[server]\nport = 4002\n")
	port(4002, "--config", other)
	t.Setenv("QUARRY_PORT", "4003")
	port(4003, "--config", other)
	port(4004, "--config", other, "--port", "4004")
	port(3456, "--port", "3456") // a flag that repeats the default is still given

	s, err := load(t)
	if err != nil || time.Duration(s.Watch.Debounce) != 250*time.Millisecond {
		t.Errorf("debounce %s, %v", s.Watch.Debounce, err)
	}
	if s.RootGiven {
		t.Error("a root is given, though nobody gave one")
	}
	if s, err := load(t, "--project", "x"); err != nil || s.Root != "x" || !s.RootGiven {
		t.Errorf("--project: %q, %v", s.Root, err)
	}
}

// A switch can be turned off again by what is stronger.
func TestSwitch(t *testing.T) {
	file := hermetic(t)
	coach := func(want bool, flags ...string) {
		t.Helper()
		s, err := load(t, flags...)
		if err != nil || s.ToolEnvelope.Coach.Enabled != want {
			t.Errorf("coach %v, %v; want %v", s.ToolEnvelope.Coach.Enabled, err, want)
		}
	}
	coach(false)
	write(t, file, "[tool_envelope.coach]\nenabled = true\n")
	coach(true)
	t.Setenv("QUARRY_COACH", "false")
	coach(false)
	coach(true, "--coach")
	t.Setenv("QUARRY_COACH", "true")
	coach(false, "--coach=false")
}

func TestDataDir(t *testing.T) {
	hermetic(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config.toml"), "[log]\nlevel = \"debug\"\n")
	s, err := load(t, "--data-dir", dir)
	if err != nil || s.Log.Level != "debug" || s.DataDir != dir {
		t.Errorf("the data folder's file is not read: %+v, %v", s, err)
	}
	write(t, filepath.Join(dir, "config.toml"), "data_dir = \"elsewhere\"\n[embed]\nonnxruntime = \"lib/so\"\n[server]\ntoken_file = \"token\"\n")
	s, err = load(t, "--data-dir", dir)
	if err != nil || s.DataDir != dir || s.Embed.ONNXRuntime != filepath.Join(dir, "lib", "so") || s.Server.TokenFile != filepath.Join(dir, "token") {
		t.Errorf("data %s, library %s, token %s, %v", s.DataDir, s.Embed.ONNXRuntime, s.Server.TokenFile, err)
	}
}

func TestBadSettings(t *testing.T) {
	for _, test := range []struct {
		name, file, env, coach, want string
		flags                        []string
	}{
		{name: "unknown key", file: "[server]\nport = 1\nprot = 2\n", want: `config.toml:3: unknown key "server.prot", did you mean server.port?`},
		{name: "unknown table", file: "\n[sever]\nport = 1\n", want: `config.toml:2: unknown key "sever`},
		{name: "wrong type", file: "[server]\nport = \"x\"\n", want: "config.toml:2: server.port: it must be a whole number, and is a string"},
		{name: "a number for a table", file: "server = 3\n", want: "config.toml:1: server: it must be a table, and is an integer"},
		{name: "a number for a list", file: "[server]\nallow_root = 3\n", want: "server.allow_root: it must be a list in brackets, and is an integer"},
		{name: "a key like no other", file: "[server]\nzzz = 1\n", want: `unknown key "server.zzz"`},
		{name: "no unit", file: "[watch]\npoll = 5\n", want: "poll must have a unit, such as 300ms or 2s"},
		{name: "no TOML", file: "port: 1\n", want: "config.toml:1: "},
		{name: "duration", file: "[watch]\npoll = \"fast\"\n", want: `"fast" is not a duration`},
		{name: "variable", env: "http", want: `QUARRY_PORT: "http" is not a number`},
		{name: "switch", coach: "maybe", want: `QUARRY_COACH: "maybe" is neither true nor false`},
		{name: "switch in the file", file: "[tool_envelope.coach]\nenabled = 1\n", want: "config.toml:2: tool_envelope.coach.enabled: it must be true or false, and is an integer"},
		{name: "slots", flags: []string{"--heavy-slots", "-1"}, want: "heavy-slots must be 0 to 1024, not -1"},
		{name: "slots in the file", file: "[limits]\ncheap_slots = 2000\n", want: "cheap-slots must be 0 to 1024, not 2000"},
		{name: "slow query", file: "[log]\nslow_query = \"fast\"\n", want: `"fast" is not a duration`},
		{name: "port", env: "70000", want: "port must be 0 to 65535, not 70000"},
		{name: "model without vectors", flags: []string{"--backend", "none", "--model", "x"}, want: "a model of your own needs the onnx backend"},
		{name: "bind", file: "[server]\nbind = \"\"\n", want: "bind must be a host or an address"},
		{name: "backend", flags: []string{"--backend", "cuda"}, want: `backend must be auto, onnx, go or none, not "cuda"`},
		{name: "contextual", flags: []string{"--contextual", "on"}, want: `contextual must be auto or off, not "on"`},
		{name: "model", flags: []string{"--backend", "go", "--model", "x"}, want: "a model of your own needs the onnx backend"},
		{name: "no file", flags: []string{"--config", "/no/such/file"}, want: "/no/such/file: no such file"},
		{name: "workers", flags: []string{"--workers", "-1"}, want: "workers must be 0 or more"},
		{name: "cpus", flags: []string{"--cpus", "-1"}, want: "cpus must be 0 or more"},
		{name: "nice", file: "[server]\nnice = \"always\"\n", want: `"always" is neither off, auto, battery, load nor battery,load`},
		{name: "summarize engine", flags: []string{"--summarize-engine", "gpt"}, want: `summarize-engine must be local or llm, not "gpt"`},
		{name: "no language model", file: "[summarize]\nengine = \"llm\"\n", want: "the summarize-engine llm needs llm-url and llm-model"},
		{name: "no model's name", flags: []string{"--llm-url", "http://localhost:1/v1"}, want: "llm-url needs llm-model"},
		{name: "no endpoint", flags: []string{"--llm-model", "small"}, want: "llm-model needs llm-url"},
		{name: "llm timeout", flags: []string{"--llm-timeout", "0s"}, want: "llm-timeout must be more than 0s"},
		{name: "size", flags: []string{"--max-file-bytes", "0"}, want: "max-file-bytes must be more than 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := hermetic(t)
			if test.file != "" {
				write(t, file, test.file)
			}
			t.Setenv("QUARRY_PORT", test.env)
			t.Setenv("QUARRY_COACH", test.coach)
			_, err := load(t, test.flags...)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want one line with %q", err, test.want)
			}
		})
	}
}

// TestUnknownVariable: a variable that is no setting is named, for it may be a typing error or
// another program's.
func TestUnknownVariable(t *testing.T) {
	hermetic(t)
	t.Setenv("QUARRY_PROT", "4001")
	t.Setenv("QUARRY_ZZZ", "1")
	var said bytes.Buffer
	cmd := New()
	cmd.SetErr(&said)
	_, err := config.Load(cmd)
	if err == nil {
		_, err = config.Load(cmd)
	}
	lines := strings.Split(said.String(), "\n")
	slices.Sort(lines)
	want := []string{
		"", "quarry: the variable QUARRY_PROT is no setting and is ignored, did you mean QUARRY_PORT?",
		"quarry: the variable QUARRY_ZZZ is no setting and is ignored",
	}
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("%q, %v", lines, err)
	}
}

func TestLoopback(t *testing.T) {
	for bind, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.0.1": true, "::1": true,
		"": false, "0.0.0.0": false, "::": false, "192.168.1.2": false, "example.com": false,
	} {
		var s config.Settings
		s.Server.Bind = bind
		if s.Loopback() != want {
			t.Errorf("%q: loopback %v", bind, !want)
		}
	}
}

// TestLLMKey: the key is in the variable that the settings name, and nothing prints it.
func TestLLMKey(t *testing.T) {
	file := hermetic(t)
	t.Setenv("OPENAI_API_KEY", "sk-one")
	t.Setenv("OTHER_KEY", "sk-two")
	write(t, file, "[summarize]\nbase_url = \"http://localhost:1/v1\"\nmodel = \"small\"\n")
	s, err := load(t)
	if err != nil || s.LLMKey() != "sk-one" {
		t.Errorf("%q, %v", s.LLMKey(), err)
	}
	if c, err := s.LLM(); err != nil || c == nil || strings.Contains(fmt.Sprintf("%v %+v %s", c, c, c), "sk-one") {
		t.Errorf("%v, %v", c, err)
	}
	if s, err = load(t, "--llm-key-env", "OTHER_KEY"); err != nil || s.LLMKey() != "sk-two" {
		t.Errorf("%q, %v", s.LLMKey(), err)
	}
	write(t, file, "")
	if s, err = load(t); err != nil {
		t.Fatal(err)
	}
	if c, err := s.LLM(); c != nil || err != nil {
		t.Errorf("a client without an endpoint: %v, %v", c, err)
	}
}
