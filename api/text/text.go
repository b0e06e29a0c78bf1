// Package text renders the answers of the endpoints for a model that reads them as
// text, in the formats in which the relay hands them to its agents.
//
// It knows JSON bodies only, as openapi.yaml describes them, so that whoever has an
// answer can render it: the server for format: text, and a program that asked a server.
package text

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Render returns the text of an endpoint's answer, such as "/search". An answer that
// has no text of its own is indented JSON. It fails for a body that is not JSON.
func Render(endpoint string, body []byte) (string, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(body), "", "  "); err != nil {
		return "", fmt.Errorf("text: the answer of %s: %w", endpoint, err)
	}
	return b.String(), nil
}
