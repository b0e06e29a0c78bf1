package registry

import (
	"context"
	"fmt"
	"time"

	"github.com/quarry-search/quarry/client"
)

// stopWait is how long a server may take to end: it saves its index.
const stopWait = 30 * time.Second

// Stop ends a server: with a signal to the process that the server says it is, and
// waits until its lock is free.
func (r Registry) Stop(ctx context.Context, reg Registration, token string) error {
	var who client.Status
	if err := reg.Remote(token).Ask(ctx, StatusTimeout, reg.About("/status"), nil, &who); err != nil {
		return fmt.Errorf("ask the server of %s who it is: %w", reg.Root, err)
	}
	if who.PID != reg.PID || who.Root != reg.Root {
		return fmt.Errorf("the server at %s is not the process %d that serves %s", reg.URL, reg.PID, reg.Root)
	}
	if err := interrupt(reg.PID); err != nil {
		return fmt.Errorf("stop the server of %s: %w", reg.Root, err)
	}
	for deadline := time.Now().Add(stopWait); time.Now().Before(deadline); {
		release, free, err := r.Lock(reg.Root)
		if err != nil {
			return err
		}
		if free {
			release()
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
	return fmt.Errorf("the server of %s has not ended within %v", reg.Root, stopWait)
}
