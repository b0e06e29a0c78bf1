package wire

// An EnvelopeMeta is the head of an answer of Grep, Cat and Find. One of Matches, Lines
// and Size counts.
type EnvelopeMeta struct {
	Masked    int    `json:"masked,omitempty"`    // stretches of the text that hide a key or a credential
	V         int    `json:"v"`                   // the form of the answer: 1 unless a coach chose another
	Command   string `json:"cmd"`                 // grep, cat, find, or rag, which is a search
	Matches   int    `json:"matches,omitempty"`   // in all, shown or not: lines, or paths of find
	Lines     int    `json:"lines,omitempty"`     // of the file
	Size      int    `json:"size,omitempty"`      // bytes of a file that is not shown
	Files     int    `json:"files,omitempty"`     // with a match
	Truncated bool   `json:"truncated,omitempty"` // something is left out, or comes in a later chunk
	Handle    string `json:"handle,omitempty"`    // of what is left out
	HotZone   string `json:"hot_zone,omitempty"`  // the folder with half of the matches or more, and their share
	// What the file holds: code/python, json, markdown, log, text and others.
	ContentType string   `json:"content_type,omitempty"`
	Ignored     []string `json:"ignored,omitempty"` // fields that the endpoint does not have, as in Meta
	Error       string   `json:"error,omitempty"`   // empty: errors are of type Error
}

// A GrepRequest asks for lines that match. With one of the fields from invert to max_count
// the answer is not ranked: it has the rows that grep prints with that option.
type GrepRequest struct {
	Pattern      string   `json:"pattern,omitempty" max:"query" need:"last"`                    // what to look for, in RE2's syntax; at most 8192 bytes
	Syntax       string   `json:"syntax,omitempty" of:"re2 basic extended"`                     // of the pattern: basic and extended are those of POSIX, one pattern a line
	Path         string   `json:"path,omitempty" max:"4096"`                                    // only below this file or folder
	Paths        []string `json:"paths,omitempty" texts:"4096"`                                 // only below one of these, at most 1024, in place of path
	Glob         []string `json:"glob,omitempty" max:"256"`                                     // only files that one of these globs matches; ! in front excludes
	Exclude      []string `json:"exclude,omitempty" max:"256"`                                  // not files whose name one of these patterns of the shell matches
	ExcludeDir   []string `json:"exclude_dir,omitempty" max:"256"`                              // nor in folders of such names, from path or paths on
	Literal      bool     `json:"literal,omitempty"`                                            // the pattern is a text; with a syntax of POSIX, one a line
	IgnoreCase   bool     `json:"ignore_case,omitempty"`                                        // letters match in either case
	Word         bool     `json:"word,omitempty"`                                               // only whole words
	WholeLine    bool     `json:"whole_line,omitempty"`                                         // only whole lines
	Invert       bool     `json:"invert,omitempty"`                                             // the lines that do not match
	Only         bool     `json:"only_matching,omitempty"`                                      // each match in a row of its own
	Count        bool     `json:"count,omitempty"`                                              // how many lines match in each file
	Files        string   `json:"files,omitempty" of:"with without"`                            // the files with a match, or those without
	Before       *int     `json:"before,omitempty" min:"0" max:"1073741824"`                    // lines before each match
	After        *int     `json:"after,omitempty" min:"0" max:"1073741824"`                     // lines after each match
	MaxCount     int      `json:"max_count,omitempty" min:"1" max:"1073741824"`                 // lines of each file at most
	NoFilename   bool     `json:"no_filename,omitempty"`                                        // rows without the path
	NoLineNumber bool     `json:"no_line_number,omitempty"`                                     // rows without the number of the line
	Limit        int      `json:"limit,omitempty" min:"1" max:"1073741824"`                     // lines at most; 0: as many as the budget of the agent allows
	TimeoutMS    int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000
	Projects     []string `json:"projects,omitempty"`                                           // several projects, as of a search; only for lines that are ranked

	Scope
}

// A GrepResponse has the lines that the budget of the agent allows, ranked.
type GrepResponse struct {
	Matches     []GrepMatch `json:"matches"`           // the best first
	Rows        []string    `json:"rows,omitzero"`     // what grep prints, where the request has one of its forms; then matches is empty
	Breadcrumbs []string    `json:"breadcrumbs"`       // what is left out
	Searched    int         `json:"searched"`          // files that were looked through or excluded by their trigrams
	Unread      int         `json:"unread"`            // files that should have been searched and could not be read
	Clamped     []string    `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	Index       Index       `json:"index"`
	// Of a request for several Projects: what each of them has. Index is the least current of theirs.
	Projects []GrepProject `json:"projects,omitempty"`
	Unasked  *Unasked      `json:"unasked,omitempty"` // of these, what has nothing in the answer; nil: all were asked
	Meta     EnvelopeMeta  `json:"meta"`
}

// A GrepProject says what one of several projects has, shown or not.
type GrepProject struct {
	Project  string        `json:"project"`           // its name
	NoPath   bool          `json:"no_path,omitempty"` // it has nothing at the path that is asked about
	Sections []GrepSection `json:"sections"`          // with their matches, the best first
	Files    int           `json:"files"`             // with a match
	Searched int           `json:"searched"`          // files that were looked through or excluded by their trigrams
	Unread   int           `json:"unread"`            // files that should have been searched and could not be read
	Binary   int           `json:"binary,omitempty"`  // files that are not searched, as they are binary
	Secret   int           `json:"secret,omitempty"`  // nor these, as their names stand for keys or credentials
	Cut      bool          `json:"cut,omitempty"`     // the time ran out, there may be more
	Index    Index         `json:"index"`
}

// A GrepSection is lines of one kind: definitions, code, docs, tests or generated.
type GrepSection struct {
	Name    string `json:"name"`
	Matches int    `json:"matches"` // lines
}

// A GrepMatch is a line that matches.
type GrepMatch struct {
	File    string `json:"file"`    // relative to the root
	Line    int    `json:"line"`    // counted from 1
	Content string `json:"content"` // the line, without its end; at most 2,000 bytes
	Role    Role   `json:"role,omitempty"`
	Symbol  string `json:"symbol,omitempty"` // the definition around the line, or on it
	// Of a request for several projects: that File is in, and the section that decides where the line comes.
	Project string `json:"project,omitempty"`
	Section string `json:"section,omitempty"`
}

// A CatRequest asks for lines of a file.
type CatRequest struct {
	Path      string `json:"path,omitempty" max:"4096" need:"last"`                        // the file
	Start     int    `json:"start,omitempty" min:"1" max:"1073741824"`                     // the first line
	End       int    `json:"end,omitempty" min:"1" max:"1073741824"`                       // the last line
	Number    bool   `json:"number,omitempty"`                                             // with the number of each line in front, as cat -n has it
	Highlight bool   `json:"highlight,omitempty"`                                          // with the classes of the words, in JSON; not with number
	Limit     int    `json:"limit,omitempty" min:"1" max:"1073741824"`                     // lines at most; 0: as many as the budget of the agent allows
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Scope
}

// A CatResponse has the lines that the budget of the agent allows.
type CatResponse struct {
	File        string       `json:"file"`                // relative to the root, links resolved
	Start       int          `json:"start"`               // the line with which the content begins
	Content     string       `json:"content"`             // the lines, with their ends
	Breadcrumbs []string     `json:"breadcrumbs"`         // what is left out
	Highlight   *Highlight   `json:"highlight,omitempty"` // where it was asked for
	Changed     bool         `json:"changed,omitempty"`   // the index has another content of the file
	Clamped     []string     `json:"clamped,omitempty"`   // fields of the request that were lowered to their maximum
	Index       Index        `json:"index"`
	Meta        EnvelopeMeta `json:"meta"`
}

// A Highlight has the classes of the words of a content.
type Highlight struct {
	Classes []string `json:"classes"` // by their numbers; the first is that of what has none
	// For each line of the content its stretches, three numbers each: where it begins and where it
	// ends, in UTF-16 code units from 0, and its class.
	Lines      [][]int  `json:"lines"`
	Incomplete []string `json:"incomplete,omitempty"` // why some or all words have no class; empty: all were looked at
}

// A FindRequest asks for paths.
type FindRequest struct {
	Path  string   `json:"path,omitempty" max:"4096"`    // only below this folder
	Paths []string `json:"paths,omitempty" texts:"4096"` // only below one of these, at most 1024, in place of path
	// What -path takes each of paths to be written as; absent: as paths has them.
	Written    []string `json:"written,omitempty" texts:"4096"`
	Expression []string `json:"expression,omitempty" texts:"4096"`                            // the arguments of find that say which files, such as -name and *.go
	Name       []string `json:"name,omitempty" max:"256"`                                     // globs of names; ! in front excludes
	Type       string   `json:"type,omitempty" of:"f d"`                                      // f: files, d: folders; empty: both
	Limit      int      `json:"limit,omitempty" min:"1" max:"1073741824"`                     // paths at most; 0: as many as the budget of the agent allows
	TimeoutMS  int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

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

// A CoachReport says which form of an answer has done best.
type CoachReport struct {
	Enabled  bool          `json:"enabled"`           // the coach is on
	Message  string        `json:"message,omitempty"` // why there is nothing to report; only where the coach is off
	Commands CoachCommands `json:"commands"`          // the forms of the answers of each command
}

// A CoachCommands has the forms of the answers of each command.
type CoachCommands struct {
	Cat  []CoachForm `json:"cat"`  // by V; Preview counts lines
	Find []CoachForm `json:"find"` // by V; Preview counts paths
	Grep []CoachForm `json:"grep"` // by V; Preview counts matches
}

// A CoachForm is a form of an answer, and how it has done.
type CoachForm struct {
	// The V in the header of an answer in this form; 1 is the default form.
	V       int  `json:"v"`
	Preview int  `json:"preview"`  // what a long answer shows at first
	HotZone bool `json:"hot_zone"` // the header says where most of the answer is
	// How often the answer says what it leaves out. One of high, medium, low.
	Density string   `json:"density"`
	N       int      `json:"n"`      // answers in this form that were given to a session
	Scored  int      `json:"scored"` // those of them that were scored
	Mean    *float64 `json:"mean"`   // of the scores; nil where there are none
	Share   float64  `json:"share"`  // of all answers of the command that are counted in N
	// It has the highest mean of the forms that were scored; among equals the one given less
	// often, then the lower V.
	Best   bool `json:"best"`
	Enough bool `json:"enough"` // 30 answers or more were scored. Below that, the mean is mostly chance.
}

// A HandlesResponse lists the handles of a session.
type HandlesResponse struct {
	Handles []HandleInfo `json:"handles"`           // the newest first
	Ignored []string     `json:"ignored,omitempty"` // fields of the request that the endpoint does not have
}

// A HandleInfo is a handle: what an answer left out.
type HandleInfo struct {
	Handle     string `json:"handle"`  // the handle
	Command    string `json:"cmd"`     // grep, cat, find, or rag, which is a search
	AgeSeconds int    `json:"age_s"`   // seconds since
	Matches    int    `json:"matches"` // in all: lines, or paths of find
}

// A HandleResponse is a chunk of what an answer left out. One of Matches, Content, Paths
// and Results is there, by the command.
type HandleResponse struct {
	Handle      string         `json:"handle"`            // the handle
	Chunk       int            `json:"chunk"`             // this one
	Chunks      int            `json:"chunks"`            // how many there are; about, where more than 50,000 lines are left
	Matches     []GrepMatch    `json:"matches,omitzero"`  // lines of a grep
	Rows        []string       `json:"rows,omitzero"`     // of a grep in another form
	Content     string         `json:"content,omitempty"` // a part of a file
	Paths       []FoundPath    `json:"paths,omitzero"`    // paths of a find
	Results     []SearchResult `json:"results,omitzero"`  // of a search
	Breadcrumbs []string       `json:"breadcrumbs"`       // what is left out
	Clamped     []string       `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	Index       Index          `json:"index"`
	Meta        EnvelopeMeta   `json:"meta"`
}

// A HandleRequest asks for a chunk of what an answer left out.
type HandleRequest struct {
	Handle    string `json:"handle"`                                                       // as in EnvelopeMeta
	Chunk     int    `json:"chunk,omitempty" min:"1" max:"1073741824" default:"1"`         // from 1; 0: the first
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	// Scope has the agent and the session that asked. The handle knows its project.
	Scope
}

// A HandlesRequest asks which handles the session of its Scope has.
type HandlesRequest struct {
	Scope
}

// MarshalJSON returns what Shown does as JSON.
func (m EnvelopeMeta) MarshalJSON() ([]byte, error) { return encoded(m.Shown()) }

// Shown shows the count that goes with the command, also where it is 0.
func (m EnvelopeMeta) Shown() any {
	type plain EnvelopeMeta
	out := struct {
		plain
		Matches     *int   `json:"matches,omitempty"`
		Lines       *int   `json:"lines,omitempty"`
		Size        int    `json:"size,omitempty"`
		Files       int    `json:"files,omitempty"`
		Truncated   bool   `json:"truncated,omitempty"`
		Handle      string `json:"handle,omitempty"`
		HotZone     string `json:"hot_zone,omitempty"`
		ContentType string `json:"content_type,omitempty"`
		Error       string `json:"error,omitempty"`
	}{plain(m), &m.Matches, nil, m.Size, m.Files, m.Truncated, m.Handle, m.HotZone, m.ContentType, m.Error}
	if m.Command == "cat" {
		out.Matches, out.Lines = nil, &m.Lines
	}
	return out
}

// MarshalJSON returns what Shown does as JSON.
func (h HandleResponse) MarshalJSON() ([]byte, error) { return encoded(h.Shown()) }

// Shown shows the content of a part of a file, also where it is empty.
func (h HandleResponse) Shown() any {
	type plain HandleResponse
	out := struct {
		plain
		Content     *string        `json:"content,omitempty"`
		Paths       []FoundPath    `json:"paths,omitzero"`
		Results     []SearchResult `json:"results,omitzero"`
		Breadcrumbs []string       `json:"breadcrumbs"`
		Clamped     []string       `json:"clamped,omitempty"`
		Index       Index          `json:"index"`
		Meta        EnvelopeMeta   `json:"meta"`
	}{plain: plain(h), Paths: h.Paths, Results: h.Results, Breadcrumbs: h.Breadcrumbs, Clamped: h.Clamped, Index: h.Index, Meta: h.Meta}
	if h.Meta.Command == "cat" {
		out.Content = &h.Content
	}
	return out
}
