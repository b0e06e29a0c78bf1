// Package llm has texts summarised by somebody else's model, over any endpoint that speaks
// OpenAI's protocol of chat completions: a hosted one, or llama.cpp, Ollama and vLLM on
// this machine.
//
// It is used only where the operator has configured an endpoint. What can go wrong, goes
// wrong often: whoever asks has the local summary at hand, and Replace gives that in its
// place. The key is in the header of requests to the endpoint and nowhere else: not in
// errors, not in logs, and not in what a Client prints as.
package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/summary"
)

const (
	// defaultTimeout bounds a summary, all its requests together. It is less than what
	// the server gives a request.
	defaultTimeout = 20 * time.Second
	// maxResponse is the size of a response in bytes, beyond which it is an error: a
	// summary has a few thousand.
	maxResponse = 1 << 20
	// chunkTokens is how much of a text the model is given at once, as the specification
	// has it, and atOnce how many requests run for one summary.
	chunkTokens = 5000
	atOnce      = 4
	// maxRounds bounds how often summaries of chunks are put together and summarised.
	maxRounds = 4
)

// Options say whom to ask. BaseURL and Model are needed.
type Options struct {
	BaseURL string        // of the endpoint, with its version: http://localhost:11434/v1
	Model   string        // as the endpoint calls it
	Key     string        // "": none is sent
	Timeout time.Duration // of a summary; 0: 20 s

	HTTPClient *http.Client // nil: one of its own, without redirects
}

// A Client asks one endpoint. It is safe for concurrent use, and starts nothing that
// outlives a call. It remembers its last answers.
type Client struct {
	url, key string
	model    string
	timeout  time.Duration
	http     *http.Client
	cache    *cache
}

// New returns a client. It asks nothing yet; its errors are about the options.
func New(opt Options) (*Client, error) {
	base, err := url.Parse(opt.BaseURL)
	switch {
	case err != nil, base.Host == "", base.Scheme != "http" && base.Scheme != "https":
		return nil, errors.New("llm: the base URL must be an address with http or https")
	case base.User != nil:
		return nil, errors.New("llm: the base URL must not have a user or a password")
	case opt.Model == "":
		return nil, errors.New("llm: the model has no name")
	case opt.Timeout < 0:
		return nil, errors.New("llm: the timeout is negative")
	}
	hc := opt.HTTPClient
	if hc == nil {
		// A redirect could take the text, and on the same host the key, elsewhere.
		hc = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return &Client{
		url: strings.TrimRight(opt.BaseURL, "/") + "/chat/completions", key: opt.Key, http: hc,
		model: opt.Model, timeout: cmp.Or(opt.Timeout, defaultTimeout), cache: newCache(cacheEntries, cacheBytes),
	}, nil
}

// String keeps the key out of whatever prints a Client.
func (c *Client) String() string { return "llm " + c.model }

// What a request and an answer of the protocol have, as far as it is used here:
// https://platform.openai.com/docs/api-reference/chat.
type (
	completionRequest struct {
		Model     string    `json:"model"`
		Messages  []message `json:"messages"`
		MaxTokens int       `json:"max_completion_tokens"`
	}
	message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	completion struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
)

var (
	errTooLong  = errors.New("the response is longer than 1 MiB")
	errProtocol = errors.New("the endpoint's answer does not follow the protocol")
)

// complete sends one request. No error has the endpoint's own words, which may quote the
// text or a part of the key.
func (c *Client) complete(ctx context.Context, request completionRequest) (out completion, err error) {
	body, err := json.Marshal(request)
	if err != nil {
		return out, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(r)
	var dial *url.Error
	switch {
	case ctx.Err() != nil:
		if err == nil {
			resp.Body.Close()
		}
		return out, ctx.Err()
	case errors.As(err, &dial):
		return out, fmt.Errorf("the endpoint cannot be reached: %w", dial.Err)
	case err != nil:
		return out, errProtocol
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 400 {
		return out, fmt.Errorf("the endpoint answered %d", resp.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case len(text) > maxResponse:
		return out, errTooLong
	case err != nil, json.Unmarshal(text, &out) != nil:
		return out, errProtocol
	}
	return out, nil
}

// The prompts are the specification's.
const (
	promptL1 = `Summarize this context in 2-3 sentences. Focus on:
1. What is being worked on
2. Current state/progress
3. Key decisions made

Keep it actionable and concise.

CONTEXT:
`
	promptL2 = `Create a detailed but compact summary:
1. Goal and current focus
2. Key technical details and decisions
3. Blockers or hypotheses being tested
4. Important file/function references

Format as bullet points. Max %d tokens.

CONTEXT:
`
)

// reasoningTokens are left to models that think before they answer.
const reasoningTokens = 2000

// promptTokens is the most that the prompt of L2 asks for.
const promptTokens = 500

// Summarize has the model summarise a text at L1 or L2 in at most so many tokens, 0: the
// level's Budget. Of a text above 5,000 tokens, chunks are summarised at L2 and then their
// summaries together. The model may give more tokens than it was asked for.
//
// Equal questions at the same time are asked once, and the last answers are remembered.
// The error of anything that goes wrong says what, and has nothing of the endpoint's words.
func (c *Client) Summarize(ctx context.Context, content string, level summary.Level, maxTokens int) (string, error) {
	if level != summary.L1 && level != summary.L2 {
		return "", fmt.Errorf("llm: there is no prompt for the level %q", level)
	}
	if strings.TrimSpace(content) == "" {
		return "", nil
	}
	if maxTokens <= 0 {
		maxTokens = level.Budget()
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	text, err := c.cache.once(ctx, keyOf(content, level, maxTokens), func() (string, error) {
		return c.summarize(ctx, content, level, maxTokens)
	})
	if err != nil {
		return "", fmt.Errorf("llm: summary at %s: %w", level, err)
	}
	return text, nil
}

// summarize asks about a text in chunks, until what came back is one chunk.
func (c *Client) summarize(ctx context.Context, content string, level summary.Level, maxTokens int) (string, error) {
	for range maxRounds {
		chunks := summary.Split(content, chunkTokens)
		if len(chunks) == 1 {
			return c.ask(ctx, content, level, maxTokens)
		}
		parts := make([]string, len(chunks))
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(atOnce)
		for i, chunk := range chunks {
			g.Go(func() (err error) {
				parts[i], err = c.ask(ctx, chunk, summary.L2, promptTokens)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return "", err
		}
		content = strings.Join(parts, "\n\n")
	}
	return "", fmt.Errorf("after %d rounds the summaries of the chunks are still too long", maxRounds)
}

// ask asks once.
func (c *Client) ask(ctx context.Context, content string, level summary.Level, maxTokens int) (string, error) {
	prompt := promptL1
	if level == summary.L2 {
		prompt = fmt.Sprintf(promptL2, min(maxTokens, promptTokens))
	}
	resp, err := c.complete(ctx, completionRequest{
		Model: c.model,
		// The prompt bounds the summary, and the caller cuts it; this bounds the bill.
		MaxTokens: maxTokens + reasoningTokens,
		Messages:  []message{{Role: "user", Content: prompt + content}},
	})
	if err != nil {
		return "", err
	}
	if len(resp.Choices) == 0 {
		return "", errors.New("the endpoint gave no answer")
	}
	text := strings.TrimSpace(strings.ToValidUTF8(resp.Choices[0].Message.Content, "\uFFFD"))
	if text == "" {
		return "", errors.New("the endpoint gave an empty answer")
	}
	return text, nil
}
