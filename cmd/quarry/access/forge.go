package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/git"
)

const (
	forgeAfter = 5 * time.Minute // a right that is withdrawn at the forge is so within that
	pageSize   = 100
	maxPages   = 100              // of a group
	allWithin  = 20 * time.Second // for all groups of a token; what has come by then is known to the next request
)

// A Forge says which repositories a group of its own has. Groups of tokens are those of GitLab by
// their full path, and teams of GitHub as ORGANISATION/TEAM. Repositories have the names of
// their addresses, as those of a catalogue that got no other. It is safe for concurrent use.
type Forge struct {
	opt ForgeOptions

	mu     sync.Mutex
	groups map[string]*remembered[map[string]bool]
}

// ForgeOptions configure a Forge. Kind and URL are needed.
type ForgeOptions struct {
	Kind   string       // one of Forges
	URL    string       // of its API, such as https://api.github.com or https://gitlab.example/api/v4
	Token  string       // that may read groups and their repositories
	Client *http.Client // nil: one of its own
	Log    *slog.Logger
	now    func() time.Time // in a test
}

// The kinds of forges.
const (
	GitHub = "github"
	GitLab = "gitlab"
)

// Forges are the kinds of forges that can be asked.
func Forges() []string { return []string{GitHub, GitLab} }

// NewForge returns a Forge that has not been asked yet.
func NewForge(opt ForgeOptions) *Forge {
	if opt.Client == nil {
		opt.Client = newClient()
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.now == nil {
		opt.now = time.Now
	}
	opt.URL = strings.TrimSuffix(opt.URL, "/")
	return &Forge{opt: opt, groups: map[string]*remembered[map[string]bool]{}}
}

// repositories returns those of some groups. Its error is a *wire.Problem, or that of ctx.
func (f *Forge) repositories(ctx context.Context, groups []string) ([]map[string]bool, error) {
	within, cancel := context.WithTimeout(ctx, allWithin)
	defer cancel()
	var all []map[string]bool
	for _, g := range groups {
		if f.opt.Kind == GitHub && strings.Count(g, "/") != 1 {
			continue // it is no team
		}
		has, known, _ := f.group(g).get(within, func(map[string]bool) bool { return true })
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !known || within.Err() != nil: // to leave it out would deny what there is
			return nil, wire.Problemf(wire.CodeUnavailable, "which repositories there are for you cannot be found out now: the forge does not answer")
		}
		all = append(all, has)
	}
	return all, nil
}

func (f *Forge) group(name string) *remembered[map[string]bool] {
	f.mu.Lock()
	defer f.mu.Unlock()
	g := f.groups[name]
	if g == nil {
		maps.DeleteFunc(f.groups, func(_ string, g *remembered[map[string]bool]) bool { return g.forgotten() })
		g = remember("group "+name, forgeAfter, f.opt.Log, f.opt.now, func(ctx context.Context) (map[string]bool, error) { return f.ask(ctx, name) })
		f.groups[name] = g
	}
	return g
}

// ask gets the repositories of a group, page by page, in small letters: to forges, all are the same. Of a group that the forge does not have,
// or does not show, there are none.
func (f *Forge) ask(ctx context.Context, group string) (map[string]bool, error) {
	header, path := http.Header{}, ""
	switch f.opt.Kind {
	case GitHub:
		header.Set("Authorization", "Bearer "+f.opt.Token)
		header.Set("Accept", "application/vnd.github+json")
		header.Set("X-Github-Api-Version", "2022-11-28")
		organisation, team, _ := strings.Cut(group, "/")
		path = "/orgs/" + url.PathEscape(organisation) + "/teams/" + url.PathEscape(team) + "/repos?"
	default:
		header.Set("Private-Token", f.opt.Token)
		path = "/groups/" + url.PathEscape(group) + "/projects?include_subgroups=true&with_shared=true&simple=true&"
	}
	all := map[string]bool{}
	for page := 1; ; page++ {
		if page > maxPages {
			return nil, fmt.Errorf("it has more than %d repositories", maxPages*pageSize)
		}
		var list []struct {
			CloneURL string `json:"clone_url"`        // of GitHub
			HTTPURL  string `json:"http_url_to_repo"` // of GitLab
		}
		_, err := getJSON(ctx, f.opt.Client, f.opt.URL+path+"per_page="+strconv.Itoa(pageSize)+"&page="+strconv.Itoa(page), header, &list)
		var status *statusError
		switch {
		case errors.As(err, &status) && status.status == http.StatusNotFound && page == 1:
			return all, nil
		case err != nil:
			return nil, err
		}
		for _, r := range list {
			for _, address := range []string{r.CloneURL, r.HTTPURL} {
				if name := git.OriginOf(address); name != "" {
					all[strings.ToLower(name)] = true
				}
			}
		}
		if len(list) < pageSize {
			return all, nil
		}
	}
}
