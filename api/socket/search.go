package socket

import (
	"context"
	"path"
	"strings"
)

// semantic answers with the results of a search as a list, or says how much is indexed.
func (c *call) semantic(ctx context.Context) (answer, error) {
	switch action := c.asked.text("action"); action {
	case "", "search":
	case "index": // it always is
		return own((*call).indexed)(c, ctx)
	default:
		return nil, failf(codeInvalidRequest, "Unknown action: %s", clip(action))
	}
	return c.through(ctx, (*call).results)
}

// indexed says how much is indexed.
func (c *call) indexed(ctx context.Context) (answer, error) {
	body, err := c.get(ctx, "/status", fields{"skipped": 0})
	if err != nil {
		return nil, err
	}
	indexed := body.object("index")["chunks"]
	return answer{"indexed": indexed, "result": fields{"indexed": indexed}}.with(body), nil
}

// search answers as semantic does or, where a pattern is sought, with the lines that
// match it.
func (c *call) search(ctx context.Context) (answer, error) {
	if c.f["mode"] != "regex" {
		return c.through(ctx, (*call).results)
	}
	if c.f["limit"] == nil {
		c.f["limit"] = 100
	}
	return c.through(ctx, func(c *call, _ context.Context, body fields) (answer, error) {
		for _, r := range body.list("results") {
			r["content"] = strings.TrimSpace(r.text("content"))
		}
		return c.results(ctx, body)
	})
}

// results shapes those of a search.
func (c *call) results(ctx context.Context, body fields) (answer, error) {
	if _, one := body["results"]; !one { // of several queries
		return answer{"result": body}.with(body), nil
	}
	list := body.list("results")
	for _, r := range list {
		symbol := r.text("symbol")
		r["name"], r["qualified_name"], r["unit_type"] = lastName(symbol), symbol, r.text("kind")
		if symbol == "" {
			r["name"], r["qualified_name"] = path.Base(r.text("file")), r["file"]
		}
		if r["unit_type"] == "" {
			r["unit_type"] = "chunk"
		}
	}
	return answer{"result": list, "results": list}.with(body), nil
}

// lastName returns the name of a symbol without its containers.
func lastName(symbol string) string {
	return symbol[strings.LastIndexAny(symbol, ".:#")+1:]
}
