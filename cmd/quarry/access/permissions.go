package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/pelletier/go-toml/v2"

	"github.com/quarry-search/quarry/api/identity"
)

// A pattern is of names of repositories, such as example.com/team/**.
type pattern struct{ text string }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *pattern) UnmarshalText(text []byte) error {
	if len(text) == 0 || !doublestar.ValidatePattern(string(text)) {
		return fmt.Errorf("%q is no pattern of names", text)
	}
	p.text = string(text)
	return nil
}

// Permissions say which repositories there are for whom.
type Permissions struct {
	Everybody []pattern            `toml:"everybody"` // who shows a token
	Groups    map[string][]pattern `toml:"groups"`
	Operators []string             `toml:"operators"` // groups that see all, and what is said of the server itself
}

// Parse reads permissions. Its error names the line.
func Parse(path string, text []byte) (*Permissions, error) {
	p := &Permissions{}
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(p)
	if missing := (*toml.StrictMissingError)(nil); errors.As(err, &missing) && len(missing.Errors) > 0 {
		unknown := &missing.Errors[0]
		line, _ := unknown.Position()
		return nil, fmt.Errorf("permissions %s:%d: unknown key %q: there are everybody, groups and operators", path, line, strings.Join(unknown.Key(), "."))
	}
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		line, _ := wrong.Position()
		reason := strings.TrimPrefix(wrong.Error(), "toml: ")
		if strings.HasPrefix(reason, "cannot decode TOML") {
			reason = strings.Join(wrong.Key(), ".") + ` must be a list such as ["example.com/team/**"]`
		}
		return nil, fmt.Errorf("permissions %s:%d: %s", path, line, reason)
	}
	if err != nil {
		return nil, fmt.Errorf("permissions %s: %w", path, err)
	}
	return p, nil
}

// operates reports whether one of some groups is of operators.
func (p *Permissions) operates(groups []string) bool {
	return slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(p.Operators, g) })
}

// sees returns what there is for some groups.
func (p *Permissions) sees(groups []string) func(repository string) bool {
	all := slices.Clone(p.Everybody)
	for _, g := range groups {
		all = append(all, p.Groups[g]...)
	}
	return func(repository string) bool {
		return slices.ContainsFunc(all, func(one pattern) bool {
			ok, _ := doublestar.Match(one.text, repository) // it was valid
			return ok
		})
	}
}

// A File is a file of permissions, which is read again when it changes. It is safe for
// concurrent use.
type File struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex
	text []byte // of the last reading, good or bad
	now  *Permissions
	err  error
}

// OpenFile reads a file.
func OpenFile(path string, log *slog.Logger) (*File, error) {
	f := &File{path: path, log: log}
	return f, f.Reload()
}

// Reload reads the file again. While it cannot be read, or is not in order, what was read before
// holds.
func (f *File) Reload() error {
	text, err := os.ReadFile(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && f.text != nil && bytes.Equal(text, f.text) {
		return f.err
	}
	var p *Permissions
	if err == nil {
		f.text = append([]byte{}, text...)
		p, err = Parse(f.path, text)
	} else {
		f.text = nil
		err = fmt.Errorf("permissions: %w", err)
	}
	switch first := f.now == nil; {
	case err != nil && !first && (f.err == nil || f.err.Error() != err.Error()):
		f.log.Error("the permissions are not in order: those that were read before hold", "err", err)
	case err == nil:
		if f.now = p; !first {
			f.log.Info("the permissions were read again", "path", f.path)
		}
	}
	f.err = err
	return err
}

// Run reads the file again and again until ctx ends.
func (f *File) Run(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			_ = f.Reload() // it says so in the log
		}
	}
}

// Err says why the file is not what holds; nil: it is.
func (f *File) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Permissions returns those that hold.
func (f *File) Permissions() *Permissions {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// An Access lets in who shows a token, to what there is for their groups.
type Access struct {
	Tokens *Tokens
	File   *File
	Forge  *Forge // nil: none is asked
}

// Identify says who shows a token. Its error is a *wire.Problem, or that of ctx.
func (a *Access) Identify(ctx context.Context, token string) (*identity.Identity, error) {
	u, err := a.Tokens.User(ctx, token)
	if err != nil {
		return nil, err
	}
	who := &identity.Identity{Owner: "user " + u.Subject}
	p := a.File.Permissions()
	if p.operates(u.Groups) {
		return who, nil
	}
	who.Sees = p.sees(u.Groups)
	if a.Forge == nil {
		return who, nil
	}
	more, err := a.Forge.repositories(ctx, u.Groups)
	if err != nil {
		return nil, err
	}
	fromFile := who.Sees
	who.Sees = func(repository string) bool {
		folded := strings.ToLower(repository)
		return fromFile(repository) || slices.ContainsFunc(more, func(has map[string]bool) bool { return has[folded] })
	}
	return who, nil
}
