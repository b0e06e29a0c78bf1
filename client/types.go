package client

import "github.com/quarry-search/quarry/api/wire"

// What the server takes and gives: package wire says what is in each.
type (
	AcrossCall         = wire.AcrossCall
	AcrossCaller       = wire.AcrossCaller
	AcrossCalls        = wire.AcrossCalls
	AcrossImpact       = wire.AcrossImpact
	AcrossMeta         = wire.AcrossMeta
	AcrossPlace        = wire.AcrossPlace
	AcrossProject      = wire.AcrossProject
	AddProjectRequest  = wire.AddProjectRequest
	BatchAnswer        = wire.BatchAnswer
	BatchResponse      = wire.BatchResponse
	CallCounts         = wire.CallCounts
	CallEdge           = wire.CallEdge
	Callee             = wire.Callee
	Caller             = wire.Caller
	CallsRequest       = wire.CallsRequest
	CallsResponse      = wire.CallsResponse
	CatRequest         = wire.CatRequest
	CatResponse        = wire.CatResponse
	Chain              = wire.Chain
	ChangedSymbol      = wire.ChangedSymbol
	CoachCommands      = wire.CoachCommands
	CoachForm          = wire.CoachForm
	CoachReport        = wire.CoachReport
	Confidence         = wire.Confidence
	ContextItem        = wire.ContextItem
	ContextRequest     = wire.ContextRequest
	ContextResponse    = wire.ContextResponse
	Coverage           = wire.Coverage
	Dead               = wire.Dead
	DeadConfidence     = wire.DeadConfidence
	DeadCount          = wire.DeadCount
	DeadKind           = wire.DeadKind
	DeadReason         = wire.DeadReason
	DeadRequest        = wire.DeadRequest
	DeadResponse       = wire.DeadResponse
	Definition         = wire.Definition
	Descriptors        = wire.Descriptors
	Difference         = wire.Difference
	Direction          = wire.Direction
	EnvelopeMeta       = wire.EnvelopeMeta
	Event              = wire.Event
	EventsRequest      = wire.EventsRequest
	Exports            = wire.Exports
	ExtractRequest     = wire.ExtractRequest
	ExtractedFile      = wire.ExtractedFile
	ExtractedSymbol    = wire.ExtractedSymbol
	FileImports        = wire.FileImports
	FileSkeleton       = wire.FileSkeleton
	FileStructure      = wire.FileStructure
	FindRequest        = wire.FindRequest
	FindResponse       = wire.FindResponse
	FoundImport        = wire.FoundImport
	FoundPath          = wire.FoundPath
	Freshness          = wire.Freshness
	GrepMatch          = wire.GrepMatch
	GrepRequest        = wire.GrepRequest
	GrepResponse       = wire.GrepResponse
	HandleInfo         = wire.HandleInfo
	HandleRequest      = wire.HandleRequest
	HandleResponse     = wire.HandleResponse
	HandlesResponse    = wire.HandlesResponse
	Health             = wire.Health
	ImpactRequest      = wire.ImpactRequest
	ImpactResponse     = wire.ImpactResponse
	ImportedName       = wire.ImportedName
	ImportsRequest     = wire.ImportsRequest
	ImportsResponse    = wire.ImportsResponse
	Index              = wire.Index
	IndexMemory        = wire.IndexMemory
	IndexSnapshot      = wire.IndexSnapshot
	InvalidateRequest  = wire.InvalidateRequest
	Invalidated        = wire.Invalidated
	LeftOut            = wire.LeftOut
	Limits             = wire.Limits
	Memory             = wire.Memory
	Meta               = wire.Meta
	Mode               = wire.Mode
	Model              = wire.Model
	Neighbour          = wire.Neighbour
	OverlayFile        = wire.OverlayFile
	OverlayLeftOut     = wire.OverlayLeftOut
	OverlayMeta        = wire.OverlayMeta
	Overview           = wire.Overview
	OverviewFolder     = wire.OverviewFolder
	OverviewLanguage   = wire.OverviewLanguage
	Place              = wire.Place
	ProjectInfo        = wire.ProjectInfo
	ProjectList        = wire.ProjectList
	ProjectState       = wire.ProjectState
	Ready              = wire.Ready
	Receipt            = wire.Receipt
	Reference          = wire.Reference
	ReferenceCounts    = wire.ReferenceCounts
	ReferenceKind      = wire.ReferenceKind
	ReferencesRequest  = wire.ReferencesRequest
	ReferencesResponse = wire.ReferencesResponse
	ReindexRequest     = wire.ReindexRequest
	Reindexed          = wire.Reindexed
	RelatedRequest     = wire.RelatedRequest
	Role               = wire.Role
	Scope              = wire.Scope
	SearchRequest      = wire.SearchRequest
	SearchResponse     = wire.SearchResponse
	SearchResult       = wire.SearchResult
	Signal             = wire.Signal
	Why                = wire.Why
	Explain            = wire.Explain
	SkeletonRequest    = wire.SkeletonRequest
	SkeletonResponse   = wire.SkeletonResponse
	SkippedFile        = wire.SkippedFile
	StartupRequest     = wire.StartupRequest
	StartupResponse    = wire.StartupResponse
	State              = wire.State
	Status             = wire.Status
	StatusIndex        = wire.StatusIndex
	StatusRequest      = wire.StatusRequest
	StructureRequest   = wire.StructureRequest
	StructureResponse  = wire.StructureResponse
	StructureSymbol    = wire.StructureSymbol
	StructureTotals    = wire.StructureTotals
	SummarizeRequest   = wire.SummarizeRequest
	SummarizeResponse  = wire.SummarizeResponse
	TraceRequest       = wire.TraceRequest
	TraceResponse      = wire.TraceResponse
	Unfollowed         = wire.Unfollowed
	UnresolvedCall     = wire.UnresolvedCall
	Verification       = wire.Verification
	VerifyRequest      = wire.VerifyRequest
	Version            = wire.Version
	Watcher            = wire.Watcher
)

// The words of requests and answers, and the codes of errors.
const (
	ModeHybrid   = wire.ModeHybrid
	ModeSemantic = wire.ModeSemantic
	ModeLexical  = wire.ModeLexical
	ModeSymbol   = wire.ModeSymbol
	ModeRegex    = wire.ModeRegex

	RoleDefinition = wire.RoleDefinition
	RoleTest       = wire.RoleTest
	RoleConfig     = wire.RoleConfig

	Callees      = wire.Callees
	Callers      = wire.Callers
	Both         = wire.Both
	ReferencesTo = wire.ReferencesTo

	ConfidenceExact  = wire.ConfidenceExact
	ConfidenceScoped = wire.ConfidenceScoped
	ConfidenceName   = wire.ConfidenceName

	DeadFunction = wire.DeadFunction
	DeadMethod   = wire.DeadMethod
	DeadType     = wire.DeadType
	DeadConstant = wire.DeadConstant
	DeadVariable = wire.DeadVariable
	DeadExport   = wire.DeadExport

	DeadCertain  = wire.DeadCertain
	DeadLikely   = wire.DeadLikely
	DeadPossible = wire.DeadPossible

	DeadUnused    = wire.DeadUnused
	DeadByUsers   = wire.DeadByUsers
	DeadOnlyTests = wire.DeadOnlyTests
	DeadOnlyHere  = wire.DeadOnlyHere

	AutoExports   = wire.AutoExports
	RootExports   = wire.RootExports
	IgnoreExports = wire.IgnoreExports

	ReferenceCall      = wire.ReferenceCall
	ReferenceRead      = wire.ReferenceRead
	ReferenceWrite     = wire.ReferenceWrite
	ReferenceType      = wire.ReferenceType
	ReferenceImport    = wire.ReferenceImport
	ReferenceDecorator = wire.ReferenceDecorator
	ReferenceInherit   = wire.ReferenceInherit
	ReferenceString    = wire.ReferenceString

	StateIndexing = wire.StateIndexing
	StateReady    = wire.StateReady
	StateStale    = wire.StateStale
	StateError    = wire.StateError

	FreshnessFresh   = wire.FreshnessFresh
	FreshnessStale   = wire.FreshnessStale
	FreshnessUnknown = wire.FreshnessUnknown

	CodeInvalidRequest      = wire.CodeInvalidRequest
	CodeInvalidPath         = wire.CodeInvalidPath
	CodeInvalidPattern      = wire.CodeInvalidPattern
	CodeUnauthorized        = wire.CodeUnauthorized
	CodeForbiddenOrigin     = wire.CodeForbiddenOrigin
	CodeForbiddenRoot       = wire.CodeForbiddenRoot
	CodePermissionDenied    = wire.CodePermissionDenied
	CodeNotFound            = wire.CodeNotFound
	CodeHandleExpired       = wire.CodeHandleExpired
	CodeMethodNotAllowed    = wire.CodeMethodNotAllowed
	CodeWrongProject        = wire.CodeWrongProject
	CodeNoVectors           = wire.CodeNoVectors
	CodeNoReranker          = wire.CodeNoReranker
	CodeUnsupportedLanguage = wire.CodeUnsupportedLanguage
	CodeNoLLM               = wire.CodeNoLLM
	CodeBinaryFile          = wire.CodeBinaryFile
	CodeFileTooLarge        = wire.CodeFileTooLarge
	CodePayloadTooLarge     = wire.CodePayloadTooLarge
	CodeRateLimited         = wire.CodeRateLimited
	CodeNoMemory            = wire.CodeNoMemory
	CodeUnavailable         = wire.CodeUnavailable
	CodeInternal            = wire.CodeInternal
	CodeTimeout             = wire.CodeTimeout
)
