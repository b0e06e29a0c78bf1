package lsp_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/quarry-search/quarry/api/lsp"
)

// FuzzMessages gives any bytes to a server: it ends with them, and writes nothing but messages.
func FuzzMessages(f *testing.F) {
	start := `Content-Length: 93` + "\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":"file:///","capabilities":{}}}`
	for _, text := range []string{
		"", "Content-Length: 2\r\n\r\n{}", "Content-Length: 2\n\n{}", "Content-Length: 99\r\n\r\n{}", start,
		start + `Content-Length: 101` + "\r\n\r\n" + `{"jsonrpc":"2.0","id":"a","method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a"}}}`,
		"Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}`,
		"Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}Content-Length: 33` + "\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}`,
	} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		err := lsp.New(lsp.Options{Open: opening(asker(ready)), Root: dir}).Run(context.Background(), bytes.NewReader(text), &out)
		if err != nil && err != lsp.ErrNoShutdown {
			t.Fatal(err)
		}
		e := &editor{t: t, out: newReader(&out)}
		for {
			if _, err := e.read(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
