// Quarry-release makes the packages of a release: an archive, a deb, an rpm, npm packages, a
// wheel, an MCP bundle and the manifests of package managers, from one folder for each
// platform that `make install` has filled, and the extensions of editors and the TypeScript
// client. The same folders give the same bytes.
//
//	quarry-release -version 1.2.3 -nfpm bin/nfpm dist linux-amd64=dist/stage/linux-amd64
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A release is what all packages have in common.
type release struct {
	Version string
	date    time.Time // of every file
	out     string
	root    string // the repository
	nfpm    string // the program that makes deb and rpm; "" makes none
	client  string // the folder of the TypeScript client, as compiled; "" packs none
	targets []target
	made    []artefact
}

// An artefact is a file of a release.
type artefact struct {
	Name, SHA256 string
	size         int64
}

// A target is a platform, with the folder that has what is installed there below a prefix.
type target struct {
	OS, Arch string // as Go calls them
	dir      string
	files    []file
}

// program is where the program is among the files of a target.
func (t target) program() string {
	if t.OS == "windows" {
		return "bin/quarry.exe"
	}
	return "bin/quarry"
}

func main() {
	r := &release{}
	flag.StringVar(&r.Version, "version", "", "the version, as in 1.2.3")
	flag.StringVar(&r.nfpm, "nfpm", "", "the program nfpm, for deb and rpm")
	flag.StringVar(&r.root, "root", ".", "the repository")
	flag.StringVar(&r.client, "client", "", "the folder of the TypeScript client, as compiled")
	flag.Parse()
	if err := r.run(os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "quarry-release:", err)
		os.Exit(1)
	}
}

var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

func (r *release) run(w io.Writer, args []string) error {
	if len(args) < 2 || !semantic.MatchString(r.Version) {
		return errors.New("usage: quarry-release -version 1.2.3 [-nfpm PROGRAM] [-client FOLDER] OUT OS-ARCH=FOLDER [OS-ARCH=FOLDER ...]")
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r.date, r.out = time.Unix(epoch, 0).UTC(), args[0]
	for _, arg := range args[1:] {
		platform, dir, _ := strings.Cut(arg, "=")
		system, arch, ok := strings.Cut(platform, "-")
		if !ok || dir == "" {
			return fmt.Errorf("%q is not OS-ARCH=FOLDER", arg)
		}
		files, err := filesIn(dir)
		if err != nil {
			return err
		}
		r.targets = append(r.targets, target{system, arch, dir, files})
	}
	for _, t := range r.targets {
		for _, make := range []func(target) error{r.archive, r.npmPlatform, r.wheel, r.linuxPackages, r.bundle} {
			if err := make(t); err != nil {
				return fmt.Errorf("%s/%s: %w", t.OS, t.Arch, err)
			}
		}
	}
	for _, make := range []func() error{r.npmMain, r.npmClient, r.vscode, r.neovim, r.manifests} {
		if err := make(); err != nil {
			return err
		}
	}
	r.print(w)
	return nil
}

// create makes a file of the release, and notes its checksum.
func (r *release) create(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return r.add(name)
}

// add notes a file that is there.
func (r *release) add(name string) error {
	f, err := os.Open(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return err
	}
	r.made = append(r.made, artefact{name, hex.EncodeToString(sum.Sum(nil)), size})
	return nil
}

// print says what there is, and how large it is.
func (r *release) print(w io.Writer) {
	for _, t := range r.targets {
		var all, program int64
		for _, f := range t.files {
			all += f.size
			if f.path == t.program() {
				program = f.size
			}
		}
		fmt.Fprintf(w, "%s/%s: %.1f MB installed, of which the program %.1f\n", t.OS, t.Arch, float64(all)/1e6, float64(program)/1e6)
	}
	for _, a := range r.made {
		fmt.Fprintf(w, "%8.1f MB  %s\n", float64(a.size)/1e6, a.Name)
	}
}
