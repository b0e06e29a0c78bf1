package question

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// An askOptions has the flags of the commands that ask about code.
type askOptions struct {
	url  string
	json bool
}

func (o *askOptions) addFlags(fs *pflag.FlagSet) {
	registry.AddURLFlag(fs, &o.url)
	terminal.AddJSONFlag(fs, &o.json)
	config.AddFlags(fs, config.RootFlag|config.TokenFlag)
	invocation.AddYesFlag(fs)
}

// A question is what such a command asks, and where the answer goes.
type question struct {
	endpoint string      // of a server
	request  any         // to it
	scope    *wire.Scope // of the request: gets the project
	answer   any         // is filled in, by a server or by local
	// within makes the paths in the request relative to the root.
	within func(root string) error
	// local asks an index; vectors says that it needs some.
	local   func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error)
	vectors bool
	unbuilt bool // the index may be empty
}

// A source says where an answer comes from. It is printed with it.
type source struct {
	Root   string       `json:"root"`
	Server string       `json:"server,omitempty"` // absent: there was none
	Index  answer.State `json:"index"`
	Cuts   []answer.Cut `json:"truncated_by,omitempty"`

	Meta *struct{} `json:"meta,omitempty"` // stays nil, and keeps an answer's from being printed

	remote registry.Remote // the server
}

// ask has the server that is responsible, or an index of this process, answer, and says in from
// which.
func (o *askOptions) ask(cmd *cobra.Command, from *source, q question) error {
	if err := q.read(cmd.ErrOrStderr()); err != nil {
		return err
	}
	s, err := config.Load(cmd)
	if err != nil {
		return err
	}
	token, err := s.Token()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if o.url != "" {
		server, err := registry.Named(&s, o.url, token)
		if err != nil {
			return err
		}
		h, err := server.Health(ctx)
		if err != nil {
			return err
		}
		*from, err = q.askServer(ctx, server, h.Root)
		return err
	}
	root, err := invocation.ProjectRoot(cmd, s, nil)
	if err != nil {
		return err
	}
	if reg, ok := registry.Open(s).Containing(ctx, root); ok {
		*from, err = q.askServer(ctx, reg.Remote(token), reg.Root)
	} else {
		*from, err = q.askIndex(cmd, s, root)
	}
	return err
}

// An Asking is how a command of another package asks: with the flags of those here, and whom they ask.
type Asking struct{ askOptions }

// AddFlags adds the flags.
func (a *Asking) AddFlags(fs *pflag.FlagSet) { a.addFlags(fs) }

// JSON reports whether the answer is to be printed as JSON.
func (a *Asking) JSON() bool { return a.json }

// A Source is printed with an answer that it has.
type Source = source

// A Question is one of another package: as question.
type Question struct {
	Endpoint string
	Request  any
	Scope    *wire.Scope
	Answer   any
	Within   func(root string) error // makes the paths in the request relative to the root
	Local    func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error)
}

// Ask has a server or an index answer, and says in from which.
func (a *Asking) Ask(cmd *cobra.Command, from *Source, q Question) error {
	return a.ask(cmd, from, question{endpoint: q.Endpoint, request: q.Request, scope: q.Scope, answer: q.Answer, within: q.Within, local: q.Local})
}

// Tell says on the error output what an answer of nodes, say, lacks, and what else its target could mean.
func (s *source) Tell(w io.Writer, shown, total int, what string, c *answer.Completeness, target string, others []answer.Place) {
	s.note(w, shown, total, what)
	s.also(w, target, others)
	completeness(w, c, false)
}

// Targets says in a help what a target is.
const Targets = targets

// askServer has a server answer for one of its roots.
func (q *question) askServer(ctx context.Context, server registry.Remote, root string) (source, error) {
	if err := q.within(root); err != nil {
		return source{}, err
	}
	q.scope.Project, q.scope.Strict = root, true
	var about struct {
		Index answer.State `json:"index"`
		Meta  struct {
			Cuts []answer.Cut `json:"truncated_by"`
		} `json:"meta"`
	}
	err := server.Ask(ctx, registry.SearchTimeout, q.endpoint, q.request, q.answer, &about)
	return source{Root: root, Server: server.URL, Index: about.Index, Cuts: about.Meta.Cuts, remote: server}, err
}

// askIndex has an index answer that is there for this answer alone.
func (q *question) askIndex(cmd *cobra.Command, s config.Settings, root string) (from source, err error) {
	answer := func(x *index.Index) (err error) {
		if err := q.within(x.Root()); err != nil {
			return err
		}
		from.Root = x.Root()
		from.Index, from.Cuts, err = q.local(cmd.Context(), x)
		return err
	}
	if q.unbuilt {
		return from, engine.Use(s, root, q.vectors, answer)
	}
	return from, UseKept(cmd, s, root, answer)
}

// UseKept opens the index of a root that no server has, brings it up to date and closes it after
// use: that of the nearest root, from this one upward unless the user has named it, of which one
// is kept, else a new one of this root. The error output says so, and how to have a server.
func UseKept(cmd *cobra.Command, s config.Settings, root string, use func(*index.Index) error) error {
	kept := engine.KeptRoot(&s, root)
	if s.RootGiven && kept != root {
		kept = "" // who names a folder means that one
	}
	if kept == "" {
		if err := invocation.Confirm(cmd, root); err != nil {
			return err
		}
	}
	if f := cmd.Flags().Lookup("model"); f != nil && f.Changed { // what is kept is of the model that servers have
		return engine.Use(s, root, true, func(x *index.Index) error {
			if err := alone(cmd, x, "building an index in memory"); err != nil {
				return err
			}
			return use(x)
		})
	}
	return engine.UseKept(cmd.Context(), s, cmp.Or(kept, root), func(x *index.Index, with host.Beginning) error {
		how := "indexing it once"
		switch {
		case with.Kept:
			how = "using the index that was kept"
		case with.Fetched != "":
			how = "beginning with a snapshot (" + terminal.Visible(with.Fetched) + ")"
		case with.Why != nil:
			fmt.Fprintf(cmd.ErrOrStderr(), "quarry: no snapshot is used: %s\n", terminal.Visible(with.Why.Error()))
		}
		return alone(cmd, x, how)
	}, use)
}

// alone builds an index for one answer, and says so.
func alone(cmd *cobra.Command, x *index.Index, how string) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "quarry: no server is running for %s, %s (quarry ensure starts one, which answers at once)\n", x.Root(), how)
	_, err := terminal.Build(cmd.Context(), x, cmd.ErrOrStderr())
	return invocation.Interrupted(cmd, err)
}

// note says on the error output what an answer lacks; what is listed may be "".
func (s *source) note(w io.Writer, shown, total int, what string) {
	s.noteBuilding(w)
	switch why := cutBy(s.Cuts); {
	case why == "" || what == "":
	case shown >= total: // what is left out was not counted
		fmt.Fprintf(w, "quarry: there may be more, cut by: %s\n", why)
	default:
		fmt.Fprintf(w, "quarry: %d of %d %s are shown, cut by: %s\n", shown, total, what, why)
	}
}

// narrowing are the flags that leave files or symbols out.
var narrowing = []string{"path", "glob", "lang", "kind", "role", "tests", "min-score", "head", "offset"}

// nothing says on the error output that there is no result, and what was looked through.
func (s *source) nothing(cmd *cobra.Command) {
	files := s.Index.Files
	if s.Server != "" { // which counts them only in its status
		var about struct {
			Index answer.State `json:"index"`
		}
		path := "/status?skipped=0&project=" + url.QueryEscape(s.Root)
		if err := s.remote.Ask(cmd.Context(), registry.ProbeTimeout, path, nil, &about); err == nil {
			files = about.Index.Files
		}
	}
	var with []string
	for _, name := range narrowing {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			with = append(with, "--"+name+" "+terminal.Visible(value))
		}
	}
	text := fmt.Sprintf("nothing found in the %d indexed files of %s", files, terminal.Visible(s.Root))
	if len(with) > 0 {
		text += ", with " + strings.Join(with, " ")
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %s\n", text)
}

// noteBuilding says on the error output that the first build still runs, or that there is
// nothing to index yet.
func (s *source) noteBuilding(w io.Writer) {
	switch {
	case s.Index.State == answer.Indexing:
		fmt.Fprintf(w, "quarry: the index is still being built (%.0f%%), there may be more\n", 100*s.Index.Progress)
	case s.Index.Empty:
		fmt.Fprintf(w, "quarry: nothing in %s is indexed yet\n", terminal.Visible(s.Root))
	}
}

// cutBy lists what has cut an answer, as the flags have it.
func cutBy(cuts []answer.Cut) string {
	var why []string
	for _, cut := range cuts {
		why = append(why, strings.ReplaceAll(string(cut), "_", "-"))
	}
	return strings.Join(why, ", ")
}

// also names on the error output what else a target could mean.
func (s *source) also(w io.Writer, target string, others []answer.Place) {
	if len(others) == 0 {
		return
	}
	shown := invocation.ShownFrom(s.Root)
	var list []string
	for _, p := range others {
		list = append(list, fmt.Sprintf("%s %s:%d", terminal.Visible(p.Symbol), terminal.Visible(shown(p.File)), p.Line))
	}
	fmt.Fprintf(w, "quarry: %s could also mean %s\n", terminal.Visible(target), strings.Join(list, ", "))
}
