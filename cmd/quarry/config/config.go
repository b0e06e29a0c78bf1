// Package config puts the settings together that flags, QUARRY_* variables, one TOML file and
// defaults make, in this order of weight. It alone reads the environment.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Settings are everything that flags, the environment and the configuration
// file can set. The field tags are the keys of the file.
type Settings struct {
	Root    string `toml:"root"`
	DataDir string `toml:"data_dir"`
	Server  struct {
		Bind      string  `toml:"bind"`
		Port      int     `toml:"port"`
		TokenFile string  `toml:"token_file"`
		AllowRoot folders `toml:"allow_root"`
		Memory    Size    `toml:"memory"`
		Compat    string  `toml:"compat"`

		TLSCert     string `toml:"tls_cert"`
		TLSKey      string `toml:"tls_key"`
		AllowOrigin words  `toml:"allow_origin"`
		AllowHost   words  `toml:"allow_host"`

		IdleTimeout Duration `toml:"idle_timeout"`
		MaskSecrets bool     `toml:"mask_secrets"`
		Pprof       bool     `toml:"pprof"`
		CPUs        int      `toml:"cpus"`
		Nice        Nice     `toml:"nice"`

		Socket        folders `toml:"socket"`
		SocketMode    Mode    `toml:"socket_mode"`
		TldrSocket    bool    `toml:"tldr_socket"`
		AllowShutdown bool    `toml:"allow_shutdown"`
	} `toml:"server"`
	Limits limitSettings `toml:"limits"`
	Index  struct {
		Workers      int   `toml:"workers"`
		MaxFileBytes int64 `toml:"max_file_bytes"`

		ParseInProcess bool `toml:"parse_in_process"`
		LibraryParser  bool `toml:"library_parser"`
	} `toml:"index"`
	Watch struct {
		Debounce Duration `toml:"debounce"`
		Poll     Duration `toml:"poll"`
	} `toml:"watch"`
	Embed struct {
		Backend     string `toml:"backend"`
		ONNXRuntime string `toml:"onnxruntime"`
		Model       string `toml:"model"`
		Contextual  string `toml:"contextual"`
	} `toml:"embed"`
	Cache struct {
		Size Size `toml:"size"`
	} `toml:"cache"`
	Snapshots snapshotSettings  `toml:"snapshots"`
	Catalogue catalogueSettings `toml:"catalogue"`
	Worker    workerSettings    `toml:"worker"`
	Gateway   gatewaySettings   `toml:"gateway"`
	Summarize summarizeSettings `toml:"summarize"`
	Log       struct {
		Format    string   `toml:"format"`
		Level     string   `toml:"level"`
		SlowQuery Duration `toml:"slow_query"`
	} `toml:"log"`
	ToolEnvelope envelopeSettings `toml:"tool_envelope"`
	Terminal     terminalSettings `toml:"terminal"`

	RootGiven bool // Root was set by the user
	PortGiven bool // the command's own flag names the port: no other will do
}

// leastMemory is what a server with a small project takes.
const leastMemory Size = 128 << 20

// Default are what holds when nobody says anything.
func Default() Settings {
	var s Settings
	s.DataDir = defaultDataDir()
	s.Server.Bind = "localhost"
	s.Server.Port = 3456
	s.Server.SocketMode = 0o600
	s.Server.TldrSocket = true
	s.Server.MaskSecrets = true
	s.Index.MaxFileBytes = 2 << 20
	s.Watch.Debounce = Duration(60 * time.Millisecond)
	s.Embed.Backend = "auto"
	s.Embed.Contextual = "auto"
	s.Cache.Size = 2 << 30
	s.Snapshots = defaultSnapshots()
	s.Worker, s.Gateway = defaultWorker(), defaultGateway()
	s.Summarize = defaultSummarize()
	s.Log.Format = "text"
	s.Log.Level = "info"
	s.Log.SlowQuery = Duration(time.Second)
	s.ToolEnvelope = DefaultEnvelope()
	s.Terminal.Color = "auto"
	return s
}

// A group is a set of settings that a command takes as flags.
type group int

const (
	RootFlag group = 1 << iota
	ServerFlags
	IndexFlags
	WatchFlags
	TokenFlag
	CacheFlag
	LLMFlags
	SocketFlags
	SnapshotFlags
	CatalogueFlags
	WorkerFlags
	GatewayFlags
	EveryGroup = RootFlag | ServerFlags | IndexFlags | WatchFlags | TokenFlag | CacheFlag | LLMFlags | SocketFlags | SnapshotFlags | CatalogueFlags | WorkerFlags | GatewayFlags | commonFlags
	// commonFlags are those of all commands.
	commonFlags group = 1 << 30
)

// Bind declares the flags of some groups on fs; their values go to s, and what
// s holds are their defaults. The variable of a flag has its name in capitals:
// QUARRY_MAX_FILE_BYTES for --max-file-bytes.
func (s *Settings) Bind(fs *pflag.FlagSet, groups group) {
	if groups&commonFlags != 0 {
		fs.StringVar(&s.DataDir, "data-dir", s.DataDir, "where running servers are registered")
		s.Terminal.bind(fs)
	}
	if groups&RootFlag != 0 {
		fs.StringVar(&s.Root, "root", s.Root, "the project's folder (also --project)")
	}
	if groups&ServerFlags != 0 {
		fs.StringVar(&s.Server.Bind, "bind", s.Server.Bind, "host or address to listen on; localhost: 127.0.0.1 and ::1; any address that others can reach needs a token file")
		fs.Var(&s.Server.AllowRoot, "allow-root", "a folder below which POST /projects may add roots; may be repeated")
		fs.Var(&s.Server.Memory, "memory", "memory that the server may take, such as 600MiB: projects that receive no requests are moved to disk; 0: no limit")
		fs.StringVar(&s.Server.Compat, "compat", s.Server.Compat, "osgrep: answer searches in the shape of osgrep's server, and listen on its port 4444")
		fs.IntVar(&s.Server.Port, "port", s.Server.Port, "port to listen on; 0: any free port; without the flag, also one of the nine after it")
		fs.BoolVar(&s.ToolEnvelope.Coach.Enabled, "coach", s.ToolEnvelope.Coach.Enabled, "try several forms of answers to grep, cat and find, and keep the one that works best (GET /coach/report)")
		fs.Var(&s.Server.IdleTimeout, "idle-timeout", "end after this long without a request; 0s: never")
		s.bindLimits(fs)
		s.bindThrottle(fs)
	}
	if groups&SocketFlags != 0 {
		s.bindSockets(fs)
	}
	if groups&ServerFlags != 0 {
		s.bindAccess(fs)
	}
	if groups&(ServerFlags|TokenFlag) != 0 {
		s.bindCertificate(fs)
	}
	if groups&TokenFlag != 0 {
		fs.StringVar(&s.Server.TokenFile, "token-file", s.Server.TokenFile, "the file with the token that the server requires, of at least 16 bytes")
	}
	if groups&IndexFlags != 0 {
		fs.IntVar(&s.Index.Workers, "workers", s.Index.Workers, "files parsed at once; 0: one for each processor")
		fs.Int64Var(&s.Index.MaxFileBytes, "max-file-bytes", s.Index.MaxFileBytes, "skip larger files")
		fs.BoolVar(&s.Index.ParseInProcess, "parse-in-process", s.Index.ParseInProcess, "parse files in this process: somewhat faster, but a hostile file can end it")
		fs.BoolVar(&s.Index.LibraryParser, "library-parser", s.Index.LibraryParser, "parse with tree-sitter's own parser alone: slower, with the same result")
		fs.StringVar(&s.Embed.Backend, "backend", s.Embed.Backend, "what computes vectors: onnx, go, auto (onnx if its library is found), or none")
		fs.StringVar(&s.Embed.ONNXRuntime, "onnxruntime", s.Embed.ONNXRuntime, "the ONNX Runtime library, or the folder that holds it")
		fs.StringVar(&s.Embed.Model, "model", s.Embed.Model, "folder of another model than the built-in one (needs onnx)")
		fs.StringVar(&s.Embed.Contextual, "contextual", s.Embed.Contextual, "improve the built-in model's vectors in the background: auto (if onnx is there) or off")
		fs.BoolVar(&s.Server.MaskSecrets, "mask-secrets", s.Server.MaskSecrets, "mask keys and credentials, by their shape, in the texts of files")
		fs.StringVar(&s.Log.Format, "log-format", s.Log.Format, "text or json")
		fs.StringVar(&s.Log.Level, "log-level", s.Log.Level, "debug, info, warn or error")
	}
	if groups&CacheFlag != 0 {
		fs.Var(&s.Cache.Size, "cache-size", "how much the data folder may hold for all roots together, such as 500MB; 0: no limit")
	}
	if groups&SnapshotFlags != 0 {
		s.Snapshots.bind(fs)
	}
	s.bindRepositories(fs, groups)
	if groups&LLMFlags != 0 {
		s.Summarize.bind(fs)
	}
	if groups&WatchFlags != 0 {
		fs.Var(&s.Watch.Debounce, "debounce", "how long a changed file must be quiet before it is read again")
		fs.Var(&s.Watch.Poll, "poll", "look for changes this often instead of using the kernel's notifications; 0s: use them")
	}
}

// AddFlags declares the flags of some groups on a command, with the defaults
// for its help. Their values are read by Load.
func AddFlags(fs *pflag.FlagSet, groups group) {
	s := Default()
	if groups&commonFlags != 0 {
		s.DataDir = "" // the help should not name one user's folder
	}
	s.Bind(fs, groups)
}

// AddCommonFlags declares the flags that every command takes.
func AddCommonFlags(fs *pflag.FlagSet) {
	AddFlags(fs, commonFlags)
	fs.String("config", "", "the configuration file")
}

// Load puts the settings of a command together: its flags over the
// environment over the configuration file over the defaults.
func Load(cmd *cobra.Command) (Settings, error) {
	if top := cmd.Root(); top.Annotations[noted] == "" { // once, however often settings are read
		if top.Annotations == nil {
			top.Annotations = map[string]string{}
		}
		top.Annotations[noted] = "true"
		noteVariables(cmd.ErrOrStderr())
	}
	s, err := layers(cmd, Default())
	if err == nil && s.Osgrep() {
		s, err = layers(cmd, osgrepSettings())
	}
	if err != nil {
		return s, err
	}
	s.RootGiven = s.Root != "" || cmd.Flags().Changed("root")
	s.PortGiven = cmd.Flags().Changed("port")
	return s, s.Check()
}

// layers puts a command's flags over the environment over the configuration file over
// some defaults.
func layers(cmd *cobra.Command, defaults Settings) (Settings, error) {
	s := defaults
	// Where the file is looked for may itself be a flag or a variable.
	over := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Bind(over, EveryGroup)
	if err := override(over, cmd.Flags()); err != nil {
		return s, err
	}
	path, err := configFile(cmd, s.DataDir)
	if err != nil {
		return s, err
	}
	if path != "" {
		s = defaults
		if err := s.Read(path); err != nil {
			return s, err
		}
		over = pflag.NewFlagSet("", pflag.ContinueOnError)
		s.Bind(over, EveryGroup)
		if err := override(over, cmd.Flags()); err != nil {
			return s, err
		}
	}
	return s, nil
}

// override sets what the command's flags and the environment say.
func override(over, given *pflag.FlagSet) error {
	var err error
	over.VisitAll(func(f *pflag.Flag) {
		name := variableOf(f.Name)
		value, set := os.LookupEnv(name)
		if g := given.Lookup(f.Name); g != nil && g.Changed {
			name, value, set = "--"+f.Name, g.Value.String(), true
		} else if value == "" {
			set = false // as most programs treat an empty variable
		}
		if other := os.Getenv("TLDR_SOCKET_PATH"); f.Name == "socket" && !set && other != "" {
			name, value, set = "TLDR_SOCKET_PATH", other, true
		}
		if !set || err != nil {
			return
		}
		if list, ok := f.Value.(*folders); ok {
			*list = nil // what the file says is replaced
		}
		if list, ok := f.Value.(*words); ok {
			*list = nil
		}
		if bad := f.Value.Set(value); bad != nil {
			if num := (*strconv.NumError)(nil); errors.As(bad, &num) {
				bad = fmt.Errorf("%q is not a number", value)
				if f.Value.Type() == "bool" {
					bad = fmt.Errorf("%q is neither true nor false", value)
				}
			}
			err = fmt.Errorf("%s: %w", name, bad)
		}
	})
	return err
}

// Check refuses values that no command can use.
func (s *Settings) Check() error {
	if s.Server.Port < 0 || s.Server.Port > 65535 {
		return fmt.Errorf("port must be 0 to 65535, not %d", s.Server.Port)
	}
	if s.Server.Bind == "" {
		return errors.New("bind must be a host or an address, not an empty string")
	}
	if s.Index.Workers < 0 {
		return fmt.Errorf("workers must be 0 or more, not %d", s.Index.Workers)
	}
	if s.Index.MaxFileBytes <= 0 {
		return fmt.Errorf("max-file-bytes must be more than 0, not %d", s.Index.MaxFileBytes)
	}
	if s.Server.Memory != 0 && s.Server.Memory < leastMemory {
		return fmt.Errorf("memory must be at least %s, or 0 for no limit, not %s", leastMemory, s.Server.Memory)
	}
	for _, d := range []struct {
		name  string
		value Duration
	}{{"debounce", s.Watch.Debounce}, {"poll", s.Watch.Poll}, {"idle-timeout", s.Server.IdleTimeout}, {"slow-query", s.Log.SlowQuery}} {
		if d.value > 0 && time.Duration(d.value) < time.Microsecond { // a number without a unit in the file is of nanoseconds
			return fmt.Errorf("%s must have a unit, such as 300ms or 2s", d.name)
		}
	}
	if time.Duration(s.Watch.Debounce) > time.Minute {
		return fmt.Errorf("debounce must be at most 1m, not %s", s.Watch.Debounce)
	}
	for _, choice := range []struct {
		name, value string
		allowed     []string
	}{
		{"backend", s.Embed.Backend, []string{"auto", "onnx", "go", "none"}},
		{"contextual", s.Embed.Contextual, []string{"auto", "off"}},
		{"log-format", s.Log.Format, []string{"text", "json"}},
		{"log-level", s.Log.Level, []string{"debug", "info", "warn", "error"}},
	} {
		if err := OneOf(choice.name, choice.value, choice.allowed...); err != nil {
			return err
		}
	}
	if err := cmp.Or(s.ToolEnvelope.check(), s.Summarize.check(), s.Limits.check(), s.Snapshots.check(), s.Catalogue.check(), s.Worker.check(), s.Gateway.check(), s.checkCompat(), s.checkAccess(), s.checkThrottle(), s.Terminal.check()); err != nil {
		return err
	}
	if s.Embed.Model != "" && (s.Embed.Backend == "go" || s.Embed.Backend == "none") {
		return errors.New("a model of your own needs the onnx backend")
	}
	return nil
}

// OneOf returns an error unless value is allowed.
func OneOf(name, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	last := len(allowed) - 1
	return fmt.Errorf("%s must be %s or %s, not %q", name, strings.Join(allowed[:last], ", "), allowed[last], value)
}

// defaultDataDir is quarry in the user's cache folder; a process without a home
// has one in the folder for temporary files, named by its user.
func defaultDataDir() string {
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "quarry")
	}
	return filepath.Join(os.TempDir(), "quarry-"+strconv.Itoa(os.Getuid()))
}

// Home returns the user's home folder, "" where there is none.
func Home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// Identity returns who uses the envelope, "" where nobody says.
func Identity() (agent, session string) {
	return cmp.Or(os.Getenv("TE_AGENT_ID"), os.Getenv("LLMC_TE_AGENT_ID")),
		cmp.Or(os.Getenv("TE_SESSION_ID"), os.Getenv("LLMC_TE_SESSION_ID"))
}

// RuntimeVariables reports which of Go's own variables the user has set; what
// is set is not tuned.
func RuntimeVariables() (procs, gc, memory bool) {
	return os.Getenv("GOMAXPROCS") != "", os.Getenv("GOGC") != "", os.Getenv("GOMEMLIMIT") != ""
}

// LLMKey returns the key of the endpoint of the language model, "" where there is none.
func (s *Settings) LLMKey() string {
	if s.Summarize.KeyEnv == "" {
		return ""
	}
	return os.Getenv(s.Summarize.KeyEnv)
}
