package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/index/git"
)

const (
	hooksPath  = "/webhooks/"
	maxHook    = 4 << 20 // bytes; of a longer one, the next look of a worker finds what it says
	hookWithin = 10 * time.Second
	maxHooks   = 8 // that are read at once
)

// Hooks are the webhooks of a forge, which say what has changed before a worker looks. What they say is
// trusted no further than that: the commit is asked of the remote.
type Hooks struct {
	gateway   *Gateway
	secret    []byte
	protocols []string
	slots     chan struct{}
}

// NewHooks returns those that know a secret, and use some protocols to reach repositories.
func (g *Gateway) NewHooks(secret []byte, protocols []string) *Hooks {
	return &Hooks{g, secret, protocols, make(chan struct{}, maxHooks)}
}

// Around takes webhooks, and leaves all else to next. Without a secret there are none.
func (h *Hooks) Around(next http.Handler) http.Handler {
	if len(h.secret) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forge, ok := strings.CutPrefix(r.URL.Path, hooksPath)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		outcome, err := h.take(w, r, forge)
		var p *wire.Problem
		switch {
		case err == nil:
		case errors.As(err, &p) && p.Code != wire.CodeUnavailable:
			outcome = hookRefused
		default:
			outcome = hookFailed
			h.gateway.opt.Log.Error("a webhook came to nothing", "forge", forge, "err", err)
			p = &wire.Problem{Code: wire.CodeUnavailable, Message: "the catalogue cannot be written now; a worker sees the change when it looks"}
		}
		h.gateway.opt.Meters.hooks.WithLabelValues(outcome).Inc()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if p != nil {
			if p.Code == wire.CodeUnavailable {
				w.Header().Set("Retry-After", "10")
			}
			w.WriteHeader(hookStatus[p.Code])
			_ = json.NewEncoder(w).Encode(p)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		_ = json.NewEncoder(w).Encode(map[string]string{"outcome": outcome})
	})
}

var hookStatus = map[string]int{
	wire.CodeNotFound: http.StatusNotFound, wire.CodeMethodNotAllowed: http.StatusMethodNotAllowed, wire.CodeUnauthorized: http.StatusUnauthorized,
	wire.CodeInvalidRequest: http.StatusBadRequest, wire.CodePayloadTooLarge: http.StatusRequestEntityTooLarge, wire.CodeUnavailable: http.StatusServiceUnavailable,
}

// take reads a webhook, proves that it knows the secret, and does what it says.
func (h *Hooks) take(w http.ResponseWriter, r *http.Request, forge string) (outcome string, err error) {
	switch {
	case forge != "github" && forge != "gitlab":
		return "", wire.Problemf(wire.CodeNotFound, "webhooks are of github or gitlab")
	case r.Method != http.MethodPost:
		return "", wire.Problemf(wire.CodeMethodNotAllowed, "a webhook is a POST")
	}
	ctx, cancel := context.WithTimeout(r.Context(), hookWithin)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(hookWithin))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHook))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return "", wire.Problemf(wire.CodePayloadTooLarge, "a webhook has at most %d bytes", maxHook)
	case err != nil:
		return "", wire.Problemf(wire.CodeInvalidRequest, "the webhook did not come whole")
	case !h.knows(forge, r.Header, body):
		return "", wire.Problemf(wire.CodeUnauthorized, "the webhook does not know the secret")
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return "", wire.Problemf(wire.CodeInvalidRequest, "the webhook must be JSON, application/json in the settings of the forge")
	}
	what := e.ofGitLab
	if forge == "github" {
		what = e.ofGitHub
	}
	return h.do(ctx, what(r.Header))
}

// knows reports whether a webhook knows the secret, in a time that does not say how much of it.
func (h *Hooks) knows(forge string, header http.Header, body []byte) bool {
	if forge == "gitlab" {
		want, got := sha256.Sum256(h.secret), sha256.Sum256([]byte(header.Get("X-Gitlab-Token")))
		return subtle.ConstantTimeCompare(want[:], got[:]) == 1
	}
	got, err := hex.DecodeString(strings.TrimPrefix(header.Get("X-Hub-Signature-256"), "sha256="))
	mac := hmac.New(sha256.New, h.secret)
	mac.Write(body)
	return err == nil && hmac.Equal(mac.Sum(nil), got)
}

// A change is what a webhook says.
type change struct {
	pushed  string   // the branch; "": nothing was pushed
	gone    bool     // the repository is
	names   []string // of the repository, as git.OriginOf has them; before it was renamed
	renamed []string // addresses that it has now; none: it was not
}

// An event is what of the webhooks of both forges is read.
type event struct {
	// Of GitHub.
	Ref        string `json:"ref"`
	Deleted    bool   `json:"deleted"`
	Action     string `json:"action"`
	Repository struct {
		FullName string `json:"full_name"`
		CloneURL string `json:"clone_url"`
		SSHURL   string `json:"ssh_url"`
	} `json:"repository"`
	Changes struct {
		Repository struct {
			Name struct {
				From string `json:"from"`
			} `json:"name"`
		} `json:"repository"`
		Owner struct {
			From struct {
				User         *login `json:"user"`
				Organization *login `json:"organization"`
			} `json:"from"`
		} `json:"owner"`
	} `json:"changes"`
	// Of GitLab.
	Event   string `json:"event_name"`
	After   string `json:"after"`
	Path    string `json:"path_with_namespace"`
	Old     string `json:"old_path_with_namespace"`
	Project struct {
		HTTPURL string `json:"git_http_url"`
		SSHURL  string `json:"git_ssh_url"`
	} `json:"project"`
}

type login struct {
	Login string `json:"login"`
}

// ofGitHub is what a webhook of GitHub says.
func (e *event) ofGitHub(header http.Header) (c change) {
	urls := []string{e.Repository.CloneURL, e.Repository.SSHURL}
	c.names = originsOf(urls...)
	switch kind := header.Get("X-GitHub-Event"); {
	case kind == "push" && !e.Deleted:
		c.pushed, _ = strings.CutPrefix(e.Ref, "refs/heads/")
		if c.pushed == e.Ref {
			c.pushed = "" // a tag
		}
	case kind == "repository" && e.Action == "deleted":
		c.gone = true
	case kind == "repository" && (e.Action == "renamed" || e.Action == "transferred"):
		owner, name, _ := strings.Cut(e.Repository.FullName, "/")
		if from := e.Changes.Repository.Name.From; from != "" {
			name = from
		}
		for _, from := range []*login{e.Changes.Owner.From.User, e.Changes.Owner.From.Organization} {
			if from != nil && from.Login != "" {
				owner = from.Login
			}
		}
		c.renamed = urls
		c.names = moved(c.names, e.Repository.FullName, owner+"/"+name)
	}
	return c
}

// ofGitLab is what a webhook of GitLab says. Those of the whole instance about a project name no
// address, but the instance in a header.
func (e *event) ofGitLab(header http.Header) (c change) {
	instance := strings.TrimSuffix(header.Get("X-Gitlab-Instance"), "/")
	switch e.Event {
	case "push":
		c.names = originsOf(e.Project.HTTPURL, e.Project.SSHURL)
		if name, ok := strings.CutPrefix(e.Ref, "refs/heads/"); ok && strings.Trim(e.After, "0") != "" {
			c.pushed = name
		}
	case "project_destroy":
		c.gone, c.names = true, originsOf(instance+"/"+e.Path)
	case "project_rename", "project_transfer":
		c.names, c.renamed = originsOf(instance+"/"+e.Old), []string{instance + "/" + e.Path + ".git"}
	}
	return c
}

func originsOf(urls ...string) (names []string) {
	for _, u := range urls {
		if name := git.OriginOf(u); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// moved puts one path in place of another at the end of names.
func moved(names []string, now, before string) (old []string) {
	for _, n := range names {
		if host, ok := strings.CutSuffix(n, "/"+now); ok {
			old = append(old, host+"/"+before)
		}
	}
	return old
}

// do does what a webhook says, for all repositories of the catalogue that it is about. To do it twice is
// as good as once.
func (h *Hooks) do(ctx context.Context, c change) (outcome string, err error) {
	rows, err := h.about(ctx, c)
	if err != nil {
		return "", err
	}
	outcome = hookIgnored
	for _, row := range rows {
		switch {
		case row.State == catalogue.Removing:
			continue
		case c.gone:
			err, outcome = h.gateway.opt.Catalogue.Remove(ctx, row.Name), hookRemoved
		case len(c.renamed) > 0:
			var done bool
			if done, err = h.rename(ctx, row, c.renamed); done {
				outcome = hookQueued
			}
		case c.pushed != "" && (branchOf(&row) == "" || branchOf(&row) == c.pushed):
			err, outcome = h.gateway.opt.Catalogue.LookAt(ctx, row.Name), hookQueued
		}
		if err != nil && !errors.Is(err, catalogue.ErrNone) {
			return "", err
		}
	}
	if c.gone || len(c.renamed) > 0 {
		err = h.gateway.Refresh(ctx)
	}
	return outcome, err
}

// about returns the repositories of the catalogue that a webhook is about: by their names, or
// by their addresses where they have names of their own.
func (h *Hooks) about(ctx context.Context, c change) (rows []catalogue.Repository, err error) {
	if len(c.names) == 0 {
		return nil, nil
	}
	all, err := h.gateway.opt.Catalogue.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range all {
		of := git.OriginOf(row.Address)
		for _, name := range c.names {
			if strings.EqualFold(name, of) {
				rows = append(rows, row)
				break
			}
		}
	}
	return rows, nil
}

// rename gives a repository the address that it has now, on the host that it had before and by the same
// protocol, and with that its new name, unless it has one of its own.
func (h *Hooks) rename(ctx context.Context, row catalogue.Repository, addresses []string) (done bool, err error) {
	hostOf := func(name string) string { host, _, _ := strings.Cut(name, "/"); return host }
	before, secure := git.OriginOf(row.Address), strings.HasPrefix(row.Address, "http")
	for _, a := range addresses {
		name, err := catalogue.ParseAddress(a, h.protocols)
		if err != nil || hostOf(name) != hostOf(before) || secure != strings.HasPrefix(a, "http") && len(addresses) > 1 {
			continue
		}
		if !strings.EqualFold(row.Name, before) {
			return true, h.gateway.opt.Catalogue.Add(ctx, row.Name, a, row.Branch)
		}
		if err := h.gateway.opt.Catalogue.Add(ctx, name, a, row.Branch); err != nil || name == row.Name {
			return true, err
		}
		return true, h.gateway.opt.Catalogue.Remove(ctx, row.Name)
	}
	return false, nil
}

// branchOf is the branch that is indexed of a repository; "": it is not known yet.
func branchOf(row *catalogue.Repository) string {
	if row.Branch != "" {
		return row.Branch
	}
	return row.Trunk
}
