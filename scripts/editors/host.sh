#!/bin/sh
# Puts a real extension host for editors/vscode into a folder, 300 MB of it: code-server,
# whose own packages are pinned in it, and what drives Chromium.
#
#   sh host.sh FOLDER
set -eu

dir=${1:?usage: host.sh FOLDER}
server=code-server@4.100.3
driver=playwright-core@1.49.1
chromium=${CHROMIUM:-/usr/bin/chromium}

[ -x "$chromium" ] || { echo "host.sh: $chromium is not there: install Chromium, or name it in CHROMIUM" >&2; exit 1; }
[ "$(cat "$dir/.host" 2>/dev/null)" = "$server $driver" ] && exit 0

mkdir -p "$dir"
cd "$dir"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund "$server" "$driver"
# Its install script fetches more than is needed here; these are what it cannot do without.
npm rebuild argon2
cd node_modules/code-server/lib/vscode
npm install --ignore-scripts --omit=dev --no-audit --no-fund
npm rebuild native-watchdog @vscode/spdlog
cd - >/dev/null
echo "$server $driver" >.host
