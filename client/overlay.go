package client

// An OverlayFile is a file as it is to be for one request, such as the unsaved buffer of
// an editor: the answer is the one that there would be if it were saved. No other request
// sees it. A request may have 32 of them, each path once.
type OverlayFile struct {
	Path    string  `json:"path"`    // relative to the root or absolute inside it; it need not exist
	Content *string `json:"content"` // all of the file; nil: it is gone
}

// An OverlayMeta says what of a request's overlay the answer sees.
type OverlayMeta struct {
	Files   int              `json:"files"` // that the answer sees, those that are gone included
	LeftOut []OverlayLeftOut `json:"left_out,omitempty"`
	// The call graph of so large a project is still being made with the overlay: what the
	// answer has of calls is of the saved files. It will be there for a later request.
	GraphBehind bool `json:"graph_behind,omitempty"`
}

// An OverlayLeftOut is a file that would not be indexed if it were saved, and why.
type OverlayLeftOut struct {
	Path   string `json:"path"`   // relative to the root
	Reason string `json:"reason"` // as of a SkippedFile, or ignored, ignore_rules, not_a_folder
	Detail string `json:"detail,omitempty"`
}
