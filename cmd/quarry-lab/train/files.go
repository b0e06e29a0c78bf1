package train

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/outline"
)

// Limits of a file.
const (
	maxFile    = 128 << 10 // bytes: larger ones are seldom written by hand, and parse slowly
	maxLine    = 2000      // bytes: as above
	minCode    = 40        // bytes of code that answer a question
	maxNames   = 2000      // bytes of the names of a file
	maxTypes   = 2         // types of a file whose docs speak for the file
	maxInFile  = 80        // pairs of one file, so that one file does not outweigh a repository
	minInNames = 3         // definitions of a file that can be told by its names
)

type blob struct{ id, path string }

// files gives the pairs of the comments of all files of a revision to add, in
// the order of the paths.
func (g git) files(ctx context.Context, r Repository, add func(Pair)) error {
	return g.outlines(ctx, r, filePairs, add)
}

// names gives the pairs of the names in all files of a revision to add, in the
// order of the paths.
func (g git) names(ctx context.Context, r Repository, add func(Pair)) error {
	return g.outlines(ctx, r, namePairs, add)
}

// outlines calls pairs for every file of a revision that a person can have
// written.
func (g git) outlines(ctx context.Context, r Repository, pairs func(o *outline.Outliner, name string, src []byte, add func(Pair)), add func(Pair)) error {
	blobs, err := g.list(ctx, r)
	if err != nil {
		return err
	}
	var ids strings.Builder
	for _, b := range blobs {
		ids.WriteString(b.id + "\n")
	}
	o := outline.NewOutliner()
	defer o.Close()
	return g.stream(ctx, strings.NewReader(ids.String()), func(out *bufio.Reader) error {
		for _, b := range blobs {
			src, err := readBlob(out)
			if err != nil {
				return fmt.Errorf("%s: %w", b.path, err)
			}
			if readable(src) {
				pairs(o, b.path, src, add)
			}
		}
		return nil
	}, "cat-file", "--batch")
}

// list returns the files of a revision that pairs may be taken from.
func (g git) list(ctx context.Context, r Repository) ([]blob, error) {
	var blobs []blob
	err := g.stream(ctx, nil, func(out *bufio.Reader) error {
		for {
			line, err := out.ReadString(0)
			if err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			// "100644 blob ID   SIZE\tPATH"
			head, name, ok := strings.Cut(strings.TrimSuffix(line, "\x00"), "\t")
			f := strings.Fields(head)
			if !ok || len(f) != 4 || f[1] != "blob" || !strings.HasPrefix(f[0], "100") || language(name) == "" {
				continue
			}
			if size, err := strconv.Atoi(f[3]); err == nil && size > 0 && size <= maxFile {
				blobs = append(blobs, blob{f[2], name})
			}
		}
	}, "ls-tree", "-r", "-z", "-l", r.Revision)
	return blobs, err
}

// readBlob reads one object as `git cat-file --batch` writes it: "ID blob SIZE",
// a line break, the bytes, a line break.
func readBlob(r *bufio.Reader) ([]byte, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	f := strings.Fields(head)
	if len(f) != 3 || f[1] != "blob" {
		return nil, fmt.Errorf("git says %q", strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return nil, fmt.Errorf("git says %q", strings.TrimSpace(head))
	}
	b := make([]byte, size+1)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return b[:size], nil
}

// readable reports whether a person can have written the text.
func readable(src []byte) bool {
	if bytes.IndexByte(src, 0) >= 0 {
		return false
	}
	if head := bytes.ToLower(src[:min(len(src), 512)]); bytes.Contains(head, []byte("code generated")) || bytes.Contains(head, []byte("@generated")) {
		return false
	}
	for line := range bytes.Lines(src) {
		if len(line) > maxLine {
			return false
		}
	}
	return true
}

// filePairs gives the pairs of one file to add.
func filePairs(o *outline.Outliner, name string, src []byte, add func(Pair)) {
	out := o.Outline(name, src)
	lang, left := language(name), maxInFile
	put := func(kind Kind, doc, names, text string) bool {
		q, ok := question(doc)
		if !ok || left == 0 {
			return false
		}
		left--
		add(Pair{Kind: kind, Language: lang, Query: q, Path: name, Names: names, Text: text})
		return true
	}
	names, types := fileNames(out.Parts), 0
	if names != "" && out.Doc != "" && put(FilePair, out.Doc, names, "") {
		types++
	}
	for _, p := range out.Parts {
		if p.Doc == "" {
			continue
		}
		if isType(p.Kind) && types < maxTypes && names != "" && put(FilePair, p.Doc, names, "") {
			types++
		}
		if len(p.Text) >= minCode {
			put(DocComment, p.Doc, strings.TrimSpace(p.Parent+" "+p.Name), p.Text)
		}
	}
	for _, m := range out.Remarks {
		if len(m.Text) < minCode {
			continue
		}
		names := ""
		if m.Part >= 0 {
			names = strings.TrimSpace(out.Parts[m.Part].Parent + " " + out.Parts[m.Part].Name)
		}
		put(RemarkPair, m.Doc, names, m.Text)
	}
}

// fileNames are the names of all definitions of a file, each once, or "" when
// they are too few to tell anything.
func fileNames(parts []outline.Part) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, p := range parts {
		if p.Kind == "heading" || p.Kind == "key" || seen[p.Name] || b.Len() > maxNames {
			continue
		}
		seen[p.Name] = true
		b.WriteString(p.Name + " ")
	}
	if len(seen) < minInNames {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func isType(kind string) bool {
	switch kind {
	case "class", "struct", "interface", "trait", "enum", "type", "module", "namespace":
		return true
	}
	return false
}

// stem is the name of a file without folder and extension.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

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
