#!/bin/sh
# Writes what the C compiler must know of macOS to build a Go program for it elsewhere, and
# does not bring itself: stubs for the linker, which say what symbols the system's libraries
# and frameworks have, and a header. What Go's own packages use of them is named in their
# sources, in the directives cgo_import_dynamic. The format is that of text-based stubs,
# version 4 (https://github.com/llvm/llvm-project/blob/main/llvm/docs/CommandGuide/llvm-readtapi.rst).
#
#   sh macos.sh FOLDER    then compile with -idirafter FOLDER/include -FFOLDER -LFOLDER
set -eu

out=${1:?usage: macos.sh FOLDER}
go=${GO:-go}
rm -rf "$out"
mkdir -p "$out/include/mach"
grep -rhE '^//go:cgo_import_dynamic [^ ]+ [^ ]+ "(/System/Library/Frameworks/|/usr/lib/libresolv)' --include='*.go' "$("$go" env GOROOT)/src" |
	awk '{ gsub(/"/, "", $4); print $4, $3 }' | sort -u |
	while read -r library symbol; do
		name=$(basename "$library")
		case $library in
		*.framework/*) stub=$out/$name.framework/$name.tbd ;;
		*) stub=$out/$(echo "$name" | cut -d . -f 1).tbd ;; # libresolv.9.dylib is -lresolv
		esac
		if ! [ -f "$stub" ]; then
			mkdir -p "$(dirname "$stub")"
			printf -- "--- !tapi-tbd\ntbd-version: 4\ntargets: [ x86_64-macos, arm64-macos ]\ninstall-name: '%s'\nexports:\n  - targets: [ x86_64-macos, arm64-macos ]\n    symbols:\n" "$library" >"$stub"
		fi
		echo "      - _$symbol" >>"$stub"
	done
for stub in "$out"/*.tbd "$out"/*/*.tbd; do
	echo ... >>"$stub"
done

# The Prometheus client asks with it how much memory it has.
cat >"$out/include/mach/mach_vm.h" <<'END'
#include <mach/mach_types.h>
#include <mach/vm_region.h>

kern_return_t mach_vm_region(vm_map_t task, mach_vm_address_t *address, mach_vm_size_t *size,
	vm_region_flavor_t flavor, vm_region_info_t info, mach_msg_type_number_t *count, mach_port_t *name);
END
