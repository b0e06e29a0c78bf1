package config

import (
	"fmt"

	"github.com/spf13/pflag"
)

// mostSlots bounds the slots of a class: more than there are processors by far.
const mostSlots = 1024

// limitSettings say how many requests are at work at once. Zero is the default, which goes
// by the number of processors.
type limitSettings struct {
	CheapSlots int `toml:"cheap_slots"`
	HeavySlots int `toml:"heavy_slots"`
}

// bindLimits declares the flags of what requests may cost, and of what tells of those that
// cost much.
func (s *Settings) bindLimits(fs *pflag.FlagSet) {
	fs.IntVar(&s.Limits.CheapSlots, "cheap-slots", s.Limits.CheapSlots, "how many requests such as searches run at once; 0: one for each processor")
	fs.IntVar(&s.Limits.HeavySlots, "heavy-slots", s.Limits.HeavySlots, "how many requests such as greps run at once, in addition to those; 0: half as many as processors, at least 2")
	fs.Var(&s.Log.SlowQuery, "slow-query", "log requests that take this long, with what they used of the index but not what they asked; 0s: none")
	fs.BoolVar(&s.Server.Pprof, "pprof", s.Server.Pprof, "serve Go's profiles at /debug/pprof, to this machine only")
}

// check refuses numbers of slots that make no sense.
func (l *limitSettings) check() error {
	for _, n := range []struct {
		name  string
		slots int
	}{{"cheap-slots", l.CheapSlots}, {"heavy-slots", l.HeavySlots}} {
		if n.slots < 0 || n.slots > mostSlots {
			return fmt.Errorf("%s must be 0 to %d, not %d", n.name, mostSlots, n.slots)
		}
	}
	return nil
}
