package control

import _ "embed" // flows.txt

// flows has what values are followed from and to, as index/internal/flow/taint reads it.
//
//go:embed flows.txt
var flows string
