#!/bin/sh
# Fuzzes the parser of index/internal/syntax/glr, which is C, over the grammar of each language
# with libFuzzer, under the sanitizers of clang, and prints what came of it.
#
#	sh scripts/fuzz/parser.sh [LANGUAGES]
#
# LANGUAGES is a regular expression for their names; without it, all of them are fuzzed.
# FUZZTIME is the time for all together (1h; seconds, or with m or h), GO the go command.
# Seeds are the sources in testdata and the texts of seeds.awk. Programs, corpora and what
# was found are left in bench/fuzz/parser/LANGUAGE.
#
# A grammar has C of its own: its scanner, which others wrote. A finding is of that which
# the sanitizer's stack names first, our C or the grammar's; of a text that takes too long,
# or too much memory, the grammar's where it is in the stack at all, since a scanner calls
# ours for each character. Our C is checked for undefined behaviour, too; the grammars' is
# not, where that does not touch wrong memory.
#
# Exit codes: 0 our C has no finding, 1 it has, 2 it could not be built or run.
set -u
GO=${GO:-go}
CLANG=${CLANG:-clang}
want=${1:-.}
case ${FUZZTIME:-1h} in
*h) total=$((${FUZZTIME%h} * 3600)) ;;
*m) total=$((${FUZZTIME%m} * 60)) ;;
*) total=${FUZZTIME%s} ;;
esac
languages=$PWD/index/internal/lang
ours=$PWD/index/internal/syntax/glr
base=$PWD/bench/fuzz/parser
module=$("$GO" list -m -f '{{.Dir}}' github.com/smacker/go-tree-sitter) || exit 2
export ASAN_OPTIONS=abort_on_error=0:handle_abort=1:allocator_may_return_null=0:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1
mkdir -p "$base" || exit 2

# The languages are those in the folders of lang. Where several have one grammar, it is fuzzed
# once, under the name that its folder has.
cat "$languages"/*/*.go >"$base/languages.go"
awk '{
		if (match($0, /Name: +"[a-z]+"/)) { name = substr($0, RSTART, RLENGTH); gsub(/Name: +|"/, "", name) }
		if (match($0, /Grammar: +[a-z]+\.GetLanguage/)) { package = substr($0, RSTART, RLENGTH); gsub(/Grammar: +|\.GetLanguage/, "", package); print name, package }
	}' "$base/languages.go" | while read -r name package; do
	path=$(sed -n "s|^\t*\"github.com/smacker/go-tree-sitter/\(.*\)\"$|\1|p" "$base/languages.go" | grep -E "(^|/)$package$" | sort -u)
	[ "$name" = "$(basename "$path")" ] && rank=0 || rank=1
	printf '%s %s %s\n' "$path" "$rank" "$name"
done | sort | awk '!seen[$1]++ { print $3, $1 }' | grep -E -- "$want" >"$base/languages.txt"
count=$(wc -l <"$base/languages.txt")
[ "$count" -gt 0 ] || { echo "parser.sh: no language matches $want" >&2; exit 2; }

# compile OBJECT SOURCE FLAGS...: unless it is newer than all that is ours.
compile() {
	object=$1 source=$2
	shift 2
	if [ -e "$object" ] && [ -z "$(find "$source" "$ours"/*.h scripts/fuzz/parser.sh -newer "$object")" ]; then return 0; fi
	"$CLANG" -g1 -O1 -w -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link "$@" -c "$source" -o "$object"
}

build() { # NAME PATH
	mkdir -p "$dir/o" "$base/ours" || return 1
	grammar=$(sed -n 's|.*C\.\(tree_sitter_[a-z_]*\)().*|\1|p' "$module/$2/binding.go")
	# The guards of scanner.c know scanners of all languages: those that are not linked are
	# never called. walk.c is for the library's trees.
	for f in "$ours"/*.c; do
		case $f in */walk.c) continue ;; esac
		compile "$base/ours/$(basename "$f" .c).o" "$f" -fsanitize=undefined -fno-sanitize-recover=undefined || return 1
	done
	compile "$base/ours/alloc.o" "$module/alloc.c" || return 1 # some scanners ask the library for memory
	compile "$dir/o/driver.o" scripts/fuzz/parser.c -DGRAMMAR="$grammar" -DNAME="\"$1\"" || return 1
	for f in "$module/$2"/parser.c "$module/$2"/scanner.c "$module/$2"/scanner.cc; do
		if [ -e "$f" ]; then compile "$dir/o/grammar-$(basename "$f").o" "$f" -I"$module/$2" -I"$module" || return 1; fi
	done
	"$CLANG" -fsanitize=address,undefined,fuzzer "$dir"/o/*.o "$base"/ours/*.o -lstdc++ -Wl,--unresolved-symbols=ignore-all -no-pie -o "$dir/fuzz"
}

seed() { # NAME
	rm -rf "$dir/cases" && mkdir -p "$dir/cases" "$dir/corpus" || return 1
	awk -v lang="$1" -v dir="$dir/cases" -f scripts/fuzz/seeds.awk || return 1
	find "$dir/cases" -size -8 -exec cp {} "$dir/corpus" \;
	for f in "$languages"/*/testdata/symbols/"$1"/*.txtar; do
		[ -e "$f" ] || continue
		awk -v to="$dir/corpus/$(basename "$f" .txtar)" '
			/^-- .* --$/ { n++; file = $2 == "want" || $2 == "skeleton" ? "" : to "-" n; next }
			file { print >file }' "$f" || return 1
	done
}

# blame LOG: whose the finding is, and where.
blame() {
	awk -v ours="$ours/" -v driver="$PWD/scripts/fuzz/" -v module="$module/" '
		/libFuzzer: (timeout|out-of-memory)|rss limit exhausted/ { slow = 1 }
		/^ *#[0-9]+ / {
			at = ""
			if (index($0, module) || $0 ~ / in grammar_wrote_too_much/) at = "grammar"
			else if (index($0, ours) || index($0, driver)) at = "ours"
			if (at == "grammar" && !place["grammar"]) place["grammar"] = $4 " " $NF
			if (at == "ours" && !place["ours"] && $4 != "LLVMFuzzerTestOneInput") place["ours"] = $4 " " $NF
			if (at != "" && first == "") first = at
		}
		END {
			if (first == "") first = "ours" # or something that this script does not know
			if (slow && place["grammar"]) first = "grammar"
			print first, place[first]
		}' "$1"
}

# try FILE: runs the text by itself, and notes a finding.
try() {
	log=$dir/found/$(basename "$1").log
	timeout 120 "$dir/fuzz" -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$dir/found/again-" "$1" >"$log" 2>&1 </dev/null
	code=$?
	rm -f "$dir"/found/again-*
	if [ $code -eq 0 ]; then
		rm -f "$log"
	else
		printf '%s %s\n' "$1" "$(blame "$log")" >>"$dir/findings.txt"
	fi
}

printf '%-12s %12s %8s %8s %8s %s\n' "$count grammars" executions texts seconds ours "grammar's"
bad=0
while read -r name path <&3; do
	dir=$base/$name
	mkdir -p "$dir"
	build "$name" "$path" >"$dir/build.log" 2>&1 || { tail -n 20 "$dir/build.log" >&2; echo "parser.sh: $name cannot be built" >&2; exit 2; }
	seed "$name" || exit 2
	: >"$dir/findings.txt"
	rm -rf "$dir/found" "$dir/kept" "$dir/stops.txt"
	mkdir "$dir/found" "$dir/kept"
	began=$(date +%s)
	texts=$(find "$dir/cases" -type f | wc -l)
	# All at once, and where that ends before the last, one by one.
	timeout 600 "$dir/fuzz" -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$dir/kept/" "$dir"/cases/* >"$dir/run.log" 2>&1 </dev/null ||
		for f in "$dir"/cases/*; do try "$f"; done
	# A finding ends the process: it goes on without that text, for the time that is left.
	until=$(($(date +%s) + total / count))
	executions=0
	while left=$((until - $(date +%s))) && [ $left -gt 0 ]; do
		"$dir/fuzz" -timeout=20 -rss_limit_mb=4096 -max_len=4096 -max_total_time=$left -print_final_stats=1 \
			-artifact_prefix="$dir/found/" "$dir/corpus" >"$dir/run.log" 2>&1 </dev/null && code=0 || code=$?
		executions=$((executions + $(sed -n 's/^stat::number_of_executed_units: *//p; s/^#\([0-9]*\)\t.*/\1/p' "$dir/run.log" | sort -n | tail -n 1)))
		for f in "$dir"/found/crash-* "$dir"/found/timeout-* "$dir"/found/oom-* "$dir"/found/leak-*; do
			case $f in *.log) continue ;; esac
			[ -e "$f" ] || continue
			try "$f"
			(cd "$dir/corpus" && sha1sum -- * | awk -v bad="${f##*-}" '$1 == bad { print $2 }' | xargs -r rm -f --)
			mv "$f" "$dir/kept"
		done
		[ $code -eq 0 ] || echo "exit code $code" >>"$dir/stops.txt"
	done
	found=$(awk '$2 == "ours"' "$dir/findings.txt" | wc -l)
	others=$(awk '$2 == "grammar"' "$dir/findings.txt" | wc -l)
	printf '%-12s %12s %8s %8s %8s %s\n' "$name" "$executions" "$texts" $(($(date +%s) - began)) "$found" "$others"
	cut -d ' ' -f 2- "$dir/findings.txt" | sed "s|$module/||; s|$PWD/||" | sort | uniq -c | sed 's/^/    /'
	bad=$((bad + found))
	if [ "$executions" -eq 0 ]; then
		tail -n 20 "$dir/run.log" >&2
		echo "parser.sh: $name was not run" >&2
		exit 2
	fi
done 3<"$base/languages.txt"
if [ "$bad" -gt 0 ]; then
	echo "parser.sh: our C has $bad findings; bench/fuzz/parser/*/findings.txt names the texts" >&2
	exit 1
fi
