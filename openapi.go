// Package quarry has the description of the HTTP interface, and nothing else: go:embed
// reaches no file above the folder that it stands in.
package quarry

import _ "embed" // for the document below

// OpenAPI is openapi.yaml, which says what every endpoint takes and gives.
//
//go:embed openapi.yaml
var OpenAPI []byte
