package quarry_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// gitFiles lists the files that git tracks.
func gitFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	names := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	if !slices.Contains(names, "tracked_test.go") {
		t.Fatalf("git lists %d files, and this one is not among them", len(names))
	}
	return names
}

// TestTrackedFiles fails on a tracked file over 1 MB: a program or an artefact that was
// added by mistake. Every clone would carry it for good.
func TestTrackedFiles(t *testing.T) {
	const most = 1 << 20
	large := []string{"embed/contextual/model.onnx", "embed/model/model.onnx", "embed/rerank/model.onnx"} // go:embed needs them
	for _, name := range gitFiles(t) {
		info, err := os.Lstat(name)
		if err == nil && info.Size() > most && !slices.Contains(large, name) {
			t.Errorf("%s is tracked and has %d bytes; at most %d are allowed", name, info.Size(), most)
		}
	}
}
