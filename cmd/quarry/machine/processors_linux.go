package machine

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// UseProcessors keeps all threads of the process, and those that they will start, on n of
// the processors that it may use now; restore lets them have these again. Bounding Go
// alone would not do: a thread in C runs alongside as many others as Go may have.
//
// Which ones depends on the process's number, so that two servers on one machine do not
// share theirs by design.
func UseProcessors(n int) (restore func(), err error) {
	var had unix.CPUSet
	if err := unix.SchedGetaffinity(0, &had); err != nil {
		return nil, fmt.Errorf("list the processors: %w", err)
	}
	count := had.Count()
	if n >= count {
		return func() {}, nil
	}
	var all []int
	for cpu := 0; len(all) < count; cpu++ {
		if had.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	var set unix.CPUSet
	for i := range n {
		set.Set(all[(os.Getpid()+i)%count])
	}
	if err := bindThreads(&set); err != nil {
		return nil, errors.Join(err, bindThreads(&had))
	}
	return func() { _ = bindThreads(&had) }, nil
}

// bindThreads binds every thread of the process. One that a thread starts has its
// starter's processors, so that it is enough to look until there is no new one.
func bindThreads(set *unix.CPUSet) error {
	bound := map[int]bool{}
	for again := true; again; {
		again = false
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("the threads of this process: %w", err)
		}
		for _, task := range tasks {
			tid, err := strconv.Atoi(task.Name())
			if err != nil || bound[tid] {
				continue
			}
			bound[tid], again = true, true
			// One that has ended meanwhile is no failure.
			if err := unix.SchedSetaffinity(tid, set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("bind to %d processors: %w", set.Count(), err)
			}
		}
	}
	return nil
}
