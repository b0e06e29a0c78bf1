package config

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Duration is a time.Duration that a flag, a variable and the file all write
// as "300ms".
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }
func (Duration) Type() string     { return "duration" }

func (d *Duration) Set(text string) error { return d.UnmarshalText([]byte(text)) }

func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 300ms or 2s", text)
	}
	if v < 0 {
		return fmt.Errorf("%q is negative", text)
	}
	*d = Duration(v)
	return nil
}

// A Size is a number of bytes that a flag, a variable and the file all write as
// "600MiB".
type Size int64

// String returns the size in the largest unit that it is a whole number of.
func (s Size) String() string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if bytes := Size(1) << (30 - 10*i); s > 0 && s%bytes == 0 {
			return fmt.Sprintf("%d%s", s/bytes, unit)
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
func (Size) Type() string { return "size" }

func (s *Size) Set(text string) error { return s.UnmarshalText([]byte(text)) }

func (s *Size) UnmarshalText(text []byte) error {
	n, ok := parseBytes(string(text))
	if !ok {
		return fmt.Errorf("%q is not a size such as 600MiB or 2GB", text)
	}
	*s = Size(n)
	return nil
}

// parseBytes reads a number that may have a point, and a unit: b, kb, mb, gb or tb of a
// thousand each, kib and so on of 1,024, and k, m, g and t as kb and so on; in any case, and
// with a space before it or none. ok is false for anything else, and for what is negative or
// larger than an int64 can be.
func parseBytes(text string) (n int64, ok bool) {
	end := strings.LastIndexAny(text, "0123456789.,") + 1
	unit := strings.ToLower(strings.TrimSpace(text[end:]))
	factor := 1.0
	if unit != "" && unit != "b" {
		power := strings.IndexByte("kmgt", unit[0]) + 1
		base := 1000.0
		switch unit[1:] {
		case "", "b":
		case "i", "ib":
			base = 1024
		default:
			return 0, false
		}
		if power == 0 {
			return 0, false
		}
		factor = math.Pow(base, float64(power))
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text[:end], ",", ""), 64)
	if v *= factor; err != nil || v < 0 || v >= math.MaxInt64 {
		return 0, false
	}
	return int64(v), true
}

// folders are absolute paths. A flag may be given several times, or with a list as the
// variable has it, separated as in PATH.
type folders []string

func (f folders) String() string { return strings.Join(f, string(os.PathListSeparator)) }
func (folders) Type() string     { return "folder" }

func (f *folders) Set(text string) error {
	for _, dir := range filepath.SplitList(text) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		*f = append(*f, abs)
	}
	return nil
}

// words are a list that a flag gives one by one or, as the variable does, with commas.
type words []string

func (w words) String() string { return strings.Join(w, ",") }
func (words) Type() string     { return "name" }

func (w *words) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			*w = append(*w, word)
		}
	}
	return nil
}

// A Nice says when background indexing is to pause. A flag, a variable and the file all
// write it as "off", "auto", or what it goes by, separated by commas.
type Nice struct{ Battery, Load bool }

func (n Nice) String() string {
	switch {
	case n.Battery && n.Load:
		return "auto"
	case n.Battery:
		return "battery"
	case n.Load:
		return "load"
	}
	return "off"
}
func (Nice) Type() string { return "when" }

func (n *Nice) Set(text string) error { return n.UnmarshalText([]byte(text)) }

func (n *Nice) UnmarshalText(text []byte) error {
	switch string(text) {
	case "off":
		*n = Nice{}
		return nil
	case "auto":
		*n = Nice{Battery: true, Load: true}
		return nil
	}
	var out Nice
	for word := range strings.SplitSeq(string(text), ",") {
		switch strings.TrimSpace(word) {
		case "battery":
			out.Battery = true
		case "load":
			out.Load = true
		default:
			return fmt.Errorf("%q is neither off, auto, battery, load nor battery,load", text)
		}
	}
	*n = out
	return nil
}

// A Mode is the permissions of a file, written as chmod has them: "0660".
type Mode fs.FileMode

func (m Mode) String() string { return fmt.Sprintf("%04o", uint32(m)) }
func (Mode) Type() string     { return "mode" }

func (m *Mode) Set(text string) error { return m.UnmarshalText([]byte(text)) }

func (m *Mode) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 8, 32)
	if err != nil || v > 0o777 || v&0o600 != 0o600 {
		return fmt.Errorf("%q is not a mode such as 0600 or 0660, with which the owner may connect", text)
	}
	*m = Mode(v)
	return nil
}
