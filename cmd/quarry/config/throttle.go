package config

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/index/throttle"
)

// bindThrottle declares the flags that say how much of the machine a server may take.
func (s *Settings) bindThrottle(fs *pflag.FlagSet) {
	fs.IntVar(&s.Server.CPUs, "cpus", s.Server.CPUs, "processors that the server may use; 0: all")
	fs.Var(&s.Server.Nice, "nice", "when indexing pauses that nobody waits for: off, battery, load, or auto for both")
}

// checkThrottle refuses what cannot be.
func (s *Settings) checkThrottle() error {
	if s.Server.CPUs < 0 {
		return fmt.Errorf("cpus must be 0 or more, not %d", s.Server.CPUs)
	}
	return nil
}

// Gate returns what holds indexing back. It fails where the system does not tell what
// --nice needs to know: it would be ignored.
func (s *Settings) Gate() (*throttle.Gate, error) {
	n := s.Server.Nice
	if n == (Nice{}) {
		return throttle.New(nil), nil
	}
	m := &throttle.Machine{Battery: n.Battery, Load: n.Load}
	if err := m.Check(); err != nil {
		return nil, errors.Join(fmt.Errorf("nice cannot be %s", n), err)
	}
	return throttle.New(m.Policy), nil
}

// Expedite has nothing pause the first builds of n projects, if somebody waits for them.
// ended is called at the end of each.
func Expedite(gate *throttle.Gate, wait bool, n int) (ended func()) {
	if !wait {
		return func() {}
	}
	var left atomic.Int64
	left.Store(int64(n))
	done := gate.Expedite()
	return func() {
		if left.Add(-1) == 0 {
			done()
		}
	}
}
