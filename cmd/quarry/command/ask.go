package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/index"
)

// An askOptions has the flags of the commands that ask about code by its symbols.
type askOptions struct {
	url  string
	json bool
}

func (o *askOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.url, "url", "", "ask the server at this address")
	fs.BoolVar(&o.json, "json", false, "print a JSON object")
	config.AddFlags(fs, config.RootFlag|config.TokenFlag)
}

// A question is what such a command asks, and where the answer goes.
type question struct {
	endpoint string // of a server
	body     any    // of the request to it
	answer   any    // is filled in, by a server or by local
	// within makes the paths in body relative to the root.
	within func(root string) error
	// local asks an index; vectors says that it needs some.
	local   func(ctx context.Context, x *index.Index) (index.State, []index.Cut, error)
	vectors bool
	unbuilt bool // the index may be empty
}

// A source says where an answer comes from. It is printed with it.
type source struct {
	Root   string      `json:"root"`
	Server string      `json:"server,omitempty"` // absent: an index in memory
	Index  index.State `json:"index"`
	Cuts   []index.Cut `json:"truncated_by,omitempty"`
}

// ask has the server that is responsible, or an index in memory, answer.
func (o *askOptions) ask(cmd *cobra.Command, q question) (source, error) {
	s, err := config.Load(cmd)
	if err != nil {
		return source{}, err
	}
	token, err := s.Token()
	if err != nil {
		return source{}, err
	}
	ctx := cmd.Context()
	server := func(reg registration) (source, error) {
		if err := q.within(reg.Root); err != nil {
			return source{}, err
		}
		var about struct {
			Index index.State `json:"index"`
			Meta  struct {
				Cuts []index.Cut `json:"truncated_by"`
			} `json:"meta"`
		}
		err := newClient(reg.URL, reg.pin).with(token).of(reg.Root).post(ctx, q.endpoint, q.body, q.answer, &about)
		return source{reg.Root, reg.URL, about.Index, about.Meta.Cuts}, err
	}
	if o.url != "" {
		base, err := checkURL(o.url)
		if err != nil {
			return source{}, err
		}
		h, err := newClient(base, pin{File: s.Server.TLSCert}).with(token).health(ctx)
		if err != nil {
			return source{}, err
		}
		return server(registration{URL: base, Root: h.Root, pin: pin{File: s.Server.TLSCert}})
	}
	root, err := projectRoot(cmd, s, nil)
	if err != nil {
		return source{}, err
	}
	if reg, ok := openRegistry(s).containing(ctx, root); ok {
		return server(reg)
	}
	if err := q.within(root); err != nil {
		return source{}, err
	}
	from := source{Root: root}
	use := inMemory
	if q.unbuilt {
		use = notBuilt
	}
	err = use(cmd, s, root, q.vectors, func(x *index.Index) (err error) {
		from.Root = x.Root()
		from.Index, from.Cuts, err = q.local(ctx, x)
		return err
	})
	return from, err
}

// note says on the error output what an answer lacks; what is listed may be "".
func (s *source) note(w io.Writer, shown, total int, what string) {
	if s.Index.State == index.Indexing {
		fmt.Fprintf(w, "quarry: the index is still being built (%.0f%%), there may be more\n", 100*s.Index.Progress)
	}
	if len(s.Cuts) > 0 && what != "" {
		var why []string
		for _, cut := range s.Cuts {
			why = append(why, strings.ReplaceAll(string(cut), "_", "-"))
		}
		if shown >= total { // what is left out was not counted
			fmt.Fprintf(w, "quarry: there may be more, cut by: %s\n", strings.Join(why, ", "))
			return
		}
		fmt.Fprintf(w, "quarry: %d of %d %s are shown, cut by: %s\n", shown, total, what, strings.Join(why, ", "))
	}
}

// also names on the error output what else a target could mean.
func (s *source) also(w io.Writer, target string, others []index.Place) {
	if len(others) == 0 {
		return
	}
	shown := shownFrom(s.Root)
	var list []string
	for _, p := range others {
		list = append(list, fmt.Sprintf("%s %s:%d", visible(p.Symbol), visible(shown(p.File)), p.Line))
	}
	fmt.Fprintf(w, "quarry: %s could also mean %s\n", visible(target), strings.Join(list, ", "))
}

// targetPath makes the path in a target relative to the root, where it begins with
// one as the user sees it: a file below the working folder, or with folders any
// path there.
func targetPath(root, target string, folders bool) (string, error) {
	file, rest := target, ""
	if i := strings.IndexByte(target, ':'); i > 0 {
		file, rest = target[:i], target[i:]
	}
	path := file
	if !filepath.IsAbs(path) {
		wd, ok := workingFolder(root)
		if !ok {
			wd = root
		}
		path = filepath.Join(wd, path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && (folders || info.Mode().IsRegular()):
	case filepath.IsAbs(file), slices.Contains(strings.Split(file, "/"), ".."):
	default:
		return target, nil
	}
	rel, err := rootPath(root, file)
	return rel + rest, err
}
