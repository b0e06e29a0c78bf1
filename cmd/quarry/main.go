// Quarry is a code search server for one project; see package command.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/quarry-search/quarry/cmd/quarry/command"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

func main() {
	if code, is := engine.ParseWorker(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); is {
		os.Exit(code)
	}
	// Profiles of the memory cost some, which grows with the places that are found;
	// --pprof turns them on.
	runtime.MemProfileRate = 0
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(invocation.ExitCode(command.New().ExecuteContext(ctx)))
}
