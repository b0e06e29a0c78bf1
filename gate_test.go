package quarry_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ungated says which functions of the packages that answer questions open, list or describe
// files by their whole path, how often, and why they may. All others go through
// index/internal/source, whose os.Root no link and no ".." leads out of.
var ungated = map[string]struct {
	calls int
	why   string
}{
	"index/internal/source/tree.go Open":                      {3, "the root itself, which the operator names"},
	"index/internal/source/tree.go Reopen":                    {2, "the root itself: whether it is still the folder that was opened"},
	"index/internal/source/stat.go lstat":                     {1, "size and time only, no text; an open folder for each file costs a search too much, see there"},
	"index/git/place.go find":                                 {3, "whether a .git is in the folders around the root; nothing of it is read"},
	"index/git/place.go isGitFolder":                          {1, "as find"},
	"index/git/place.go placeOf":                              {2, "what a .git is; nothing of it is read"},
	"index/git/place.go placeByFile":                          {5, "where a .git file leads, which counts only where that names the work tree in turn"},
	"index/git/place.go pointer":                              {1, "a small plain file of git's that names a folder; nothing of it is shown"},
	"index/git/place.go same":                                 {2, "whether two names are of one folder; nothing is opened"},
	"index/git/checkout.go Checked":                           {3, "where a link leads to the work tree, and the git directory, as an os.Root; its settings alone are read"},
	"index/git/git.go Common":                                 {1, "the root itself"},
	"index/git/copy.go prepare":                               {2, "the git directory, as an os.Root"},
	"index/git/copy.go copyShared":                            {1, "a copy of the package's own"},
	"index/git/copy.go writeFrom":                             {1, "as copyShared"},
	"index/git/refs.go writeRefs":                             {2, "as prepare"},
	"index/git/objects.go own":                                {1, "as prepare, of the objects in it"},
	"index/git/objects.go borrows":                            {1, "whether the objects lead to others; nothing is opened"},
	"index/git/objects.go plainBelow":                         {1, "names and kinds of the objects; nothing is opened"},
	"index/git/user.go readUser":                              {1, "the ignore file that the user's own configuration names"},
	"index/git/scratch.go newScratch":                         {1, "a folder of the package's own"},
	"index/git/scratch.go there":                              {1, "as newScratch"},
	"index/git/scratch_unix.go hold":                          {1, "as newScratch"},
	"index/git/scratch_unix.go sweep":                         {1, "as newScratch, of other processes; names only"},
	"index/git/process_linux.go sleeping":                     {2, "what the system tells of git's process, in /proc"},
	"index/git/reach.go withProgram":                          {1, "where the libraries of git itself are; nothing is opened"},
	"index/git/gittest/reads_linux.go watch":                  {1, "as New"},
	"index/git/gittest/gittest.go New":                        {1, "its own test data; only tests import it"},
	"index/git/gittest/gittest.go Make":                       {1, "as New"},
	"index/git/gittest/gittest.go Ran":                        {1, "as New"},
	"index/internal/source/resolve.go followLinks":            {1, "where a link leads, to refuse those that lead out; nothing is opened"},
	"index/internal/snapshot/open.go Open":                    {1, "a snapshot of the data folder, or one that the operator names"},
	"index/internal/snapshot/file.go syncFolder":              {1, "the data folder"},
	"index/internal/parsing/process_linux.go meterOf":         {1, "how much memory a process of the program's own takes, in /proc"},
	"index/internal/sandbox/descriptors.go closeInherited":    {1, "the process's own descriptors"},
	"index/internal/sandbox/reach_linux.go allow":             {1, "a folder that a thread keeps, to name it to the kernel; nothing of it is read"},
	"index/internal/sandbox/sandbox_linux.go privateMemory":   {1, "what the process itself uses, in /proc"},
	"index/internal/ingest/packs.go OpenPacks":                {1, "the data folder"},
	"index/internal/ingest/packs.go part":                     {1, "the data folder"},
	"index/scip.go readSCIP":                                  {2, "a SCIP index that the operator names, or one next to a snapshot"},
	"index/suite/suite.go Read":                               {1, "questions that the user of a command names"},
	"index/internal/lower/lowertest/lowertest.go HalfWritten": {1, "its own test data; only tests import it"},
	"index/internal/lower/lowertest/lowertest.go archives":    {1, "as HalfWritten"},
	"index/internal/graph/construct/construct.go Read":        {1, "test data; only tests import it"},
	"api/lsp/initialize.go initialize":                        {1, "the root itself: where a link leads that the editor names it by"},
	"api/lsp/texts.go open":                                   {1, "the root, as an os.Root, for the columns of the places in answers; no text of it is shown"},
	"api/project/project.go Find":                             {1, "where a link leads, to compare it with the roots that are served; nothing is opened"},
	"api/coach/state.go load":                                 {1, "the data folder"},
	"api/te/log.go open":                                      {1, "the log that the operator names"},
	"api/socket/listen.go Close":                              {1, "the socket that the operator names"},
	"api/socket/listen_unix.go Listen":                        {1, "as Close"},
	"api/socket/listen_unix.go Hold":                          {1, "as Close, next to its socket"},
	"api/socket/listen_unix.go checkFolder":                   {1, "as Close, of its folder"},
	"api/socket/listen_unix.go lock":                          {2, "the data folder"},
	"api/socket/listen_unix.go vacant":                        {1, "as Close"},
	"api/resources.go descriptorsIn":                          {2, "the process's own descriptors, in /proc"},
	"index/throttle/machine.go Check":                         {1, "what the system tells of itself, in /sys and /proc"},
	"index/throttle/machine.go onBattery":                     {2, "as Check"},
	"index/throttle/machine.go read":                          {1, "as Check"},
	"index/throttle/machine.go ticks":                         {1, "as Check"},
	"watcher/bound.go grantedWatches":                         {1, "a limit of the system, in /proc"},
	"watcher/watcher.go New":                                  {1, "the root itself"},
	"watcher/tree.go stat":                                    {2, "what is a folder, to watch it; names only, and none goes to a client"},
	"watcher/retry.go readDir":                                {1, "as stat"},
}

// TestGate finds every place in the packages that answer questions where a file is looked
// at past the gate, and compares them with those that may.
func TestGate(t *testing.T) {
	names := []string{"Open", "OpenFile", "ReadFile", "Stat", "Lstat", "ReadDir", "DirFS", "CopyFS", "Readlink", "OpenRoot", "Walk", "WalkDir", "Glob", "EvalSymlinks", "Getwd", "Chdir"}
	found := map[string]int{}
	for _, dir := range []string{"api", "index", "watcher"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return skipFolder(err)
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			return gated(path, nil, names, found)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(found)) {
		if may := ungated[place]; found[place] != may.calls || may.why == "" {
			t.Errorf("%s looks at files past the gate %d times, and may %d times (%s)", place, found[place], may.calls, may.why)
		}
	}
	for place := range ungated {
		if found[place] == 0 {
			t.Errorf("%s looks at no file any more", place)
		}
	}
}

// TestGateFinds proves that a handler that opens a file by itself would be found.
func TestGateFinds(t *testing.T) {
	const src = `package api
import "os"
import p "path/filepath"
func (s *Server) cat(name string) { os.ReadFile(p.Join(s.root, name)); p.EvalSymlinks(name); read := os.Open; read(name) }
func gate(r *os.Root) { r.Open("x") }`
	found := map[string]int{}
	if err := gated("api/planted.go", src, []string{"Open", "ReadFile", "EvalSymlinks"}, found); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(found) != "map[api/planted.go cat:3]" {
		t.Error(found)
	}
}

func skipFolder(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// gated counts, by function, where a file of source names a function of os, io/ioutil or
// path/filepath that takes a path.
func gated(path string, src any, names []string, found map[string]int) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	packages := map[string]bool{}
	for _, imp := range file.Imports {
		switch from := strings.Trim(imp.Path.Value, `"`); from {
		case "os", "io/ioutil", "path/filepath", "syscall", "golang.org/x/sys/unix":
			local := from[strings.LastIndexByte(from, '/')+1:]
			if imp.Name != nil {
				local = imp.Name.Name
			}
			packages[local] = true
		}
	}
	for _, decl := range file.Decls {
		name := "(outside a function)"
		if f, ok := decl.(*ast.FuncDecl); ok {
			name = f.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(names, s.Sel.Name) {
				if from, ok := s.X.(*ast.Ident); ok && packages[from.Name] {
					found[filepath.ToSlash(path)+" "+name]++
				}
			}
			return true
		})
	}
	return nil
}
