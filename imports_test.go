// Package quarry_test holds the repository to its own rules.
package quarry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/quarry-search/quarry/"

// allowed says which packages of this module a package may import; its tests
// may import more. index/internal is closed to all but index by the compiler.
var allowed = map[string][]string{
	"cmd/quarry":                         {"cmd/quarry/command", "cmd/quarry/engine", "cmd/quarry/invocation"},
	"cmd/quarry/agent":                   {},
	"cmd/quarry/catalogue":               {"cmd/quarry/depot", "index/git"},
	"cmd/quarry/catalogue/cataloguetest": {},
	"cmd/quarry/cluster":                 {"cmd/quarry/catalogue", "cmd/quarry/config", "cmd/quarry/depot", "cmd/quarry/gateway", "cmd/quarry/invocation", "cmd/quarry/terminal", "cmd/quarry/worker"},
	"cmd/quarry/access":                  {"api/identity", "api/wire", "index/git"},
	"cmd/quarry/access/accesstest":       {},
	"cmd/quarry/gateway":                 {"api", "api/fields", "api/identity", "api/project", "api/wire", "cmd/quarry/access", "cmd/quarry/catalogue", "cmd/quarry/config", "cmd/quarry/depot", "cmd/quarry/engine", "cmd/quarry/host", "cmd/quarry/server", "index", "index/answer", "index/fault", "index/git"},
	"cmd/quarry/worker":                  {"cmd/quarry/catalogue", "cmd/quarry/depot", "cmd/quarry/folder", "cmd/quarry/invocation"},
	"cmd/quarry/certificate":             {"cmd/quarry/config", "cmd/quarry/folder"},
	"cmd/quarry/collector":               {},
	"cmd/quarry/command":                 {"api/fields", "api/lsp", "api/mcp", "api/wire", "client", "cmd/quarry/certificate", "cmd/quarry/cluster", "cmd/quarry/collector", "cmd/quarry/completion", "cmd/quarry/config", "cmd/quarry/depot", "cmd/quarry/engine", "cmd/quarry/envelope", "cmd/quarry/eval", "cmd/quarry/folder", "cmd/quarry/host", "cmd/quarry/installation", "cmd/quarry/invocation", "cmd/quarry/machine", "cmd/quarry/naming", "cmd/quarry/picture", "cmd/quarry/question", "cmd/quarry/registry", "cmd/quarry/server", "cmd/quarry/terminal", "cmd/quarry/version", "index", "index/answer", "index/edit", "index/git", "index/scip", "index/verify", "web"},
	"cmd/quarry/completion":              {"client", "cmd/quarry/config", "cmd/quarry/invocation", "cmd/quarry/registry", "index/dead", "index/references", "index/search"},
	"cmd/quarry/config":                  {"api", "api/fields", "api/llm", "api/te", "cmd/quarry/agent", "cmd/quarry/catalogue", "cmd/quarry/depot", "cmd/quarry/folder", "index/throttle"},
	"cmd/quarry/depot":                   {"cmd/quarry/folder"},
	"cmd/quarry/engine":                  {"cmd/quarry/collector", "cmd/quarry/config", "cmd/quarry/depot", "cmd/quarry/host", "cmd/quarry/machine", "cmd/quarry/registry", "cmd/quarry/version", "embed", "embed/contextual", "embed/onnx", "embed/rerank", "embed/static", "index", "index/git"},
	"cmd/quarry/envelope":                {"api", "api/te", "api/wire", "client", "cmd/quarry/config", "cmd/quarry/engine", "cmd/quarry/folder", "cmd/quarry/invocation", "cmd/quarry/question", "cmd/quarry/registry", "cmd/quarry/terminal", "cmd/quarry/version", "index", "index/grep"},
	"cmd/quarry/eval":                    {"cmd/quarry/config", "cmd/quarry/engine", "cmd/quarry/folder", "cmd/quarry/invocation", "cmd/quarry/terminal", "index", "index/evaluation", "index/measure", "index/search", "index/suite", "index/tokens"},
	"cmd/quarry/folder":                  {},
	"cmd/quarry/host":                    {"api", "api/wire", "cmd/quarry/collector", "index", "index/answer", "index/git", "index/oserror", "watcher"},
	"cmd/quarry/installation":            {"cmd/quarry/agent", "cmd/quarry/config", "cmd/quarry/invocation", "cmd/quarry/terminal"},
	"cmd/quarry/invocation":              {"cmd/quarry/config", "cmd/quarry/folder", "cmd/quarry/terminal"},
	"cmd/quarry/machine":                 {"cmd/quarry/collector", "cmd/quarry/config", "cmd/quarry/host", "index"},
	"cmd/quarry/listing":                 {"cmd/quarry/terminal", "index/flow", "index/subgraph", "index/treemap"},
	"cmd/quarry/naming":                  {"api/wire", "cmd/quarry/invocation", "cmd/quarry/question", "cmd/quarry/terminal", "index", "index/answer", "index/references"},
	"cmd/quarry/picture":                 {"api/wire", "cmd/quarry/config", "cmd/quarry/invocation", "cmd/quarry/listing", "cmd/quarry/question", "cmd/quarry/terminal", "index", "index/answer", "index/calls", "index/subgraph", "index/treemap"},
	"cmd/quarry/question":                {"api/fields", "api/wire", "cmd/quarry/config", "cmd/quarry/engine", "cmd/quarry/folder", "cmd/quarry/host", "cmd/quarry/invocation", "cmd/quarry/listing", "cmd/quarry/registry", "cmd/quarry/terminal", "cmd/quarry/version", "index", "index/answer", "index/architecture", "index/brief", "index/calls", "index/dead", "index/diagnostics", "index/flow", "index/git", "index/impact", "index/outline", "index/references", "index/search", "index/summary", "index/tokens", "index/trace"},
	"cmd/quarry/registry":                {"client", "cmd/quarry/certificate", "cmd/quarry/config", "cmd/quarry/folder", "cmd/quarry/invocation", "cmd/quarry/version"},
	"cmd/quarry/server":                  {"api", "api/coach", "api/llm", "api/socket", "cmd/quarry/certificate", "cmd/quarry/collector", "cmd/quarry/config", "cmd/quarry/engine", "cmd/quarry/folder", "cmd/quarry/host", "cmd/quarry/machine", "cmd/quarry/registry", "cmd/quarry/terminal", "cmd/quarry/version", "embed", "index", "index/answer", "index/git", "index/throttle", "watcher"},
	"cmd/quarry/terminal":                {"index"},
	"cmd/quarry/version":                 {},
	"cmd/quarry-man":                     {"cmd/quarry/command"},
	"cmd/quarry-pack":                    {},
	"cmd/quarry-release":                 {},
	"cmd/quarry-site":                    {},
	"cmd/quarry-lab":                     {"cmd/quarry-lab/callgraph", "cmd/quarry-lab/dead", "cmd/quarry-lab/fitting", "cmd/quarry-lab/flow", "cmd/quarry-lab/load", "cmd/quarry-lab/load/mixed", "cmd/quarry-lab/load/scale", "cmd/quarry-lab/lsp", "cmd/quarry-lab/mutate", "cmd/quarry-lab/peers", "cmd/quarry-lab/retrieval", "cmd/quarry-lab/tasks"},
	"cmd/quarry-lab/callgraph":           {"index", "index/answer", "index/calls", "index/impact", "index/references"},
	"cmd/quarry-lab/dead":                {"index", "index/calls", "index/dead"},
	"cmd/quarry-lab/fit":                 {},
	"cmd/quarry-lab/fitting":             {"cmd/quarry-lab/fit", "cmd/quarry-lab/train", "embed", "embed/contextual", "embed/onnx", "embed/rerank", "embed/static", "index", "index/measure", "index/search", "index/suite"},
	"cmd/quarry-lab/flow":                {},
	"cmd/quarry-lab/load":                {"cmd/quarry-lab/load/rig"},
	"cmd/quarry-lab/load/mixed":          {"cmd/quarry-lab/load", "cmd/quarry-lab/load/hostile", "cmd/quarry-lab/load/model", "cmd/quarry-lab/load/rig"},
	"cmd/quarry-lab/load/rig":            {},
	"cmd/quarry-lab/load/scale":          {"cmd/quarry-lab/load", "cmd/quarry-lab/load/rig"},
	"cmd/quarry-lab/load/hostile":        {},
	"cmd/quarry-lab/load/model":          {},
	"cmd/quarry-lab/lsp":                 {},
	"cmd/quarry-lab/mutate":              {},
	"cmd/quarry-lab/peers":               {"index/measure", "index/suite"},
	"cmd/quarry-lab/retrieval":           {"embed/static", "index", "index/answer", "index/brief", "index/evaluation", "index/measure", "index/outline", "index/search", "index/suite", "index/summary", "index/tokens"},
	"cmd/quarry-lab/tasks":               {"cmd/quarry-lab/load/rig", "index/tokens"},
	"cmd/quarry-lab/train":               {"embed", "embed/model", "embed/tokenizer", "index/outline"},
	"openapi.yaml":                       {},
	"api":                                {"api/analysis", "api/coach", "api/command", "api/fields", "api/identity", "api/llm", "api/mcp", "api/project", "api/service", "api/slot", "api/text", "api/wire", "index", "index/answer", "index/fault", "index/throttle", "openapi.yaml", "web"},
	"api/analysis":                       {"api/fields", "api/service", "api/wire", "index/answer", "index/architecture", "index/calls", "index/dead", "index/diagnostics", "index/flow", "index/references", "index/subgraph", "index/treemap"},
	"api/fields":                         {"api/wire", "index/edit"},
	"api/slot":                           {},
	"api/identity":                       {},
	"api/session":                        {"api/identity", "api/slot", "api/wire", "index/answer", "index/search"},
	"api/project":                        {"api/wire", "index", "index/answer", "index/architecture", "index/brief", "index/calls", "index/diagnostics", "index/flow", "index/dead", "index/grep", "index/highlight", "index/impact", "index/links", "index/outline", "index/references", "index/search", "index/subgraph", "index/trace", "index/treemap", "index/verify"},
	"api/across":                         {"api/project", "api/wire", "index/answer", "index/calls", "index/impact", "index/links"},
	"api/several":                        {"api/project", "api/wire", "index/answer", "index/search"},
	"api/reach":                          {"api/project", "api/several", "api/wire", "index/fault"},
	"api/service":                        {"api/across", "api/coach", "api/fields", "api/identity", "api/llm", "api/project", "api/reach", "api/remainder", "api/session", "api/several", "api/slot", "api/te", "api/wire", "index", "index/answer", "index/brief", "index/calls", "index/fault", "index/grep", "index/highlight", "index/impact", "index/outline", "index/references", "index/search", "index/summary", "index/throttle", "index/tokens", "index/trace", "index/verify"},
	"index":                              {"embed", "index/answer", "index/architecture", "index/brief", "index/calls", "index/dead", "index/fault", "index/diagnostics", "index/flow", "index/grep", "index/highlight", "index/impact", "index/internal/callgraph", "index/internal/facts", "index/internal/ingest", "index/internal/lexical", "index/internal/persist", "index/internal/rank", "index/internal/scip", "index/internal/secret", "index/internal/snapshot", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/links", "index/outline", "index/references", "index/scip", "index/search", "index/subgraph", "index/trace", "index/treemap", "index/verify"},
	"index/verify":                       {"index/answer", "index/internal/graph", "index/internal/ingest", "index/internal/lexical", "index/internal/source", "index/internal/store"},
	"index/search":                       {"embed", "embed/rerank", "index/answer", "index/edit", "index/fault", "index/internal/chunk", "index/internal/lexical", "index/internal/line", "index/internal/rank", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/texts"},
	"index/flow":                         {"index/answer", "index/calls", "index/internal/drawing", "index/internal/flow", "index/internal/flow/taint", "index/internal/flow/walk", "index/internal/graph", "index/internal/ir", "index/internal/store", "index/internal/syntax", "index/internal/texts"},
	"index/diagnostics":                  {"index/answer", "index/calls", "index/internal/flow", "index/internal/flow/walk", "index/internal/graph", "index/internal/ir", "index/internal/modules", "index/internal/source", "index/internal/store", "index/internal/syntax"},
	"index/architecture":                 {"index/answer", "index/calls", "index/git", "index/internal/drawing", "index/internal/graph", "index/internal/ir", "index/internal/modules", "index/internal/source", "index/internal/store"},
	"index/dead":                         {"index/answer", "index/calls", "index/diagnostics", "index/internal/binding", "index/internal/convention", "index/internal/graph", "index/internal/ir", "index/internal/line", "index/internal/mention", "index/internal/protocol", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/texts"},
	"index/impact":                       {"index/answer", "index/calls", "index/internal/graph", "index/internal/ir", "index/internal/mention", "index/internal/patch", "index/internal/protocol", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/texts", "index/references"},
	"index/subgraph":                     {"index/answer", "index/calls", "index/internal/drawing", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/trace"},
	"index/treemap":                      {"index/answer", "index/architecture", "index/calls", "index/internal/source", "index/internal/store"},
	"index/trace":                        {"index/answer", "index/calls", "index/impact", "index/internal/graph", "index/internal/ir", "index/internal/store", "index/references"},
	"index/scip":                         {"index/answer", "index/calls", "index/internal/graph", "index/internal/ir", "index/internal/mention", "index/internal/modules", "index/internal/scip", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/references"},
	"index/outline":                      {"index/answer", "index/calls", "index/internal/graph", "index/internal/lang", "index/internal/source", "index/internal/store", "index/internal/syntax"},
	"index/links":                        {"index/answer", "index/calls", "index/internal/graph", "index/internal/ir", "index/internal/modules", "index/internal/source", "index/internal/store", "index/internal/syntax"},
	"index/internal/binding":             {"index/internal/ir", "index/internal/protocol", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/texts"},
	"index/internal/convention":          {"index/internal/ir", "index/internal/protocol", "index/internal/store"},
	"index/internal/texts":               {"index/answer", "index/fault", "index/internal/line", "index/internal/posix", "index/internal/source", "index/internal/store"},
	"index/internal/store":               {"embed", "embed/rerank", "index/answer", "index/edit", "index/fault", "index/internal/callgraph", "index/internal/chunk", "index/internal/graph", "index/internal/ir", "index/internal/lang", "index/internal/lexical", "index/internal/line", "index/internal/lower", "index/internal/parsing", "index/internal/priority", "index/internal/rank", "index/internal/scip", "index/internal/source", "index/internal/syntax", "index/internal/vector", "index/oserror", "index/throttle"},
	"index/internal/priority":            {},
	"index/internal/drawing":             {},
	"index/internal/persist":             {"index/answer", "index/fault", "index/internal/graph", "index/internal/lang", "index/internal/lexical", "index/internal/scip", "index/internal/secret", "index/internal/snapshot", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/vector"},
	"index/internal/ingest":              {"embed", "index/answer", "index/fault", "index/internal/callgraph", "index/internal/chunk", "index/internal/graph", "index/internal/ir", "index/internal/lang", "index/internal/lexical", "index/internal/lower", "index/internal/persist", "index/internal/priority", "index/internal/snapshot", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/vector", "index/oserror"},
	"index/internal/callgraph":           {"index/internal/graph", "index/internal/ir", "index/internal/priority", "index/internal/snapshot", "index/throttle"},
	"index/grep":                         {"index/answer", "index/fault", "index/internal/line", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/texts", "index/oserror", "index/search"},
	"index/highlight":                    {"index/internal/source", "index/internal/store", "index/internal/syntax"},
	"index/internal/paged":               {"index/internal/graph/edge"},
	"index/calls/dependents":             {"index/internal/graph/edge", "index/internal/ir", "index/internal/paged"},
	"index/calls/postings":               {"index/internal/ir", "index/internal/line", "index/internal/mention", "index/internal/protocol", "index/internal/source", "index/internal/store", "index/internal/texts"},
	"index/calls":                        {"index/answer", "index/calls/dependents", "index/calls/postings", "index/internal/callgraph", "index/internal/facts", "index/internal/graph", "index/internal/ir", "index/internal/line", "index/internal/mention", "index/internal/modules", "index/internal/overload", "index/internal/paged", "index/internal/patch", "index/internal/protocol", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/texts"},
	"index/references":                   {"index/answer", "index/calls", "index/internal/facts", "index/internal/graph", "index/internal/ir", "index/internal/line", "index/internal/mention", "index/internal/modules", "index/internal/protocol", "index/internal/scip", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/internal/texts", "index/references/typing"},
	"index/references/typing":            {"index/calls", "index/internal/graph", "index/internal/ir", "index/internal/modules", "index/internal/source", "index/internal/store", "index/internal/syntax"},
	"index/brief":                        {"embed", "index/answer", "index/calls", "index/impact", "index/internal/graph", "index/internal/lang", "index/internal/lexical", "index/internal/source", "index/internal/store", "index/internal/syntax", "index/outline", "index/search", "index/summary", "index/summary/code"},
	"index/answer":                       {},
	"index/fault":                        {},
	"index/edit":                         {},
	"index/oserror":                      {},
	"api/coach":                          {},
	"api/command":                        {},
	"api/lsp":                            {"api/text", "api/wire"},
	"api/mcp":                            {"api/fields", "api/text", "api/wire"},
	"api/remainder":                      {"api/project", "api/te", "api/wire", "index/answer", "index/grep"},
	"api/te":                             {"api/wire", "index/answer", "index/grep", "index/search"},
	"api/wire":                           {},
	"api/text":                           {"api/wire"},
	"api/llm":                            {"index/summary"},
	"client":                             {"api/wire"},
	"api/socket":                         {"api/command", "api/fields", "api/wire", "index/tokens"},
	"index/git":                          {"index/internal/sandbox"},
	"index/git/gittest":                  {"index/internal/sandbox"},
	"index/internal/chunk":               {"index/internal/syntax"},
	"index/internal/flow":                {"index/internal/flow/taint", "index/internal/flow/walk", "index/internal/lang/*/control", "index/internal/syntax"},
	"index/internal/flow/taint":          {},
	"index/internal/flow/walk":           {"index/internal/syntax"},
	"index/internal/lang/*/control":      {"index/internal/flow/walk", "index/internal/syntax"},
	"index/internal/graph":               {"index/fault", "index/internal/graph/edge", "index/internal/graph/frozen", "index/internal/graph/lang", "index/internal/graph/lang/*", "index/internal/graph/program", "index/internal/graph/solver", "index/internal/ir", "index/internal/lang/*/resolve", "index/internal/snapshot"},
	"index/internal/graph/construct":     {"index/internal/graph/edge"},
	"index/internal/graph/defuse":        {"index/internal/ir"},
	"index/internal/graph/edge":          {"index/internal/ir"},
	"index/internal/graph/eval":          {"index/internal/graph/call", "index/internal/graph/edge", "index/internal/graph/frame", "index/internal/graph/intern", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/graph/transfer", "index/internal/graph/typeparam", "index/internal/ir"},
	"index/internal/graph/frame":         {"index/internal/graph/edge", "index/internal/graph/intern", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/graph/call":          {"index/internal/graph/edge", "index/internal/graph/frame", "index/internal/graph/intern", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/graph/typeparam":     {"index/internal/graph/call", "index/internal/graph/edge", "index/internal/graph/frame", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/graph/transfer":      {"index/internal/graph/call", "index/internal/graph/defuse", "index/internal/graph/edge", "index/internal/graph/frame", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/graph/body":          {"index/internal/graph/edge", "index/internal/graph/eval", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/graph/frozen":        {"index/internal/graph/edge", "index/internal/graph/intern", "index/internal/ir", "index/internal/snapshot"},
	"index/internal/graph/intern":        {},
	"index/internal/graph/lang":          {"index/internal/graph/lang/*", "index/internal/graph/program", "index/internal/lang/*/resolve"},
	"index/internal/graph/lang/*":        {"index/internal/graph/edge", "index/internal/graph/eval", "index/internal/graph/intern", "index/internal/graph/library", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/lang/*/resolve":      {"index/internal/graph/call", "index/internal/graph/edge", "index/internal/graph/eval", "index/internal/graph/intern", "index/internal/graph/lang/*", "index/internal/graph/library", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/graph/library":       {"index/internal/graph/eval", "index/internal/graph/intern", "index/internal/graph/pointsto", "index/internal/ir"},
	"index/internal/graph/pointsto":      {"index/internal/graph/edge", "index/internal/graph/intern"},
	"index/internal/graph/program":       {"index/internal/graph/edge", "index/internal/graph/frozen", "index/internal/graph/intern", "index/internal/graph/pointsto", "index/internal/ir"},
	"index/internal/graph/solver":        {"index/fault", "index/internal/graph/body", "index/internal/graph/defuse", "index/internal/graph/edge", "index/internal/graph/eval", "index/internal/graph/frozen", "index/internal/graph/intern", "index/internal/graph/pointsto", "index/internal/graph/program", "index/internal/ir"},
	"index/internal/ir":                  {"index/internal/snapshot"},
	"index/internal/lexical":             {"index/internal/snapshot"},
	"index/internal/line":                {"index/internal/posix"},
	"index/internal/posix":               {},
	"index/internal/lower":               {"index/internal/ir", "index/internal/lang/*/lower", "index/internal/lower/*", "index/internal/syntax"},
	"index/internal/lang/*/lower":        {"index/internal/ir", "index/internal/lang", "index/internal/lower/walk", "index/internal/syntax"},
	"index/internal/lower/*":             {"index/internal/ir", "index/internal/lang", "index/internal/lower/walk", "index/internal/syntax"},
	"index/internal/lower/walk":          {"index/internal/ir", "index/internal/syntax"},
	"index/internal/parsing":             {"index/internal/lang", "index/internal/sandbox", "index/internal/syntax"},
	"index/internal/mention":             {"index/internal/syntax"},
	"index/internal/protocol":            {"index/internal/jdk"},
	"index/internal/jdk":                 {},
	"index/internal/overload":            {"index/internal/jdk", "index/internal/syntax"},
	"index/internal/modules":             {"index/internal/graph", "index/internal/source", "index/internal/store"},
	"index/internal/patch":               {},
	"index/internal/rank":                {},
	"index/internal/snapshot":            {},
	"index/internal/facts":               {"index/internal/graph", "index/internal/ir", "index/internal/scip", "index/internal/store"},
	"index/internal/scip":                {"index/fault", "index/internal/ir", "index/internal/snapshot"},
	"index/internal/sandbox":             {},
	"index/internal/secret":              {},
	"index/internal/source":              {"index/git", "index/internal/ignore", "index/internal/secret", "index/oserror"},
	"index/internal/ignore":              {},
	"index/internal/lang":                {"index/internal/lang/*", "index/internal/syntax"},
	"index/internal/lang/*":              {"index/internal/lang/*", "index/internal/syntax", "index/internal/syntax/glr", "index/internal/syntax/pattern"},
	"index/internal/syntax/pattern":      {},
	"index/internal/syntax":              {"index/internal/syntax/glr", "index/internal/syntax/pattern", "index/internal/syntax/query"},
	"index/internal/syntax/glr":          {},
	"index/internal/syntax/query":        {"index/internal/syntax/glr"},
	"index/internal/vector":              {},
	"index/evaluation":                   {"index", "index/measure", "index/search", "index/suite"},
	"index/measure":                      {"index/suite"},
	"index/summary":                      {},
	"index/summary/code":                 {},
	"index/throttle":                     {},
	"index/suite":                        {"index/git", "index/internal/lang", "index/internal/source", "index/internal/syntax"},
	"index/tokens":                       {},
	"embed":                              {},
	"embed/model":                        {},
	"embed/contextual":                   {"embed", "embed/model", "embed/wordpiece"},
	"embed/onnx":                         {"embed", "embed/model", "embed/rerank", "embed/tokenizer", "embed/wordpiece"},
	"embed/rerank":                       {"embed/wordpiece"},
	"embed/static":                       {"embed", "embed/model", "embed/tokenizer"},
	"embed/tokenizer":                    {},
	"embed/wordpiece":                    {},
	"watcher":                            {"index/oserror"},
	"web":                                {},
}

// only names the packages that may import a library that is kept in one place.
var only = map[string][]string{
	"C":                                    {"embed/onnx", "index/internal/syntax/glr"},
	"github.com/elastic/go-seccomp-bpf":    {"index/internal/sandbox"},
	"github.com/fsnotify/fsnotify":         {"watcher"},
	"github.com/go-chi/chi/v5":             {"api"},
	"github.com/go-jose/go-jose/v4":        {"cmd/quarry/access", "cmd/quarry/access/accesstest"},
	"golang.org/x/net":                     {"api", "index/internal/lang/*"},
	"go.lsp.dev/":                          {"api/lsp"},
	"github.com/google/jsonschema-go":      {"api/mcp"},
	"github.com/landlock-lsm/go-landlock":  {"index/internal/sandbox"},
	"github.com/minio/minio-go/v7":         {"cmd/quarry/depot"},
	"github.com/jackc/pgx/v5":              {"cmd/quarry/catalogue", "cmd/quarry/worker"},
	"github.com/pressly/goose/v3":          {"cmd/quarry/catalogue"},
	"github.com/riverqueue/river":          {"cmd/quarry/catalogue", "cmd/quarry/worker"},
	"github.com/modelcontextprotocol/":     {"api/mcp"},
	"github.com/philippgille/chromem-go":   {"index/internal/vector"},
	"github.com/pkoukk/tiktoken-go":        {"index/tokens"},
	"github.com/pkoukk/tiktoken-go-loader": {"index/tokens"},
	"github.com/prometheus/client_golang/": {"api", "cmd/quarry/gateway", "cmd/quarry/worker"},
	"github.com/scip-code/scip/":           {"cmd/quarry-lab/callgraph", "index/internal/scip", "index/scip"},
	"google.golang.org/protobuf":           {"cmd/quarry-lab/callgraph", "embed/onnx", "index/internal/scip", "index/scip"},
	"github.com/smacker/go-tree-sitter":    {"index/internal/lang/*", "index/internal/syntax", "index/internal/syntax/glr"},
	"github.com/spf13/cobra":               {"cmd/quarry-man", "cmd/quarry-lab", "cmd/quarry-lab/callgraph", "cmd/quarry-lab/dead", "cmd/quarry-lab/fitting", "cmd/quarry-lab/flow", "cmd/quarry-lab/load", "cmd/quarry-lab/load/mixed", "cmd/quarry-lab/load/rig", "cmd/quarry-lab/load/scale", "cmd/quarry-lab/lsp", "cmd/quarry-lab/mutate", "cmd/quarry-lab/peers", "cmd/quarry-lab/retrieval", "cmd/quarry-lab/tasks", "cmd/quarry/cluster", "cmd/quarry/command", "cmd/quarry/completion", "cmd/quarry/config", "cmd/quarry/envelope", "cmd/quarry/eval", "cmd/quarry/installation", "cmd/quarry/invocation", "cmd/quarry/naming", "cmd/quarry/picture", "cmd/quarry/question", "cmd/quarry/registry"},
	"github.com/sugarme/tokenizer":         {"embed/tokenizer"},
	"github.com/tailscale/hujson":          {"cmd/quarry/agent"},
	"github.com/yalue/onnxruntime_go":      {"embed/onnx"},
	"gonum.org/v1/gonum":                   {"cmd/quarry-lab/fit", "cmd/quarry-lab/train"},
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	var complaint bytes.Buffer
	var out []byte
	for _, dir := range []string{".", "cmd/quarry-lab"} { // each is a module
		cmd := exec.CommandContext(t.Context(), "go", "list", "-C", dir, "-json=ImportPath,Imports", "./...")
		cmd.Stderr = &complaint
		one, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, complaint.Bytes())
		}
		out = append(out, one...)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = own(p.ImportPath)
		all = append(all, p)
	}
}

// own returns the path of a package of ours below the module; "openapi.yaml" for the one at
// the top, which has nothing else. It returns "" for those of others.
func own(path string) string {
	if path+"/" == module {
		return "openapi.yaml"
	}
	name, _ := strings.CutPrefix(path, module)
	if name == path {
		return ""
	}
	return name
}

// family is the name under which the tables and the tour have a package: one for all
// languages, for the lowerings of all, and for their resolution in the call graph.
func family(name string) string {
	if rest, ok := strings.CutPrefix(name, "index/internal/lang/"); ok && rest != "" {
		switch base := path.Base(rest); base {
		case "control", "lower", "resolve":
			return "index/internal/lang/*/" + base
		}
		return "index/internal/lang/*"
	}
	if rest, ok := strings.CutPrefix(name, "index/internal/lower/"); ok && rest != "walk" {
		return "index/internal/lower/*"
	}
	if rest, ok := strings.CutPrefix(name, "index/internal/graph/lang/"); ok && rest != "" {
		return "index/internal/graph/lang/*"
	}
	return name
}

// TestImports fails on an import that goes the wrong way, and on a package that
// the tables above do not know.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := family(p.ImportPath)
		seen[name] = true
		may, known := allowed[name]
		if !known {
			t.Errorf("package %s has no line in the table of imports", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if own := own(imported); own != "" && !slices.Contains(may, family(own)) {
				t.Errorf("%s may not import %s", p.ImportPath, own)
			}
			for library, users := range only {
				if (imported == library || strings.HasPrefix(imported, strings.TrimSuffix(library, "/")+"/")) && !slices.Contains(users, name) {
					t.Errorf("%s may not import %s, which belongs to %s", p.ImportPath, imported, strings.Join(users, ", "))
				}
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("the table of imports has package %s, which does not exist", name)
		}
	}
}

// TestTour holds docs/architecture.md to the import graph: every package has
// one heading there, and comes after all packages of ours that it imports.
func TestTour(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "### ")
		if !ok {
			continue
		}
		if place[name] > 0 {
			t.Errorf("docs/architecture.md: %s has two headings", name)
		}
		place[name] = len(place) + 1
	}
	for _, p := range packages(t) {
		at := place[family(p.ImportPath)]
		if at == 0 {
			t.Errorf("docs/architecture.md: package %s has no heading", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if own := own(imported); own != "" && place[family(own)] > at {
				t.Errorf("docs/architecture.md: %s comes before %s, which it imports", p.ImportPath, own)
			}
		}
	}
	for name := range place {
		if _, known := allowed[name]; !known {
			t.Errorf("docs/architecture.md: there is no package %s", name)
		}
	}
}
