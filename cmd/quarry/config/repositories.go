package config

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
)

// catalogueSettings say which repositories there are.
type catalogueSettings struct {
	Database  string `toml:"database"`       // the URL of a database of PostgreSQL
	Protocols words  `toml:"allow_protocol"` // none: catalogue.Protocols
}

// workerSettings say how repositories are indexed.
type workerSettings struct {
	Jobs     int      `toml:"jobs"`
	Poll     Duration `toml:"poll"`
	Timeout  Duration `toml:"timeout"`
	MaxBytes Size     `toml:"max_bytes"`
	Metrics  string   `toml:"metrics"` // the address at which they are; "": nowhere
}

func defaultWorker() workerSettings {
	return workerSettings{Jobs: 1, Poll: Duration(time.Minute), Timeout: Duration(time.Hour), MaxBytes: 8 << 30}
}

// bindRepositories declares the flags about many repositories.
func (s *Settings) bindRepositories(fs *pflag.FlagSet, groups group) {
	if groups&CatalogueFlags != 0 {
		s.Catalogue.bind(fs)
	}
	if groups&WorkerFlags != 0 {
		s.Worker.bind(fs)
	}
	if groups&GatewayFlags != 0 {
		s.Gateway.bind(fs)
	}
}

func (s *catalogueSettings) bind(fs *pflag.FlagSet) {
	fs.StringVar(&s.Database, "database", s.Database, "the database of the catalogue, as postgres://user@host/name; a password belongs into the variable QUARRY_DATABASE or into ~/.pgpass")
	fs.Var(&s.Protocols, "allow-protocol", "a protocol by which repositories may be reached: "+strings.Join(catalogue.Possible(), ", ")+"; may be repeated (default: "+strings.Join(catalogue.Protocols(), " and ")+")")
}

func (s *workerSettings) bind(fs *pflag.FlagSet) {
	fs.IntVar(&s.Jobs, "worker-jobs", s.Jobs, "repositories that are indexed at once")
	fs.Var(&s.Poll, "worker-poll", "how often all remotes are asked for new commits; 0s: never")
	fs.Var(&s.Timeout, "worker-timeout", "how long a repository may take")
	fs.Var(&s.MaxBytes, "worker-max-bytes", "how large a clone may be, and the files of its commit, such as 8GiB")
	fs.StringVar(&s.Metrics, "worker-metrics", s.Metrics, "where a worker answers GET /metrics, such as localhost:9464")
}

func (s *catalogueSettings) check() error {
	for _, p := range s.Protocols {
		if !slices.Contains(catalogue.Possible(), p) {
			return fmt.Errorf("allow-protocol must be one of %s, not %q", strings.Join(catalogue.Possible(), ", "), p)
		}
	}
	return nil
}

func (s *workerSettings) check() error {
	switch {
	case s.Jobs < 1 || s.Jobs > 1000:
		return fmt.Errorf("worker-jobs must be 1 to 1000, not %d", s.Jobs)
	case s.Poll != 0 && time.Duration(s.Poll) < time.Second:
		return errors.New("worker-poll must be at least 1s, or 0s for never")
	case time.Duration(s.Timeout) < time.Second:
		return errors.New("worker-timeout must be at least 1s")
	case s.MaxBytes < 1<<20:
		return errors.New("worker-max-bytes must be at least 1MiB")
	}
	if _, _, err := net.SplitHostPort(s.Metrics); s.Metrics != "" && err != nil {
		return fmt.Errorf("worker-metrics must be HOST:PORT, not %q", s.Metrics)
	}
	return nil
}

// AllowedProtocols are those by which repositories may be reached.
func (s *Settings) AllowedProtocols() []string {
	if len(s.Catalogue.Protocols) == 0 {
		return catalogue.Protocols()
	}
	return s.Catalogue.Protocols
}

// SnapshotVariables are the variables that name the place of the snapshots as the settings
// do, for a process that is to have the same.
func (s *Settings) SnapshotVariables() []string {
	return []string{
		variableOf("snapshots") + "=" + s.Snapshots.Place,
		variableOf("snapshots-keep") + "=" + fmt.Sprint(s.Snapshots.Keep),
		variableOf("snapshots-timeout") + "=" + s.Snapshots.Timeout.String(),
	}
}
