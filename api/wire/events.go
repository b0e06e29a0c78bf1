package wire

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
