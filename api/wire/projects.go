package wire

// A ProjectInfo is a project of the server.
type ProjectInfo struct {
	Name string `json:"name"` // selects it, in the field Project
	Root string `json:"root"`
	// Its index is in memory; else the next request for it loads it from disk, and the state is
	// the last one known.
	Loaded      bool      `json:"loaded"`
	MemoryBytes int64     `json:"memory_bytes"` // what its index takes, about
	State       State     `json:"state"`
	Generation  uint64    `json:"generation"` // grows with every commit to the index
	Progress    float64   `json:"progress"`
	Vectors     float64   `json:"vectors"`
	Freshness   Freshness `json:"freshness"`
	Pending     int       `json:"pending"`
	Paused      string    `json:"paused,omitempty"` // why indexing does not go on now; "": it does
	Files       int       `json:"files"`
	Chunks      int       `json:"chunks"`
}

// A ProjectList has the projects of a server.
type ProjectList struct {
	Projects []ProjectInfo `json:"projects"` // the first one first
}

// An AddProjectRequest names a root to serve.
type AddProjectRequest struct {
	Root string `json:"root" max:"4096"`          // the absolute path of the folder
	Name string `json:"name,omitempty" max:"256"` // empty: the last element of the root, with a number where that is taken
	// Until the root is served, in milliseconds, by default and at most 30000. Indexing goes on
	// after that.
	TimeoutMS int  `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"`
	Strict    bool `json:"strict,omitempty"` // a field that the endpoint does not have is an error
}

// An InvalidateRequest says that files may have changed. One of Path, Paths, Pattern and
// All is needed; they add up.
type InvalidateRequest struct {
	Path      string   `json:"path,omitempty" max:"4096"`                                    // a file or folder
	Paths     []string `json:"paths,omitempty" texts:"4096"`                                 // files or folders
	Pattern   string   `json:"pattern,omitempty" max:"4096"`                                 // a glob with ** over indexed paths
	All       bool     `json:"all,omitempty"`                                                // walk the whole root again
	Wait      bool     `json:"wait,omitempty"`                                               // answer when everything queued so far is indexed
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000
	Project   string   `json:"project,omitempty"`                                            // by name or root; empty: the first
	Strict    bool     `json:"strict,omitempty"`                                             // a field that the endpoint does not have is an error
}

// An Invalidated says what was queued.
type Invalidated struct {
	Queued     int      `json:"queued"`            // paths queued
	Generation uint64   `json:"generation"`        // grows with every commit to the index
	Ignored    []string `json:"ignored,omitempty"` // fields of the request that the endpoint does not have
}

// A ReindexRequest has the root walked again.
type ReindexRequest struct {
	Reset   bool   `json:"reset,omitempty"`   // read and parse every file again, whatever its time
	Project string `json:"project,omitempty"` // by name or root; empty: the first
	Strict  bool   `json:"strict,omitempty"`  // a field that the endpoint does not have is an error
}

// A Reindexed says at which generation the index was.
type Reindexed struct {
	Generation uint64   `json:"generation"`        // grows with every commit to the index
	Ignored    []string `json:"ignored,omitempty"` // fields of the request that the endpoint does not have
}

// An EventsRequest asks for a stream of events.
type EventsRequest struct {
	Project string // by name or root; empty: the first

	// LastID is the ID of the last event that is known; what was missed since is
	// the second event then. Empty: only what comes.
	LastID string
}

// An Event says what commits have changed.
type Event struct {
	ID         string `json:"-"`          // for EventsRequest.LastID
	Generation uint64 `json:"generation"` // after the commits; equal to the last event's: only the state has changed
	State      State  `json:"state"`
	// Files that were added, changed or removed, by path. A greater generation without any:
	// vectors or the call graph have caught up.
	Changed []string `json:"changed"`
	All     bool     `json:"all,omitempty"` // everything may have changed: Changed is empty
}
