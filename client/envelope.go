package client

import "context"

// An EnvelopeMeta is the head of an answer of Grep, Cat and Find. One of Matches, Lines
// and Size counts.
type EnvelopeMeta struct {
	V         int    `json:"v"`                   // the form of the answer: 1 unless a coach chose another
	Command   string `json:"cmd"`                 // grep, cat, find, or rag, which is a search
	Matches   int    `json:"matches,omitempty"`   // in all, shown or not: lines, or paths of find
	Lines     int    `json:"lines,omitempty"`     // of the file
	Size      int    `json:"size,omitempty"`      // bytes of a file that is not shown
	Files     int    `json:"files,omitempty"`     // with a match
	Truncated bool   `json:"truncated,omitempty"` // something is left out, or comes in a later chunk
	Handle    string `json:"handle,omitempty"`    // of what is left out
	HotZone   string `json:"hot_zone,omitempty"`  // the folder with half of the matches or more, and their share
	Masked    int    `json:"masked,omitempty"`    // stretches of the text that hide a key or a credential
	// What the file holds: code/python, json, markdown, log, text and others.
	ContentType string `json:"content_type,omitempty"`
	Error       string `json:"error,omitempty"` // empty: errors are of type Error
}

// A GrepRequest asks for lines that match.
type GrepRequest struct {
	Pattern    string   `json:"pattern"`               // what to look for, in RE2's syntax; at most 8192 bytes
	Path       string   `json:"path,omitempty"`        // only below this file or folder
	Glob       []string `json:"glob,omitempty"`        // only files that one of these globs matches; ! in front excludes
	Literal    bool     `json:"literal,omitempty"`     // the pattern is a text
	IgnoreCase bool     `json:"ignore_case,omitempty"` // letters match in either case
	Word       bool     `json:"word,omitempty"`        // only whole words
	Limit      int      `json:"limit,omitempty"`       // lines at most; 0: as many as the budget of the agent allows
	TimeoutMS  int      `json:"timeout_ms,omitempty"`  // in milliseconds, by default and at most 30000

	Scope
}

// A GrepResponse has the lines that the budget of the agent allows, ranked.
type GrepResponse struct {
	Matches     []GrepMatch  `json:"matches"`           // the best first
	Breadcrumbs []string     `json:"breadcrumbs"`       // what is left out
	Searched    int          `json:"searched"`          // files that were looked through or excluded by their trigrams
	Unread      int          `json:"unread"`            // files that should have been searched and could not be read
	Clamped     []string     `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	Index       Index        `json:"index"`
	Meta        EnvelopeMeta `json:"meta"`
}

// A GrepMatch is a line that matches.
type GrepMatch struct {
	File    string `json:"file"`    // relative to the root
	Line    int    `json:"line"`    // counted from 1
	Content string `json:"content"` // the line, without its end; at most 2,000 bytes
	Role    Role   `json:"role,omitempty"`
	Symbol  string `json:"symbol,omitempty"` // the definition around the line, or on it
}

// A CatRequest asks for lines of a file.
type CatRequest struct {
	Path      string `json:"path"`                 // the file
	Start     int    `json:"start,omitempty"`      // the first line
	End       int    `json:"end,omitempty"`        // the last line
	Limit     int    `json:"limit,omitempty"`      // lines at most; 0: as many as the budget of the agent allows
	TimeoutMS int    `json:"timeout_ms,omitempty"` // in milliseconds, by default and at most 30000

	Scope
}

// A CatResponse has the lines that the budget of the agent allows.
type CatResponse struct {
	File        string       `json:"file"`              // relative to the root, links resolved
	Start       int          `json:"start"`             // the line with which the content begins
	Content     string       `json:"content"`           // the lines, with their ends
	Breadcrumbs []string     `json:"breadcrumbs"`       // what is left out
	Changed     bool         `json:"changed,omitempty"` // the index has another content of the file
	Clamped     []string     `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	Index       Index        `json:"index"`
	Meta        EnvelopeMeta `json:"meta"`
}

// A FindRequest asks for paths.
type FindRequest struct {
	Path      string   `json:"path,omitempty"`       // only below this folder
	Name      []string `json:"name,omitempty"`       // globs of names; ! in front excludes
	Type      string   `json:"type,omitempty"`       // f: files, d: folders; empty: both
	Limit     int      `json:"limit,omitempty"`      // paths at most; 0: as many as the budget of the agent allows
	TimeoutMS int      `json:"timeout_ms,omitempty"` // in milliseconds, by default and at most 30000

	Scope
}

// A FindResponse has the paths that the budget of the agent allows, ranked.
type FindResponse struct {
	Paths       []FoundPath  `json:"paths"`             // the likeliest first
	Breadcrumbs []string     `json:"breadcrumbs"`       // what is left out
	Clamped     []string     `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	Index       Index        `json:"index"`
	Meta        EnvelopeMeta `json:"meta"`
}

// A FoundPath is a file or a folder.
type FoundPath struct {
	Path string `json:"path"` // relative to the root
	Dir  bool   `json:"dir"`  // it is a folder
}

// Grep finds the lines that match. What the budget leaves out is behind Meta.Handle.
func (c *Client) Grep(ctx context.Context, req GrepRequest) (*GrepResponse, error) {
	req.Scope = c.within(req.Scope)
	return ask[GrepResponse](ctx, c, post("/grep", req))
}

// Cat shows lines of a file. What the budget leaves out is behind Meta.Handle.
func (c *Client) Cat(ctx context.Context, req CatRequest) (*CatResponse, error) {
	req.Scope = c.within(req.Scope)
	return ask[CatResponse](ctx, c, post("/cat", req))
}

// Find finds paths. What the budget leaves out is behind Meta.Handle.
func (c *Client) Find(ctx context.Context, req FindRequest) (*FindResponse, error) {
	req.Scope = c.within(req.Scope)
	return ask[FindResponse](ctx, c, post("/find", req))
}
