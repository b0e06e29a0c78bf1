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

	"github.com/quarry-search/quarry/api/fields"
)

// meant ends a sentence about an unknown name with the known one that is most like it.
func meant(name string, known []string) string {
	if near := fields.Nearest(name, known); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// variableOf returns the variable of a flag.
func variableOf(flag string) string {
	return "QUARRY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// noted marks a tree of commands that has said what noteVariables says.
const noted = "unknown variables are noted"

// noteVariables says of QUARRY_ variables that are no settings of ours that they are ignored:
// they may be another program's.
func noteVariables(out io.Writer) {
	var s Settings
	known := []string{"QUARRY_CONFIG"}
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Bind(fs, EveryGroup)
	fs.VisitAll(func(f *pflag.Flag) { known = append(known, variableOf(f.Name)) })
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if rest, ours := strings.CutPrefix(name, variableOf("")); ours && value != "" && !slices.Contains(known, name) {
			near := ""
			if flag := fields.Nearest(rest, withoutPrefix(known)); flag != "" {
				near = ", did you mean " + variableOf(flag) + "?"
			}
			fmt.Fprintf(out, "quarry: the variable %s is no setting and is ignored%s\n", name, near)
		}
	}
}

// withoutPrefix returns the names of variables as far as they differ: what they have in common
// makes all alike.
func withoutPrefix(variables []string) []string {
	names := make([]string, len(variables))
	for i, v := range variables {
		names[i] = strings.TrimPrefix(v, variableOf(""))
	}
	return names
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
