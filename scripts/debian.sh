#!/bin/sh
# Sees to it that programs are there which the tests run:
#
#	sh scripts/debian.sh PROGRAM PACKAGE [PROGRAM PACKAGE]...
#
# What is missing comes from Debian's packages where they can be installed. Otherwise it
# is an error with a sentence.
set -eu

missing=
while [ $# -gt 1 ]; do
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
	shift 2
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
	echo "debian.sh: these are needed:$missing" >&2
	exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "debian.sh: only root may install what is needed: sudo apt-get install$missing" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# shellcheck disable=SC2086 # several packages
apt-get -qq install --no-install-recommends $missing >/dev/null
