package wire

// An ArchRequest asks how the parts of a program depend on each other.
type ArchRequest struct {
	Level     string   `json:"level,omitempty" of:"file folder package" default:"folder"`                                        // what a module is, by default folder; package: the nearest folder above with a manifest, as go.mod, package.json or Cargo.toml
	Depth     int      `json:"depth,omitempty" min:"1" max:"100"`                                                                // of level folder: folders are cut to so many names, by default not; more than 100 is lowered to 100
	Section   string   `json:"section,omitempty" of:"layers modules matrix cycles hubs god_files violations together functions"` // one of the lists, by default the first entries of all but the last two
	Kinds     []string `json:"kinds,omitempty" of:"imports type_imports types calls"`                                            // what makes a dependency, by default imports of both kinds, and types and calls of files whose imports do not say all
	Draw      string   `json:"draw,omitempty" of:"dot mermaid svg"`                                                              // a drawing of the modules in place of lists
	Rules     string   `json:"rules,omitempty" max:"65536"`                                                                      // TOML with a table architecture, by default that of the quarry.toml of the root
	Path      string   `json:"path,omitempty" max:"4096"`                                                                        // the files that it is about: below this file or folder
	Glob      []string `json:"glob,omitempty" max:"256"`                                                                         // and that one of these globs matches; ! in front excludes
	Lang      []string `json:"lang,omitempty" of:"langs" fold:"true"`                                                            // and of one of these languages
	Tests     Tests    `json:"tests,omitempty" of:"with without only" default:"without"`                                         // what of test code makes dependencies, by default WithoutTests: none
	Limit     int      `json:"limit,omitempty" min:"1" max:"1000"`                                                               // entries of a section or modules of a drawing at most, by default 100, and 10 of each without a section; more than 1000 is lowered to 1000
	Offset    int      `json:"offset,omitempty" min:"0" max:"1073741824"`                                                        // entries of the section to pass over
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"`                                     // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// An ArchResponse is the architecture of some files. Only the list of the section is there that was
// asked for.
type ArchResponse struct {
	Level       string          `json:"level"`
	Kinds       []string        `json:"kinds,omitempty"` // as asked for
	Totals      ArchTotals      `json:"totals"`
	Layers      []ArchLayer     `json:"layers,omitempty"`        // those that depend on the most first
	Modules     []ArchModule    `json:"modules,omitempty"`       // by name
	Matrix      []ArchCell      `json:"matrix,omitempty"`        // what is not zero in it, by from and to
	Cycles      []ArchCycle     `json:"cycles,omitempty"`        // the largest first
	Hubs        []ArchHub       `json:"hubs,omitempty"`          // by score
	GodFiles    []ArchGodFile   `json:"god_files,omitempty"`     // the longest first
	Violations  []ArchViolation `json:"violations,omitempty"`    // by place
	Together    []ArchPair      `json:"together,omitempty"`      // that most often change together first
	Functions   []ArchFunction  `json:"functions,omitempty"`     // entries, leaves, and those between, each by place
	Drawing     string          `json:"drawing,omitempty"`       // with Draw: of the modules that have the most dependencies
	Rules       string          `json:"rules,omitempty"`         // where they come from: request or quarry.toml
	NotLookedAt []string        `json:"not_looked_at,omitempty"` // sections, and why
	Complete    bool            `json:"complete"`                // all dependencies of the modules are known
	Incomplete  []string        `json:"incomplete,omitempty"`    // why they are not
	Total       int             `json:"total"`                   // entries of the section, or of all those of an overview together, before limit and offset
	Truncated   bool            `json:"truncated"`
	NextOffset  int             `json:"next_offset,omitempty"` // of the section; 0 on its last page, and in an overview
	Index       Index           `json:"index"`
	Meta        Meta            `json:"meta"`
}

// ArchTotals are how many entries each section has.
type ArchTotals struct {
	Files        int  `json:"files"`        // that are looked at
	Dependencies int  `json:"dependencies"` // between modules
	Layers       int  `json:"layers"`
	Modules      int  `json:"modules"`
	Matrix       int  `json:"matrix"`
	Cycles       int  `json:"cycles"`
	Hubs         int  `json:"hubs"`
	GodFiles     int  `json:"god_files"`
	Violations   *int `json:"violations,omitempty"` // this and what follows only where it was looked at
	Together     *int `json:"together,omitempty"`
	Functions    *int `json:"functions,omitempty"`
	Entries      *int `json:"functions_entry,omitempty"`  // of the functions: those that nothing calls
	Leaves       *int `json:"functions_leaf,omitempty"`   // those that call nothing
	Between      *int `json:"functions_middle,omitempty"` // the others
}

// An ArchLayer is the modules from which the longest way over dependencies has so many steps. Those of a
// cycle are in one layer.
type ArchLayer struct {
	Rank    int      `json:"rank"` // 0: they depend on nothing
	Count   int      `json:"count"`
	Entry   int      `json:"entry"`             // how many of these no module depends on
	Modules []string `json:"modules"`           // by name, at most 50
	Omitted int      `json:"omitted,omitempty"` // modules after them
}

// An ArchModule is a file, a folder or a package.
type ArchModule struct {
	Name        string  `json:"name"`
	Lang        string  `json:"lang"` // of most of its files; those that see each other's definitions are one: jvm, javascript
	Files       int     `json:"files"`
	Lines       int     `json:"lines"` // of each file up to the last one that is not blank
	Symbols     int     `json:"symbols"`
	Functions   int     `json:"functions"`
	Layer       string  `json:"layer"`            // entry, middle, leaf or alone
	Rank        int     `json:"rank"`             // see ArchLayer
	Afferent    int     `json:"afferent"`         // modules that depend on it
	Efferent    int     `json:"efferent"`         // modules that it depends on
	Instability float64 `json:"instability"`      // efferent / (afferent + efferent), in hundredths
	CallsIn     int     `json:"calls_in"`         // from other modules, as far as one definition is known for certain
	CallsOut    int     `json:"calls_out"`        // as above
	Cyclic      bool    `json:"cyclic,omitempty"` // it is part of a cycle
}

// An ArchCell is what one module does with another.
type ArchCell struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Imports     int    `json:"imports"`
	TypeImports int    `json:"type_imports"`     // that are gone when the program runs
	Types       int    `json:"types"`            // bases, and types of declarations
	Calls       int    `json:"calls"`            // and functions used as values
	Weight      int    `json:"weight"`           // how many of these make a dependency; 0: it is none
	Cyclic      bool   `json:"cyclic,omitempty"` // both are of one cycle
	Test        bool   `json:"test,omitempty"`   // it is a dependency by test code alone
	File        string `json:"file"`             // of the first that makes a dependency, or else of all
	Line        int    `json:"line"`
}

// An ArchCycle is modules of which each depends on each other, directly or through others.
type ArchCycle struct {
	Modules  []string   `json:"modules"`
	Path     []string   `json:"path"`                // a shortest way around; the last depends on the first
	Edges    int        `json:"edges"`               // dependencies between them
	TypeOnly bool       `json:"type_only,omitempty"` // without type imports and types there is none of these
	TestOnly bool       `json:"test_only,omitempty"` // without test code there is none
	Cut      []ArchCell `json:"cut"`                 // without these dependencies there is none
	Weight   int        `json:"weight"`              // of the cut
	Exact    bool       `json:"exact"`               // no cut has less weight
}

// An ArchHub is a module that much goes through.
type ArchHub struct {
	Name   string `json:"name"`
	FanIn  int    `json:"fan_in"`  // modules that depend on it
	FanOut int    `json:"fan_out"` // modules that it depends on
	Score  int    `json:"score"`   // fan_in * fan_out
}

// An ArchGodFile is a file of which two of lines, symbols and fan are far out of proportion.
type ArchGodFile struct {
	File    string   `json:"file"`
	Lines   int      `json:"lines"`
	Symbols int      `json:"symbols"`
	FanIn   int      `json:"fan_in"`  // files with imports, types or calls of it
	FanOut  int      `json:"fan_out"` // files that it has imports, types or calls of
	Because []string `json:"because"`
}

// An ArchViolation is a dependency that a rule forbids.
type ArchViolation struct {
	Rule  string   `json:"rule"` // its name
	From  string   `json:"from"` // the file; of a cycle the module
	To    string   `json:"to"`   // the file, the folder of a package that is imported, or of a cycle the module
	File  string   `json:"file"` // of the place
	Line  int      `json:"line"` // of the first
	Kind  string   `json:"kind"` // imports, type_imports, types, calls or cycle
	Count int      `json:"count"`
	Text  string   `json:"text"`            // a sentence
	Cycle []string `json:"cycle,omitempty"` // a shortest way around
}

// An ArchPair is two modules that change together.
type ArchPair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Commits    int     `json:"commits"`    // that changed both: 3 at least
	CommitsA   int     `json:"commits_a"`  // that changed a
	CommitsB   int     `json:"commits_b"`  // that changed b
	Confidence float64 `json:"confidence"` // commits / the lesser of commits_a and commits_b: 0.5 at least
	Depends    bool    `json:"depends"`    // one of them depends on the other directly
}

// An ArchFunction is one that calls or is called.
type ArchFunction struct {
	Symbol   string `json:"symbol"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Layer    string `json:"layer"` // entry: nothing calls it; leaf: it calls nothing; else middle
	CallsIn  int    `json:"calls_in"`
	CallsOut int    `json:"calls_out"`
}

// A MapRequest asks for the tree of folders and files with the size of each.
type MapRequest struct {
	Path      string   `json:"path,omitempty" max:"4096"`                                    // the folder to begin with, by default the root
	Glob      []string `json:"glob,omitempty" max:"256"`                                     // only files that one of these globs matches; ! in front excludes
	Lang      []string `json:"lang,omitempty" of:"langs" fold:"true"`                        // only files of this language, or one of these
	Tests     Tests    `json:"tests,omitempty" of:"with without only"`                       // which files of tests are there, by default WithTests, and whose dependencies count
	Depth     int      `json:"depth,omitempty" min:"1" max:"20" default:"3"`                 // levels below the folder, by default 3; more than 20 is lowered to 20
	Limit     int      `json:"limit,omitempty" min:"1" max:"2000" default:"500"`             // nodes at most, by default 500; more than 2000 is lowered to 2000
	TimeoutMS int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // see OverlayFile

	Scope
}

// A MapResponse is the tree: the folder that was asked for first, each folder before what is in it,
// and that by size.
type MapResponse struct {
	Nodes       []MapNode      `json:"nodes"`
	Languages   map[string]int `json:"languages"`               // lines by language, of all files below the folder; text where none is known
	NotLookedAt []string       `json:"not_looked_at,omitempty"` // figures that there are none of, and why
	Complete    bool           `json:"complete"`                // all files and dependencies are known
	Incomplete  []string       `json:"incomplete,omitempty"`    // why they are not
	Total       int            `json:"total"`                   // folders and files, the first one included, before limit and depth; as Meta.Matches
	Truncated   bool           `json:"truncated"`               // there are groups; Meta.TruncatedBy says why
	Index       Index          `json:"index"`
	Meta        Meta           `json:"meta"`
}

// A MapNode is a folder, a file, or what stands for several. Figures of a folder are those of all that
// is below it.
type MapNode struct {
	Path    string         `json:"path"`               // . is the root; of a group that of its folder with /*
	Parent  string         `json:"parent"`             // empty for the first
	Kind    string         `json:"kind"`               // folder, file, left out (a file that the index leaves out) or group (what else is in a folder)
	Files   int            `json:"files"`              // that are indexed
	Lines   int            `json:"lines"`              // up to the last one of each file that is not blank
	Bytes   int64          `json:"bytes"`              // of files that are indexed
	Lang    string         `json:"lang"`               // of a folder that with the most lines; empty where none is known
	FanIn   *int           `json:"fan_in"`             // files, of a folder those outside of it, that depend on it; nil: not looked at
	Churn   *int           `json:"churn"`              // of the last 2000 commits those that changed it; nil: not looked at
	LeftOut map[string]int `json:"left_out,omitempty"` // files that are not indexed, by reason
	Test    bool           `json:"test,omitempty"`     // all of it is test code
	Inside  int            `json:"inside"`             // files and folders directly in a folder; of a group how many it stands for
	Open    bool           `json:"open,omitempty"`     // a folder whose nodes are in the answer
	Changed bool           `json:"changed,omitempty"`  // the file on disk is no longer what was indexed
}
