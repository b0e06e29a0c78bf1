package envelope

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

// humanAgent is who asks on a terminal.
const (
	humanAgent   = "human-cli"
	unknownAgent = "unknown"
)

// An envelopeRequest is what te asks a server, or the files themselves.
type envelopeRequest interface {
	// parts are the fields that all requests have.
	parts() (path *string, scope *wire.Scope, form *answerForm)
	// here reports whether it begins in the working folder where no path is given, as the
	// command itself does.
	here() bool
	// place makes paths, as the user wrote them, relative to the root, and returns where they
	// stand; nil where a request has one path only.
	place(root string, written []string) (paths *[]string, err error)
	// local answers from the files, as the command itself does, and returns how much
	// there is.
	local(cmd *cobra.Command, s config.Settings, root string) (found int, err error)
}

// An answerForm says in which form te wants an answer.
type answerForm struct {
	Raw    bool   `json:"raw,omitempty"`
	Base   string `json:"base,omitempty"` // the folder to which the answer's paths are relative
	Format string `json:"format,omitempty"`
}

type grepRequest struct {
	wire.GrepRequest
	answerForm
}

type catRequest struct {
	wire.CatRequest
	answerForm
}

type findRequest struct {
	wire.FindRequest
	answerForm
	written []string // the expression
}

func (q *grepRequest) parts() (*string, *wire.Scope, *answerForm) {
	return &q.Path, &q.Scope, &q.answerForm
}
func (q *catRequest) parts() (*string, *wire.Scope, *answerForm) {
	return &q.Path, &q.Scope, &q.answerForm
}
func (q *findRequest) parts() (*string, *wire.Scope, *answerForm) {
	return &q.Path, &q.Scope, &q.answerForm
}

func (q *grepRequest) place(root string, written []string) (*[]string, error) {
	return &q.Paths, placeAll(root, written, &q.Paths)
}
func (q *catRequest) place(string, []string) (*[]string, error) { return nil, nil }

func (q *grepRequest) here() bool { return true }
func (q *catRequest) here() bool  { return false }
func (q *findRequest) here() bool { return true }

// A placing is where a request is to look, as the user wrote it.
type placing struct {
	path  string
	paths []string
}

func placingOf(q envelopeRequest) placing {
	path, _, _ := q.parts()
	w := placing{path: *path}
	switch q := q.(type) {
	case *grepRequest:
		w.paths = slices.Clone(q.Paths)
	case *findRequest:
		w.paths = slices.Clone(q.Paths)
	}
	return w
}

// within makes the paths of a request, as the user wrote them, relative to the root, and has
// the answer's paths relative to the working folder where that is inside of it.
func within(q envelopeRequest, root string, written placing) error {
	path, _, form := q.parts()
	form.Base = ""
	if wd, ok := invocation.WorkingFolder(root); ok {
		if form.Base, _ = folder.Inside(root, wd); form.Base == "." {
			form.Base = ""
		}
	}
	paths, err := q.place(root, written.paths)
	if err != nil {
		return err
	}
	if *path, err = invocation.RootPath(root, written.path); err != nil {
		return err
	}
	switch {
	case paths != nil && len(*paths) > 0:
		*path = ""
	case *path == "" && q.here():
		*path = form.Base
	}
	return nil
}

// A caller is who asks, and how.
type caller struct {
	cmd            *cobra.Command
	name           string // of the command: grep
	settings       config.Settings
	token          string
	agent, session string
	root           string // the folder from which the server is looked for
}

func newCaller(cmd *cobra.Command, name string) (*caller, error) {
	s, err := config.Load(cmd)
	if err != nil {
		return nil, err
	}
	c := &caller{cmd: cmd, name: name, settings: s}
	if c.token, err = s.Token(); err != nil {
		return nil, err
	}
	c.agent, c.session = config.Identity()
	if c.agent == "" {
		c.agent = unknownAgent
		if terminal.IsTerminal(cmd.OutOrStdout()) {
			c.agent = humanAgent
		}
	}
	c.root, err = invocation.ProjectRoot(cmd, s, nil)
	return c, err
}

// ask has a server answer, and where there is none this process. What the command itself would
// print needs no index, and then comes from the files.
func ask(cmd *cobra.Command, name string, raw bool, q envelopeRequest) error {
	c, err := newCaller(cmd, name)
	if err != nil {
		return err
	}
	_, scope, form := q.parts()
	form.Raw = raw
	endpoint := "/" + name
	if name == "rag" {
		endpoint = "/search"
	}
	written := placingOf(q)
	request := func(reg registry.Registration) (client.RawRequest, error) {
		scope.Project, form.Format = reg.Root, "te"
		return client.RawRequest{Method: http.MethodPost, Path: endpoint, Body: q}, within(q, reg.Root, written)
	}
	resp, err := c.find(request)
	if err != nil {
		return c.fail("invalid_path", err)
	}
	if resp == nil && !raw {
		return c.alone(request)
	}
	if resp == nil || resp.StatusCode == http.StatusInternalServerError && c.human() {
		if resp != nil {
			resp.Body.Close()
		}
		return c.local(q, written)
	}
	return c.show(resp)
}

// human reports whether a person asks.
func (c *caller) human() bool { return c.agent == humanAgent }

// local answers from the files.
func (c *caller) local(q envelopeRequest, written placing) error {
	fmt.Fprintf(c.cmd.ErrOrStderr(), "quarry: no server answers for %s, reading the files\n", c.root)
	if err := within(q, c.root, written); err != nil {
		return err
	}
	found, err := q.local(c.cmd, c.settings, c.root)
	if err == nil && found == 0 && c.name != "cat" {
		return invocation.Silent(c.cmd, invocation.NothingFound)
	}
	return err
}

// find sends a request to the server of the nearest root that the working folder is
// in. The files that servers leave are only hints; but to ask each for its health first
// would double the time of a short answer, so the request itself is the question: it
// names the root, and who does not serve that, or is no server of ours, is passed over.
// The response is nil where there is no server.
func (c *caller) find(request func(registry.Registration) (client.RawRequest, error)) (*http.Response, error) {
	servers := registry.Open(c.settings)
	id := "te-" + strconv.Itoa(os.Getpid())
	for dir := c.root; ; dir = filepath.Dir(dir) {
		if reg, ok := servers.Read(servers.File(dir) + ".json"); ok && reg.Root == dir {
			req, err := request(reg)
			if err != nil {
				return nil, err
			}
			resp, err := c.send(reg, id, req)
			switch {
			case err != nil:
				if c.cmd.Context().Err() != nil {
					return nil, errors.New("interrupted")
				}
			case resp.Header.Get("X-Request-Id") == id && resp.StatusCode != http.StatusConflict:
				return resp, nil
			default:
				resp.Body.Close()
			}
		}
		if filepath.Dir(dir) == dir {
			return nil, nil
		}
	}
}

// send sends a request to a server.
func (c *caller) send(reg registry.Registration, id string, req client.RawRequest) (*http.Response, error) {
	t := reg.Pin.Transport()
	t.DisableKeepAlives, t.ResponseHeaderTimeout = true, registry.SearchTimeout
	return c.sendBy(t, reg.URL, id, req)
}

// sendBy sends a request some way.
func (c *caller) sendBy(way http.RoundTripper, address, id string, req client.RawRequest) (*http.Response, error) {
	req.Header = http.Header{"X-Agent-Id": {c.agent}, "Accept": {"text/plain"}}
	if id != "" {
		req.Header.Set("X-Request-Id", id)
	}
	if c.session != "" {
		req.Header.Set("X-Session-Id", c.session)
	}
	to, err := client.New(address, client.Options{Token: c.token, Retries: -1, HTTPClient: &http.Client{Transport: way}})
	if err != nil {
		return nil, err
	}
	return to.Raw(c.cmd.Context(), req)
}

// show prints a response, as it comes.
func (c *caller) show(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		n, err := io.Copy(c.cmd.OutOrStdout(), resp.Body)
		if err != nil {
			return &invocation.ExitError{Code: invocation.Failed, Err: fmt.Errorf("the server broke off its answer: %w", registry.DialReason(err))}
		}
		// A raw grep is sent as it is found: its trailer says how much.
		said := func(name string) string { return cmp.Or(resp.Header.Get(name), resp.Trailer.Get(name)) }
		if missing := said("X-Not-Searched"); missing != "" {
			fmt.Fprintf(c.cmd.ErrOrStderr(), "quarry: %s\n", missing)
		}
		matches := said("X-Matches")
		if c.name != "cat" && matches == "0" || c.name == "grep" && matches == "" && n == 0 {
			return invocation.Silent(c.cmd, invocation.NothingFound)
		}
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, registry.MaxResponse))
	if err != nil {
		return &invocation.ExitError{Code: invocation.Failed, Err: fmt.Errorf("the server broke off its answer: %w", registry.DialReason(err))}
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") && !c.human() {
		if _, err := c.cmd.OutOrStdout().Write(text); err != nil {
			return err
		}
		return invocation.Silent(c.cmd, invocation.Failed)
	}
	var problem struct{ Error, Message string }
	if json.Unmarshal(text, &problem) != nil || problem.Message == "" {
		_, problem.Message, _ = strings.Cut(string(text), "\n[TE] ")
		problem.Error = "internal"
	}
	if problem.Message == "" {
		problem.Message = "the server answered " + resp.Status
	}
	return c.fail(problem.Error, errors.New(strings.TrimSpace(problem.Message)))
}

// fail tells people on the error output what is wrong, and agents in the envelope.
func (c *caller) fail(code string, err error) error {
	if c.human() {
		return &invocation.ExitError{Code: invocation.Failed, Err: err}
	}
	if _, err := io.WriteString(c.cmd.OutOrStdout(), te.Failure(c.name, code, err.Error())); err != nil {
		return err
	}
	return invocation.Silent(c.cmd, invocation.Failed)
}

// get prints what a GET gives.
func get(cmd *cobra.Command, name, path string, query url.Values) error {
	c, err := newCaller(cmd, name)
	if err != nil {
		return err
	}
	resp, err := c.find(func(registry.Registration) (client.RawRequest, error) {
		q := url.Values{"format": {"te"}}
		maps.Copy(q, query)
		return client.RawRequest{Method: http.MethodGet, Path: path + "?" + q.Encode()}, nil
	})
	switch {
	case err != nil:
		return err
	case resp == nil:
		return c.fail("unavailable", fmt.Errorf("no server is running for %s, and handles and what a coach has learned are a server's: start one with quarry ensure", c.root))
	}
	return c.show(resp)
}

func (o *options) showHandle(cmd *cobra.Command) error {
	return get(cmd, "handle", "/handles/"+url.PathEscape(o.handle), url.Values{"chunk": {strconv.Itoa(o.chunk)}})
}
