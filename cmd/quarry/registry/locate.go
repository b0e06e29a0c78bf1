package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

// Locate returns the address of the server that a command without a query is
// about; see the help of ping for the order. The root is "" where the server's first
// one is meant.
func Locate(ctx context.Context, cmd *cobra.Command, s config.Settings, address string) (Registration, error) {
	if address != "" {
		server, err := Named(&s, address, "")
		return Registration{URL: server.URL, Pin: server.Pin}, err
	}
	servers := Open(s)
	if s.RootGiven {
		root, err := invocation.ProjectRoot(cmd, s, nil)
		if err != nil {
			return Registration{}, err
		}
		if reg, ok := servers.Containing(ctx, root); ok {
			return reg, nil
		}
		return Registration{}, fmt.Errorf("no server is running for %s", root)
	}
	if dir, err := folder.Real("."); err == nil {
		if reg, ok := servers.Containing(ctx, dir); ok {
			return reg, nil
		}
	}
	if reg, ok := servers.only(ctx); ok {
		return reg, nil
	}
	scheme := "http://"
	if s.Server.TLSCert != "" {
		scheme = "https://"
	}
	reg := Registration{URL: scheme + Reachable(net.JoinHostPort(s.Server.Bind, strconv.Itoa(s.Server.Port))), Pin: certificate.Pin{File: s.Server.TLSCert}}
	if _, err := reg.Remote("").Health(ctx); err != nil {
		return Registration{}, errors.New("no server is running for this folder, nor on the configured port")
	}
	return reg, nil
}

// Named returns the server at an address that the user has given: http or https, a host,
// no path.
func Named(s *config.Settings, address, token string) (Remote, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Remote{}, fmt.Errorf("url must be like http://localhost:3456, not %q", address)
	}
	return Remote{URL: u.Scheme + "://" + u.Host, Pin: certificate.Pin{File: s.Server.TLSCert}, Token: token}, nil
}

// AddURLFlag declares the flag with the address that Named reads.
func AddURLFlag(fs *pflag.FlagSet, address *string) {
	fs.StringVar(address, "url", "", "ask the server at this address")
}
