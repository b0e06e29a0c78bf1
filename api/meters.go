package api

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Meters measure what goes on alongside requests. They are given to those who do it, such
// as indexes, which know only that somebody wants to be told: a Meters is an
// index.Observer and that of whoever saves indexes and follows changes. /metrics of the
// Server that has them in its Options shows them. They are safe for concurrent use, and
// take no lock.
type Meters struct {
	build, commit, batch, solve, save, lag prometheus.Histogram
	unsaved                                prometheus.Counter
}

// NewMeters returns Meters that have measured nothing yet.
func NewMeters() *Meters {
	histogram := func(name, help string, buckets ...float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	return &Meters{
		// A hundred files take a tenth of a second, the Linux kernel minutes.
		build: histogram("quarry_build_seconds", "Time of a build of a whole root.",
			.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800),
		// No search runs meanwhile: mostly well under a millisecond, and 50 ms are bad.
		commit: histogram("quarry_commit_seconds", "Time for which a commit has locked an index.",
			.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1),
		// The built-in model takes milliseconds, a transformer on a small machine seconds.
		batch: histogram("quarry_embed_batch_seconds", "Time of computing the vectors of a batch of chunks.",
			.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30),
		// An edit of a small graph takes a millisecond, that of a large one seconds, all
		// of it a minute.
		solve: histogram("quarry_graph_solve_seconds", "Time of bringing a call graph up to date.",
			.001, .005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300),
		// A difference of some KB, or hundreds of MB on a slow disk.
		save: histogram("quarry_snapshot_save_seconds", "Time of saving an index, in full or as a difference.",
			.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20),
		unsaved: prometheus.NewCounter(prometheus.CounterOpts{Name: "quarry_snapshot_save_errors_total", Help: "Saves of an index that failed."}),
		// It begins with the debounce, of 60 to 500 ms, and ends where a checkout of
		// thousands of files is in.
		lag: histogram("quarry_watcher_lag_seconds", "Time from noticing a change until it is in the index.",
			.075, .1, .15, .25, .5, .75, 1, 2.5, 5, 10, 30, 60, 300),
	}
}

func (m *Meters) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.build, m.commit, m.batch, m.solve, m.save, m.lag, m.unsaved}
}

// Built implements index.Observer.
func (m *Meters) Built(took time.Duration) { m.build.Observe(took.Seconds()) }

// Committed implements index.Observer.
func (m *Meters) Committed(locked time.Duration) { m.commit.Observe(locked.Seconds()) }

// Embedded implements index.Observer. The chunks are counted by the index, too.
func (m *Meters) Embedded(_ int, took time.Duration) { m.batch.Observe(took.Seconds()) }

// Solved implements index.Observer.
func (m *Meters) Solved(took time.Duration) { m.solve.Observe(took.Seconds()) }

// Saved is told of each save of an index, and why it failed.
func (m *Meters) Saved(took time.Duration, err error) {
	if err != nil {
		m.unsaved.Inc()
		return
	}
	m.save.Observe(took.Seconds())
}

// Followed is told how long changes took to get into an index.
func (m *Meters) Followed(lag time.Duration) { m.lag.Observe(lag.Seconds()) }
