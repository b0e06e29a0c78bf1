package wire

// The most that a request may ask for; the server lowers what is above that.
const (
	MaxLimit       = 100    // results of a search, skeletons, neighbours of a trace
	MaxPerFile     = 10     // results of a search from one file
	MaxSteps       = 10     // steps through the call graph
	MaxEdges       = 1000   // calls, or callers of an impact
	MaxFiles       = 5000   // files of a structure
	MaxDifferences = 10_000 // of a verification
)
