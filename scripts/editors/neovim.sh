#!/bin/sh
# Sees to it that Neovim is there, for `make editors`: from Debian's packages where
# they can be installed. Otherwise what is missing is an error with a sentence.
set -eu

command -v nvim >/dev/null 2>&1 && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
	echo "neovim.sh: Neovim 0.7 or newer is needed: https://neovim.io" >&2
	exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "neovim.sh: Neovim is needed, and only root may install it: sudo apt-get install neovim" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install --no-install-recommends neovim >/dev/null
nvim --version | head -n 1
