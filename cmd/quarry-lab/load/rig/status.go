package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// IndexStatus is what experiments need of /ready and /status.
type IndexStatus struct {
	Index struct {
		State       string  `json:"state"`
		Pending     int     `json:"pending"`
		Vectors     float64 `json:"vectors"`
		Files       int     `json:"files"`
		SourceBytes int64   `json:"source_bytes"`
	} `json:"index"`
}

// Ready reports whether nothing is pending. It asks what costs the server nothing.
func (p *Server) Ready(ctx context.Context) (bool, error) {
	var s IndexStatus
	err := p.Get(ctx, "/ready", &s)
	if errors.Is(err, ErrUnavailable) {
		return false, nil
	}
	return s.Index.State == "ready" && s.Index.Pending == 0 && s.Index.Vectors == 1, err
}

// Answers reports whether a search finds something, by vectors, too.
func (p *Server) Answers(ctx context.Context) (bool, error) {
	var a struct {
		Results []json.RawMessage `json:"results"`
	}
	var s IndexStatus
	err := errors.Join(p.Get(ctx, "/search?query=read+a+file&limit=10", &a), p.Get(ctx, "/ready", &s))
	return len(a.Results) == 10 && s.Index.Vectors > 0, err
}

// Resolved reports whether the call graph has everything.
func (p *Server) Resolved(ctx context.Context) (bool, error) {
	var a struct {
		Results []struct {
			File string `json:"file"`
			Line int    `json:"line"`
		} `json:"results"`
	}
	if err := p.Get(ctx, "/search?query=read+a+file&role=definition&limit=1", &a); err != nil || len(a.Results) == 0 {
		return false, err
	}
	var c struct {
		Because []string `json:"incomplete"`
	}
	if err := p.Get(ctx, fmt.Sprintf("/calls?target=%s:%d", a.Results[0].File, a.Results[0].Line), &c); err != nil {
		return false, err
	}
	because := strings.Join(c.Because, " ")
	return !strings.Contains(because, "still being built") && !strings.Contains(because, "not in the call graph"), nil
}

// Proved asks the server to compare its index with one built afresh. It returns what
// differs, or was not compared.
func (p *Server) Proved(ctx context.Context) (why string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/verify", bytes.NewReader([]byte("{}")))
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Sprintf("%s: %s", resp.Status, body), err
	}
	var v struct {
		Proved      bool              `json:"proved"`
		Unchecked   []string          `json:"unchecked"`
		Differences []json.RawMessage `json:"differences"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return "", err
	}
	if v.Proved {
		return "", nil
	}
	if len(v.Differences) > 0 {
		return string(v.Differences[0]), nil
	}
	return "not proved: " + strings.Join(v.Unchecked, "; "), nil
}
