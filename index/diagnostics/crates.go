package diagnostics

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
)

var (
	rustStar  = regexp.MustCompile(`\buse\s[^;]*\*|\bmacro_rules!|\binclude!`)
	rustAbout = regexp.MustCompile(`#\s*!?\[\s*(cfg|path|cfg_attr|macro_use)`)
)

// importsRust looks at modules that should have a file, and at paths from the crate's root.
func importsRust(p *project, s *text, f *ir.File, i *ir.ImportInfo) string {
	module, name := f.String(i.Module), f.String(i.Name)
	file := s.record.Path
	if i.Flags&ir.Mod != 0 {
		at := s.offset(i.Pos)
		before := s.src[max(0, at-300):at]
		if semi := strings.LastIndexAny(string(before), ";}"); semi >= 0 {
			before = before[semi:]
		}
		if strings.Contains(module, "::") || strings.HasSuffix(module, ".rs") || strings.ContainsAny(module, "/$") || rustAbout.Match(before) {
			return ""
		}
		dir, stem := source.Dir(file), strings.TrimSuffix(path.Base(file), ".rs")
		for _, d := range []string{dir, path.Join(dir, stem)} {
			at := path.Join(d, module)
			if p.begins(d, module+".") || p.folder(at) || p.there(at+".rs") {
				return ""
			}
		}
		return fmt.Sprintf("there is no file for mod %s", module)
	}
	if module != "crate" && !strings.HasPrefix(module, "crate::") || i.Flags&ir.Conditional != 0 {
		return ""
	}
	src := strings.LastIndex("/"+file, "/src/")
	if src < 0 || strings.Contains(file[src:], "/bin/") || p.files[path.Join(file[:src], "Cargo.toml")] == nil {
		return ""
	}
	dir := path.Join(file[:src], "src")
	var roots []string
	for _, root := range []string{"lib.rs", "main.rs"} {
		if p.files[path.Join(dir, root)] != nil {
			roots = append(roots, path.Join(dir, root))
		}
	}
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(module, "crate"), "::"), "::")
	if parts[0] == "" {
		parts = nil
	}
	return p.rustPath(roots, dir, append(parts, name), "crate")
}

// macro reports whether some file of Rust defines a macro of a name: it is one of the crate wherever it
// stands.
func (p *project) macro(name string) bool {
	for _, r := range p.files {
		if r.Lang == "rust" && bytes.Contains(r.Text.All(), []byte("macro_rules! "+name)) {
			return true
		}
	}
	return false
}

// rustPath follows a path through the files of modules.
func (p *project) rustPath(files []string, dir string, parts []string, so string) string {
	for _, part := range parts {
		if part == "*" || part == "self" || part == "super" || len(files) == 0 {
			return ""
		}
		named := p.begins(dir, part+".") || p.folder(path.Join(dir, part))
		for _, at := range files {
			text := p.files[at].Text.All()
			named = named || wordIn(text, part) || rustStar.Match(text) || p.files[at].Errors
		}
		if !named && !p.macro(part) {
			return fmt.Sprintf("%s has no %s", so, part)
		}
		dir, so = path.Join(dir, part), so+"::"+part
		files = nil
		for _, at := range []string{dir + ".rs", path.Join(dir, "mod.rs")} {
			if p.files[at] != nil {
				files = append(files, at)
			}
		}
	}
	return ""
}
