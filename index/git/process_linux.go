package git

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// apart gives a process a group of its own, and has it end with this one.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return end(cmd) }
}

const (
	lookEvery = 250 * time.Millisecond
	idleLooks = 12 // after so many of them without a sign of life a process is stuck
)

// watch calls stuck when a process has slept for 3 seconds without using a processor or
// waiting for a disk: it has opened a pipe into which nobody writes. Git opens every
// .gitignore and the HEAD of every repository in the tree.
func watch(pid int, done <-chan struct{}, stuck func()) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	idle, before := 0, ""
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		asleep, used := sleeping(pid)
		if !asleep || used != before {
			idle = 0
		}
		before = used
		if idle++; idle > idleLooks {
			stuck()
			return
		}
	}
}

// sleeping says whether all threads of a process sleep until something wakes them, and
// what they have used of the processors. See proc_pid_stat(5).
func sleeping(pid int) (asleep bool, used string) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.ReadDir(dir)
	if err != nil || len(threads) == 0 {
		return false, ""
	}
	for _, t := range threads {
		stat, err := os.ReadFile(dir + "/" + t.Name() + "/stat")
		if err != nil {
			return false, ""
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 13 || string(fields[0]) != "S" {
			return false, ""
		}
		used += t.Name() + " " + string(fields[11]) + " " + string(fields[12]) + "\n"
	}
	return true, used
}
