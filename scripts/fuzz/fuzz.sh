#!/bin/sh
# Runs every fuzz target of the module for a while and prints what came of it.
#
#	sh scripts/fuzz/fuzz.sh [TARGETS]
#
# TARGETS is a regular expression for "package Target"; without it, all of them are run.
# FUZZTIME is the time for each (1m), PARALLEL the number of workers (as Go chooses), GO
# the go command. The targets are those that the test binaries list, so that a new one
# needs no entry anywhere. Logs are left in bench/fuzz, the findings as seeds below
# testdata/fuzz of their package. Exit codes: 0 nothing was found, 1 something was, or a
# target has no seeds, 2 the targets could not be listed.
set -u
GO=${GO:-go}
time=${FUZZTIME:-1m}
want=${1:-.}
logs=bench/fuzz
mkdir -p "$logs" || exit 2

# With no test, the binaries are built and what they have is listed: names, and below
# them the line of their package.
"$GO" test -list '^Fuzz' ./... >"$logs/list.txt" 2>"$logs/list.err" || {
	cat "$logs/list.txt" "$logs/list.err" >&2
	echo "fuzz: the targets cannot be listed" >&2
	exit 2
}
awk '/^Fuzz/ { names[n++] = $1 } /^ok/ { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }' "$logs/list.txt" |
	grep -E -- "$want" >"$logs/targets.txt"
count=$(wc -l <"$logs/targets.txt")
if [ "$count" -eq 0 ]; then
	echo "fuzz: no target matches $want" >&2
	exit 2
fi

printf '%-62s %12s %8s %8s %s\n' "$count targets, $time each" executions new seconds result
bad=0
while read -r pkg target <&3; do
	short=${pkg#github.com/quarry-search/quarry/}
	log=$logs/$(printf %s "$short.$target" | tr / _).log
	began=$(date +%s)
	# The seeds come first, by themselves: each is a subtest.
	"$GO" test -run "^$target\$" -v "$pkg" </dev/null >"$log" 2>&1
	code=$?
	seeds=$(grep -c "^=== RUN   $target/" "$log")
	if [ "$code" -ne 0 ]; then
		result="a seed fails"
	elif [ "$seeds" -eq 0 ]; then
		result="no seeds"
	else
		# What is found interesting is not minimized for long: with a large seed that would
		# take the whole time.
		"$GO" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 2s \
			${PARALLEL:+-parallel "$PARALLEL"} "$pkg" </dev/null >"$log" 2>&1 && result=ok || result=FOUND
	fi
	[ "$result" = ok ] || bad=$((bad + 1))
	took=$(($(date +%s) - began))
	line=$(grep '^fuzz: elapsed.*execs' "$log" | tail -n 1)
	execs=$(printf %s "$line" | sed -n 's/.*execs: \([0-9]*\).*/\1/p')
	new=$(printf %s "$line" | sed -n 's/.*new interesting: \([0-9]*\).*/\1/p')
	printf '%-62s %12s %8s %8s %s\n' "$short $target" "${execs:-0}" "${new:-0}" "$took" "$result"
	[ "$result" = ok ] || sed 's/^/    /' "$log" | tail -n 40
done 3<"$logs/targets.txt"
if [ "$bad" -gt 0 ]; then
	echo "fuzz: $bad of $count targets have a finding; each log has the command that repeats it" >&2
	exit 1
fi
