package envelope

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

func (o *options) newFind() *cobra.Command {
	var q findRequest
	var folded []string
	cmd := &cobra.Command{
		Use: "find [PATH...] [EXPRESSION]", Short: "List files and folders, the most likely first",
		Long: `Find lists the files and folders below the paths that an expression admits, the most
likely first: -name, -iname, -path, -ipath, -type f and d, -maxdepth, -mindepth, -newer FILE,
-size, -prune, -print, joined by -a, -o, -not and brackets, as find reads them. The starting
folder is not in the list, nor are folders without a file and what the index's rules ignore.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, glob := range folded {
				q.Name = append(q.Name, eitherCase(glob))
			}
			if q.Paths = args; len(args) == 1 && q.written == nil {
				q.Path, q.Paths = args[0], nil
			}
			q.simplify()
			return ask(cmd, "find", o.raw, &q)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&q.Name, "name", nil, "only names that match; may be given several times")
	fs.StringArrayVar(&folded, "iname", nil, "like --name, ignoring case")
	fs.StringVar(&q.Type, "type", "", "f: files, d: folders")
	fs.IntVarP(&q.Limit, "limit", "m", 0, "the most paths")
	fs.StringArrayVar(&q.written, "expression", nil, "a part of an expression")
	_ = fs.MarkHidden("expression") // it is there
	return cmd
}

// valued are the parts of an expression that another one follows, whatever it is.
var valued = []string{
	"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-type", "-maxdepth", "-mindepth", "-newer", "-size",
	"-regex", "-iregex", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newermt", "-user", "-group", "-perm", "-printf", "-links",
}

// findArguments has the parts of an expression be the values of a flag.
func findArguments(find *cobra.Command, args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case strings.HasPrefix(arg, "--") || arg == "-m":
			out = append(out, arg)
			name := strings.TrimLeft(arg, "-")
			if name == "m" {
				name = "limit"
			}
			if f := find.Flag(name); f != nil && f.NoOptDefVal == "" && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
		case len(arg) > 1 && arg[0] == '-' && !strings.HasPrefix(arg, "-m=") || slices.Contains([]string{"!", "(", ")"}, arg):
			if arg == "-h" {
				arg = "--help"
				out = append(out, arg)
				continue
			}
			out = append(out, "--expression="+arg)
			if slices.Contains(valued, arg) && i+1 < len(args) {
				i++
				out = append(out, "--expression="+args[i])
			}
		default:
			out = append(out, arg)
		}
	}
	return out
}

// simplify asks for names and a type as such where the expression has no more than that: of
// them the ranking knows more.
func (q *findRequest) simplify() {
	name, kind := "", ""
	for i := 0; i < len(q.written); i += 2 {
		if i+1 == len(q.written) || strings.ContainsAny(q.written[i+1], `{}!/\[]`) || strings.Contains(q.written[i+1], "**") {
			return
		}
		switch value := q.written[i+1]; {
		case name == "" && q.written[i] == "-name" && value != "":
			name = value
		case name == "" && q.written[i] == "-iname" && value != "":
			name = eitherCase(value)
		case kind == "" && q.written[i] == "-type" && (value == "f" || value == "d"):
			kind = value
		default:
			return
		}
	}
	if name != "" && len(q.Name) > 0 || kind != "" && q.Type != "" {
		return
	}
	if name != "" {
		q.Name = []string{name}
	}
	if kind != "" {
		q.Type = kind
	}
	q.written = nil
	if len(q.Paths) == 1 {
		q.Path, q.Paths = q.Paths[0], nil
	}
}

func (q *findRequest) place(root string, written []string) (*[]string, error) {
	if q.Expression = slices.Clone(q.written); q.Expression != nil {
		if len(written) == 0 {
			written = []string{cmp.Or(q.Path, ".")}
		}
		q.Written = written
		for i := range q.Expression {
			if i == 0 || q.Expression[i-1] != "-newer" {
				continue
			}
			rel, err := invocation.RootPath(root, q.Expression[i])
			if err != nil {
				return nil, err
			}
			q.Expression[i] = rel
		}
	}
	return &q.Paths, placeAll(root, written, &q.Paths)
}

// placeAll makes paths relative to the root.
func placeAll(root string, written []string, to *[]string) error {
	*to = nil
	for _, path := range written {
		rel, err := invocation.RootPath(root, path)
		if err != nil {
			return err
		}
		*to = append(*to, rel)
	}
	return nil
}

// eitherCase returns a glob that matches letters in either case.
func eitherCase(glob string) string {
	var b strings.Builder
	inClass := false
	for _, r := range glob {
		lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
		switch {
		case lower == upper:
			b.WriteRune(r)
		case inClass:
			b.WriteString(lower + upper)
		default:
			b.WriteString("[" + lower + upper + "]")
		}
		inClass = r == '[' || inClass && r != ']'
	}
	return b.String()
}
