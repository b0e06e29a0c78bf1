package pace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Shares of all processors that others take, from which on work pauses, and below which
// it goes on: far enough from each other that it does not go back and forth.
const (
	busy  = 0.50
	quiet = 0.25
	// stale is how old a look at the processors may be to be compared with the next:
	// between two builds there is none.
	stale = 10 * time.Second
)

// A Machine says how the machine is, from what the Linux kernel tells. It is no more than
// two readings apart, so that it belongs to one Gate.
type Machine struct {
	Battery bool   // pause while the machine runs on battery
	Load    bool   // pause while others keep the processors busy
	Proc    string // where the kernel's figures are; "": /proc
	Power   string // where those of the power supplies are; "": /sys/class/power_supply

	last   reading
	paused bool // for the load
}

// A reading is how much time the processors have spent, in ticks.
type reading struct {
	at               time.Time
	total, busy, own uint64
}

// Check says whether the kernel tells what the Machine needs to know. A machine without a
// battery is fine: it is never on battery.
func (m *Machine) Check() error {
	if m.Load {
		if _, err := m.read(time.Now()); err != nil {
			return fmt.Errorf("the load of the processors cannot be read on this system: %w", err)
		}
	}
	if m.Battery {
		if _, err := os.Stat(m.proc()); err != nil {
			return errors.New("whether the machine runs on battery cannot be read on this system: only Linux is supported")
		}
	}
	return nil
}

// Judge is the Judge of a Gate. What cannot be read pauses nothing.
func (m *Machine) Judge(now time.Time) (reason string) {
	if m.Battery && m.onBattery() {
		reason = "the machine runs on battery"
	}
	if m.Load && m.loaded(now) && reason == "" {
		reason = "other programs keep the processors busy"
	}
	return reason
}

func (m *Machine) proc() string {
	if m.Proc != "" {
		return m.Proc
	}
	return "/proc"
}

// onBattery reports whether a battery of the machine is being discharged and no other
// supply is there. Batteries of mice and headsets have the scope Device.
func (m *Machine) onBattery() bool {
	dir := m.Power
	if dir == "" {
		dir = "/sys/class/power_supply"
	}
	supplies, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	get := func(supply fs.DirEntry, name string) string {
		text, err := os.ReadFile(filepath.Join(dir, supply.Name(), name))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	drained := false
	for _, s := range supplies {
		switch {
		case get(s, "type") != "Battery":
			if get(s, "online") == "1" {
				return false
			}
		case get(s, "scope") != "Device" && get(s, "status") == "Discharging":
			drained = true
		}
	}
	return drained
}

// loaded reports whether others have kept the processors busy since the last look. Time
// of this process does not count: it would pause for its own sake. Nor does the length
// of the line of those who wait, as the load average and the kernel's pressure figures
// have it, for this process stands in it.
func (m *Machine) loaded(now time.Time) bool {
	r, err := m.read(now)
	if err != nil {
		return false
	}
	before := m.last
	m.last = r
	if before.at.IsZero() || now.Sub(before.at) > stale {
		return m.paused // until there are two
	}
	total := r.total - before.total
	if r.total <= before.total {
		return m.paused
	}
	others := float64(r.busy-before.busy) - float64(r.own-before.own)
	switch share := others / float64(total); {
	case share > busy:
		m.paused = true
	case share < quiet:
		m.paused = false
	}
	return m.paused
}

// read takes the times of all processors and of this process.
func (m *Machine) read(now time.Time) (r reading, err error) {
	r.at = now
	text, err := os.ReadFile(filepath.Join(m.proc(), "stat"))
	if err != nil {
		return r, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 9 || fields[0] != "cpu" {
		return r, errors.New("the first line of stat has another form")
	}
	// user nice system idle iowait irq softirq steal; what follows is part of the first two.
	for i, f := range fields[1:9] {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return r, fmt.Errorf("stat: %w", err)
		}
		r.total += n
		if i != 3 && i != 4 {
			r.busy += n
		}
	}
	if r.own, err = ticks(filepath.Join(m.proc(), "self", "stat")); err != nil {
		return r, err
	}
	return r, nil
}

// ticks reads how much processor time a process has had, from its stat file.
func ticks(path string) (uint64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	// The name in brackets may hold anything; the times are fields 14 and 15.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("the process's stat has another form")
	}
	user, err := strconv.ParseUint(fields[11], 10, 64)
	system, err2 := strconv.ParseUint(fields[12], 10, 64)
	return user + system, errors.Join(err, err2)
}
