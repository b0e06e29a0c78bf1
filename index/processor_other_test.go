//go:build !unix

package index

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
