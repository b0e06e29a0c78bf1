package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSoak calls all tools many times over HTTP, and holds the process to what it had
// before: QUARRY_MCP_SOAK says how many times.
func TestSoak(t *testing.T) {
	n := 500
	if text := os.Getenv("QUARRY_MCP_SOAK"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			t.Fatal(err)
		}
	}
	c := overHTTP(t, serve(t, openShop(t))+"/mcp")
	all := calls()
	round := func(n int) {
		for i := range n {
			tc := all[i%len(all)]
			if res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tc.tool, Arguments: json.RawMessage(tc.arguments)}); err != nil || res.IsError {
				t.Fatalf("%s: %+v, %v", tc.tool, res, err)
			}
		}
	}
	round(100)
	before := measure()
	began := time.Now()
	round(n)
	took := time.Since(began)
	after := measure()
	t.Logf("%d calls in %v (%v each): %v before, %v after", n, took.Round(time.Millisecond), (took / time.Duration(n)).Round(time.Microsecond), before, after)
	if after.goroutines > before.goroutines+5 || after.descriptors > before.descriptors+5 || after.heap > before.heap+8<<20 {
		t.Error("something is left behind")
	}
}

// A footprint is what a process holds.
type footprint struct {
	goroutines, descriptors int
	heap                    uint64 // bytes in use, after a collection
	resident                int    // KiB; 0: not known
}

func (f footprint) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, heap %.1f MB, resident %.1f MB", f.goroutines, f.descriptors, float64(f.heap)/1e6, float64(f.resident)/1e3)
}

func measure() footprint {
	time.Sleep(100 * time.Millisecond) // connections close behind the answer
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.descriptors = len(open)
	}
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, rest, ok := strings.Cut(string(text), "VmRSS:"); ok {
			_, _ = fmt.Sscan(rest, &f.resident)
		}
	}
	return f
}
