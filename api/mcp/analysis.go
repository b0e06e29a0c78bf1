package mcp

// What is kept of the answers of the analyses.

type sliced struct {
	Lines      []sliceLine `json:"lines"`
	Index      indexed     `json:"index"`
	Meta       meta        `json:"meta"`
	Complete   bool        `json:"complete"`
	Incomplete []string    `json:"incomplete,omitempty"`
	paged
}

type sliceLine struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Text     string `json:"text"`
	Reason   string `json:"reason"`
	Of       int    `json:"of" jsonschema:"the line it is there for"`
	Variable string `json:"variable,omitempty"`
	Changed  bool   `json:"changed,omitempty"`
}

type architecture struct {
	Layers      []any    `json:"layers,omitempty"`
	Modules     []any    `json:"modules,omitempty"`
	Matrix      []any    `json:"matrix,omitempty"`
	Cycles      []any    `json:"cycles,omitempty"`
	Hubs        []any    `json:"hubs,omitempty"`
	GodFiles    []any    `json:"god_files,omitempty"`
	Violations  []any    `json:"violations,omitempty"`
	Together    []any    `json:"together,omitempty"`
	NotLookedAt []string `json:"not_looked_at,omitempty"`
	Index       indexed  `json:"index"`
	Meta        meta     `json:"meta"`
	Complete    bool     `json:"complete"`
	Incomplete  []string `json:"incomplete,omitempty"`
	paged
}

type deadCode struct {
	Dead       []deadSymbol `json:"dead"`
	Counts     []deadCount  `json:"counts"`
	NotLooked  []string     `json:"not_looked_at"`
	Index      indexed      `json:"index"`
	Meta       meta         `json:"meta"`
	Incomplete []string     `json:"incomplete,omitempty"`
	paged
}
