#!/bin/sh
# Prints the packages of a module (default: this folder's) that run something concurrently,
# themselves or in their tests: they start goroutines, run tests in parallel or speak HTTP.
# Of the others the race detector could see nothing.
#
#   sh scripts/concurrent.sh [MODULE]
set -eu
cd "${1:-.}"
"${GO:-go}" list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./... | while read -r package dir; do
	if grep -qE '^[[:space:]]*(defer )?go (func|[A-Za-z_.]+)\(|\.Go\(|t\.Parallel\(|"net(/http(/httptest)?)?"$' "$dir"/*.go; then
		echo "$package"
	fi
done
