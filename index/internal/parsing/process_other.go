//go:build !linux

package parsing

import (
	"os"
	"syscall"
	"time"
)

// ownGroup has nothing to say that all systems understand. A worker ends with its input.
func ownGroup() *syscall.SysProcAttr { return nil }

func endGroup(p *os.Process) { _ = p.Kill() }

// killed cannot tell.
func killed(*os.ProcessState) bool { return false }

func enlarge(*os.File) {}

// processorTime is not known here: the limit is one on the clock.
func (p *process) processorTime() time.Duration { return -1 }

// A meter cannot tell how much memory another process has.
type meter struct{}

func meterOf(int) *meter { return &meter{} }

func (m *meter) resident() int64 { return 0 }

func (m *meter) close() {}
