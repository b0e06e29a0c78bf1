package engine

import (
	"path/filepath"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// ProjectDir is the folder in which the snapshot of a root is kept.
func ProjectDir(s *config.Settings, root string) string {
	return registry.Registry{Dir: filepath.Join(s.DataDir, "projects")}.File(root)
}

// OpenCache returns what the data folder keeps.
func OpenCache(s *config.Settings) *host.Cache {
	return &host.Cache{Data: s.DataDir, Limit: int64(s.Cache.Size), Claim: registry.Open(*s).Claim}
}
