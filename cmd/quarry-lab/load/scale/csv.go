package scale

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
)

// columns are the names of the fields of a scaleReport, in order.
func columns() (names []string) {
	t := reflect.TypeFor[scaleReport]()
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("csv"))
	}
	return names
}

// fields are the values, in the order of columns.
func (r scaleReport) fields() (out []string) {
	v := reflect.ValueOf(r)
	for i := range v.NumField() {
		switch x := v.Field(i).Interface().(type) {
		case float64:
			out = append(out, strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64))
		default:
			out = append(out, fmt.Sprint(x))
		}
	}
	return out
}

// value returns one field by its column.
func (r scaleReport) value(column string) float64 {
	for i, name := range columns() {
		if name == column {
			v := reflect.ValueOf(r).Field(i)
			if v.CanInt() {
				return float64(v.Int())
			}
			return v.Float()
		}
	}
	return math.NaN()
}

// readScale reads what appendScale wrote. Columns may be missing or in another order.
func readScale(path string) ([]scaleReport, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("%s holds no figures (%v)", path, err)
	}
	at := map[string]int{}
	for i, name := range columns() {
		at[name] = i
	}
	var rows []scaleReport
	for _, line := range lines[1:] {
		var r scaleReport
		for i, text := range line {
			n, known := at[lines[0][i]]
			x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if !known || err != nil {
				return nil, fmt.Errorf("%s: %q in column %q", path, text, lines[0][i])
			}
			if v := reflect.ValueOf(&r).Elem().Field(n); v.CanInt() {
				v.SetInt(int64(x))
			} else {
				v.SetFloat(x)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// processorSeconds is what a process has computed so far, in user and system mode.
func processorSeconds(pid int) float64 {
	const ticks = 100 // a second: the same on every Linux that Go runs on
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name may hold anything
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / ticks
}

// peakBytes is the most memory that a process has had.
func peakBytes(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// loadAverage is the machine's of the last five minutes.
func loadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	x, _ := strconv.ParseFloat(fields[1], 64)
	return x
}
