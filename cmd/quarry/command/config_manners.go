package command

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/index/pace"
)

// A nice says when background indexing is to pause. A flag, a variable and the file all
// write it as "off", "auto", or what it goes by, separated by commas.
type nice struct{ battery, load bool }

func (n nice) String() string {
	switch {
	case n.battery && n.load:
		return "auto"
	case n.battery:
		return "battery"
	case n.load:
		return "load"
	}
	return "off"
}
func (nice) Type() string { return "when" }

func (n *nice) Set(text string) error { return n.UnmarshalText([]byte(text)) }

func (n *nice) UnmarshalText(text []byte) error {
	switch string(text) {
	case "off":
		*n = nice{}
		return nil
	case "auto":
		*n = nice{battery: true, load: true}
		return nil
	}
	var out nice
	for word := range strings.SplitSeq(string(text), ",") {
		switch strings.TrimSpace(word) {
		case "battery":
			out.battery = true
		case "load":
			out.load = true
		default:
			return fmt.Errorf("%q is neither off, auto, battery, load nor battery,load", text)
		}
	}
	*n = out
	return nil
}

// bindManners declares the flags that say how much of the machine a server may take.
func (s *settings) bindManners(fs *pflag.FlagSet) {
	fs.IntVar(&s.Server.CPUs, "cpus", s.Server.CPUs, "processors that the server may use; 0: all")
	fs.Var(&s.Server.Nice, "nice", "when indexing that nobody waits for pauses: off, battery, load, or auto for both")
}

// checkManners refuses what cannot be.
func (s *settings) checkManners() error {
	if s.Server.CPUs < 0 {
		return fmt.Errorf("cpus must be 0 or more, not %d", s.Server.CPUs)
	}
	return nil
}

// gate returns what holds indexing back. It fails where the system does not tell what
// --nice needs to know: it would be ignored.
func (s *settings) gate() (*pace.Gate, error) {
	n := s.Server.Nice
	if n == (nice{}) {
		return pace.New(nil), nil
	}
	m := &pace.Machine{Battery: n.battery, Load: n.load}
	if err := m.Check(); err != nil {
		return nil, errors.Join(fmt.Errorf("nice cannot be %s", n), err)
	}
	return pace.New(m.Judge), nil
}

// insistOn has nothing pause the first builds of n projects, if somebody waits for them.
// ended is called at the end of each.
func insistOn(gate *pace.Gate, wait bool, n int) (ended func()) {
	if !wait {
		return func() {}
	}
	var left atomic.Int64
	left.Store(int64(n))
	done := gate.Insist()
	return func() {
		if left.Add(-1) == 0 {
			done()
		}
	}
}
