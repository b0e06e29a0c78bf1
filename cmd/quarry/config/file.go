package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
)

// configFile returns the path of the configuration file, "" when there is none.
func configFile(cmd *cobra.Command, dataDir string) (string, error) {
	path := os.Getenv("QUARRY_CONFIG")
	if f := cmd.Flags().Lookup("config"); f != nil && f.Changed {
		path = f.Value.String()
	}
	if path != "" {
		return path, nil
	}
	var places []string
	if dir, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(dir, "quarry", "config.toml"))
	}
	for _, path := range append(places, filepath.Join(dataDir, "config.toml")) {
		_, err := os.Stat(path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("configuration: %w", err)
		}
	}
	return "", nil
}

// Read reads the configuration file over what s holds. Relative paths in it
// begin at its folder.
func (s *Settings) Read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	dataDir := s.DataDir
	s.DataDir = ""
	err = toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(s)
	if missing := (*toml.StrictMissingError)(nil); errors.As(err, &missing) && len(missing.Errors) > 0 {
		unknown := &missing.Errors[0]
		line, _ := unknown.Position()
		key := strings.Join(unknown.Key(), ".")
		return fmt.Errorf("configuration %s:%d: unknown key %q%s", path, line, key, meant(key, keys(reflect.TypeFor[Settings](), "")))
	}
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		line, _ := wrong.Position()
		reason := plainly(strings.TrimPrefix(wrong.Error(), "toml: "))
		if key := strings.Join(wrong.Key(), "."); key != "" {
			reason = key + ": " + reason
		}
		return fmt.Errorf("configuration %s:%d: %s", path, line, reason)
	}
	if err != nil {
		return fmt.Errorf("configuration %s: %w", path, err)
	}
	dir := filepath.Dir(path)
	for _, p := range []*string{&s.Root, &s.DataDir, &s.Server.TokenFile, &s.Gateway.Permissions, &s.Gateway.WebhookSecret, &s.Gateway.ForgeToken, &s.Embed.Model, &s.Embed.ONNXRuntime, &s.ToolEnvelope.Telemetry.Path} {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
	for _, list := range []folders{s.Server.AllowRoot, s.Server.Socket} {
		for i, p := range list {
			if !filepath.IsAbs(p) {
				list[i] = filepath.Join(dir, p)
			}
		}
	}
	if s.DataDir == "" {
		s.DataDir = dataDir
	}
	return nil
}
