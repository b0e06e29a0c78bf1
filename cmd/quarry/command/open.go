package command

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/web"
)

// browserWait is how long the program that opens a browser may take to say that it cannot; one
// that has become the browser does not end.
const browserWait = 3 * time.Second

func newOpenCommand() *cobra.Command {
	var onlyPrint bool
	cmd := &cobra.Command{
		Use:   "open [ROOT]",
		Short: "Open the page of a project in the browser",
		Long: `Open finds the server of ROOT (by default the working folder), or starts one in
the background as ensure does, and opens its page in the browser, by xdg-open, open
or what the system has for that. With --print it prints the address instead.

Where the server asks for a token, so does the page. The token is never a part of the
address, since that stands in lists of processes and in the browser's history: open
says which file has it.

Exit codes: 0 the page was opened, or its address printed; 1 no server could be
started, or there is no browser.`,
		Example: `  quarry open
  quarry open ~/src/project
  quarry open --print`,
		Args: invocation.AtMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, reg, _, err := ensured(cmd, args)
			if err != nil {
				return err
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			address := pageOf(cmd.Context(), &reg, token)
			if token != "" {
				cmd.PrintErrf("quarry: the page asks for the token, which is in %s\n", s.Server.TokenFile)
			}
			if onlyPrint {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), address)
				return err
			}
			return browse(cmd.Context(), address)
		},
	}
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print the address of the page, and open nothing")
	invocation.AddYesFlag(cmd.Flags())
	config.AddFlags(cmd.Flags(), config.RootFlag|config.ServerFlags|config.TokenFlag)
	return cmd
}

// pageOf returns the address of the page about a registration's root. That names the project
// unless it is the server's first, or the server does not say.
func pageOf(ctx context.Context, reg *registry.Registration, token string) string {
	ctx, cancel := context.WithTimeout(ctx, registry.ProbeTimeout)
	defer cancel()
	health, err := reg.Remote(token).Health(ctx)
	if err != nil || health.Root == "" || health.Root == reg.Root {
		return reg.URL + web.First
	}
	return reg.URL + web.First + "?project=" + url.QueryEscape(reg.Root)
}

// browse opens an address in the browser. What opens it is left to run where it does not end.
func browse(ctx context.Context, address string) error {
	program := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		program = []string{"open"}
	case "windows":
		program = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(program[0], append(program[1:], address)...) // the command's context must not end it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("no browser can be opened (%w): open %s yourself", err, address)
	}
	ended := make(chan error, 1) // with it or with this process
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("no browser can be opened (%s: %w): open %s yourself", program[0], err, address)
		}
	case <-time.After(browserWait):
	case <-ctx.Done():
	}
	return nil
}
