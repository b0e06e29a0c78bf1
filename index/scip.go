package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A SCIPReport says what became of the documents of SCIP indexes.
type SCIPReport = scip.Report

// ErrSCIP says that a file is no SCIP index, or one that cannot be read.
var ErrSCIP = scip.ErrFormat

// TakeSCIP has the definitions, references and implementations of SCIP indexes go before those
// that the index finds itself, in the files whose text they fit, until these change. What it
// knew of SCIP indexes before it forgets. It waits for a running build or update, and holds up
// the next one. The error is for a file that cannot be read, or ErrSCIP; the index is as it was
// then.
func (x *Index) TakeSCIP(ctx context.Context, files ...string) (SCIPReport, error) {
	if err := x.Acquire(ctx); err != nil {
		return SCIPReport{}, err
	}
	defer x.Release()
	if !x.Counters.Built.Load() || x.Over != nil {
		return SCIPReport{}, errors.New("index: there is no complete index to compare SCIP indexes with")
	}
	records := x.Records()
	r := scip.NewReader(x.Root(), func(path string) (scip.Text, bool) {
		one := records[path]
		if one == nil {
			return scip.Text{}, false
		}
		return textOf(one), true
	})
	for _, name := range files {
		if err := readSCIP(ctx, r, name); err != nil {
			return SCIPReport{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	facts, report := r.Facts()
	if facts.Files() == 0 {
		facts = nil
	}
	if !facts.Equal(x.Facts.Load()) { // else a snapshot has them already
		x.Facts.Store(facts)
		x.Commit(nil)
	}
	return report, nil
}

func textOf(r *store.Record) scip.Text {
	return scip.Text{Src: r.Text.All(), Hash: r.Hash, ModTime: time.Unix(0, r.ModTime)}
}

// readSCIP reads one file, which must be a plain one: a pipe may never end.
func readSCIP(ctx context.Context, r *scip.Reader, name string) (err error) {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is no file", ErrSCIP)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return r.Read(ctx, f, info.ModTime())
}
