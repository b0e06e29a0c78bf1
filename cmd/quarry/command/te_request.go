package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// humanAgent is who asks on a terminal.
const (
	humanAgent   = "human-cli"
	unknownAgent = "unknown"
)

// A teRequest is what te asks a server, or the files themselves.
type teRequest interface {
	// within makes the paths relative to the root.
	within(root string) error
	// local answers from the files, as the command itself does, and returns how much
	// there is.
	local(cmd *cobra.Command, s config.Settings, root string) (found int, err error)
	common() *teFields
}

// teFields are the fields that all requests have.
type teFields struct {
	Path    string `json:"path,omitempty"`
	Limit   int    `json:"limit,omitempty"`
	Raw     bool   `json:"raw,omitempty"`
	Base    string `json:"base,omitempty"`
	Format  string `json:"format,omitempty"`
	Project string `json:"project,omitempty"`
}

func (f *teFields) common() *teFields { return f }

// within makes the path relative to the root, and has the answer's paths relative to
// the working folder where that is inside of it.
func (f *teFields) within(root string) (err error) {
	if wd, ok := workingFolder(root); ok {
		if f.Base, _ = folder.Inside(root, wd); f.Base == "." {
			f.Base = ""
		}
	}
	f.Path, err = rootPath(root, f.Path)
	return err
}

type teGrepRequest struct {
	Pattern    string   `json:"pattern"`
	Literal    bool     `json:"literal,omitempty"`
	IgnoreCase bool     `json:"ignore_case,omitempty"`
	Word       bool     `json:"word,omitempty"`
	Glob       []string `json:"glob,omitempty"`
	teFields
}

type teCatRequest struct {
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	teFields
}

type teFindRequest struct {
	Name []string `json:"name,omitempty"`
	Type string   `json:"type,omitempty"`
	teFields
}

// within has grep and find begin in the working folder where no path is given, as the
// commands themselves do.
func (q *teGrepRequest) within(root string) error { return q.here(root) }
func (q *teFindRequest) within(root string) error { return q.here(root) }

func (f *teFields) here(root string) error {
	if err := f.within(root); err != nil {
		return err
	}
	if f.Path == "" {
		f.Path = f.Base
	}
	return nil
}

// A teCaller is who asks, and how.
type teCaller struct {
	cmd            *cobra.Command
	name           string // of the command: grep
	settings       config.Settings
	token          string
	agent, session string
	root           string // the folder from which the server is looked for
}

func newTeCaller(cmd *cobra.Command, name string) (*teCaller, error) {
	s, err := config.Load(cmd)
	if err != nil {
		return nil, err
	}
	c := &teCaller{cmd: cmd, name: name, settings: s}
	if c.token, err = s.Token(); err != nil {
		return nil, err
	}
	c.agent, c.session = config.Identity()
	if c.agent == "" {
		c.agent = unknownAgent
		if isTerminal(cmd.OutOrStdout()) {
			c.agent = humanAgent
		}
	}
	c.root, err = projectRoot(cmd, s, nil)
	return c, err
}

// teAsk has a server answer, and where there is none, says so or asks the files.
func teAsk(cmd *cobra.Command, name string, raw bool, q teRequest) error {
	c, err := newTeCaller(cmd, name)
	if err != nil {
		return err
	}
	f := q.common()
	f.Raw = raw
	endpoint := "/" + name
	if name == "rag" {
		endpoint = "/search"
	}
	path := f.Path
	resp, err := c.find(func(reg registration) (*http.Request, error) {
		f.Path, f.Base, f.Project, f.Format = path, "", reg.Root, "te"
		if err := q.within(reg.Root); err != nil {
			return nil, err
		}
		body, err := json.Marshal(q)
		if err != nil {
			return nil, err
		}
		return http.NewRequestWithContext(cmd.Context(), http.MethodPost, reg.URL+endpoint, bytes.NewReader(body))
	})
	if err != nil {
		return c.fail("invalid_path", err)
	}
	if resp == nil || resp.StatusCode == http.StatusInternalServerError && c.human() {
		if resp != nil {
			resp.Body.Close()
		}
		if !raw && !c.human() {
			return c.fail("internal", errors.New("no server is running"))
		}
		f.Path, f.Base = path, ""
		return c.local(q)
	}
	return c.show(resp)
}

// human reports whether a person asks.
func (c *teCaller) human() bool { return c.agent == humanAgent }

// local answers from the files.
func (c *teCaller) local(q teRequest) error {
	fmt.Fprintf(c.cmd.ErrOrStderr(), "quarry: no server answers for %s, reading the files\n", c.root)
	if err := q.within(c.root); err != nil {
		return err
	}
	found, err := q.local(c.cmd, c.settings, c.root)
	if err == nil && found == 0 && c.name != "cat" {
		return silent(c.cmd, teNothing)
	}
	return err
}

// find sends a request to the server of the nearest root that the working folder is
// in. The files that servers leave are only hints; but to ask each for its health first
// would double the time of a short answer, so the request itself is the question: it
// names the root, and who does not serve that, or is no server of ours, is passed over.
// The response is nil where there is no server.
func (c *teCaller) find(request func(registration) (*http.Request, error)) (*http.Response, error) {
	servers := openRegistry(c.settings)
	id := "te-" + strconv.Itoa(os.Getpid())
	for dir := c.root; ; dir = filepath.Dir(dir) {
		if reg, ok := servers.read(servers.file(dir) + ".json"); ok && reg.Root == dir {
			req, err := request(reg)
			if err != nil {
				return nil, err
			}
			for name, value := range map[string]string{"X-Request-Id": id, "X-Agent-Id": c.agent, "X-Session-Id": c.session, "Accept": "text/plain"} {
				if value != "" {
					req.Header.Set(name, value)
				}
			}
			if c.token != "" {
				req.Header.Set("Authorization", "Bearer "+c.token)
			}
			t := reg.pin.transport()
			t.DisableKeepAlives, t.ResponseHeaderTimeout = true, searchTimeout
			resp, err := (&http.Client{Transport: t}).Do(req)
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

// show prints a response, as it comes.
func (c *teCaller) show(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		n, err := io.Copy(c.cmd.OutOrStdout(), resp.Body)
		if err != nil {
			return &exitError{code: teFailed, err: fmt.Errorf("the server broke off its answer: %w", dialReason(err))}
		}
		// A raw grep is sent as it is found: there is no header that says how much.
		if c.name != "cat" && resp.Header.Get("X-Matches") == "0" || c.name == "grep" && n == 0 {
			return silent(c.cmd, teNothing)
		}
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return &exitError{code: teFailed, err: fmt.Errorf("the server broke off its answer: %w", dialReason(err))}
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") && !c.human() {
		if _, err := c.cmd.OutOrStdout().Write(text); err != nil {
			return err
		}
		return silent(c.cmd, teFailed)
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
func (c *teCaller) fail(code string, err error) error {
	if c.human() {
		return &exitError{code: teFailed, err: err}
	}
	if _, err := io.WriteString(c.cmd.OutOrStdout(), te.Failure(c.name, code, err.Error())); err != nil {
		return err
	}
	return silent(c.cmd, teFailed)
}

// teGet prints what a GET gives.
func teGet(cmd *cobra.Command, name, path string, query url.Values) error {
	c, err := newTeCaller(cmd, name)
	if err != nil {
		return err
	}
	resp, err := c.find(func(reg registration) (*http.Request, error) {
		q := url.Values{"format": {"te"}}
		for k, v := range query {
			q[k] = v
		}
		return http.NewRequestWithContext(cmd.Context(), http.MethodGet, reg.URL+path+"?"+q.Encode(), nil)
	})
	switch {
	case err != nil:
		return err
	case resp == nil:
		return c.fail("internal", fmt.Errorf("no server is running for %s", c.root))
	}
	return c.show(resp)
}

func (o *teOptions) showHandle(cmd *cobra.Command) error {
	return teGet(cmd, "handle", "/handles/"+url.PathEscape(o.handle), url.Values{"chunk": {strconv.Itoa(o.chunk)}})
}
