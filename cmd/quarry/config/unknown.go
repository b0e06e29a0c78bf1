package config

import (
	"encoding"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// meant ends a sentence about an unknown name with the known one that is most like it.
func meant(name string, known []string) string {
	best, least := "", max(1, len(name)/4)+1
	for _, k := range known {
		if n := edits(strings.ToLower(name), strings.ToLower(k)); n < least {
			best, least = k, n
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// edits counts the bytes that must be changed, added, removed, or swapped with the next to make
// b of a: the restricted distance of Damerau and Levenshtein.
func edits(a, b string) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j], row[j-1]) + 1
			if a[i-1] == b[j-1] {
				row[j] = min(row[j], last[j-1])
			} else {
				row[j] = min(row[j], last[j-1]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// variableOf returns the variable of a flag.
func variableOf(flag string) string {
	return "QUARRY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// checkVariables refuses a QUARRY_ variable that is nearly one of ours, and says of others that
// they have no meaning: they may be another program's.
func checkVariables(out io.Writer) error {
	var s Settings
	known := []string{"QUARRY_CONFIG"}
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Bind(fs, EveryGroup)
	fs.VisitAll(func(f *pflag.Flag) { known = append(known, variableOf(f.Name)) })
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		rest, ours := strings.CutPrefix(name, "QUARRY_")
		if !ours || value == "" || slices.Contains(known, name) {
			continue
		}
		short := make([]string, len(known))
		for i, k := range known {
			short[i] = strings.TrimPrefix(k, "QUARRY_")
		}
		if near := meant(rest, short); near != "" {
			return fmt.Errorf("%s is no setting%s", name, strings.Replace(near, "mean ", "mean QUARRY_", 1))
		}
		fmt.Fprintf(out, "quarry: the variable %s is no setting, and is ignored\n", name)
	}
	return nil
}

// keys returns the keys of the file, with the tables that they are in: "server.port".
func keys(t reflect.Type, table string) (all []string) {
	for _, f := range reflect.VisibleFields(t) {
		name := f.Tag.Get("toml")
		if name == "" || name == "-" {
			continue
		}
		all = append(all, table+name)
		if f.Type.Kind() == reflect.Struct && !reflect.PointerTo(f.Type).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			all = append(all, keys(f.Type, table+name+".")...)
		}
	}
	return all
}

// mismatch is what the decoder says of a value of the wrong type, with Go's types.
var (
	structType = regexp.MustCompile(`struct \{.*\}$`)
	mismatch   = regexp.MustCompile(`^cannot decode TOML (\w+) into .*?(?:\bof type )?([\w.\[\]]+)$`)
)

// plainly says what a decoder's complaint means in the file's own terms.
func plainly(reason string) string {
	reason = structType.ReplaceAllString(reason, "table")
	m := mismatch.FindStringSubmatch(reason)
	if m == nil {
		return reason
	}
	want := "text in quotes"
	switch wanted := m[2]; {
	case strings.HasPrefix(wanted, "[]"), strings.HasSuffix(wanted, "folders"), strings.HasSuffix(wanted, "words"):
		want = "a list in brackets"
	case wanted == "bool":
		want = "true or false"
	case strings.HasPrefix(wanted, "int"), strings.HasPrefix(wanted, "uint"):
		want = "a whole number"
	case strings.HasPrefix(wanted, "float"):
		want = "a number"
	case wanted == "table", strings.HasPrefix(wanted, "map"), strings.HasSuffix(wanted, "ettings"):
		want = "a table"
	}
	return fmt.Sprintf("it must be %s, and is %s", want, article(m[1]))
}

// article puts one before the name of a TOML type.
func article(kind string) string {
	if strings.ContainsAny(kind[:1], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}
