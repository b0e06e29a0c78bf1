package callgraph

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/scip-code/scip/bindings/go/scip"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/references"
)

// referencesOptions are the flags of `quarry-lab callgraph references`.
type referencesOptions struct {
	scip    string
	draw    int
	seed    uint64
	verbose bool
}

func newReferencesCommand() *cobra.Command {
	o := referencesOptions{}
	cmd := &cobra.Command{
		Use:   "references DIR --scip FILE",
		Short: "Compare the references to symbols with a SCIP index",
		Long: `References draws symbols of a SCIP index, which an indexer has made that asks the
language's compiler, and asks for the references to each, and for the callers of
those that are called. An answer that says it is complete and lacks a line on which
the index has the symbol is wrong: all such lines are listed. Lines that do not have
the name are not compared, nor are files that are not in the index. Why answers are not
complete is counted with --verbose, and each is listed.`,
		Example: "  scip-go --output /tmp/chi.scip && quarry-lab callgraph references . --scip /tmp/chi.scip",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.scip, "scip", "index.scip", "`file` that the indexer has written")
	f.IntVar(&o.draw, "draw", 150, "`number` of symbols")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that they are drawn by")
	f.BoolVar(&o.verbose, "verbose", false, "list why answers are not complete")
	return cmd
}

// A known is a symbol of a SCIP index.
type known struct {
	at    place // without a column; the first definition, by path and line
	name  string
	by    map[place]bool // lines that name it, with true where one calls it
	group string         // what kind of symbol it is
}

// An asked counts the answers about the symbols of one group.
type asked struct {
	drawn, refused, complete, wrong int

	because map[string]int // of those that are not complete
	open    []string       // these, each with what it says
}

func (o *referencesOptions) run(cmd *cobra.Command, dir string) error {
	all, err := knownIn(dir, o.scip)
	if err != nil {
		return err
	}
	x, err := quarryIndex(cmd.Context(), dir)
	if err != nil {
		return err
	}
	defer x.Close()
	counts := map[string]*asked{}
	var lacking []string
	for _, k := range drawn(all, o.draw, o.seed) {
		more, err := k.ask(cmd.Context(), x, counts)
		if err != nil {
			return err
		}
		lacking = append(lacking, more...)
	}
	for _, group := range slices.Sorted(maps.Keys(counts)) {
		a := counts[group]
		cmd.Printf("%-22s %d drawn, %d are no symbol, %d answers complete (%.3f), %d wrong\n", group, a.drawn, a.refused, a.complete, share(a.complete, a.drawn-a.refused), a.wrong)
	}
	slices.Sort(lacking)
	for _, text := range lacking {
		cmd.Println(text)
	}
	if !o.verbose {
		return nil
	}
	for _, group := range slices.Sorted(maps.Keys(counts)) {
		a := counts[group]
		for _, text := range mostFirst(a.because) {
			cmd.Printf("because   %s: %5d %s\n", group, a.because[text], text)
		}
		for _, text := range a.open {
			cmd.Printf("open      %s: %s\n", group, text)
		}
	}
	return nil
}

// ask compares the answers about one symbol, and returns what those lack that say they are
// complete.
func (k *known) ask(ctx context.Context, x *index.Index, counts map[string]*asked) (lacking []string, err error) {
	count := func(question string, said answer.Completeness, listed, wanted map[place]bool) {
		a := counted(counts, question+" "+k.group)
		a.drawn++
		if !said.Complete {
			reasons(a.because, said.Because, k.name)
			a.open = append(a.open, fmt.Sprintf("%s %s: %s", k.at, k.name, strings.Join(said.Because, "; ")))
			return
		}
		a.complete++
		before := len(lacking)
		for at := range wanted {
			if !listed[at] && !k.declares(ctx, x, at) {
				lacking = append(lacking, fmt.Sprintf("lacking   %s: %s names %s (%s)", question, at, k.name, k.at))
			}
		}
		if len(lacking) > before {
			a.wrong++
		}
	}
	found, err := x.References(ctx, references.Query{Target: k.at.String(), Limit: everything})
	switch no, err := k.refused(found.Definition, err); {
	case err != nil:
		return nil, fmt.Errorf("callgraph: ask for the references to %s: %w", k.at, err)
	case no:
		a := counted(counts, "references "+k.group)
		a.drawn++
		a.refused++
		return nil, nil
	}
	listed := map[place]bool{}
	for _, list := range [][]references.Reference{found.References, found.Ambiguous} {
		for _, r := range list {
			listed[place{r.File, r.Line, 0}] = true
		}
	}
	count("references", found.Completeness, listed, k.by)
	called := map[place]bool{}
	for at, call := range k.by {
		if call {
			called[at] = true
		}
	}
	if k.group != "functions" {
		return lacking, nil
	}
	said, err := x.Calls(ctx, calls.CallsQuery{Target: k.at.String(), Direction: calls.Callers, Limit: everything})
	if no, err := k.refused(said.Definition, err); no || err != nil {
		return lacking, err
	}
	listed = map[place]bool{}
	for _, e := range all(said) {
		listed[place{e.From.File, e.Line, 0}] = true
	}
	for _, s := range said.Unresolved {
		listed[place{s.From.File, s.Line, 0}] = true
	}
	count("calls", said.Completeness, listed, called)
	return lacking, nil
}

// refused is refused of complete.go, and says so of a value that an answer about a type is for: on the
// line of a field without a name.
func (k *known) refused(about *answer.Definition, err error) (bool, error) {
	no, err := refused(about, k.name, err)
	if !no && err == nil && k.group == "values" {
		switch about.Kind {
		case "class", "struct", "interface", "trait", "type":
			no = true
		}
	}
	return no, err
}

// declares reports whether Quarry has a symbol of the name on a line: what declares it again is no
// reference for it, as it is for some indexers.
func (k *known) declares(ctx context.Context, x *index.Index, at place) bool {
	found, err := x.References(ctx, references.Query{Target: at.String(), Limit: 1, Scope: calls.Scope{Path: at.path}})
	return err == nil && found.Definition != nil && found.Definition.Line == at.line && strings.HasSuffix(found.Definition.Symbol, k.name)
}

func counted(counts map[string]*asked, group string) *asked {
	if counts[group] == nil {
		counts[group] = &asked{because: map[string]int{}}
	}
	return counts[group]
}

// knownIn reads the symbols that a SCIP index defines, by their places.
func knownIn(dir, file string) ([]*known, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("callgraph: read the SCIP index: %w", err)
	}
	var in scip.Index
	if err := proto.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("callgraph: read %s: %w", file, err)
	}
	found := map[string]*known{}
	each := func(visit func(o *scip.Occurrence, at place, line []byte)) {
		for _, d := range in.Documents {
			if !filepath.IsLocal(filepath.FromSlash(d.RelativePath)) {
				continue // made by the build
			}
			src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(d.RelativePath)))
			if err != nil {
				continue
			}
			lines := bytes.Split(src, []byte("\n"))
			for _, o := range d.Occurrences {
				r, ok := o.SourceRange()
				if n := int(r.Start.Line); ok && n < len(lines) && !strings.HasPrefix(o.Symbol, "local ") {
					visit(o, place{d.RelativePath, n + 1, 0}, lines[n])
				}
			}
		}
	}
	defined := map[string]map[place]bool{}
	each(func(o *scip.Occurrence, at place, line []byte) {
		name, group := nameIn(o.Symbol)
		if o.SymbolRoles&int32(scip.SymbolRole_Definition) == 0 || name == "" || len(uses(line, name)) == 0 {
			return
		}
		if defined[o.Symbol] == nil {
			defined[o.Symbol] = map[place]bool{}
		}
		defined[o.Symbol][at] = true
		if k := found[o.Symbol]; k == nil || at.compare(k.at) < 0 {
			found[o.Symbol] = &known{at, name, map[place]bool{}, group}
		}
	})
	each(func(o *scip.Occurrence, at place, line []byte) {
		k := found[o.Symbol]
		if k == nil || o.SymbolRoles&int32(scip.SymbolRole_Definition) != 0 || defined[o.Symbol][at] || declaring.Match(line) {
			return
		}
		if list := uses(line, k.name); len(list) > 0 {
			k.by[at] = slices.Contains(list, true)
		}
	})
	for symbol, places := range defined { // as of several programs that one package has
		files := map[string]bool{}
		for at := range places {
			files[at.path] = true
		}
		if len(files) > 1 || strings.HasSuffix(found[symbol].at.path, ".rs") && len(places) > 1 {
			delete(found, symbol)
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *known) int { return cmp.Or(a.at.compare(b.at), strings.Compare(a.name, b.name)) }), nil
}

// declaring matches a line that declares a function or a class of Python again, as an overload.
var declaring = regexp.MustCompile(`^\s*(async\s+)?(def|class)\s`)

// nameIn returns the name of a SCIP symbol and what kind of symbol that is; "" for what has no name
// in the text.
func nameIn(symbol string) (name, group string) {
	s, err := scip.ParseSymbol(symbol)
	if err != nil || len(s.Descriptors) == 0 {
		return "", ""
	}
	last := s.Descriptors[len(s.Descriptors)-1]
	switch last.Suffix {
	case scip.Descriptor_Method, scip.Descriptor_Macro:
		group = "functions"
	case scip.Descriptor_Type:
		group = "types"
	case scip.Descriptor_Term:
		group = "values"
	default:
		return "", ""
	}
	if strings.HasPrefix(last.Name, "_") && len(last.Name) == 1 {
		return "", ""
	}
	return last.Name, group
}

// uses finds a name in a line, and says of each place whether it is called there.
func uses(line []byte, name string) (called []bool) {
	inName := func(c byte) bool {
		return c == '_' || c >= 0x80 || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
	}
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(name))
		if i < 0 {
			return called
		}
		start, end := at+i, at+i+len(name)
		at = end
		if start > 0 && inName(line[start-1]) || end < len(line) && inName(line[end]) {
			continue
		}
		called = append(called, end < len(line) && line[end] == '(')
	}
}
