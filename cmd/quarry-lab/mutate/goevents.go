package mutate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A goTest is a test by the path of its package and its name.
type goTest struct{ pkg, name string }

// A goRun is what go test -json says.
type goRun struct {
	passed, failed map[goTest]bool // test functions; their parts are not told apart
	broken         map[string]bool // packages whose tests could not be built
	fell           map[string]bool // packages that failed in any way
}

// readGo reads the output of go test -json. Lines that are no JSON are what the go command
// says around it.
func readGo(text []byte) (goRun, error) {
	r := goRun{map[goTest]bool{}, map[goTest]bool{}, map[string]bool{}, map[string]bool{}}
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var e struct{ Action, Package, Test, FailedBuild string }
		d := json.NewDecoder(bytes.NewReader(line))
		if err := d.Decode(&e); err != nil && !errors.Is(err, io.EOF) {
			return r, fmt.Errorf("mutate: go test -json: %w", err)
		}
		if strings.Contains(e.Test, "/") {
			continue
		}
		t := goTest{e.Package, e.Test}
		switch {
		case e.Action == "pass" && e.Test != "":
			r.passed[t] = true
		case e.Action == "fail" && e.Test != "":
			r.failed[t] = true
		case e.Action == "fail":
			r.fell[e.Package] = true
			if e.FailedBuild != "" {
				r.broken[e.Package] = true
			}
		}
	}
	return r, nil
}
