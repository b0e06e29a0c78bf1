// Package completion has shells complete what the commands take: values of flags, folders,
// and the symbols and languages that the running server knows.
package completion

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/index/dead"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/search"
)

// patience is how long the server may take: somebody waits at the prompt.
const patience = 300 * time.Millisecond

// mostSymbols is how many symbols are offered at most.
const mostSymbols = 50

// values are what flags take, by their name, or by the names of the command and the flag.
var values = map[string]func(*cobra.Command) []cobra.Completion{
	"kind":            func(*cobra.Command) []cobra.Completion { return search.Kinds() },
	"confidence":      words("certain", "likely", "possible"),
	"dead kind":       func(*cobra.Command) []cobra.Completion { return dead.Kinds() },
	"dead lang":       func(*cobra.Command) []cobra.Completion { return dead.Languages() },
	"exports":         words("auto", "roots", "ignore"),
	"references kind": func(*cobra.Command) []cobra.Completion { return references.Kinds() },
	"lang":            languages,
	"role":            words("definition", "test", "config"),
	"tests":           words("with", "without", "only"),
	"mode":            words("hybrid", "lexical", "semantic", "symbol", "regex"),
	"explain":         words("true", "short", "false"),

	"diagnostics format": words("text", "json", "sarif"),
	"diagnostics kind":   words("syntax", "unreachable", "dead_store", "unresolved_import", "unresolved_name", "wrong_arguments", "shadowed_error", "reported"),

	"graph direction": words("callees", "callers", "both"),
	"collapse":        words("file", "folder", "class"),

	"slice direction":  words("backward", "forward"),
	"section":          words("layers", "modules", "matrix", "cycles", "hubs", "god_files", "violations", "together", "functions"),
	"kinds":            words("imports", "type_imports", "types", "calls"),
	"direction":        words("callees", "callers", "both", "references"),
	"color":            words("auto", "always", "never"),
	"backend":          words("auto", "onnx", "go", "none"),
	"contextual":       words("auto", "off"),
	"compat":           words("osgrep"),
	"log-format":       words("text", "json"),
	"log-level":        words("debug", "info", "warn", "error"),
	"nice":             words("off", "auto", "battery", "load"),
	"summarize-engine": words("local", "llm"),
}

// folders are the flags that take one.
var folders = []string{"root", "data-dir", "allow-root", "model", "onnxruntime"}

// numeric are the types of flags that take a number.
var numeric = []string{"int", "int64", "uint", "float64", "duration"}

// arguments are what commands take, by their names; the others take files.
var arguments = map[string]cobra.CompletionFunc{
	"quarry": symbols, "search": symbols, "calls": symbols, "impact": symbols, "references": symbols, "context": symbols, "cfg": symbols, "dfg": symbols,
	"trace": symbols, "extract": symbols, "related": symbols, "skeleton": symbols, "summarize": symbols,
	"serve": directories, "ensure": directories, "index": directories, "stop": directories, "verify": directories, "mcp": directories, "open": directories,
	"status": none, "ping": none, "reindex": none, "version": none,
}

// Add has all commands of a tree complete what they take.
func Add(cmd *cobra.Command) {
	register := func(f *pflag.Flag) {
		if _, have := cmd.GetFlagCompletionFunc(f.Name); have {
			return
		}
		complete := none
		of, have := values[cmd.Name()+" "+f.Name]
		if !have {
			of, have = values[f.Name]
		}
		switch {
		case have:
			complete = listed(of)
		case slices.Contains(folders, f.Name):
			complete = directories
		case !slices.Contains(numeric, f.Value.Type()):
			return // a file
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // the flag is there, and has none
	}
	cmd.LocalFlags().VisitAll(register)
	if complete, have := arguments[cmd.Name()]; have && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = complete
	}
	for _, below := range cmd.Commands() {
		Add(below)
	}
}

func words(list ...string) func(*cobra.Command) []cobra.Completion {
	return func(*cobra.Command) []cobra.Completion { return list }
}

func none(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func directories(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// listed completes the last of some values with commas between them.
func listed(of func(*cobra.Command) []cobra.Completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, written string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before, last := "", written
		if i := strings.LastIndexByte(written, ','); i >= 0 {
			before, last = written[:i+1], written[i+1:]
		}
		var list []cobra.Completion
		for _, value := range of(cmd) {
			if strings.HasPrefix(value, last) {
				list = append(list, before+value)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// server returns the running server that a command would ask, nil where there is none, with
// the root that it would ask about. The context is of its answers.
func server(cmd *cobra.Command) (*client.Client, context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(cmp.Or(cmd.Context(), context.Background()), patience)
	s, err := config.Load(cmd)
	if err != nil {
		return nil, ctx, cancel
	}
	root, err := invocation.ProjectRoot(cmd, s, nil)
	if err != nil {
		return nil, ctx, cancel
	}
	token, err := s.Token()
	if err != nil {
		return nil, ctx, cancel
	}
	reg, ok := registry.Open(s).Containing(ctx, root)
	if !ok {
		return nil, ctx, cancel
	}
	c, err := reg.Remote(token).Client(patience)
	if err != nil {
		return nil, ctx, cancel
	}
	return c, ctx, cancel
}

// languages are those of the files that are indexed, or where no server says so all that there are.
func languages(cmd *cobra.Command) []cobra.Completion {
	c, ctx, cancel := server(cmd)
	defer cancel()
	if c == nil {
		return search.Languages()
	}
	status, err := c.Status(ctx, client.StatusRequest{})
	if err != nil {
		return search.Languages()
	}
	var list []cobra.Completion
	for name := range status.Coverage.Languages {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// symbols completes a name, or the path of a file.
func symbols(cmd *cobra.Command, _ []string, written string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if written == "" || strings.ContainsAny(written, `/\:.`) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	c, ctx, cancel := server(cmd)
	defer cancel()
	if c == nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found, err := c.Search(ctx, client.SearchRequest{Query: written, Mode: client.ModeSymbol, Limit: mostSymbols})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list, names []string
	for _, r := range found.Results {
		if strings.HasPrefix(r.Symbol, written) && !slices.Contains(names, r.Symbol) {
			names = append(names, r.Symbol)
			list = append(list, cobra.CompletionWithDesc(r.Symbol, r.Kind+" in "+r.File))
		}
	}
	if len(list) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if files, err := filepath.Glob(written + "*"); err == nil {
		list = append(list, files...)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
