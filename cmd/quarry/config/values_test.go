package config

import "testing"

// TestSize: sizes as people write them.
func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "1": 1, "17b": 17, "2k": 2000, "2kb": 2000, "2KiB": 2048, "600MiB": 600 << 20, "600 MiB": 600 << 20,
		"2GB": 2_000_000_000, "2g": 2_000_000_000, "2Gi": 2 << 30, "1.5GiB": 3 << 29, "1,000": 1000, "1TB": 1_000_000_000_000,
	} {
		var s Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q is %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "x", "MiB", "-1", "-2GB", "1e3x", "3 parsecs", "2PiBs", "9999999TB", "1..2", "2xb", "NaN", "Inf"} {
		var s Size
		if err := s.Set(text); err == nil {
			t.Errorf("%q is %d", text, s)
		}
	}
}
