package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/cmd/quarry/access"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/server"
	"github.com/quarry-search/quarry/index"
)

// Serve answers over HTTP as the settings say, until ctx ends.
func Serve(ctx context.Context, s config.Settings, c *catalogue.Catalogue, out io.Writer) (err error) {
	b := server.NewBase(s, out)
	b.Identified = s.Gateway.Issuer != ""
	defer func() { err = errors.Join(err, b.Close()) }()
	for _, open := range []func(context.Context) error{b.Authorize, b.Tune, b.Listen, b.OpenModel} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	g, err := fromBase(&b, c)
	if err != nil {
		return err
	}
	b.OnClose(g.Close)
	secret, err := s.WebhookSecret()
	if err != nil {
		return err
	}
	hooks := g.NewHooks(secret, s.AllowedProtocols())
	answering := b.Answering(g.Host)
	answering.Projects, answering.Others, answering.Apart, answering.Unready = g, g, true, g.Unread
	answering.Envelope = s.Envelope(b.Log)
	b.OnClose(answering.Envelope.Log.Close)
	answering.Around = func(next http.Handler) http.Handler { return g.opt.Peers.Around(hooks.Around(next)) }
	answering.Figures = api.Figures{Departed: g.Departed, Parsers: b.ParserCounts()}
	if answering.Registry, err = g.registry(); err != nil {
		return err
	}
	rights, err := openAccess(&b)
	if err != nil {
		return err
	}
	if rights != nil {
		answering.Identify = g.opt.Meters.counted(rights.Identify)
		if err := answering.Registry.Register(rightsInOrder(rights.File)); err != nil {
			return err
		}
	}
	http, err := api.New(answering)
	if err != nil {
		return err
	}
	err = c.Prepare(ctx)
	if err == nil {
		err = g.Refresh(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	b.Served = true
	if err != nil { // it is tried again; until then, questions are answered so
		fmt.Fprintf(b.Out, "quarry: a gateway at %s%s, which does not know its repositories yet: %v\n", b.Shown.Scheme(), b.Address, err)
	} else {
		fmt.Fprintf(b.Out, "quarry: a gateway of %d repositories at %s%s\n", len(g.List(ctx)), b.Shown.Scheme(), b.Address)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return g.Run(ctx) })
	group.Go(func() error { return http.Serve(ctx, b.Listeners...) })
	if rights != nil {
		group.Go(func() error { return rights.File.Run(ctx, time.Duration(s.Gateway.Poll)) })
	}
	return group.Wait()
}

// openAccess returns what says who asks; nil: the token of all says so, or nothing does.
func openAccess(b *server.Base) (*access.Access, error) {
	set := &b.Settings.Gateway
	if set.Issuer == "" {
		return nil, nil
	}
	if err := access.CheckURL(set.Issuer); err != nil {
		return nil, fmt.Errorf("oidc-issuer: %w", err)
	}
	file, err := access.OpenFile(set.Permissions, b.Log)
	if err != nil {
		return nil, err
	}
	tokens := access.NewTokens(access.Options{Issuer: set.Issuer, Audiences: set.Audience, Claim: set.GroupsClaim, Log: b.Log})
	forge, err := openForge(b)
	return &access.Access{Tokens: tokens, File: file, Forge: forge}, err
}

// openForge returns the forge that is asked about its groups, nil for none.
func openForge(b *server.Base) (*access.Forge, error) {
	set := &b.Settings.Gateway
	address, known := map[string]string{access.GitHub: "https://api.github.com", access.GitLab: "https://gitlab.com/api/v4"}[set.Forge]
	switch {
	case set.Forge == "":
		return nil, nil
	case !known:
		return nil, fmt.Errorf("forge must be %s, not %q", strings.Join(access.Forges(), " or "), set.Forge)
	}
	address = cmp.Or(set.ForgeURL, address)
	if err := access.CheckURL(address); err != nil {
		return nil, fmt.Errorf("forge-url: %w", err)
	}
	token, err := b.Settings.ForgeToken()
	if err != nil {
		return nil, err
	}
	return access.NewForge(access.ForgeOptions{Kind: set.Forge, URL: address, Token: token, Log: b.Log}), nil
}

// registry returns where the metrics of a gateway are: its own, and those of the process.
func (g *Gateway) registry() (*prometheus.Registry, error) {
	all := append(g.collectors(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reg := prometheus.NewRegistry()
	for _, c := range all {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return reg, nil
}

// fromBase returns a Gateway as the settings say.
func fromBase(b *server.Base, c *catalogue.Catalogue) (*Gateway, error) {
	s := &b.Settings
	keys, err := s.SnapshotKeys()
	if err != nil {
		return nil, err
	}
	meters := NewMeters()
	peers, err := NewPeers(s.Gateway.Peers, b.Log, meters)
	if err != nil {
		return nil, err
	}
	of := index.Options{Embedder: b.Model, Reranker: b.Reranker, Logger: b.Log, Workers: b.Processors, Background: true, Throttle: b.Gate, Parsers: b.Parsers, Sealed: true}
	return New(Options{
		Catalogue: c, Depot: func(name string) (*depot.Depot, error) { return s.Depot(name) },
		Open: func(name string) (*index.Index, error) { return index.Open(name, engine.Options(s, of)) },
		Keys: keys, Folder: filepath.Join(s.DataDir, "gateway"), Limit: int64(s.Cache.Size), Poll: time.Duration(s.Gateway.Poll),
		Peers: peers, Across: s.Gateway.Across, Log: b.Log, Meters: meters,
	}, host.Options{
		Logger: b.Log, NoModel: b.NoModel, Budget: int64(s.Server.Memory), Beside: b.ParserMemory(), Collector: b.Collector,
	}), nil
}
