package store

import "time"

// An Observer is told how long the work of an Index has taken, for those who measure it.
// Its methods are called from several goroutines, some while a lock is held: they must
// not wait for anything.
type Observer interface {
	// Built is called after a build of the whole root that has ended well.
	Built(took time.Duration)
	// Committed is called after a commit, for whose length no search could run.
	Committed(locked time.Duration)
	// Embedded is called after a batch of chunks got its vectors.
	Embedded(chunks int, took time.Duration)
	// Solved is called after the call graph was brought up to date.
	Solved(took time.Duration)
}

// Unobserved is the Observer of those who have none.
type Unobserved struct{}

func (Unobserved) Built(time.Duration)         {}
func (Unobserved) Committed(time.Duration)     {}
func (Unobserved) Embedded(int, time.Duration) {}
func (Unobserved) Solved(time.Duration)        {}
