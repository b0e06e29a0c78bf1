#!/bin/sh
# Puts helm, and compose-spec, which reads compose files as Docker Compose does, into a folder:
#
#	sh scripts/deploy.sh FOLDER
#
# They are those on the PATH, or built: helm only with HELM=build, for it takes four minutes of
# processor time. What cannot be had is said, and is no error.
set -eu

to=$(cd "$1" && pwd)

have() { # have NAME PACKAGE@VERSION
	[ ! -x "$to/$1" ] || return 0
	if at=$(command -v "$1"); then
		ln -s "$at" "$to/$1"
		return 0
	fi
	echo "building $1" >&2
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	if CGO_ENABLED=0 GOBIN="$work" "${GO:-go}" install "$2"; then
		mv "$work"/* "$to/$1"
	else
		echo "deploy.sh: $1 cannot be built, and checks nothing" >&2
	fi
	rm -rf "$work"
}

have compose-spec github.com/compose-spec/compose-go/v2/cmd@v2.16.2
if [ -x "$to/helm" ] || command -v helm >/dev/null || [ "${HELM:-}" = build ]; then
	have helm helm.sh/helm/v3/cmd/helm@v3.22.0
else
	echo "deploy.sh: helm is not here, and the chart is not rendered: HELM=build builds it" >&2
fi
