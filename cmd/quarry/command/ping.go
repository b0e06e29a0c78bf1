package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

func newPingCommand() *cobra.Command {
	var ready bool
	var address string
	cmd := &cobra.Command{
		Use:   "ping",
		Short: "Check whether a server is running",
		Long: `Ping checks whether the server answers, and prints its address and root. It is
made for health checks: it takes less than a second, and its exit
code is the answer.

It asks the server of --root; otherwise that of the nearest folder around the
working folder; otherwise the only one that runs; otherwise whatever listens on
the configured port.

Exit codes: 0 the server answers (with --ready: and its first build has finished),
1 it does not.`,
		Example: `  quarry ping
  quarry ping --ready --root ~/src/project`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), probeTimeout)
			defer cancel()
			reg, err := locate(ctx, cmd, s, address)
			if err != nil {
				return err
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			server := reg.remote(token)
			h, err := server.health(ctx)
			if err != nil {
				return err
			}
			state := "ok"
			if ready {
				ok, err := server.ready(ctx)
				if err != nil {
					return err
				}
				if !ok {
					return fmt.Errorf("%s is not ready yet", reg.URL)
				}
				state = "ready"
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), state, reg.URL, cmp.Or(reg.Root, h.Root))
			return err
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "fail while the first build runs")
	cmd.Flags().StringVar(&address, "url", "", "ask the server at this address")
	config.AddFlags(cmd.Flags(), config.RootFlag|config.TokenFlag)
	return cmd
}

// locate returns the address of the server that a command without a query is
// about; see the help of ping for the order. The root is "" where the server's first
// one is meant.
func locate(ctx context.Context, cmd *cobra.Command, s config.Settings, address string) (registration, error) {
	if address != "" {
		server, err := named(&s, address, "")
		return registration{URL: server.base, pin: server.pin}, err
	}
	servers := openRegistry(s)
	if s.RootGiven {
		root, err := projectRoot(cmd, s, nil)
		if err != nil {
			return registration{}, err
		}
		if reg, ok := servers.containing(ctx, root); ok {
			return reg, nil
		}
		return registration{}, fmt.Errorf("no server is running for %s", root)
	}
	if dir, err := folder.Real("."); err == nil {
		if reg, ok := servers.containing(ctx, dir); ok {
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
	reg := registration{URL: scheme + reachable(net.JoinHostPort(s.Server.Bind, strconv.Itoa(s.Server.Port))), pin: pin{File: s.Server.TLSCert}}
	if _, err := reg.remote("").health(ctx); err != nil {
		return registration{}, errors.New("no server is running for this folder, nor on the configured port")
	}
	return reg, nil
}

// named returns the server at an address that the user has given: http or https, a host,
// no path.
func named(s *config.Settings, address, token string) (remote, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return remote{}, fmt.Errorf("url must be like http://localhost:3456, not %q", address)
	}
	return remote{base: u.Scheme + "://" + u.Host, pin: pin{File: s.Server.TLSCert}, token: token}, nil
}
