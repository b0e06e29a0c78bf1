package api

import (
	"runtime"
)

// Memory says where a process's memory goes, in bytes. 0: not known on this system.
type Memory struct {
	Budget   int64 `json:"budget_bytes"` // that was set; 0: none
	Resident int64 `json:"resident_bytes"`
	Parsers  int64 `json:"parser_bytes"`  // of the processes that parse files, besides that
	Heap     int64 `json:"heap_bytes"`    // of Go: what is in use
	Free     int64 `json:"free_bytes"`    // of Go: held, and not in use
	Evicted  int64 `json:"evicted_total"` // projects that were put on disk to make room
	Refused  int64 `json:"refused_total"` // requests that were refused for want of memory
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
