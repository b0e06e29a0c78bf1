package host

import (
	"context"
	"os"
	"path/filepath"
)

// SCIPName is the name of a SCIP index that is read where it lies in the folder of a snapshot.
const SCIPName = "index.scip"

// scipOf returns the SCIP indexes that lie in the folders of snapshots.
func scipOf(snapshots ...string) (found []string) {
	for _, s := range snapshots {
		if s == "" {
			continue
		}
		name := filepath.Join(filepath.Dir(s), SCIPName)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			found = append(found, name)
		}
	}
	return found
}

// takeSCIP has the index take over what SCIP indexes say. One that cannot be read is no reason
// not to serve.
func (h *Host) takeSCIP(ctx context.Context, l *live) {
	if len(l.scip) == 0 || ctx.Err() != nil {
		return
	}
	r, err := l.x.TakeSCIP(ctx, l.scip...)
	switch {
	case err == nil:
		h.log.Info("a SCIP index was read", "project", l.p.name, "files", l.scip, "documents", r.Documents, "taken", r.Taken, "left", r.Left)
	case ctx.Err() == nil:
		h.log.Warn("a SCIP index is not used", "project", l.p.name, "err", err)
	}
}
