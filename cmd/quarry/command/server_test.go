package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/index/answer"
)

// A journal is what a server writes, for a test to read while it does.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// A testServer is quarry serve, run inside the test's process.
type testServer struct {
	registry.Remote
	log  *journal
	stop func() error // may be called more than once
}

// startServer serves root on a free port until the test ends or stop is called,
// and returns when the first build has ended.
func startServer(t testing.TB, root string, flags ...string) testServer {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	log := new(journal)
	ended := make(chan error, 1)
	go func() {
		cmd := New()
		cmd.SetArgs(append([]string{"serve", root, "--port", "0", "--data-dir", t.TempDir(), "--backend", "go"}, flags...))
		cmd.SetErr(log)
		ended <- cmd.ExecuteContext(ctx)
	}()
	s := testServer{log: log, stop: sync.OnceValue(func() error {
		cancel()
		return <-ended
	})}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("serve: %v\n%s", err, log)
		}
	})
	address := regexp.MustCompile(` at (https?://\S+) `)
	var known certificate.Pin
	for i, f := range flags {
		if f == "--tls-cert" {
			known.File = flags[i+1]
		}
	}
	eventually(t, func() error {
		m := address.FindStringSubmatch(log.String())
		if m == nil {
			return fmt.Errorf("serve does not say where it listens:\n%s", log)
		}
		s.Remote = registry.Remote{URL: m[1], Pin: known}
		ready, err := s.Ready(t.Context())
		if err == nil && !ready {
			err = errors.New("the server does not become ready")
		}
		return err
	})
	return s
}

// where returns the file with the word in it that a search for it finds, ""
// when none does, "several" when more than one does.
func (s testServer) where(ctx context.Context, word string) (string, error) {
	c, err := s.Client(registry.SearchTimeout)
	if err != nil {
		return "", err
	}
	r, err := c.Search(ctx, client.SearchRequest{Query: word, Limit: 5, Mode: client.ModeLexical})
	if err != nil {
		return "", err
	}
	var files []string
	for _, f := range r.Results {
		if strings.Contains(f.Content, word) {
			files = append(files, f.File)
		}
	}
	if len(files) > 1 {
		return "several", nil
	}
	return strings.Join(files, ""), nil
}

// state is what the server says of its index.
func (s testServer) state(ctx context.Context) (answer.State, error) {
	var body struct {
		Index answer.State `json:"index"`
	}
	err := s.Ask(ctx, registry.ProbeTimeout, "/status?skipped=0", nil, &body)
	return body.Index, err
}
