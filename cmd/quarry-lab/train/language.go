package train

import (
	"maps"
	"path"
	"regexp"
	"slices"
)

// languages are the files that pairs are taken from, by extension. The names
// are those of the index.
var languages = map[string]string{
	".bash": "bash", ".sh": "bash", ".zsh": "bash", ".bats": "bash",
	".c": "c", ".h": "c",
	".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp",
	".cs": "csharp",
	".ex": "elixir", ".exs": "elixir",
	".go":   "go",
	".hs":   "haskell",
	".java": "java",
	".js":   "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".kt": "kotlin", ".kts": "kotlin",
	".lua":   "lua",
	".php":   "php",
	".py":    "python",
	".rb":    "ruby",
	".rs":    "rust",
	".scala": "scala",
	".swift": "swift",
	".ts":    "typescript", ".tsx": "typescript", ".mts": "typescript",
	".zig": "zig",
}

// pathspecs select those files in git, in order.
func pathspecs() []string {
	var list []string
	for _, ext := range slices.Sorted(maps.Keys(languages)) {
		list = append(list, "*"+ext)
	}
	return list
}

// elsewhere matches the path of a file that is somebody else's or was written
// by a program. A copy of another repository must not come in by this door:
// that one may be excluded.
var elsewhere = regexp.MustCompile(`(?i)(^|/)(_?vendor(ed|s)?|third[-_]?party|node_modules|externals?|extern|deps|bundled|nlohmann|dist)/|\.min\.|\.pb\.|_pb2\.py|\.generated\.`)

// language returns the language of a file that pairs may be taken from, or "".
func language(name string) string {
	if elsewhere.MatchString(name) {
		return ""
	}
	return languages[path.Ext(name)]
}
