#!/bin/sh
# Puts the ONNX Runtime shared library for this host, or for another, into a folder.
#
#   sh install.sh LIB [OS/ARCH]
#
# The library comes from the npm package onnxruntime-node, at the version and
# with the checksum in package-lock.json; its install script is not run. Quarry
# works without the library (the built-in model is then evaluated in plain Go),
# so whatever is missing is told in one sentence and is not an error.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
lib=${1:?usage: install.sh LIB [OS/ARCH]}
system=${2:-$(uname -s)/$(uname -m)}

without() {
	echo "lib: $1; quarry will run the built-in model in plain Go" >&2
	exit 0
}

case "$system" in
Linux/x86_64 | Linux/amd64 | linux/amd64) host=linux/x64 names='libonnxruntime.so*' ;;
Linux/aarch64 | Linux/arm64 | linux/arm64) host=linux/arm64 names='libonnxruntime.so*' ;;
Darwin/arm64 | darwin/arm64) host=darwin/arm64 names='libonnxruntime*.dylib' ;;
windows/amd64) host=win32/x64 names=onnxruntime.dll ;;
*) without "there is no ONNX Runtime in the npm package for $system" ;;
esac

version=$(sed -n 's/.*"onnxruntime-node": *"\([0-9][0-9.]*\)".*/\1/p' "$here/package.json")
stamp="onnxruntime $version $host"

present() {
	for f in "$lib"/$names; do
		[ -f "$f" ] && return 0
	done
	return 1
}
if present && [ "$(cat "$lib/.onnxruntime" 2>/dev/null)" = "$stamp" ]; then
	exit 0
fi

command -v npm >/dev/null 2>&1 || without "npm is not installed"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! (cd "$here" && npm ci --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund) >"$log" 2>&1; then
	reason=$(sed -n 's/^npm error \(code .*\)/\1/p' "$log" | head -n 1)
	without "npm could not fetch onnxruntime-node $version (${reason:-see npm's log})"
fi

found=
for f in "$here"/node_modules/onnxruntime-node/bin/napi-v*/$host/$names; do
	[ -f "$f" ] && found=$f
done
[ -n "$found" ] || without "onnxruntime-node $version holds no library for $host"

# The copy gets its final name at the end, so that a library that is there is whole.
mkdir -p "$lib"
cp "$found" "$lib/.onnxruntime.part"
rm -f "$lib/.onnxruntime" "$lib"/$names
mv "$lib/.onnxruntime.part" "$lib/$(basename "$found")"
cp "$here/LICENSE.onnxruntime" "$lib/LICENSE.onnxruntime"
echo "$stamp" >"$lib/.onnxruntime"
# The package unpacks to 210 MB, with the libraries of every host.
rm -rf "$here/node_modules"
echo "lib: $(basename "$found") ($stamp)"
