#!/bin/sh
# Builds the packages of a release into dist/. The same commit gives the same bytes,
# wherever it is built with the same version of Go: paths, dates and what git says of the
# work tree are not part of them. The C compiler is that of PyPI's package ziglang, which
# brings the headers of each system's C library, so that any host builds for all of them.
#
#   sh scripts/release/release.sh VERSION OS/ARCH...
set -eu

zig_version=0.17.1
glibc=2.28 # of Debian 10, Ubuntu 18.10, RHEL 8
macos=12.0 # that Go 1.26 needs

go=${GO:-go}
version=${1:?usage: release.sh VERSION OS/ARCH...}
shift

fail() {
	echo "release: $1" >&2
	exit 1
}

said=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' cmd/quarry/version/version.go)
[ "$version" = "$said" ] || fail "cmd/quarry/version says $said, not $version"
commit=$(git rev-parse HEAD 2>/dev/null || true)
[ -z "$(git status --porcelain 2>/dev/null)" ] || commit= # not what was committed
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

out=$PWD/dist
tools=$PWD/dist/.tools
mkdir -p "$out" "$tools"
find "$out" -maxdepth 1 -type f -delete
rm -rf "$out/stage"

zig=$tools/zig-$zig_version
if ! [ -d "$zig" ]; then
	command -v python3 >/dev/null || fail "Python 3 with pip is needed, for the C compiler of PyPI's package ziglang"
	python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target "$zig.part" "ziglang==$zig_version"
	mv "$zig.part" "$zig"
fi

# tool NAME PACKAGE@VERSION: builds it for this host, once.
tool() {
	at=$tools/$1-${2##*@}
	[ -x "$at/$1" ] || GOBIN=$at GOFLAGS='-trimpath -buildvcs=false' "$go" install "$2"
	echo "$at/$1"
}
nfpm=$(tool nfpm github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4)
cyclonedx=$(tool cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0)

# What can be compressed in the program is: cmd/quarry-pack says what, and how. Where it cuts
# otherwise than before, it is another compiler.
pack=$tools/pack-$(cksum <cmd/quarry-pack/cut.go | cut -d ' ' -f 1)/quarry-pack
GOFLAGS='-trimpath -buildvcs=false' "$go" build -o "$pack" ./cmd/quarry-pack
grammars=$("$go" list -deps -f '{{if .CgoFiles}}{{.Dir}}{{end}}' ./cmd/quarry | grep '/go-tree-sitter@[^/]*/')
echo "release: compressing tables and models" >&2
# shellcheck disable=SC2086 # several folders
PATH="$zig/ziglang:$PATH" "$pack" overlay -cc "zig cc -target x86_64-linux-gnu" -out "$tools/packed" $grammars

GO="$go" sh scripts/release/macos.sh "$tools/macos"
stubs="-idirafter $tools/macos/include -F$tools/macos -L$tools/macos"

# cross SYSTEM COMMAND...: runs it as for that system.
cross() {
	case $1 in
	linux/amd64) triple=x86_64-linux-gnu.$glibc ;;
	linux/arm64) triple=aarch64-linux-gnu.$glibc ;;
	windows/amd64) triple=x86_64-windows-gnu ;;
	darwin/amd64) triple="x86_64-macos.$macos $stubs" ;;
	darwin/arm64) triple="aarch64-macos.$macos $stubs" ;;
	*) fail "there are no packages for $1 yet" ;;
	esac
	system=$1
	shift
	env PATH="$zig/ziglang:$PATH" GOOS="${system%/*}" GOARCH="${system#*/}" CGO_ENABLED=1 GOFLAGS='-trimpath -buildvcs=false' \
		CC="$pack cc zig cc -target $triple" CXX="zig c++ -target $triple" CGO_CFLAGS='-O2 -w' CGO_CXXFLAGS='-O2 -w' CGO_CPPFLAGS='' CGO_LDFLAGS='' "$@"
}

stages=
for target in "$@"; do
	name=$(echo "$target" | tr / -)
	stage=$out/stage/$name
	program=$tools/build/$name/quarry
	echo "release: building $target" >&2
	cross "$target" "$go" build -o "$program" -overlay "$tools/packed/overlay.json" \
		-ldflags "-s -w -buildid= -extldflags=-Wl,--strip-all -X github.com/quarry-search/quarry/cmd/quarry/version.commit=$commit" ./cmd/quarry
	if grep -aqF 'text/template.(*state).evalField' "$program"; then
		fail "the program executes templates, for which the linker keeps the methods of all types: some 6 MB"
	fi
	sh scripts/onnxruntime/install.sh "$tools/lib/$name" "$target"
	"${MAKE:-make}" --no-print-directory install DESTDIR="$stage" PREFIX=/ PROGRAM="$program" LIBRARY="$tools/lib/$name" >/dev/null
	case $target in
	windows/*) # it has neither manual pages nor systemd, and needs a name to run a file by
		mv "$stage/bin/quarry" "$stage/bin/quarry.exe"
		rm -rf "$stage/share/man" "$stage/share/bash-completion" "$stage/share/zsh" "$stage/share/fish" "$stage/lib/systemd"
		;;
	darwin/*) rm -rf "$stage/lib/systemd" ;;
	esac
	doc=$stage/share/doc/quarry
	cross "$target" sh scripts/licences/collect.sh "$doc/licences"
	"$cyclonedx" bin -json -std -noserial -notimestamp -version "v$version" -output "$doc/sbom.cdx.json" "$program"
	stages="$stages $name=$stage"
done

client=client/typescript
"${MAKE:-make}" --no-print-directory "$client/node_modules/.package-lock.json" >&2
rm -rf "$client/dist"
npm --prefix "$client" run --silent build

# shellcheck disable=SC2086 # several stages
exec "$go" run ./cmd/quarry-release -version "$version" -nfpm "$nfpm" -client "$client/dist" "$out" $stages
