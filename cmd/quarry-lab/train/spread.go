package train

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// spread calls f for the parts [from,to) of n things, each of at most grain,
// on all cores, and returns when all are done. The parts are the same whatever
// the number of cores; f writes only what belongs to its part, and so nothing
// depends on who computed what.
func spread(n, grain int, f func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), (n+grain-1)/grain)
	if workers <= 1 {
		for from := 0; from < n; from += grain {
			f(from, min(from+grain, n))
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	work := func() {
		for {
			from := int(next.Add(int64(grain))) - grain
			if from >= n {
				return
			}
			f(from, min(from+grain, n))
		}
	}
	for range workers - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}
