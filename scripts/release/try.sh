#!/bin/sh
# Installs the packages in dist/ into clean Debian systems, which have neither Go nor a C
# compiler, asks a server there a question, uninstalls, and looks for what was left behind.
# Prints how long each took and what it takes. Needs root, debootstrap and curl.
#
#	sh scripts/release/try.sh [tar|deb|npm|wheel]...
#
# SUITE is the Debian to try, bookworm by default. The bare system is kept in
# dist/.tools/chroot for the next time, and with it what npm and pip need.
set -eu

suite=${SUITE:-bookworm}
case $(uname -m) in
x86_64) deb=amd64 npm=x64 wheel=x86_64 ;;
aarch64) deb=arm64 npm=arm64 wheel=aarch64 ;;
esac
kept=$PWD/dist/.tools/chroot
work=$(mktemp -d)
server=
clean='/usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1'

finish() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	umount -l "$work/root/proc" 2>/dev/null || true
	rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

fail() {
	echo "try: $kind: $1" >&2
	exit 1
}

# inside ROOT COMMAND...: in a system, and nothing of this one's environment.
inside() {
	at=$1
	shift
	# shellcheck disable=SC2086 # several words
	chroot "$at" $clean "$@"
}

# base NAME [PACKAGE...]: a bare system, or the one that is kept, with these packages besides.
base() {
	name=$kept/$suite-$1
	shift
	[ ! -d "$name" ] || return 0
	rm -rf --one-file-system "$name.part"
	if [ $# -eq 0 ]; then
		mkdir -p "$kept"
		debootstrap --variant=minbase "$suite" "$name.part" >"$kept/log" || fail "debootstrap: see $kept/log"
	else
		cp -a "$kept/$suite-bare" "$name.part"
		cp /etc/resolv.conf "$name.part/etc/"
		inside "$name.part" apt-get -qq install --no-install-recommends "$@" >"$kept/log" || fail "apt-get: see $kept/log"
	fi
	mv "$name.part" "$name"
}

# listing: the files that there are, less what package managers note about themselves.
listing() {
	(cd "$work/root" && find . \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o -path ./tmp -o -path ./root/.npm \) -prune -o ! -type d -print | sort)
}

# try NAME SYSTEM INSTALL UNINSTALL PROGRAM
try() {
	kind=$1
	cp -a "$kept/$suite-$2" "$work/root"
	mount -t proc proc "$work/root/proc"
	cp -r docs/example "$work/root/tmp/shop"
	mkdir "$work/root/tmp/dist"
	ln dist/*.* "$work/root/tmp/dist/" 2>/dev/null || cp dist/*.* "$work/root/tmp/dist/"
	listing >"$work/before"
	began=$(date +%s%N)
	inside "$work/root" sh -ec "$3" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "it cannot be installed"; }
	took=$((($(date +%s%N) - began) / 1000000))
	listing >"$work/after"
	size=$(comm -13 "$work/before" "$work/after" | (cd "$work/root" && while read -r f; do [ ! -f "$f" ] || stat -c %s "$f"; done) | awk '{ n += $1 } END { printf "%.1f", n / 1e6 }')

	# shellcheck disable=SC2086 # several words
	chroot "$work/root" $clean "$5" serve --port 0 --data-dir /tmp/data /tmp/shop >"$work/served" 2>&1 &
	server=$!
	at=
	for _ in $(seq 100); do
		at=$(sed -n 's/^quarry: serving .* at \(http[^ ]*\).*/\1/p' "$work/served")
		! grep -q '^quarry: ready' "$work/served" || break
		sleep 0.1
	done
	[ -n "$at" ] || { cat "$work/served" >&2 && fail "it does not serve"; }
	answer=$(curl -sf --json '{"query": "how long to wait before the next attempt", "limit": 1}' "$at/search") || fail "/search does not answer"
	echo "$answer" | grep -q '"client/retry.ts"' || fail "/search answers $answer"
	engine=$(curl -sf "$at/status" | grep -o '"backend": *"[^"]*"' | head -n 1)
	kill "$server"
	wait "$server" || true
	server=
	inside "$work/root" sh -ec "$4" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "it cannot be uninstalled"; }
	listing >"$work/after"
	left=$(comm -13 "$work/before" "$work/after")
	gone=$(comm -23 "$work/before" "$work/after")
	[ -z "$left$gone" ] || fail "left behind: $left; gone: $gone"
	umount -l "$work/root/proc"
	rm -rf --one-file-system "$work/root"
	printf '%-6s installed in %d.%03d s, %s MB; answered by %s; no file left behind\n' "$kind" $((took / 1000)) $((took % 1000)) "$size" "$engine"
}

[ $# -gt 0 ] || set -- tar deb npm wheel
kind=bare
base bare
for kind in "$@"; do
	case $kind in
	tar)
		try tar bare "mkdir /opt/quarry && tar -xzf /tmp/dist/quarry-*-linux-$deb.tar.gz -C /opt/quarry --strip-components 1" "rm -r /opt/quarry" /opt/quarry/bin/quarry
		;;
	deb)
		try deb bare "dpkg -i /tmp/dist/quarry_*_$deb.deb" "dpkg -P quarry" quarry
		;;
	npm)
		base npm nodejs npm
		try npm npm "npm install --global --ignore-scripts --no-audit --no-fund --offline /tmp/dist/quarry-search-quarry-[0-9]*.tgz /tmp/dist/quarry-search-quarry-linux-$npm-*.tgz" \
			"npm uninstall --global @quarry-search/quarry @quarry-search/quarry-linux-$npm" quarry
		;;
	wheel)
		base wheel python3-venv
		[ -d "$kept/$suite-wheel/opt/venv" ] || inside "$kept/$suite-wheel" python3 -m venv /opt/venv
		try wheel wheel "/opt/venv/bin/pip install --no-index /tmp/dist/quarry_search-*_$wheel.whl" "/opt/venv/bin/pip uninstall -y quarry-search" /opt/venv/bin/quarry-search
		;;
	*) fail "this is not known" ;;
	esac
done
