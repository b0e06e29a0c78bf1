package config

import (
	"cmp"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// maxPublicKeys is how long a file of public keys may be, in bytes: hundreds of them.
const maxPublicKeys = 64 << 10

// snapshotSettings say where snapshots are that others have made.
type snapshotSettings struct {
	Place     string   `toml:"place"`      // "": nowhere
	Name      string   `toml:"name"`       // of the repository; "": as its remote says
	Branch    string   `toml:"branch"`     // "": as the work tree says
	Keep      int      `toml:"keep"`       //
	Timeout   Duration `toml:"timeout"`    //
	PublicKey string   `toml:"public_key"` // a file
}

func defaultSnapshots() snapshotSettings {
	return snapshotSettings{Keep: 5, Timeout: Duration(20 * time.Second)}
}

func (s *snapshotSettings) bind(fs *pflag.FlagSet) {
	fs.StringVar(&s.Place, "snapshots", s.Place, "where snapshots of many repositories are, to begin with the newest: a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=REGION")
	fs.StringVar(&s.Name, "snapshots-name", s.Name, "the repository's name there (default: host and path of the git remote origin, else the folder's name)")
	fs.StringVar(&s.Branch, "snapshots-branch", s.Branch, "the branch whose snapshots are meant (default: the one that is checked out; to begin with, else the remote's first, main or master)")
	fs.IntVar(&s.Keep, "snapshots-keep", s.Keep, "how many snapshots of a branch stay there when one is put")
	fs.Var(&s.Timeout, "snapshots-timeout", "how long a start may wait for a snapshot from there")
	fs.StringVar(&s.PublicKey, "snapshot-public-key", s.PublicKey, "a file of Ed25519 public keys in PEM, one of which must have signed a snapshot that others have made")
}

func (s *snapshotSettings) check() error {
	switch {
	case s.Keep < 1 || s.Keep > depot.MaxKeep:
		return fmt.Errorf("snapshots-keep must be 1 to %d, not %d", depot.MaxKeep, s.Keep)
	case time.Duration(s.Timeout) < time.Millisecond:
		return errors.New("snapshots-timeout must be at least 1ms, with a unit such as 20s")
	case s.Name != "":
		if err := depot.CheckName(s.Name); err != nil {
			return fmt.Errorf("snapshots-name: %w", err)
		}
	}
	if s.Place == "" {
		return nil
	}
	_, err := s.place()
	return err
}

// place reads the place, with what the variables of other programs say of it.
func (s *snapshotSettings) place() (depot.Place, error) {
	return depot.ParsePlace(s.Place,
		cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")), cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")))
}

// Depot returns where the snapshots of a repository are, for which it has a name unless the
// user has given one; nil where there is no such place.
func (s *Settings) Depot(name string) (*depot.Depot, error) {
	if s.Snapshots.Place == "" {
		return nil, nil
	}
	place, err := s.Snapshots.place()
	if err != nil {
		return nil, err
	}
	return depot.Open(depot.Options{
		Place: place, Name: cmp.Or(s.Snapshots.Name, name), Keep: s.Snapshots.Keep,
		Roles: cmp.Or(os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")) != "",
	})
}

// SnapshotKeys reads the keys of which one has to have signed a snapshot, as openssl pkey
// -pubout writes them, one after the other; none where nobody needs to.
func (s *Settings) SnapshotKeys() ([]ed25519.PublicKey, error) {
	path := s.Snapshots.PublicKey
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, folder.Reason(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxPublicKeys {
		return nil, fmt.Errorf("key file %s is not a regular file of at most %d bytes", path, maxPublicKeys)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, folder.Reason(err))
	}
	var keys []ed25519.PublicKey
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "PUBLIC KEY" {
			return nil, fmt.Errorf("key file %s has a %s, where a PUBLIC KEY should be", path, block.Type)
		}
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("key file %s: %w", path, err)
		}
		public, ok := key.(ed25519.PublicKey)
		if !ok {
			return nil, fmt.Errorf("key file %s has a key that is not of Ed25519", path)
		}
		keys = append(keys, public)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("key file %s has no public key in PEM: openssl pkey -in KEY -pubout writes one", path)
	}
	return keys, nil
}
