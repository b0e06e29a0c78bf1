package api

import (
	"bytes"
	"os"
	"runtime"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/api/wire"
)

// Watches are folders whose changes the server follows, of all projects together.
type Watches struct {
	Watched int // by the kernel
	Polled  int // looked at by the server itself: the kernel may not watch more, or cannot
	Limit   int // of Watched, of one project; 0: not known
	Granted int // by the kernel, to all programs of a user; 0: not known
}

// watchGauges are the metrics of watches.
func watchGauges(now func() Watches) []prometheus.Collector {
	gauge := func(name, help string, value func(Watches) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value(now())) })
	}
	return []prometheus.Collector{
		gauge("quarry_watches", "Folders that the kernel watches for the server.", func(w Watches) int { return w.Watched }),
		gauge("quarry_watch_limit", "Folders that the server has the kernel watch at most, of a project; 0: not known.", func(w Watches) int { return w.Limit }),
		gauge("quarry_watches_granted", "Folders that the kernel watches for all programs of a user; 0: not known.", func(w Watches) int { return w.Granted }),
		gauge("quarry_polled_folders", "Folders that the server looks at itself, for want of watches.", func(w Watches) int { return w.Polled }),
	}
}

// OpenDescriptors asks the kernel about this process; nil: it does not tell, as on systems
// other than Linux.
func OpenDescriptors() *wire.Descriptors { return descriptorsIn("/proc/self") }

func descriptorsIn(proc string) *wire.Descriptors {
	open, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return nil
	}
	d := &wire.Descriptors{Open: len(open) - 1} // one is the folder that was just read
	text, err := os.ReadFile(proc + "/limits")
	if err != nil {
		return d
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Max open files")); ok {
			if fields := bytes.Fields(rest); len(fields) > 0 { // the soft one, which Go has raised
				d.Limit, _ = strconv.ParseInt(string(fields[0]), 10, 64) // "unlimited" is 0
			}
		}
	}
	return d
}

// memory says where the memory goes.
func (s *Server) memory() Memory {
	if s.opt.Memory != nil {
		return s.opt.Memory()
	}
	return goMemory()
}

// goMemory is what Go's runtime says.
func goMemory() Memory {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Memory{Heap: int64(m.HeapAlloc), Free: int64(m.HeapIdle - m.HeapReleased)}
}
