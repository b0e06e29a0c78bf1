package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// TestMetersAreWired sees that what serve puts together is measured: a build, a save, an
// edit, and a client on a socket.
func TestMetersAreWired(t *testing.T) {
	root, path := t.TempDir(), filepath.Join(t.TempDir(), "q.sock")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "package a\n\nfunc first() {}\n")
	s := startServer(t, root, "--tldr-socket=false", "--socket", path)
	if answer, err := askSocket(path, `{"cmd":"semantic","query":"first"}`); err != nil || !strings.Contains(answer, `"success": true`) && !strings.Contains(answer, `"success":true`) {
		t.Fatal(answer, err)
	}
	write("b.go", "package a\n\nfunc second() { first() }\n")
	eventually(t, func() error {
		text, err := s.text(t.Context(), "/metrics")
		if err != nil {
			return err
		}
		var missing []error
		for series, least := range map[string]float64{
			"quarry_build_seconds_count":             1,
			"quarry_commit_seconds_count":            2,
			"quarry_embed_batch_seconds_count":       2,
			"quarry_graph_solve_seconds_count":       2,
			"quarry_snapshot_save_seconds_count":     1,
			"quarry_watcher_lag_seconds_count":       1,
			"quarry_watches":                         1,
			`quarry_requests_total{way="socket"}`:    1,
			`quarry_connections{way="http"}`:         1,
			`quarry_index_memory_bytes{part="text"}`: 1,
			`quarry_watcher_total{what="events"}`:    1,
		} {
			m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` (\S+)$`).FindStringSubmatch(text)
			if m == nil {
				missing = append(missing, errors.New("no "+series))
			} else if n, err := strconv.ParseFloat(m[1], 64); err != nil || n < least {
				missing = append(missing, fmt.Errorf("%s is %s, less than %g", series, m[1], least))
			}
		}
		return errors.Join(missing...)
	})
}

// text returns the answer to a GET as it is.
func (s testServer) text(ctx context.Context, target string) (string, error) {
	c, err := s.Client(registry.SearchTimeout)
	if err != nil {
		return "", err
	}
	resp, err := c.Raw(ctx, client.RawRequest{Method: http.MethodGet, Path: target})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
