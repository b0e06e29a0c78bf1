package ingest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/index/internal/source"
)

// What makes room comes first, then large files, the largest first, then the others in
// the order that they were in, and among them what is as large as one before.
func TestAgendaOrder(t *testing.T) {
	file := func(path string, size int64) job { return job{path: path, file: &source.File{Path: path, Size: size}} }
	todo := newAgenda([]job{
		{path: "gone"}, file("a", 1), file("b", largeFile), file("c", largeFile-1), file("d", 3*largeFile), file("e", 2), file("f", largeFile),
	})
	var got []string
	for j, ok := todo.next(); ok; j, ok = todo.next() {
		got = append(got, j.path)
	}
	if want := []string{"gone", "d", "b", "a", "c", "e", "f"}; !slices.Equal(got, want) {
		t.Errorf("the order is %q, want %q", got, want)
	}
	if j, ok := todo.next(); ok {
		t.Errorf("after the last job comes %q", j.path)
	}
}

func TestAgendaGivesEachJobOnce(t *testing.T) {
	var jobs []job
	for n := range 1000 {
		jobs = append(jobs, job{path: fmt.Sprint(n)})
	}
	todo := newAgenda(jobs)
	var all sync.Map
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for j, ok := todo.next(); ok; j, ok = todo.next() {
				if _, again := all.LoadOrStore(j.path, true); again {
					t.Errorf("job %s was given twice", j.path)
				}
			}
		})
	}
	group.Wait()
	n := 0
	all.Range(func(any, any) bool { n++; return true })
	if n != len(jobs) {
		t.Errorf("%d jobs were given of %d", n, len(jobs))
	}
}
