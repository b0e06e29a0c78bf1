package flow

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed functions.txt
var functionsProgram string

// A task is what the built program does with a function: it runs the inputs of these numbers, or looks for some.
type task struct {
	Key, ID string
	Words   []string
	Inputs  []int
	Fuzz    int
}

// A result has what was noted with each input, and how that ended: "ok", "own" for a panic of the function's own,
// "late", or the text of another one. That of a search has inputs.
type result struct {
	Key          string
	Seen         [][]string
	Ends         []string
	Inputs, More []int
}

func (r *result) equal(o *result) bool {
	return o != nil && slices.EqualFunc(r.Seen, o.Seen, func(a, b []string) bool { return slices.Equal(a, b) })
}

// holds reports whether a slice notes what the whole noted: where that ended by a panic that it did
// not raise itself, at least that.
func (r *result) holds(o *result) bool {
	if o == nil || len(o.Seen) != len(r.Seen) {
		return false
	}
	for i, seen := range r.Seen {
		other := o.Seen[i]
		if r.Ends[i] != "ok" && r.Ends[i] != "own" && len(other) > len(seen) {
			other = other[:len(seen)]
		}
		if !slices.Equal(seen, other) {
			return false
		}
	}
	return true
}

// A builder builds variants and runs them.
type builder struct{ dir string }

func newBuilder() (*builder, error) {
	dir, err := os.MkdirTemp("", "quarryslices")
	return &builder{dir}, err
}

func (b *builder) close() { os.RemoveAll(b.dir) }

const helpers = `
var QuarrySee func(any)
var QuarryAt func(int)
type QuarryOwn struct{ Value any }
func quarrySee(v any) { QuarrySee(v) }
func quarryAt(n int) { QuarryAt(n) }
func quarryPanic(v any) { panic(QuarryOwn{v}) }
`

// resolve finds what the names of drawn functions mean, and returns those that can be built.
func (b *builder) resolve(variants []*variant) []*variant {
	good := b.checked(variants)
	for _, v := range good {
		v.build = v.covered()
	}
	return b.checked(good)
}

// checked returns the variants that can be built. Those without a text of their own to be built get what their names
// mean.
func (b *builder) checked(variants []*variant) (good []*variant) {
	by := map[*goPackage][]*variant{}
	for _, v := range variants {
		by[v.pack] = append(by[v.pack], v)
	}
	bad := map[*variant]bool{}
	for p, list := range by {
		helped, err := parser.ParseFile(p.set, "quarry.go", "package "+p.files[0].Name.Name+helpers, parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		files := []*ast.File{helped}
		of := map[*token.File]*variant{}
		var whole []*variant
		for _, v := range list {
			f, err := parser.ParseFile(p.set, v.key+".go", cmp.Or(v.build, v.text), parser.SkipObjectResolution)
			if err != nil {
				bad[v] = true
				continue
			}
			if v.build == "" {
				v.set, v.file, v.fn = p.set, f, f.Decls[len(f.Decls)-1].(*ast.FuncDecl)
				whole = append(whole, v)
			}
			of[p.set.File(f.Pos())] = v
			files = append(files, f)
		}
		info, _ := p.check(files, func(err error) { //nolint:errcheck // what fails is noted
			if e, ok := err.(types.Error); ok {
				bad[of[p.set.File(e.Pos)]] = true
			}
		})
		for _, v := range whole {
			v.info = info
		}
	}
	for _, v := range variants {
		if !bad[v] {
			good = append(good, v)
		}
	}
	return good
}

// program builds a program that has the variants.
func (b *builder) program(variants []*variant) error {
	replace := map[string]string{}
	root := filepath.Join(build.Default.GOROOT, "src")
	count := 0
	put := func(at, text string) error {
		count++
		file := filepath.Join(b.dir, fmt.Sprintf("%d.go", count))
		replace[filepath.Join(root, at)] = file
		return os.WriteFile(file, []byte(text), 0o644)
	}
	var main strings.Builder
	main.WriteString("package main\n")
	names := map[*goPackage]string{}
	keys := map[*goPackage][]string{}
	for _, v := range variants {
		p := v.pack
		if names[p] == "" {
			names[p] = fmt.Sprintf("p%d", len(names))
			fmt.Fprintf(&main, "import %s %q\n", names[p], p.name)
			for _, f := range p.files {
				name := p.set.Position(f.Pos()).Filename
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				text = bytes.ReplaceAll(text, []byte("//go:linkname"), []byte("// go:linkname"))
				if err := put(filepath.Join(p.name, filepath.Base(name)), string(text)); err != nil {
					return err
				}
			}
		}
		if err := put(filepath.Join(p.name, "quarry_of_"+v.key+"_.go"), v.build); err != nil {
			return err
		}
		keys[p] = append(keys[p], fmt.Sprintf("%q: %s,\n", v.key, v.called()))
	}
	main.WriteString("func init() {\n")
	for p, name := range names {
		if err := put(filepath.Join(p.name, "quarry.go"), "package "+p.files[0].Name.Name+helpers+"var QuarryFuncs = map[string]any{\n"+strings.Join(keys[p], "")+"}\n"); err != nil {
			return err
		}
		fmt.Fprintf(&main, "%[1]s.QuarrySee, %[1]s.QuarryAt = see, at\nfor k, f := range %[1]s.QuarryFuncs { functions[k] = f }\nowns = append(owns, func(v any) bool { _, is := v.(%[1]s.QuarryOwn); return is })\n", name)
	}
	main.WriteString("}\n")
	if err := put("quarryslices/main/list.go", main.String()); err != nil {
		return err
	}
	if err := put("quarryslices/main/main.go", functionsProgram); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	at := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(at, overlay, 0o644); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-gcflags=-e", "-overlay", at, "-o", filepath.Join(b.dir, "program"), "quarryslices/main")
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// called is how the function of a variant is named outside of it.
func (v *variant) called() string {
	name := "quarrySliced" + v.key
	if v.recv == "" {
		return name
	}
	return "(" + v.recv + ")." + name
}

// results builds variants and runs them with the inputs of their trials.
func (b *builder) results(variants []*variant, trials []*trial) (map[string]*result, error) {
	of := map[string]*trial{}
	for _, t := range trials {
		of[t.ID] = t
	}
	variants = b.checked(variants)
	if err := b.program(variants); err != nil {
		return nil, err
	}
	return b.run(variants, func(v *variant) task { return task{v.key, v.id, of[v.id].Words, of[v.id].Inputs, 0} })
}

// run runs variants. One that ends the program, or does not end, has no result.
func (b *builder) run(variants []*variant, what func(v *variant) task) (map[string]*result, error) {
	all := map[string]*result{}
	for len(variants) > 0 {
		var in bytes.Buffer
		enc := json.NewEncoder(&in)
		for _, v := range variants {
			if err := enc.Encode(what(v)); err != nil {
				return nil, err
			}
		}
		cmd := exec.Command(filepath.Join(b.dir, "program"))
		cmd.Stdin, cmd.Dir = &in, b.dir
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		done := 0
		for dec := json.NewDecoder(bufio.NewReader(out)); ; done++ {
			r := &result{}
			if dec.Decode(r) != nil {
				break
			}
			all[r.Key] = r
		}
		io.Copy(io.Discard, out) //nolint:errcheck // it ends
		if err := cmd.Wait(); err == nil && done < len(variants) {
			return nil, fmt.Errorf("%d of %d functions have results", done, len(variants))
		}
		variants = variants[min(len(variants), done+1):]
	}
	return all, nil
}
