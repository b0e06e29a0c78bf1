package engine

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/onnx"
)

// TestEngineByName: what is asked for by name is used or missing, never
// replaced; only auto falls back, and says why.
func TestEngineByName(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, test := range []struct {
		name, backend, library, model string
		want                          string // in the error
	}{
		{"library", "auto", nowhere, "", "no ONNX Runtime library at " + nowhere},
		{"backend", "onnx", nowhere, "", "no ONNX Runtime library at " + nowhere},
		{"model", "auto", nowhere, nowhere, "no ONNX Runtime library at " + nowhere},
	} {
		s := config.Default()
		s.DataDir = t.TempDir()
		s.Embed.Backend, s.Embed.ONNXRuntime, s.Embed.Model = test.backend, test.library, test.model
		if _, err := openEmbedder(s); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}

	s := config.Default()
	s.DataDir = t.TempDir()
	s.Embed.Backend = "go"
	m, err := openEmbedder(s)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if info := m.Info(); info.Backend != "go" || info.Reason != "the go backend was asked for" {
		t.Errorf("%+v", info)
	}

	// Whether this machine has the library or not, auto gives the built-in
	// model, by one of the two engines and with a reason, and with the library it is
	// improved unless that is off.
	s.Embed.Backend = "auto"
	if lib, _, err := onnx.FindLibrary(onnx.LibraryOptions{Executable: "../../../quarry"}); err == nil {
		s.Embed.ONNXRuntime = lib
	}
	better, err := openEmbedder(s)
	if err != nil {
		t.Fatal(err)
	}
	defer better.Close()
	if _, ok := better.(embed.Comparer); !ok {
		t.Errorf("%T does not compare words", better)
	}
	refiner, ok := better.(embed.Refiner)
	if info := better.Info(); ok != (info.Backend == "onnxruntime") || ok && (info.Dim != 384 || refiner.Plain() != 256 || info.Name != "builtin+contextual") {
		t.Errorf("%+v, %v", info, ok)
	}
	s.Embed.Contextual = "off"
	a, err := openEmbedder(s)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	info := a.Info()
	if info.Name != "builtin" || info.SHA256 != m.Info().SHA256 || info.Dim != m.Info().Dim {
		t.Errorf("another model: %+v", info)
	}
	if info.Backend == "go" && !strings.Contains(info.Reason, "no ONNX Runtime library in ") || info.Backend != "go" && info.Backend != "onnxruntime" {
		t.Errorf("backend %s because of %q", info.Backend, info.Reason)
	}
}
