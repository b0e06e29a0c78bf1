package source

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkWalkFiles walks the Go distribution (15,000 files in 1,700 folders),
// which is no git work tree.
//
//	go test -run '^$' -bench . ./index/internal/source
func BenchmarkWalkFiles(b *testing.B) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	tree := open(b, strings.TrimSpace(string(out)))
	for b.Loop() {
		files, _, err := tree.Walk(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(files)), "files")
	}
}

// gitTree makes a work tree of 12,000 tracked files in 600 folders.
func gitTree(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	files := map[string]string{".gitignore": "*.log\nbuild/\n/dist\n*.py[co]\n"}
	for i := range 12_000 {
		files[fmt.Sprintf("pkg%d/mod%d/inner/file%d.go", i%20, i%600, i)] = "package p\n"
	}
	write(b, root, files)
	runGit(b, root, "init", "-q")
	runGit(b, root, "add", ".")
	runGit(b, root, "commit", "-q", "-m", "x")
	return root
}

func BenchmarkWalkGit(b *testing.B) {
	tree := open(b, gitTree(b))
	for b.Loop() {
		if _, _, err := tree.Walk(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupGit(b *testing.B) {
	tree := open(b, gitTree(b))
	for _, n := range []int{1, 100, 1000} {
		asked := make([]string, n)
		for i := range asked {
			asked[i] = fmt.Sprintf("pkg%d/mod%d/inner/file%d.go", i%20, i%600, i)
		}
		b.Run(fmt.Sprintf("paths=%d", n), func(b *testing.B) {
			for b.Loop() {
				files, _, _, err := tree.Lookup(b.Context(), asked)
				if err != nil || len(files) != n {
					b.Fatal(len(files), err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	tree := open(b, ".")
	f := File{Path: "tree.go"}
	for b.Loop() {
		if _, skip, err := tree.Read(f); skip != nil || err != nil {
			b.Fatal(skip, err)
		}
	}
}

func BenchmarkIgnored(b *testing.B) {
	tree := open(b, gitTree(b))
	tree.Ignored("pkg1/mod1/inner/file1.go", false)
	for b.Loop() {
		tree.Ignored("pkg1/mod1/inner/file1.go", false)
	}
}
