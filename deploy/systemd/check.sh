#!/bin/sh
# Checks the units where systemd is: that they are some, and how closed that of the system
# is. Copies are checked whose program exists.
set -eu

cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
sed 's|^ExecStart=/usr/local/bin/quarry|ExecStart=/bin/true|' quarry.service >"$work/quarry.service"
sed 's|^ExecStart=quarry|ExecStart=/bin/true|' quarry@.service >"$work/quarry@.service"
complaints=$({
	systemd-analyze verify --man=no "$work/quarry.service"
	systemd-analyze --user verify --man=no "$work/quarry@home-you.service"
} 2>&1 | grep quarry || true)
if [ -n "$complaints" ]; then
	echo "$complaints" >&2
	exit 1
fi
systemd-analyze security --offline=true --threshold=20 "$work/quarry.service" | tail -n 1
