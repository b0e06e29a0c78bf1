package server

import (
	"context"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/host"
)

// fetch returns what gets the snapshots that others have made, nil where there is no place for
// them. Until started is called all roots together may take the time for one: that is how much
// later the server answers.
func (s *server) fetch(ctx context.Context) (fetch host.Fetch, started func()) {
	if s.Settings.Snapshots.Place == "" {
		return nil, func() {}
	}
	within, cancel := context.WithTimeout(ctx, time.Duration(s.Settings.Snapshots.Timeout))
	now := within
	fetch = func(root, to string) (string, error) { return engine.FetchInto(now, &s.Settings, root, to) }
	return fetch, func() {
		now = ctx
		cancel()
	}
}
