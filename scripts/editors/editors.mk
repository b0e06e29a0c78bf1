# Included by the Makefile at the root of the repository.

.PHONY: editors-tools
editors-tools:
	@command -v node >/dev/null || { echo "make: Node 20 or newer is needed, for the tests of editors/vscode: https://nodejs.org" >&2; exit 1; }
	@command -v nvim >/dev/null || { echo "make: Neovim 0.7 or newer is needed, for the tests of editors/neovim: sh scripts/debian.sh nvim neovim installs that of Debian" >&2; exit 1; }
	@command -v curl >/dev/null || { echo "make: curl is needed, for editors/neovim" >&2; exit 1; }

.PHONY: editors
editors: editors-tools build ## run the tests of the editors' extensions, in Node and Neovim
	cd editors/vscode && node --test --test-reporter=spec test/*.test.js
	cd editors/neovim && nvim --headless --clean -u test/minimal.lua -c "luafile test/run.lua"
	cd editors/neovim && nvim --headless --clean -c "luafile test/lsp.lua"

.PHONY: editors-host
editors-host: editors-tools build ## the same in a real extension host of VS Code; fetches 300 MB
	sh scripts/editors/host.sh bench/host
	cd editors/vscode && CODE_SERVER=../../bench/host/node_modules/code-server node test/host/run.js
