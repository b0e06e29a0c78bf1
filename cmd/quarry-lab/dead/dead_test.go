package dead

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is printed to testdata")

// TestMeasure compares what is printed about testdata/program.txtar with the text that it ends with.
func TestMeasure(t *testing.T) {
	const name = "testdata/program.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var want []byte
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = f.Data
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	for _, o := range []options{{tests: true, listed: true}, {tests: true, reported: filepath.Join(dir, "report.json")}} {
		if _, err := measure(t.Context(), &out, dir, &o); err != nil {
			t.Fatal(err)
		}
	}
	got := bytes.ReplaceAll(out.Bytes(), []byte(dir), []byte("DIR"))
	if *update {
		archive.Files = append(archive.Files[:len(archive.Files)-1:len(archive.Files)-1], txtar.File{Name: "want", Data: got})
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
