package wire

// A Mode says what a search looks at.
type Mode string

// The modes of a search. The last two are exact and complete: what is left out
// is named in Meta.TruncatedBy.
const (
	ModeHybrid   Mode = "hybrid"   // words, symbols and vectors; the default
	ModeSemantic Mode = "semantic" // vectors
	ModeLexical  Mode = "lexical"  // words and symbols
	ModeSymbol   Mode = "symbol"   // names of symbols, or parts of them
	ModeRegex    Mode = "regex"    // lines that match an expression in RE2's syntax
)

// A Role says what a place is for; empty: nothing of these.
type Role string

// The roles of a place.
const (
	RoleDefinition Role = "definition"
	RoleTest       Role = "test"
	RoleConfig     Role = "config"
)

// A Direction says which calls are meant.
type Direction string

// The directions of calls.
const (
	Callees      Direction = "callees" // what the target calls
	Callers      Direction = "callers" // what calls the target
	Both         Direction = "both"
	ReferencesTo Direction = "references" // whatever names the target, as /references has it
)

// Tests says what an answer has of test code.
type Tests string

// What an answer has of test code.
const (
	WithTests    Tests = "with" // in a list of code after production code; the default
	WithoutTests Tests = "without"
	OnlyTests    Tests = "only"
)

// testsProblem says what does not go together of two fields that are about tests, "" where nothing
// is wrong.
func testsProblem(tests Tests, include *bool) string {
	if include != nil && !*include && (tests == WithTests || tests == OnlyTests) {
		return "include_tests is false, and tests asks for them"
	}
	return ""
}

// roleProblem says what does not go together of a role and of what is asked for of test code.
func roleProblem(role Role, tests Tests) string {
	if role == RoleTest && tests == WithoutTests || role != "" && role != RoleTest && tests == OnlyTests {
		return "role is " + string(role) + ", and tests is " + string(tests) + ": nothing is both"
	}
	return ""
}

// A Confidence says how sure an edge of the call graph is.
type Confidence string

// The confidences, the surest first.
const (
	ConfidenceExact  Confidence = "exact"  // one definition through scope, import or type
	ConfidenceScoped Confidence = "scoped" // narrowed to few by module, receiver, values or arity
	ConfidenceName   Confidence = "name"   // by its name alone
)

// A State is where an index stands. In all of them it answers.
type State string

// The states of an index.
const (
	StateIndexing State = "indexing" // the first build runs: answers come from what is there
	StateReady    State = "ready"
	StateStale    State = "stale" // changes are known that are not in yet
	StateError    State = "error" // the last build or update failed
)

// A Freshness says whether an index has what is on disk.
type Freshness string

// The freshnesses.
const (
	FreshnessFresh   Freshness = "FRESH"
	FreshnessStale   Freshness = "STALE"
	FreshnessUnknown Freshness = "UNKNOWN" // during the first build, and after a failure
)

// The codes of an Error.
const (
	CodeInvalidRequest      = "invalid_request"
	CodeInvalidPath         = "invalid_path"
	CodeInvalidPattern      = "invalid_pattern"
	CodeUnauthorized        = "unauthorized"
	CodeForbiddenOrigin     = "forbidden_origin"
	CodeForbiddenRoot       = "forbidden_root"
	CodePermissionDenied    = "permission_denied"
	CodeNotFound            = "not_found"
	CodeHandleExpired       = "handle_expired"
	CodeMethodNotAllowed    = "method_not_allowed"
	CodeWrongProject        = "wrong_project"
	CodeElsewhere           = "elsewhere"
	CodeNoVectors           = "no_vectors"
	CodeNoReranker          = "no_reranker"
	CodeNoFolder            = "no_folder"
	CodeUnsupportedLanguage = "unsupported_language"
	CodeNoLLM               = "no_llm"
	CodeBinaryFile          = "binary_file"
	CodeFileTooLarge        = "file_too_large"
	CodePayloadTooLarge     = "payload_too_large"
	CodeRateLimited         = "rate_limited"
	CodeNoMemory            = "no_memory"
	CodeUnavailable         = "unavailable"
	CodeInternal            = "internal"
	CodeTimeout             = "timeout"
)
