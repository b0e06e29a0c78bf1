package socket

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A line that begins must come to its end in time; between two lines, and with a line that
// comes slowly but in time, a client may pause.
func TestArrival(t *testing.T) {
	path, s, _ := start(t, Options{Limits: Limits{Arrival: 400 * time.Millisecond}})
	patient := dial(t, path)
	patient.say("{\"id\":1,\"cmd\":\"ping\"}\n")
	if f := patient.reply(); f["success"] != true {
		t.Errorf("%v", f)
	}
	for _, text := range []string{`{"id":1,"cmd":"pi`, "{\"id\":1,\"cmd\":\"ping\"}\n{\"id\":2,", " "} {
		c := dial(t, path)
		c.say(text)
		if strings.Contains(text, "\n") {
			if f := c.reply(); f["success"] != true {
				t.Errorf("%v", f)
			}
		}
		if f := c.reply(); f["code"] != "invalid_request" || !strings.Contains(fmt.Sprint(f["error"]), "did not arrive within 400ms") {
			t.Errorf("%q: %v", text, f)
		}
		if rest := c.hear(); rest != "" {
			t.Errorf("%q: then %s", text, rest)
		}
	}
	line := "{\"id\":2,\"cmd\":\"ping\"}\n" // after more than a second of silence, in pieces
	for i := range line {
		if _, err := io.WriteString(patient, line[i:i+1]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if f := patient.reply(); f["success"] != true {
		t.Errorf("%v", f)
	}
	patient.Close()
	for deadline := time.Now().Add(10 * time.Second); s.Connections() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections", s.Connections())
		}
	}
}

// Panics are counted, and answered.
func TestPanicked(t *testing.T) {
	var n atomic.Int64
	path, _, _ := start(t, Options{Panicked: func() { n.Add(1) }, Asker: askerFunc(func(context.Context, string, map[string]any) (int, []byte, error) {
		panic("planted")
	})})
	c := dial(t, path)
	for range 2 {
		c.say("{\"id\":1,\"cmd\":\"grep\",\"pattern\":\"x\"}\n")
		if f := c.reply(); f["code"] != "internal" {
			t.Errorf("%v", f)
		}
	}
	if n.Load() != 2 {
		t.Errorf("%d panics are counted", n.Load())
	}
}

// TestDocumentedLimits holds the page of limits to the code.
func TestDocumentedLimits(t *testing.T) {
	text, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	l := Limits{}.withDefaults()
	for name, value := range map[string]any{
		"line | 1 MiB": l.Line >> 20, "arrival of a line | " + l.Arrival.String(): nil,
		fmt.Sprintf("requests of a connection | %d", l.InFlight): nil, fmt.Sprintf("questions of all connections | %d", l.Asks): nil,
		fmt.Sprintf("connections | %d", l.Connections): nil, "time of a request | " + l.Timeout.String(): nil, "taking a reply | " + l.Write.String(): nil,
	} {
		_, sockets, _ := strings.Cut(string(text), "\n## Unix sockets\n")
		if !strings.Contains(sockets, "| "+name+" |") || value != nil && value != 1 {
			t.Errorf("the page lacks %s", name)
		}
	}
}
