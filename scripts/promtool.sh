#!/bin/sh
# Puts promtool, which checks the rules of Prometheus, into a folder:
#
#	sh scripts/promtool.sh FOLDER
#
# It is the one on the PATH, or that of Debian's package, which is unpacked and not
# installed: that would start a Prometheus.
set -eu

to=$1
mkdir -p "$to"
[ ! -x "$to/promtool" ] || exit 0
if at=$(command -v promtool); then
	ln -s "$at" "$to/promtool"
	exit 0
fi
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-deb >/dev/null 2>&1; then
	echo "promtool.sh: promtool is needed, of Prometheus: https://prometheus.io/download" >&2
	exit 1
fi
[ "$(id -u)" -ne 0 ] || apt-get -qq update
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
# As root, apt would rather read the folder as another user.
(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download prometheus)
dpkg-deb -x "$work"/prometheus_*.deb "$work/unpacked"
mv "$work/unpacked/usr/bin/promtool" "$to/promtool"
