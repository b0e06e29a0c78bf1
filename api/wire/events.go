package wire

// An EventsRequest asks for a stream of events.
type EventsRequest struct {
	Project string // by name or root; empty: the first

	// LastID is the ID of the last event that is known; what was missed since is
	// the second event then. Empty: only what comes.
	LastID string
}
