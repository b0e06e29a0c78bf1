#!/bin/sh
# Copies the licences of everything that the program links into a folder, and the notices
# next to them: OUT/MODULE@VERSION/LICENSE, and the tables of what has which licence, which
# a test keeps right. Nothing is fetched that building does not fetch.
#
#   sh scripts/licences/collect.sh OUT
set -eu

out=${1:?usage: collect.sh OUT}
go=${GO:-go}

# copy FROM TO: the licences in a folder and below, where parts have their own.
copy() {
	(cd "$1" && find . -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'patents*' \) \
		! -name '*.go' ! -path '*/testdata/*') | while read -r f; do
		mkdir -p "$2/$(dirname "$f")"
		cp "$1/$f" "$2/$f"
		chmod 644 "$2/$f"
	done
}

mkdir -p "$out"
"$go" list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/quarry | sort -u |
	while read -r module dir; do
		mkdir -p "$out/$module"
		copy "$dir" "$out/$module"
	done
mkdir -p "$out/go"
cp "$("$go" env GOROOT)/LICENSE" "$out/go/LICENSE"
cp "$(dirname "$0")"/*.csv "$out"
