package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// wheelTags are the platforms that wheels are for: those of Linux need the C library that
// the program is linked for.
var wheelTags = map[string]string{
	"linux/amd64":   "manylinux_2_28_x86_64",
	"linux/arm64":   "manylinux_2_28_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
}

// alias has the name of the package, which is what uvx runs. Windows runs no such script: there
// uvx must be told the program's name.
const alias = `#!/bin/sh
exec "$(dirname "$0")/quarry" "$@"
`

// wheel makes a wheel, in which nothing is Python: pip puts the program among the scripts
// of the environment, and the rest below it.
func (r *release) wheel(t target) error {
	tag := "py3-none-" + wheelTags[t.OS+"/"+t.Arch]
	if wheelTags[t.OS+"/"+t.Arch] == "" {
		return nil
	}
	name := "quarry_search-" + r.Version
	info, data := name+".dist-info", name+".data"
	files := moved(under(t.files, "bin"), "bin", data+"/scripts")
	files = append(files, moved(under(t.files, "lib/quarry", "share/man", "share/bash-completion", "share/zsh", "share/fish"), "", data+"/data")...)
	files = append(files, moved(under(t.files, "share/doc/quarry"), "share/doc/quarry", info+"/licenses")...)
	if t.OS != "windows" {
		start := textFile(data+"/scripts/quarry-search", alias)
		start.mode = 0o755
		files = append(files, start)
	}
	files = append(files,
		textFile(info+"/METADATA", "Metadata-Version: 2.4\nName: quarry-search\nVersion: "+r.Version+"\nSummary: "+summary+
			"\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE\nProject-URL: Source, https://github.com/quarry-search/quarry"+
			"\nDescription-Content-Type: text/markdown\n\n"+page),
		textFile(info+"/WHEEL", "Wheel-Version: 1.0\nGenerator: quarry-release\nRoot-Is-Purelib: false\nTag: "+tag+"\n"))
	return r.create(name+"-"+tag+".whl", func(w io.Writer) error { return r.writeWheel(w, files, info+"/RECORD") })
}

// writeWheel writes the files, and their checksums last.
func (r *release) writeWheel(w io.Writer, files []file, record string) error {
	var sums strings.Builder
	for _, f := range sorted(files) {
		sum := sha256.New()
		if err := f.copyTo(sum); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s,sha256=%s,%d\n", f.path, base64.RawURLEncoding.EncodeToString(sum.Sum(nil)), f.size)
	}
	return writeZip(w, files, r.date, textFile(record, sums.String()+record+",,\n"))
}
