package command

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// settings are everything that flags, the environment and the configuration
// file can set. The field tags are the keys of the file.
type settings struct {
	Root    string `toml:"root"`
	DataDir string `toml:"data_dir"`
	Server  struct {
		Bind      string  `toml:"bind"`
		Port      int     `toml:"port"`
		TokenFile string  `toml:"token_file"`
		AllowRoot folders `toml:"allow_root"`
		Memory    size    `toml:"memory"`
		Compat    string  `toml:"compat"`

		TLSCert     string `toml:"tls_cert"`
		TLSKey      string `toml:"tls_key"`
		AllowOrigin words  `toml:"allow_origin"`
		AllowHost   words  `toml:"allow_host"`

		IdleTimeout duration `toml:"idle_timeout"`
		MaskSecrets bool     `toml:"mask_secrets"`
		Pprof       bool     `toml:"pprof"`
		CPUs        int      `toml:"cpus"`
		Nice        nice     `toml:"nice"`

		Socket        folders `toml:"socket"`
		SocketMode    mode    `toml:"socket_mode"`
		TldrSocket    bool    `toml:"tldr_socket"`
		AllowShutdown bool    `toml:"allow_shutdown"`
	} `toml:"server"`
	Limits limitSettings `toml:"limits"`
	Index  struct {
		Workers      int   `toml:"workers"`
		MaxFileBytes int64 `toml:"max_file_bytes"`

		ParseInProcess bool `toml:"parse_in_process"`
	} `toml:"index"`
	Watch struct {
		Debounce duration `toml:"debounce"`
		Poll     duration `toml:"poll"`
	} `toml:"watch"`
	Embed struct {
		Backend     string `toml:"backend"`
		ONNXRuntime string `toml:"onnxruntime"`
		Model       string `toml:"model"`
	} `toml:"embed"`
	Cache struct {
		Size size `toml:"size"`
	} `toml:"cache"`
	Summarize summarizeSettings `toml:"summarize"`
	Log       struct {
		Format    string   `toml:"format"`
		Level     string   `toml:"level"`
		SlowQuery duration `toml:"slow_query"`
	} `toml:"log"`
	ToolEnvelope envelopeSettings `toml:"tool_envelope"`

	rootGiven bool // Root was set by the user
}

// A duration is a time.Duration that a flag, a variable and the file all write
// as "300ms".
type duration time.Duration

func (d duration) String() string { return time.Duration(d).String() }
func (duration) Type() string     { return "duration" }

func (d *duration) Set(text string) error { return d.UnmarshalText([]byte(text)) }

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 300ms or 2s", text)
	}
	if v < 0 {
		return fmt.Errorf("%q is negative", text)
	}
	*d = duration(v)
	return nil
}

// A size is a number of bytes that a flag, a variable and the file all write as
// "600MiB".
type size int64

// String returns the size in the largest unit that it is a whole number of.
func (s size) String() string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if bytes := size(1) << (30 - 10*i); s > 0 && s%bytes == 0 {
			return fmt.Sprintf("%d%s", s/bytes, unit)
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
func (size) Type() string { return "size" }

func (s *size) Set(text string) error { return s.UnmarshalText([]byte(text)) }

func (s *size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is not a size such as 600MiB or 2GB", text)
	}
	*s = size(n)
	return nil
}

// folders are absolute paths. A flag may be given several times, or with a list as the
// variable has it, separated as in PATH.
type folders []string

func (f folders) String() string { return strings.Join(f, string(os.PathListSeparator)) }
func (folders) Type() string     { return "folder" }

func (f *folders) Set(text string) error {
	for _, dir := range filepath.SplitList(text) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		*f = append(*f, abs)
	}
	return nil
}

// leastMemory is what a server with a small project takes.
const leastMemory size = 128 << 20

// defaultSettings are what holds when nobody says anything.
func defaultSettings() settings {
	var s settings
	s.DataDir = defaultDataDir()
	s.Server.Bind = "localhost"
	s.Server.Port = 3456
	s.Server.SocketMode = 0o600
	s.Server.TldrSocket = true
	s.Server.MaskSecrets = true
	s.Index.MaxFileBytes = 2 << 20
	s.Watch.Debounce = duration(60 * time.Millisecond)
	s.Embed.Backend = "auto"
	s.Cache.Size = 2 << 30
	s.Summarize = defaultSummarize()
	s.Log.Format = "text"
	s.Log.Level = "info"
	s.Log.SlowQuery = duration(time.Second)
	s.ToolEnvelope = defaultEnvelope()
	return s
}

// A group is a set of settings that a command takes as flags.
type group int

const (
	rootFlag group = 1 << iota
	serverFlags
	indexFlags
	watchFlags
	tokenFlag
	cacheFlag
	llmFlags
	socketFlags
	everyGroup = rootFlag | serverFlags | indexFlags | watchFlags | tokenFlag | cacheFlag | llmFlags | socketFlags | commonFlags
	// commonFlags are those of all commands.
	commonFlags group = 1 << 10
)

// bind declares the flags of some groups on fs; their values go to s, and what
// s holds are their defaults. The variable of a flag has its name in capitals:
// QUARRY_MAX_FILE_BYTES for --max-file-bytes.
func (s *settings) bind(fs *pflag.FlagSet, groups group) {
	if groups&commonFlags != 0 {
		fs.StringVar(&s.DataDir, "data-dir", s.DataDir, "where running servers are registered")
	}
	if groups&rootFlag != 0 {
		fs.StringVar(&s.Root, "root", s.Root, "the project's folder (also --project)")
	}
	if groups&serverFlags != 0 {
		fs.StringVar(&s.Server.Bind, "bind", s.Server.Bind, "host or address to listen on; localhost: 127.0.0.1 and ::1; any that others reach needs a token file")
		fs.Var(&s.Server.AllowRoot, "allow-root", "a folder below which POST /projects may name roots; may be given several times")
		fs.Var(&s.Server.Memory, "memory", "memory that the server may take, such as 600MiB: projects that were not asked for go to disk; 0: any")
		fs.StringVar(&s.Server.Compat, "compat", s.Server.Compat, "osgrep: answer searches in the shape of osgrep's server, and listen on its port 4444")
		fs.IntVar(&s.Server.Port, "port", s.Server.Port, "port to listen on, or one of the nine after it; 0: any free port")
		fs.BoolVar(&s.ToolEnvelope.Coach.Enabled, "coach", s.ToolEnvelope.Coach.Enabled, "try several forms of answers to grep, cat and find, and keep to what works best (GET /coach/report)")
		fs.Var(&s.Server.IdleTimeout, "idle-timeout", "end when nobody has asked anything for so long; 0s: never")
		s.bindLimits(fs)
		s.bindManners(fs)
	}
	if groups&socketFlags != 0 {
		s.bindSockets(fs)
	}
	if groups&serverFlags != 0 {
		s.bindAccess(fs)
	}
	if groups&(serverFlags|tokenFlag) != 0 {
		s.bindCertificate(fs)
	}
	if groups&tokenFlag != 0 {
		fs.StringVar(&s.Server.TokenFile, "token-file", s.Server.TokenFile, "the file with the token that the server asks for, of at least 16 bytes")
	}
	if groups&indexFlags != 0 {
		fs.IntVar(&s.Index.Workers, "workers", s.Index.Workers, "files parsed at once; 0: one for each processor")
		fs.Int64Var(&s.Index.MaxFileBytes, "max-file-bytes", s.Index.MaxFileBytes, "skip larger files")
		fs.BoolVar(&s.Index.ParseInProcess, "parse-in-process", s.Index.ParseInProcess, "parse files in this process: somewhat faster, and a hostile file can end it")
		fs.StringVar(&s.Embed.Backend, "backend", s.Embed.Backend, "what computes vectors: onnx, go, auto (onnx where its library is found), or none")
		fs.StringVar(&s.Embed.ONNXRuntime, "onnxruntime", s.Embed.ONNXRuntime, "the ONNX Runtime library, or the folder that holds it")
		fs.StringVar(&s.Embed.Model, "model", s.Embed.Model, "folder of another model than the built-in one (needs onnx)")
		fs.BoolVar(&s.Server.MaskSecrets, "mask-secrets", s.Server.MaskSecrets, "mask keys and credentials, by their shape, in the texts of files")
		fs.StringVar(&s.Log.Format, "log-format", s.Log.Format, "text or json")
		fs.StringVar(&s.Log.Level, "log-level", s.Log.Level, "debug, info, warn or error")
	}
	if groups&cacheFlag != 0 {
		fs.Var(&s.Cache.Size, "cache-size", "how much the data folder may keep of all roots, such as 500MB; 0: no limit")
	}
	if groups&llmFlags != 0 {
		s.Summarize.bind(fs)
	}
	if groups&watchFlags != 0 {
		fs.Var(&s.Watch.Debounce, "debounce", "how long a changed file must rest before it is read again")
		fs.Var(&s.Watch.Poll, "poll", "look for changes this often instead of listening for them; 0s: listen")
	}
}

// addFlags declares the flags of some groups on a command, with the defaults
// for its help. Their values are read by loadSettings.
func addFlags(fs *pflag.FlagSet, groups group) {
	s := defaultSettings()
	if groups&commonFlags != 0 {
		s.DataDir = "" // the help should not name one user's folder
	}
	s.bind(fs, groups)
}

// addCommonFlags declares the flags that every command takes.
func addCommonFlags(fs *pflag.FlagSet) {
	addFlags(fs, commonFlags)
	fs.String("config", "", "the configuration file")
}

// loadSettings puts the settings of a command together: its flags over the
// environment over the configuration file over the defaults.
func loadSettings(cmd *cobra.Command) (settings, error) {
	s, err := layers(cmd, defaultSettings())
	if err == nil && s.osgrep() {
		s, err = layers(cmd, osgrepSettings())
	}
	if err != nil {
		return s, err
	}
	s.rootGiven = s.Root != "" || cmd.Flags().Changed("root")
	return s, s.check()
}

// layers puts a command's flags over the environment over the configuration file over
// some defaults.
func layers(cmd *cobra.Command, defaults settings) (settings, error) {
	s := defaults
	// Where the file is looked for may itself be a flag or a variable.
	over := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.bind(over, everyGroup)
	if err := override(over, cmd.Flags()); err != nil {
		return s, err
	}
	path, err := configFile(cmd, s.DataDir)
	if err != nil {
		return s, err
	}
	if path != "" {
		s = defaults
		if err := s.read(path); err != nil {
			return s, err
		}
		over = pflag.NewFlagSet("", pflag.ContinueOnError)
		s.bind(over, everyGroup)
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
		name := "QUARRY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
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

// check refuses values that no command can use.
func (s *settings) check() error {
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
		return fmt.Errorf("memory must be at least %s, or 0 for any, not %s", leastMemory, s.Server.Memory)
	}
	if time.Duration(s.Watch.Debounce) > time.Minute {
		return fmt.Errorf("debounce must be at most 1m, not %s", s.Watch.Debounce)
	}
	for _, choice := range []struct {
		name, value string
		allowed     []string
	}{
		{"backend", s.Embed.Backend, []string{"auto", "onnx", "go", "none"}},
		{"log-format", s.Log.Format, []string{"text", "json"}},
		{"log-level", s.Log.Level, []string{"debug", "info", "warn", "error"}},
	} {
		if err := oneOf(choice.name, choice.value, choice.allowed...); err != nil {
			return err
		}
	}
	if err := cmp.Or(s.ToolEnvelope.check(), s.Summarize.check(), s.Limits.check(), s.checkCompat(), s.checkAccess(), s.checkManners()); err != nil {
		return err
	}
	if s.Embed.Model != "" && (s.Embed.Backend == "go" || s.Embed.Backend == "none") {
		return errors.New("a model of your own needs the onnx backend")
	}
	return nil
}

// oneOf returns an error unless value is allowed.
func oneOf(name, value string, allowed ...string) error {
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

// identity returns who uses the envelope, "" where nobody says.
func identity() (agent, session string) {
	return cmp.Or(os.Getenv("TE_AGENT_ID"), os.Getenv("LLMC_TE_AGENT_ID")),
		cmp.Or(os.Getenv("TE_SESSION_ID"), os.Getenv("LLMC_TE_SESSION_ID"))
}

// runtimeVariables reports which of Go's own variables the user has set; what
// is set is not tuned.
func runtimeVariables() (procs, gc, memory bool) {
	return os.Getenv("GOMAXPROCS") != "", os.Getenv("GOGC") != "", os.Getenv("GOMEMLIMIT") != ""
}

// llmKey returns the key of the endpoint of the language model, "" where there is none.
func (s *settings) llmKey() string {
	if s.Summarize.KeyEnv == "" {
		return ""
	}
	return os.Getenv(s.Summarize.KeyEnv)
}
