// Quarry-train makes the built-in model from clones of public repositories; see
// package embed/train.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if newCommand().ExecuteContext(ctx) != nil {
		os.Exit(1)
	}
}
