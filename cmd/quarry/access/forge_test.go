package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/wire"
)

// What forges answer, without most of its fields.
const (
	ofGitHub = `{"id": 1, "name": "%[2]s", "full_name": "%[1]s/%[2]s", "private": true, "owner": {"login": "%[1]s"}, "html_url": "https://github.com/%[1]s/%[2]s", "clone_url": "https://github.com/%[1]s/%[2]s.git", "ssh_url": "git@github.com:%[1]s/%[2]s.git", "permissions": {"admin": false, "push": false, "pull": true}, "role_name": "read"}`
	ofGitLab = `{"id": 1, "name": "%[2]s", "path_with_namespace": "%[1]s/%[2]s", "default_branch": "main", "ssh_url_to_repo": "git@gitlab.example:%[1]s/%[2]s.git", "http_url_to_repo": "https://gitlab.example/%[1]s/%[2]s.git", "web_url": "https://gitlab.example/%[1]s/%[2]s"}`
)

// A stub is a forge with groups.
type stub struct {
	t      *testing.T
	shape  string
	groups map[string][]string // by the path of the request, names of repositories
	header [2]string           // that has the token
	down   atomic.Bool
	asked  atomic.Int32
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	names, ok := s.groups[r.URL.EscapedPath()]
	switch {
	case s.down.Load():
		w.WriteHeader(http.StatusBadGateway)
		return
	case r.Header.Get(s.header[0]) != s.header[1]:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"message": "Not Found"}`))
		return
	}
	var page, size int
	if _, err := fmt.Sscan(r.FormValue("page"), &page); err != nil {
		s.t.Error(err)
	}
	if _, err := fmt.Sscan(r.FormValue("per_page"), &size); err != nil {
		s.t.Error(err)
	}
	list := []json.RawMessage{}
	for i := (page - 1) * size; i < min(page*size, len(names)); i++ {
		list = append(list, json.RawMessage(fmt.Sprintf(s.shape, "Acme", names[i])))
	}
	_ = json.NewEncoder(w).Encode(list)
}

// TestForge asks forges of both kinds about groups, and has them not answer.
func TestForge(t *testing.T) {
	var many []string
	for i := range 250 {
		many = append(many, fmt.Sprint("repo", i))
	}
	for _, tc := range []struct {
		kind, host string
		stub       *stub
		groups     []string
	}{
		{GitHub, "github.com", &stub{shape: ofGitHub, header: [2]string{"Authorization", "Bearer secret"}, groups: map[string][]string{"/orgs/acme/teams/shop/repos": many, "/orgs/acme/teams/web/repos": {"web"}}}, []string{"acme/shop", "everyone", "acme/gone"}},
		{GitLab, "gitlab.example", &stub{shape: ofGitLab, header: [2]string{"Private-Token", "secret"}, groups: map[string][]string{"/groups/acme%2Fshop/projects": many, "/groups/web/projects": {"web"}}}, []string{"acme/shop", "nobody", "acme/gone/too"}},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			tc.stub.t = t
			s := httptest.NewServer(tc.stub)
			defer s.Close()
			c := &clock{}
			open := func(token string) *Forge {
				return NewForge(ForgeOptions{Kind: tc.kind, URL: s.URL + "/", Token: token, Client: s.Client(), Log: slog.New(slog.NewTextHandler(t.Output(), nil)), now: c.now})
			}
			f := open("secret")
			sees := func(name string, groups ...string) (bool, error) {
				all, err := f.repositories(t.Context(), groups)
				return slices.ContainsFunc(all, func(has map[string]bool) bool { return has[name] }), err
			}
			for name, want := range map[string]bool{tc.host + "/acme/repo0": true, tc.host + "/acme/repo249": true, tc.host + "/acme/web": false} {
				if got, err := sees(name, tc.groups...); got != want || err != nil {
					t.Errorf("%s: %v, %v", name, got, err)
				}
			}
			before := tc.stub.asked.Load()
			tc.stub.down.Store(true)
			c.move(forgeAfter + askedAgain)
			if got, err := sees(tc.host+"/acme/repo7", tc.groups...); !got || err != nil {
				t.Errorf("down: %v, %v", got, err)
			}
			if n := tc.stub.asked.Load(); n == before {
				t.Error("it was not asked again")
			}
			other := "acme/web"
			if tc.kind == GitLab {
				other = "web"
			}
			code := func(err error) string {
				if p := (*wire.Problem)(nil); errors.As(err, &p) {
					return p.Code
				}
				return fmt.Sprint(err)
			}
			if _, err := sees("x", append(tc.groups, other)...); code(err) != wire.CodeUnavailable {
				t.Errorf("down, of a group that is not known: %v", err)
			}
			tc.stub.down.Store(false)
			c.move(forgeAfter + askedAgain)
			if got, err := sees(tc.host+"/acme/web", append(tc.groups, other)...); !got || err != nil {
				t.Errorf("up again: %v, %v", got, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := f.repositories(ctx, []string{"acme/new"}); !errors.Is(err, context.Canceled) {
				t.Errorf("nobody waits: %v", err)
			}
			c.move(staleAfter + time.Second)
			if _, err := sees("x", "acme/late"); err != nil || len(f.groups) != 1 {
				t.Errorf("%d groups are known, of which nobody has shown any but one for a day: %v", len(f.groups), err)
			}
			f = open("wrong")
			if _, err := sees("x", tc.groups...); code(err) != wire.CodeUnavailable {
				t.Errorf("another token: %v", err)
			}
		})
	}
}

// TestAccess has a user's rights come from the file and from the forge.
func TestAccess(t *testing.T) {
	tokens, i, _ := newTokens(t)
	path := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(path, []byte("operators = [\"ops\"]\neverybody = [\"example.com/public\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := OpenFile(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&stub{t: t, shape: ofGitHub, header: [2]string{"Authorization", "Bearer secret"}, groups: map[string][]string{"/orgs/acme/teams/shop/repos": {"Shop"}}})
	defer s.Close()
	a := &Access{Tokens: tokens, File: file, Forge: NewForge(ForgeOptions{Kind: GitHub, URL: s.URL, Token: "secret", Client: s.Client()})}
	who := func(groups ...string) *identity.Identity {
		t.Helper()
		w, err := a.Identify(t.Context(), i.Token("one", "ann", groups, nil))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := who("acme/shop"); !w.May("github.com/Acme/Shop") || !w.May("github.com/acme/shop") || !w.May("example.com/public") || w.May("github.com/acme/shop2") || w.Operates() {
		t.Error("a user of a team sees something else")
	}
	if w := who("acme/shop2"); w.May("github.com/acme/shop") || !w.May("example.com/public") {
		t.Error("a user of no team sees something else")
	}
	if w := who("ops"); !w.Operates() || !w.May("x") || w.Owner != who().Owner {
		t.Error("an operator sees something else")
	}
	if _, err := a.Identify(t.Context(), "x"); err == nil {
		t.Error("anybody is let in")
	}
}
