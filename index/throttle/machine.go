package throttle

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

// The share of all processors taken by other programs above which work pauses, and the one
// below which it resumes: far enough apart that work does not go back and forth.
const (
	busy  = 0.50
	quiet = 0.25
	// stale is the age from which a reading is too old to be compared with the next one:
	// between two builds nothing is read.
	stale = 10 * time.Second
)

// A Machine is a Policy made from figures of the Linux kernel. It compares a reading with the
// one before, so it belongs to one Gate.
type Machine struct {
	Battery bool   // pause while the machine runs on battery
	Load    bool   // pause while others keep the processors busy
	Proc    string // the folder of the kernel's figures; "": /proc
	Power   string // the folder of the power supplies; "": /sys/class/power_supply

	last   reading
	paused bool // for the load
}

// A reading is how much time the processors have spent, in ticks.
type reading struct {
	at               time.Time
	total, busy, own uint64
}

// Check returns an error when the system does not provide the figures that the Machine needs.
// A machine without a battery is fine: it never runs on battery.
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

// Policy is the Policy of a Gate. A figure that cannot be read pauses nothing.
func (m *Machine) Policy(now time.Time) (reason string) {
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

// onBattery reports whether a battery of the machine is discharging and no other supply is
// online. Batteries of mice and headsets have the scope Device.
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

// loaded reports whether other programs have kept the processors busy since the last reading.
// The time of this process does not count, or it would pause because of its own work. For the
// same reason the load average and the kernel's pressure figures are of no use: the threads of
// this process that wait are part of them.
func (m *Machine) loaded(now time.Time) bool {
	r, err := m.read(now)
	if err != nil {
		return false
	}
	before := m.last
	m.last = r
	if before.at.IsZero() || now.Sub(before.at) > stale {
		return m.paused // until there are two readings
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

// read returns the times of all processors and of this process.
func (m *Machine) read(now time.Time) (r reading, err error) {
	r.at = now
	text, err := os.ReadFile(filepath.Join(m.proc(), "stat"))
	if err != nil {
		return r, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 9 || fields[0] != "cpu" {
		return r, errors.New("the first line of stat has an unknown format")
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
	// The name in brackets may contain anything; the times are fields 14 and 15.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("the process's stat has an unknown format")
	}
	user, err := strconv.ParseUint(fields[11], 10, 64)
	system, err2 := strconv.ParseUint(fields[12], 10, 64)
	return user + system, errors.Join(err, err2)
}
