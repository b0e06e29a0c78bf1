package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/search"
)

// An asker answers questions about one repository.
type asker interface {
	ask(ctx context.Context, q search.Query) ([]search.Result, error)
}

type inProcess struct{ x *index.Index }

func (a inProcess) ask(ctx context.Context, q search.Query) ([]search.Result, error) {
	answer, err := a.x.Search(ctx, q)
	return answer.Results, err
}

// loopback asks a server of this process, as any client does. Of a query it
// passes on the text, the limit and the mode.
type loopback struct {
	client *http.Client
	url    string
}

func serveLoopback(x *index.Index) (a loopback, stop func() error, err error) {
	server, err := api.New(api.Options{Index: x})
	if err != nil {
		return loopback{}, nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return loopback{}, nil, err
	}
	h := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	a = loopback{&http.Client{Transport: &http.Transport{}}, "http://" + listener.Addr().String()}
	return a, func() error {
		a.client.CloseIdleConnections()
		err := h.Close()
		<-ended
		return err
	}, nil
}

func (a loopback) ask(ctx context.Context, q search.Query) ([]search.Result, error) {
	fields := map[string]any{"query": q.Text, "limit": q.Limit}
	if q.Mode != "" {
		fields["mode"] = q.Mode
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/search", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%q: %s: %s", q.Text, response.Status, text)
	}
	var answer struct {
		Results []search.Result `json:"results"`
	}
	return answer.Results, json.Unmarshal(text, &answer)
}
