package catalogue

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/index/git"
)

// Protocols are those by which a repository may be reached unless an operator says otherwise.
// A protocol that has git run a program of the address's choice is none of those that can be
// allowed.
func Protocols() []string { return []string{"https", "ssh"} }

// Possible are the protocols that an operator may allow.
func Possible() []string { return []string{"https", "ssh", "http", "git", "file"} }

// ParseAddress refuses what is not the address of a git repository by one of some protocols,
// and returns the name under which its snapshots are: host and path, as a clone of it has it.
func ParseAddress(address string, protocols []string) (name string, err error) {
	protocol, user := "", ""
	switch u, err := url.Parse(address); {
	case address == "" || strings.HasPrefix(address, "-") || len(address) > 2000 || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", fmt.Errorf("%q is not the address of a git repository", address)
	case strings.Contains(address, "::"):
		return "", fmt.Errorf("%q would have git run a helper program", address)
	case err == nil && u.Scheme != "" && strings.Contains(address, "://"):
		protocol = u.Scheme
		if _, secret := u.User.Password(); secret {
			user = "a password"
		}
		if protocol == "file" {
			name = strings.Trim(u.Path, "/")
		}
	case strings.HasPrefix(address, "/"):
		protocol, name = "file", strings.Trim(address, "/")
	default: // user@host:path, as scp has it
		protocol = "ssh"
	}
	switch {
	case user != "":
		return "", fmt.Errorf("the address has %s in it: credentials are the business of git's credential helper", user)
	case !slices.Contains(protocols, protocol):
		return "", fmt.Errorf("%q is reached by %s, and allowed are: %s", address, protocol, strings.Join(protocols, ", "))
	}
	if protocol == "file" {
		name = strings.TrimSuffix(name, ".git")
	} else {
		name = git.OriginOf(address)
	}
	if name == "" {
		return "", fmt.Errorf("%q is not the address of a git repository", address)
	}
	return name, depot.CheckName(name)
}
