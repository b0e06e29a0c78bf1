package rig

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Children are the processes that a process has started and that still run; none where
// the system does not say.
func Children(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is right
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, one := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(one); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// PrivateBytes is ResidentBytes without what is shared with files, such as the program.
func PrivateBytes(pid int) int64 {
	resident, shared := statm(pid)
	return resident - shared
}

// statm returns what proc(5) says of the memory of a process, in bytes: 0 and 0 where it
// says nothing.
func statm(pid int) (resident, shared int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 3 {
		return 0, 0
	}
	resident, _ = strconv.ParseInt(fields[1], 10, 64)
	shared, _ = strconv.ParseInt(fields[2], 10, 64)
	page := int64(os.Getpagesize())
	return resident * page, shared * page
}

// ResidentBytes is what the system says that a process takes; 0: it does not.
func ResidentBytes(pid int) int64 {
	resident, _ := statm(pid)
	return resident
}
