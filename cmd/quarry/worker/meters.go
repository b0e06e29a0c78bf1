package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// What has become of a job that indexes.
const (
	ranIndexed  = "indexed"
	ranFailed   = "failed"    // it is tried again
	ranSetAside = "set_aside" // it is not
	ranEnded    = "ended"     // with the worker: another one takes it
	ranRemoved  = "removed"   // the repository was, meanwhile
)

// meters count what a worker does.
type meters struct {
	runs    *prometheus.CounterVec
	seconds prometheus.Histogram
	bytes   prometheus.Counter
}

func newMeters() *meters {
	m := &meters{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quarry_worker_runs_total", Help: "Runs of jobs that index a repository, by what has become of them."}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "quarry_worker_run_seconds", Help: "Time of a run that has indexed a repository, with its clone and the upload.",
			Buckets: []float64{.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600},
		}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "quarry_worker_snapshot_bytes_total", Help: "Bytes of the snapshots that runs have made."}),
	}
	// What has not happened is 0, not absent: so alerts can be about its first time.
	for _, outcome := range []string{ranIndexed, ranFailed, ranSetAside, ranEnded, ranRemoved} {
		m.runs.WithLabelValues(outcome)
	}
	return m
}

// ran counts a run.
func (m *meters) ran(outcome string) { m.runs.WithLabelValues(outcome).Inc() }

// failed is what has become of a run that failed.
func failed(err error, last bool) string {
	if last || errors.Is(err, errRefused) {
		return ranSetAside
	}
	return ranFailed
}

// A backlog tells of the queue when it is asked for.
type backlog struct {
	*worker
	jobs, scrape *prometheus.Desc
}

func (b backlog) Describe(to chan<- *prometheus.Desc) { to <- b.jobs; to <- b.scrape }

// countWithin is how long the database may take to say how long the queue is.
const countWithin = 3 * time.Second

func (b backlog) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countWithin)
	defer cancel()
	jobs, err := b.Catalogue.Jobs(ctx)
	up := 1.0
	if err != nil {
		up = 0
	}
	to <- prometheus.MustNewConstMetric(b.scrape, prometheus.GaugeValue, up)
	for _, j := range jobs {
		to <- prometheus.MustNewConstMetric(b.jobs, prometheus.GaugeValue, float64(j.Count), j.Kind, j.State)
	}
}

// tell answers GET /metrics at an address until end is called, which waits for that. There are no
// names of repositories in what it says.
func (w *worker) tell(ctx context.Context, address string) (end func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	reg := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		w.meters.runs, w.meters.seconds, w.meters.bytes,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		backlog{
			w, prometheus.NewDesc("quarry_worker_jobs", "Jobs of the queue that are not over, of all workers together.", []string{"kind", "state"}, nil),
			prometheus.NewDesc("quarry_worker_database_up", "1 where the database has said how long the queue is.", nil, nil),
		},
	} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the metrics of the worker: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.Log.Error("the metrics of the worker are not given any more", "err", err)
		}
	})
	w.Log.Info("metrics", "address", "http://"+l.Addr().String()+"/metrics")
	return func() {
		_ = s.Close()
		serving.Wait()
	}, nil
}
