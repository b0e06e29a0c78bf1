package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"time"

	"github.com/quarry-search/quarry/client"
)

// scripted stands for a running server in the examples.
func scripted() *httptest.Server {
	answers := map[string]string{
		"POST /search": `{"results":[{"file":"auth/token.go","line":34,"end_line":49,"content":"func (s Signer) Verify","score":0.91,"role":"definition","signature":"func (s Signer) Verify(token string) (string, error)"}],"index":{"state":"ready"},"meta":{"v":1,"cmd":"search","matches":1}}`,
		"GET /ready":   `{"ready":true,"index":{"state":"ready","generation":8}}`,
		"GET /events":  "event: hello\nid: a-8\ndata: {\"generation\":8,\"state\":\"ready\",\"changed\":[]}\n\nevent: change\nid: a-9\ndata: {\"generation\":9,\"state\":\"ready\",\"changed\":[\"auth/token.go\"]}\n\n",
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.Method+" "+path.Clean(r.URL.Path)]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			text = `{"error":"not_found","message":"there is no such symbol","request_id":"5f0c3a91be72d804"}`
		}
		fmt.Fprint(w, text)
	}))
}

func Example() {
	server := scripted() // quarry serve, on http://localhost:3456
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	found, err := c.Search(context.Background(), client.SearchRequest{Query: "where are tokens validated", Limit: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range found.Results {
		fmt.Printf("%s:%d %s\n", r.File, r.Line, r.Signature)
	}
	// Output: auth/token.go:34 func (s Signer) Verify(token string) (string, error)
}

func ExampleError() {
	server := scripted()
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	_, err = c.Context(context.Background(), client.ContextRequest{Target: "Signer.Renew"})
	if e := (*client.Error)(nil); errors.As(err, &e) && e.Code == client.CodeNotFound {
		fmt.Println("nothing has that name:", e.Message)
	}
	// Output: nothing has that name: there is no such symbol
}

func ExampleClient_Ready() {
	server := scripted()
	defer server.Close()
	c, err := client.New(server.URL, client.Options{Timeout: 5 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for {
		r, err := c.Ready(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		if r.Ready {
			fmt.Println("ready, generation", r.Index.Generation)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	// Output: ready, generation 8
}

func ExampleClient_Events() {
	server := scripted()
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for e, err := range c.Events(context.Background(), client.EventsRequest{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Generation, e.State, e.Changed)
		if len(e.Changed) > 0 {
			break
		}
	}
	// Output:
	// 8 ready []
	// 9 ready [auth/token.go]
}
