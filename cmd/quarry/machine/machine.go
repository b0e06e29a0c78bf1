// Package machine says how much of its machine a process takes: processors, memory, and how
// eagerly garbage is collected.
package machine

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/index"
)

const (
	// GCPercent trades CPU for memory. Most of the heap is the index, which
	// stays; at Go's default of 100 the process would grow to twice its size
	// before garbage is collected.
	GCPercent = 40
	// memoryShare is the part of the memory that Go may take before it collects
	// more often. The rest is for syntax trees and ONNX Runtime, which are
	// allocated by C and not counted by Go, and for the page cache.
	memoryShare = 0.6
	// garbageShare is the part of the memory, and garbageMost the bytes, that garbage
	// may take in a first build: a third of it, more of a heap of 512 MB and more.
	garbageShare = 1. / 16
	garbageMost  = 384 << 20
	// GarbageBeside is how many bytes of garbage there may be while many files are
	// indexed alongside answers: a collection takes the processors from both. With twice
	// that, what stays is spread so thinly that the process keeps a fifth more.
	GarbageBeside = 128 << 20
	// SparePs is how many Ps a server has beyond its processors. A goroutine
	// that parses in C keeps its P; with all Ps kept, nobody polls the network
	// until the scheduler's monitor notices, up to 10 ms later. With two spare
	// ones an arriving request finds an idle P at once, and the kernel shares
	// the processors between it and the index, which runs at low priority.
	SparePs = 2
)

// Tune sets Go's runtime up for a server that indexes alongside answering, unless
// the user did so by Go's own variables, and has it use no more than most processors; 0:
// all; and no more memory than the budget, 0: none is set. It returns the number of
// processors to plan work for, what collects less while a first build runs, and a function
// that puts everything back.
func Tune(most int, budget int64) (processors int, gc *collector.Collector, restore func(), err error) {
	procsSet, gcSet, memorySet := config.RuntimeVariables()
	processors = runtime.GOMAXPROCS(0)
	var undo []func()
	if most > 0 {
		unbind, err := UseProcessors(most)
		if err != nil {
			return 0, nil, nil, err
		}
		undo = append(undo, unbind)
		processors = min(processors, most)
	}
	spare := SparePs
	if most > 0 && runtime.GOOS != "linux" {
		spare = 0 // nothing else bounds the process
	}
	if !procsSet || runtime.GOMAXPROCS(0) > processors+spare {
		before := runtime.GOMAXPROCS(processors + spare)
		undo = append(undo, func() { runtime.GOMAXPROCS(before) })
	}
	memory := memoryBytes()
	if limit := goLimit(memory, budget, memorySet); limit > 0 {
		before := debug.SetMemoryLimit(limit)
		undo = append(undo, func() { debug.SetMemoryLimit(before) })
	}
	if !gcSet {
		garbage := int64(garbageMost)
		if memory > 0 {
			garbage = min(garbage, int64(garbageShare*float64(memory)))
		}
		gc = collector.New(GCPercent, garbage)
		undo = append(undo, gc.Close)
	}
	return processors, gc, func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}, nil
}

// Loosely has less collected while many files are indexed alongside answers, and what that
// leaves lying given back to the system, which a program at rest would do after minutes.
func Loosely(gc *collector.Collector) index.Bulk {
	return func() (end func()) {
		tighten := gc.Loosen(GarbageBeside)
		return func() {
			if tighten() {
				debug.FreeOSMemory()
			}
		}
	}
}

// goLimit returns what Go may have before it collects more often, 0: as it is.
func goLimit(memory, budget int64, set bool) int64 {
	switch {
	case budget > 0:
		return host.GoShare(budget)
	case set || memory == 0:
		return 0
	}
	return int64(memoryShare * float64(memory))
}

// memoryBytes returns the memory of the machine or of the container, whichever
// is less; 0 where it cannot be read, as on systems other than Linux.
func memoryBytes() int64 {
	least := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if kb, ok := ParseMemTotal(string(text)); ok {
			least = kb << 10
		}
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			// "max" is no number; version 1 writes a huge one.
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
				least = min(least, n)
			}
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// ParseMemTotal reads the first line of /proc/meminfo, "MemTotal: 16384 kB".
func ParseMemTotal(text string) (kb int64, ok bool) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
			kb, err := strconv.ParseInt(f[1], 10, 64)
			return kb, err == nil
		}
	}
	return 0, false
}
